// The sum of the largest numbers of all windows, with a queue of the numbers that may still become one.
#include <deque>
#include <iostream>
#include <vector>

int main() {
    int size, width;
    std::cin >> size >> width;
    std::vector<long long> numbers;
    for (int place = 0; place < size; ++place) {
        long long number;
        std::cin >> number;
        numbers.push_back(number);
    }
    std::deque<int> candidates;
    long long sum = 0;
    int dropped = 0;
    for (int place = 0; place < size; ++place) {
        while (!candidates.empty() && numbers[candidates.back()] <= numbers[place]) {
            candidates.pop_back();
            ++dropped;
        }
        candidates.push_back(place);
        if (candidates.front() <= place - width) candidates.pop_front();
        if (place + 1 >= width) sum += numbers[candidates.front()];
    }
    std::cout << sum << " " << dropped << "\n";
}
