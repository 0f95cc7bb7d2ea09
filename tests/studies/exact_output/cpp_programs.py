"""C++ programs for the builder's tests: the worked example of the study, and small ones for refusals."""

from __future__ import annotations

from auditor.studies.exact_output.case import Case
from tests.studies.exact_output.programs import WORKED

CPP_NAND = """\
#include <iostream>
#include <string>
using namespace std;

int main() {
    int size;
    string s;
    cin >> size >> s;
    long long cnt0 = 0, cnt1 = 0, ans = 0;
    for (char ch : s) {
        long long dp0, dp1;
        if (ch == '0') dp0 = 1, dp1 = cnt0 + cnt1;
        else dp0 = cnt1, dp1 = cnt0 + 1;
        ans += dp1;
        cnt0 = dp0; cnt1 = dp1;
    }
    cout << ans << "\\n";
}
"""
CPP_WORKED = Case("nand", CPP_NAND, WORKED.short, WORKED.long, "cpp", iteration=502, fields=("ans", "cnt1"))
CPP_TOTAL = """\
#include <cstdio>
int main() {
    int total = 0, n;
    while (std::scanf("%d", &n) == 1) total += n;
    std::printf("%d\\n", total);
}
"""
CPP_SUM = Case("sum", CPP_TOTAL, "1 2\n", "1 2 3 4 5 6\n", "cpp", loop=4, iteration=4, fields=("total",))
