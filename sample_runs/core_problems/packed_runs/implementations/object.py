class Packer:
    def __init__(self):
        self.parts = []
        self.letter = None
        self.number = 0

    def flush(self):
        if self.letter is None:
            return
        mark = ("\\" if self.letter.isnumeric() else "") + self.letter
        if self.number in (1, 2):
            self.parts.extend([mark] * self.number)
        else:
            self.parts.extend([f"{self.number}", mark])

    def push(self, letter):
        if letter != self.letter:
            self.flush()
            self.letter, self.number = letter, 0
        self.number += 1


def packed_runs(text):
    packer = Packer()
    for letter in text:
        packer.push(letter)
    packer.flush()
    return "".join(packer.parts)
