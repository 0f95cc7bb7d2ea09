above, below = map(int, input().split("/"))
h, k = [0, 1], [1, 0]
terms = []
while below:
    term = above // below
    above, below = below, above - term * below
    h = [h[1], term * h[1] + h[0]]
    k = [k[1], term * k[1] + k[0]]
    terms.append(term)
sign = -1 if len(terms) % 2 else 1
print(terms)
print(f"{h[0]}/{k[0]}", h[1] * k[0] - h[0] * k[1] == sign, above)
