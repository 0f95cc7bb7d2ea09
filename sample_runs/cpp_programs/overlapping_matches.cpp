// Where a pattern stands in a text, also over itself: the failure function of Knuth, Morris and Pratt.
#include <iostream>
#include <string>
#include <vector>
using namespace std;

vector<int> failures(const string& pattern) {
    vector<int> table(pattern.size(), 0);
    int length = 0;
    for (size_t place = 1; place < pattern.size(); place++) {
        while (length > 0 && pattern[place] != pattern[length]) length = table[length - 1];
        if (pattern[place] == pattern[length]) length++;
        table[place] = length;
    }
    return table;
}

int main() {
    string pattern, text;
    cin >> pattern >> text;
    const vector<int> table = failures(pattern);
    int matched = 0, falls = 0;
    vector<int> found;
    int place = 0;
    while (place < (int)text.size()) {
        if (text[place] == pattern[matched]) {
            matched++;
            place++;
        } else if (matched > 0) {
            matched = table[matched - 1];
            falls++;
        } else {
            place++;
        }
        if (matched == (int)pattern.size()) {
            found.push_back(place - matched);
            matched = table[matched - 1];
        }
    }
    cout << found.size() << " matches, " << falls << " falls:";
    for (int start : found) cout << ' ' << start;
    cout << endl;
}
