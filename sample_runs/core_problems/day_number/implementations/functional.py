from datetime import date


def day_number(text):
    fields = [int(piece) if piece.isdecimal() else -1 for piece in text.split("-")]
    if len(fields) == 3 and min(fields) >= 0:
        try:
            when = date(*fields)
        except ValueError:
            return 0
        return (when - date(when.year, 1, 1)).days + 1
    return 0
