class Triangle:
    def __init__(self, *lengths):
        self.short, self.mid, self.long = sorted(lengths)

    @property
    def possible(self):
        return self.short > 0 and self.long - self.mid < self.short

    def symmetry(self):
        pairs = (self.short == self.mid) + (self.mid == self.long)
        return ["scalene", "isosceles", "equilateral"][pairs]

    def corner(self):
        gap = pow(self.long, 2) - pow(self.short, 2) - pow(self.mid, 2)
        if gap < 0:
            return self.symmetry()
        return "-".join((self.symmetry(), "obtuse" if gap else "right"))


def triangle_kind(a, b, c):
    shape = Triangle(a, b, c)
    return shape.corner() if shape.possible else "none"
