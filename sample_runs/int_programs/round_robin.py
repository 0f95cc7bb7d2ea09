players = int(input())
games = 0
checksum = 0
for round_number in range(players):
    for seat in range(1, players // 2 + 1):
        home = (round_number + seat) % players
        away = (round_number - seat) % players
        games += 1
        checksum = (checksum * 3 + home * away) % 1009
print(games, checksum)
