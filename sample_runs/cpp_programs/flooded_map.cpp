// Rain falls on a map cell by cell; lakes that touch become one. How many are there, and how large is the largest?
#include <iostream>
#include <numeric>
#include <vector>
using namespace std;

int rows, columns;
vector<int> parent, area;

int find(int cell) {
    while (parent[cell] != cell) {
        parent[cell] = parent[parent[cell]];
        cell = parent[cell];
    }
    return cell;
}

bool unite(int one, int other) {
    one = find(one);
    other = find(other);
    if (one == other) return false;
    if (area[one] < area[other]) swap(one, other);
    parent[other] = one;
    area[one] += area[other];
    return true;
}

int main() {
    int drops;
    cin >> rows >> columns >> drops;
    parent.resize(rows * columns);
    iota(parent.begin(), parent.end(), 0);
    area.assign(rows * columns, 0);
    int lakes = 0, largest = 0;
    bool joined = false;
    for (int drop = 0; drop < drops; drop++) {
        int row, column;
        cin >> row >> column;
        int cell = row * columns + column;
        joined = false;
        if (area[find(cell)] == 0) {
            area[cell] = 1;
            lakes++;
            const int down[] = {1, -1, 0, 0}, right[] = {0, 0, 1, -1};
            for (int way = 0; way < 4; way++) {
                int r = row + down[way], c = column + right[way];
                if (r < 0 || r >= rows || c < 0 || c >= columns) continue;
                int near = r * columns + c;
                if (area[find(near)] > 0 && unite(cell, near)) {
                    lakes--;
                    joined = true;
                }
            }
        }
        largest = max(largest, area[find(cell)]);
    }
    cout << lakes << ' ' << largest << ' ' << (joined ? "joined" : "alone") << '\n';
}
