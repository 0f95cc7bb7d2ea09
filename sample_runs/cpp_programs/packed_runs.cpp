// A text with its runs packed: three or more equal letters become a number and the letter.
#include <iostream>
#include <string>

int main() {
    std::string text;
    std::getline(std::cin, text);
    std::string packed;
    char last = '#';
    int run = 0, saved = 0;
    auto flush = [&]() {
        if (run >= 3) {
            packed += std::to_string(run) + last;
            saved += run - 1 - static_cast<int>(std::to_string(run).size());
        } else {
            packed.append(run, last);
        }
    };
    for (char letter : text) {
        if (letter == last) {
            ++run;
        } else {
            flush();
            last = letter;
            run = 1;
        }
    }
    flush();
    std::cout << packed << '\n' << saved << '\n';
}
