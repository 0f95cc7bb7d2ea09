def square_sum(n):
    return 0 if n == 0 else (n % 10) ** 2 + square_sum(n // 10)


def digit_steps(number, before=()):
    path = before + (number,)
    if number == 1:
        return len(path), True
    following = square_sum(number)
    if following in path:
        return len(path), False
    return digit_steps(following, path)
