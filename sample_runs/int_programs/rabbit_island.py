months = int(input())
young, grown, old = 2, 0, 0
eaten = 0
for month in range(1, months + 1):
    born = grown * 2
    young, grown, old = born, young, grown
    if month % 5 == 0 and grown > 10:
        eaten += grown // 3
        grown -= grown // 3
print(young + grown + old, eaten)
