#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

// The longest common subsequence of two words, with two rows of the table.
template <class Word> int common(const Word& one, const Word& other, std::vector<int>& row) {
    row.assign(other.size() + 1, 0);
    int longest = 0;
    for (std::size_t i = 1; i <= one.size(); ++i) {
        int corner = 0;
        for (std::size_t j = 1; j <= other.size(); ++j) {
            const int above = row[j];
            row[j] = one[i - 1] == other[j - 1] ? corner + 1 : std::max(above, row[j - 1]);
            corner = above;
        }
        longest = std::max(longest, row.back());
    }
    return longest;
}

int main() {
    std::string one, other;
    std::vector<int> row;
    std::cin >> one >> other;
    const int longest = common(one, other, row);
    std::cout << longest << ':';
    for (int value : row) std::cout << ' ' << value;
    std::cout << '\n';
}
