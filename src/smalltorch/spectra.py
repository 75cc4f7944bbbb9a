"""Eigenvalues and singular values of matrices that are lists of rows, as textbooks have them.

Vectors are unique up to their signs, which are as they come. A list of vectors has one in a row.
"""

import cmath
import math
from typing import Any

from smalltorch.factorizations import (
    Matrix,
    Reflection,
    Vector,
    identity,
    mirrored_axes,
    qr,
    reflect,
    reflection,
    transposed,
)
from smalltorch.products import inner_product

EPSILON = 2.0**-52
SWEEPS = 60  # more than any matrix takes, which is ten at most


# ---- Eigenvalues of a symmetric matrix


def symmetric_eigen(matrix: Matrix) -> tuple[Vector, Matrix]:
    """Return the eigenvalues of a symmetric matrix, ascending, and its eigenvectors, one a row.

    Reflections make it tridiagonal; the implicit QL method takes what is beside the diagonal away.
    """
    diagonal, beside, vectors = _tridiagonal(matrix)
    if not math.isfinite(sum(map(abs, diagonal + beside))):
        return [math.nan] * len(matrix), [[math.nan] * len(matrix) for _row in matrix]
    for first in range(len(diagonal)):
        for _sweep in range(SWEEPS):
            last = _block_end(diagonal, beside, first)
            if last == first:
                break
            _ql_sweep(diagonal, beside, vectors, first, last)
    order = sorted(range(len(diagonal)), key=diagonal.__getitem__)
    return [diagonal[place] for place in order], [vectors[place] for place in order]


def _tridiagonal(matrix: Matrix) -> tuple[Vector, Vector, Matrix]:
    """Return the diagonal, what is beside it, and the basis in which the matrix is so."""
    rows, mirrors, size = [list(row) for row in matrix], [], len(matrix)
    for k in range(size - 2):
        found = reflection(rows[k], k + 1)
        if found:
            mirrors.append(found[0])
            _reflect_both_sides(rows, found[0])
    beside = [rows[k][k + 1] for k in range(size - 1)]
    return [rows[k][k] for k in range(size)], [*beside, 0.0], mirrored_axes(mirrors, size, size)


def _reflect_both_sides(rows: Matrix, by: Reflection) -> None:
    for row in rows:
        reflect(row, by)
    rows[:] = transposed(rows)
    for row in rows:
        reflect(row, by)
    rows[:] = transposed(rows)


def _block_end(diagonal: Vector, beside: Vector, first: int) -> int:
    """Return the first place from here on with nothing beside it that counts."""
    last = first
    while last < len(diagonal) - 1:
        if abs(beside[last]) <= EPSILON * (abs(diagonal[last]) + abs(diagonal[last + 1])):
            break
        last += 1
    return last


def _ql_sweep(diagonal: Vector, beside: Vector, vectors: Matrix, first: int, last: int) -> None:
    """Chase what is beside the diagonal once upwards through a block."""
    shift = (diagonal[first + 1] - diagonal[first]) / (2 * beside[first])
    root = math.hypot(shift, 1)
    g = diagonal[last] - diagonal[first] + beside[first] / (shift + math.copysign(root, shift))
    sine, cosine, moved = 1.0, 1.0, 0.0
    for k in range(last - 1, first - 1, -1):
        f, b = sine * beside[k], cosine * beside[k]
        beside[k + 1] = root = math.hypot(f, g)
        if root == 0:  # it falls apart into two blocks
            diagonal[k + 1] -= moved
            beside[last] = 0.0
            return
        sine, cosine = f / root, g / root
        g = diagonal[k + 1] - moved
        root = (diagonal[k] - g) * sine + 2 * cosine * b
        moved = sine * root
        diagonal[k + 1] = g + moved
        g = cosine * root - b
        vectors[k], vectors[k + 1] = _rotated(vectors[k], vectors[k + 1], cosine, -sine)
    diagonal[first] -= moved
    beside[first], beside[last] = g, 0.0


def _rotated(x: Vector, y: Vector, cosine: Any, sine: Any) -> tuple[Vector, Vector]:
    """Return cosine x + sine y, and what is at right angles to it in their plane."""
    cosine_too, minus_sine = cosine.conjugate(), -sine.conjugate()
    return (
        [cosine * a + sine * b for a, b in zip(x, y, strict=True)],
        [minus_sine * a + cosine_too * b for a, b in zip(x, y, strict=True)],
    )


# ---- Singular values


def svd(matrix: Matrix, width: int, *, complete: bool) -> tuple[Matrix, Vector, Matrix]:
    """Return the left singular vectors, one a row, the values, descending, and the right vectors.

    One-sided Jacobi: the columns of A V are turned pair by pair until they are orthogonal; their
    lengths are the values then. It begins with the eigenvectors of A^T A for V, which are right but
    for what squaring lost.

    Args:
        matrix: its rows.
        width: how long they are.
        complete: whether the vectors are a basis on either side; else as many as there are values.
    """
    height = len(matrix)
    if height < width:
        right, singular, left = svd(transposed(matrix), height, complete=complete)
        return left, singular, right
    columns = transposed(matrix)
    gram = [[inner_product(x, y) for y in columns] for x in columns]
    vectors = symmetric_eigen(gram)[1]
    images = [[inner_product(row, vector) for row in matrix] for vector in vectors]
    for _sweep in range(SWEEPS):
        if not _orthogonalized(images, vectors):
            break
    lengths = [math.hypot(*image) for image in images]
    order = sorted(range(width), key=lambda place: -lengths[place])
    left = [[x / lengths[place] for x in images[place]] for place in order if lengths[place]]
    return (
        completed(left, height)[: height if complete else width],
        [lengths[place] for place in order],
        [vectors[place] for place in order],
    )


def _orthogonalized(images: Matrix, vectors: Matrix) -> bool:
    """Make each pair of images orthogonal once; say whether one was not."""
    turned = False
    for j in range(len(images)):
        for i in range(j):
            x, y = images[i], images[j]
            meet = inner_product(x, y)
            if not meet:
                continue
            xx, yy = inner_product(x, x), inner_product(y, y)
            if abs(meet) <= 8 * EPSILON * math.sqrt(xx) * math.sqrt(yy):
                continue
            half = (yy - xx) / (2 * meet)
            tangent = math.copysign(1 / (abs(half) + math.hypot(half, 1)), half)
            cosine = 1 / math.hypot(tangent, 1)
            sine = cosine * tangent
            images[i], images[j] = _rotated(x, y, cosine, -sine)
            vectors[i], vectors[j] = _rotated(vectors[i], vectors[j], cosine, -sine)
            turned = True
    return turned


def completed(vectors: Matrix, size: int) -> Matrix:
    """Return orthonormal vectors and further ones, which make them a basis of the space."""
    if not vectors:
        return identity(size)
    basis = transposed(qr(transposed(vectors), len(vectors), complete=True)[0])
    return vectors + basis[len(vectors) :]


# ---- Eigenvalues of any square matrix


def eigen(matrix: Matrix) -> tuple[Vector, Matrix]:
    """Return the eigenvalues of a real matrix, complex numbers, and its eigenvectors, one a row.

    The complex QR method makes it triangular; the vectors of a triangle come by substitution.
    Those of a real matrix are real or come in pairs, one the conjugate of the other.
    """
    triangle, basis = _schur(matrix)
    size = len(matrix)
    least = EPSILON * max((abs(x) for row in triangle for x in row), default=0.0)
    values, vectors = [], []
    for k in range(size):
        value = triangle[k][k]
        found = [0j] * k + [1 + 0j] + [0j] * (size - k - 1)
        for row in range(k - 1, -1, -1):
            rest = inner_product(triangle[row][row + 1 : k + 1], found[row + 1 : k + 1])
            gap = triangle[row][row] - value
            found[row] = -rest / (gap if abs(gap) > least else least or 1.0)
        values.append(value)
        vectors.append(_of_length_one([inner_product(found, row) for row in transposed(basis)]))
    return _paired(values, vectors, 100 * size * least)


def _of_length_one(vector: Vector) -> Vector:
    """Return a vector of length one whose largest entry is real."""
    largest = max(vector, key=abs)
    scale = abs(largest) / largest / math.hypot(*map(abs, vector))
    return [x * scale for x in vector]


def _paired(values: Vector, vectors: Matrix, least: float) -> tuple[Vector, Matrix]:
    """Make real what is so but for rounding, and bring each pair together, the upper one first."""
    found: list[tuple[complex, Vector]] = []
    waiting = list(range(len(values)))
    while waiting:
        value, vector = values[waiting[0]], vectors[waiting[0]]
        del waiting[0]
        if abs(value.imag) <= least or not waiting:
            found.append((complex(value.real), [complex(x.real) for x in vector]))
            continue
        partner = min(waiting, key=lambda other: abs(values[other] - value.conjugate()))
        waiting.remove(partner)
        if value.imag < 0:
            value, vector = value.conjugate(), [x.conjugate() for x in vector]
        found.append((value, vector))
        found.append((value.conjugate(), [x.conjugate() for x in vector]))
    return [value for value, _vector in found], [vector for _value, vector in found]


def _schur(matrix: Matrix) -> tuple[Matrix, Matrix]:
    """Return an upper triangle, and the basis, one vector a row, in which the matrix is that."""
    rows, mirrors, size = [list(row) for row in matrix], [], len(matrix)
    for k in range(size - 2):  # first zeros below the subdiagonal
        found = reflection([row[k] for row in rows], k + 1)
        if found:
            mirrors.append(found[0])
            _reflect_both_sides(rows, found[0])
    basis = [list(map(complex, vector)) for vector in mirrored_axes(mirrors, size, size)]
    rows = [list(map(complex, row)) for row in rows]
    last, steps = size - 1, 0
    while last > 0:
        first = last
        while first and not _is_negligible(rows, first):
            first -= 1
        if first == last:
            last, steps = last - 1, 0
            continue
        if steps > SWEEPS:
            raise ArithmeticError("the QR method did not converge")
        steps += 1
        shift = _wilkinson_shift(rows, last)
        if steps % 10 == 0:  # one that no symmetry of the matrix can hold up
            shift = rows[last][last] + abs(rows[last][last - 1])
        _qr_step(rows, basis, first, last, shift)
    return rows, basis


def _is_negligible(rows: Matrix, k: int) -> bool:
    if abs(rows[k][k - 1]) > EPSILON * (abs(rows[k][k]) + abs(rows[k - 1][k - 1])):
        return False
    rows[k][k - 1] = 0j
    return True


def _wilkinson_shift(rows: Matrix, last: int) -> complex:
    """Return that eigenvalue of the last two rows and columns that is nearer to the last entry."""
    (a, b), (c, d) = rows[last - 1][last - 1 : last + 1], rows[last][last - 1 : last + 1]
    root = cmath.sqrt(((a - d) / 2) ** 2 + b * c)
    middle = (a + d) / 2
    one, other = middle - root, middle + root
    return complex(one if abs(one - d) <= abs(other - d) else other)


def _qr_step(rows: Matrix, basis: Matrix, first: int, last: int, shift: complex) -> None:
    """Turn a block into R Q + shift, where Q R is the block minus the shift, by rotations."""
    for k in range(len(rows)):
        rows[k][k] -= shift
    turns = []
    for k in range(first, last):
        x, y = rows[k][k], rows[k + 1][k]
        length = math.hypot(abs(x), abs(y)) or 1.0
        cosine, sine = x / length, y / length
        turns.append((k, cosine, sine))
        rows[k], rows[k + 1] = _rotated(rows[k], rows[k + 1], cosine.conjugate(), sine.conjugate())
    for k, cosine, sine in turns:
        for row in rows[: k + 2]:
            (row[k],), (row[k + 1],) = _rotated(row[k : k + 1], row[k + 1 : k + 2], cosine, sine)
        basis[k], basis[k + 1] = _rotated(basis[k], basis[k + 1], cosine, sine)
    for k in range(len(rows)):
        rows[k][k] += shift
