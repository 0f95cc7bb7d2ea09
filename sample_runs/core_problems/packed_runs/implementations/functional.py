from itertools import groupby


def packed_runs(text):
    def piece(letter, size):
        safe = f"\\{letter}" if "0" <= letter <= "9" else letter
        return f"{size}{safe}" if size > 2 else safe * size

    return "".join(piece(letter, len(list(run))) for letter, run in groupby(text))
