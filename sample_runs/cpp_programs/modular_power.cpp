// base to the power of exponent, by squaring, and how often it multiplied.
#include <cstdio>

int main() {
    long long base, exponent, modulus;
    if (std::scanf("%lld %lld %lld", &base, &exponent, &modulus) != 3) return 1;
    long long result = 1 % modulus;
    int products = 0;
    base %= modulus;
    do {
        if (exponent & 1) {
            result = result * base % modulus;
            products++;
        }
        base = base * base % modulus;
        products++;
        exponent >>= 1;
    } while (exponent > 0);
    std::printf("%lld after %d products\n", result, products);
    return 0;
}
