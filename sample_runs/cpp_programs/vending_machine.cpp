// A machine sells what people ask for as long as it has any, and orders more of what runs out.
#include <iostream>
#include <map>
#include <string>
using namespace std;

int main() {
    int kinds, requests;
    cin >> kinds >> requests;
    map<string, int> stock, price;
    for (int kind = 0; kind < kinds; kind++) {
        string name;
        cin >> name;
        cin >> stock[name] >> price[name];
    }
    int cash = 0, refused = 0;
    string last = "nothing";
    for (int request = 1; request <= requests; request++) {
        string name;
        int coins;
        cin >> name >> coins;
        if (!stock.count(name) || coins < price[name]) {
            refused++;
            continue;
        }
        if (stock[name] == 0) {
            stock[name] = request % 3 + 1;
            cash -= price[name] / 2;
            refused++;
            continue;
        }
        stock[name]--;
        cash += price[name];
        last = name;
    }
    cout << cash << ' ' << refused << ' ' << last << '\n';
    for (const auto& [name, left] : stock) cout << name << ' ' << left << '\n';
}
