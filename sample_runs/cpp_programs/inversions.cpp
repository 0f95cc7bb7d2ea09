// How many pairs stand in the wrong order, with a Fenwick tree over the ranks of the numbers.
#include <algorithm>
#include <iostream>
#include <vector>

struct Fenwick {
    std::vector<int> sums;

    explicit Fenwick(int size) : sums(size + 1, 0) {}

    void add(int place) {
        for (; place < static_cast<int>(sums.size()); place += place & -place) ++sums[place];
    }

    int count(int place) const {
        int total = 0;
        for (; place > 0; place -= place & -place) total += sums[place];
        return total;
    }
};

int main() {
    int size;
    std::cin >> size;
    std::vector<int> numbers(size);
    for (int& number : numbers) std::cin >> number;
    std::vector<int> ranked = numbers;
    std::sort(ranked.begin(), ranked.end());
    Fenwick tree(size);
    long long inversions = 0;
    int seen = 0, worst = 0;
    for (int number : numbers) {
        int rank = std::upper_bound(ranked.begin(), ranked.end(), number) - ranked.begin();
        int larger = seen - tree.count(rank);
        inversions += larger;
        worst = std::max(worst, larger);
        tree.add(rank);
        ++seen;
    }
    std::cout << inversions << ' ' << worst << '\n';
}
