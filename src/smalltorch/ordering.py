"""The order of the numbers of a line, and among equal ones the order in which torch leaves them.

torch sorts with C++'s library, which keeps equal numbers in their order only up to sixteen of them.
An answer that takes the first two of a sorted row sees which of several equal ones came first, so
what that library does is done here again: its partition about the middle of three, its heap. Where
all numbers are different there is one order only, and Python's own sort finds it.
"""

from collections.abc import Sequence
from operator import itemgetter, ne
from typing import Any

Item = tuple[int, int]  # the rank of a number among the different ones, and its place
SHORT = 16  # so many are sorted by insertion, which leaves equal ones in their order
PARTIAL = 64  # a heap finds the largest of so many times as many


def order_of(line: Sequence[Any], descending: bool = False, stable: bool = False) -> list[int]:
    """Return the places of the numbers from the smallest to the largest; nan is the largest."""
    count = len(line)
    different = len(set(line)) == count
    if (stable or different or count <= SHORT) and not any(map(ne, line, line)):
        return sorted(range(count), key=line.__getitem__, reverse=descending)
    items = _items(line, descending)
    if not stable:
        _sort_roughly(items)
    return _places(sorted(items, key=itemgetter(0)))


def best(line: Sequence[Any], count: int, largest: bool) -> list[int]:
    """Return the places of the `count` largest or smallest numbers, the outermost first."""
    if not count:
        return []
    if len(set(line)) == len(line):
        return order_of(line, largest)[:count]
    items = _items(line, largest)
    if count * PARTIAL <= len(line):
        return _places(_least(items, count))
    _select(items, count - 1)
    others = items[: count - 1]
    _sort_roughly(others)
    return _places([*sorted(others, key=itemgetter(0)), items[count - 1]])


def _items(line: Sequence[Any], descending: bool = False) -> list[Item]:
    numbers = sorted({number for number in line if number == number})
    sign = -1 if descending else 1
    rank = {number: sign * place for place, number in enumerate(numbers)}
    nan = sign * len(numbers)
    return [(rank.get(number, nan), place) for place, number in enumerate(line)]


def _places(items: list[Item]) -> list[int]:
    return [place for _rank, place in items]


# ---- What C++'s library does


def _sort_roughly(items: list[Item]) -> None:
    """Do what comes before the last insertion: cut until all parts are short."""
    waiting = [(0, len(items))]
    while waiting:
        first, last = waiting.pop()
        if last - first > SHORT:
            cut = _partition(items, first, last)
            waiting += [(first, cut), (cut, last)]


def _select(items: list[Item], place: int) -> None:
    """Bring to a place what belongs there, with smaller ones before and larger ones behind."""
    first, last = 0, len(items)
    while last - first > 3:
        cut = _partition(items, first, last)
        first, last = (cut, last) if cut <= place else (first, cut)
    items[first:last] = sorted(items[first:last], key=itemgetter(0))


def _partition(items: list[Item], first: int, last: int) -> int:
    """Bring the smaller ones before the larger ones; return where those begin."""
    pivot_at = _middle_of(items, first + 1, (first + last) // 2, last - 1)
    items[first], items[pivot_at] = items[pivot_at], items[first]
    pivot, low, high = items[first][0], first + 1, last
    while True:
        while items[low][0] < pivot:
            low += 1
        high -= 1
        while pivot < items[high][0]:
            high -= 1
        if low >= high:
            return low
        items[low], items[high] = items[high], items[low]
        low += 1


def _middle_of(items: list[Item], a: int, b: int, c: int) -> int:
    x, y, z = (items[at][0] for at in (a, b, c))
    if x < y:
        return b if y < z else c if x < z else a
    return a if x < z else c if y < z else b


def _least(items: list[Item], count: int) -> list[Item]:
    """Return the smallest ones in order, found with a heap whose top is the largest of them."""
    heap = items[:count]
    for hole in reversed(range(count // 2)):
        _settle(heap, hole, heap[hole])
    for item in items[count:]:
        if item[0] < heap[0][0]:
            _settle(heap, 0, item)
    found = []
    while heap:
        found.append(heap[0])
        item = heap.pop()
        if heap:
            _settle(heap, 0, item)
    return found[::-1]


def _settle(heap: list[Item], hole: int, item: Item) -> None:
    """Put an item into the heap below a hole: the hole sinks to the end, the item rises."""
    top, count = hole, len(heap)
    while 2 * hole + 2 < count:
        child = 2 * hole + 2
        child -= heap[child][0] < heap[child - 1][0]
        heap[hole], hole = heap[child], child
    if 2 * hole + 2 == count:
        heap[hole], hole = heap[2 * hole + 1], 2 * hole + 1
    while hole > top and heap[(hole - 1) // 2][0] < item[0]:
        heap[hole], hole = heap[(hole - 1) // 2], (hole - 1) // 2
    heap[hole] = item
