def digit_steps(number):
    seen = []
    while number not in seen:
        seen.append(number)
        if number == 1:
            break
        total = 0
        for digit in str(number):
            total += int(digit) ** 2
        number = total
    return len(seen), number == 1
