"""Matrices, as lists of rows, in factors: LU, Cholesky and QR, as textbooks have them.

Where factors are unique up to signs, those of the Householder reflections follow LAPACK's.
"""

import math
from collections.abc import Sequence
from typing import Any

from smalltorch.products import inner_product

Vector = list[Any]
Matrix = list[Vector]
Reflection = tuple[int, Vector, float]  # from which entry on, along what, 2 / its length squared


class NotPositiveError(ArithmeticError):
    """A matrix is not positive definite: its leading minor of this order is not."""


def identity(size: int) -> Matrix:
    """Return the matrix that changes nothing."""
    return [[float(row == column) for column in range(size)] for row in range(size)]


def transposed(matrix: Sequence[Sequence[Any]]) -> Matrix:
    """Return the columns of a matrix as rows."""
    return list(map(list, zip(*matrix, strict=True)))


def product(a: Matrix, b: Matrix) -> Matrix:
    """Return the product of two matrices."""
    columns = transposed(b)
    return [[inner_product(row, column) for column in columns] for row in a]


# ---- Equations


def lu(matrix: Matrix) -> tuple[Matrix, list[int], int]:
    """Factor a square matrix by Gaussian elimination with row exchanges.

    Returns:
        L below the diagonal, whose own is of ones, and U on and above it, in one matrix; which row
        of `matrix` each row was; and the sign of that exchange.
    """
    rows, order, sign = [list(row) for row in matrix], list(range(len(matrix))), 1
    for k in range(len(rows)):
        pivot = max(range(k, len(rows)), key=lambda row: abs(rows[row][k]))
        if pivot != k:
            rows[k], rows[pivot] = rows[pivot], rows[k]
            order[k], order[pivot] = order[pivot], order[k]
            sign = -sign
        head, rest = rows[k][k], rows[k][k + 1 :]
        for row in rows[k + 1 :]:
            if row[k]:
                factor = row[k] = row[k] / head
                row[k + 1 :] = [x - factor * y for x, y in zip(row[k + 1 :], rest, strict=True)]
    return rows, order, sign


def solved(factors: tuple[Matrix, list[int], int], right: Matrix) -> Matrix:
    """Return X with A X = right, of the factors of A, none of whose pivots is zero."""
    rows, order, _sign = factors
    exchanged = [right[row] for row in order]
    return substituted(rows, substituted(rows, exchanged, upper=False, unit=True), upper=True)


def substituted(matrix: Matrix, right: Matrix, *, upper: bool, unit: bool = False) -> Matrix:
    """Return X with A X = right, A being one triangle of a matrix, by substitution.

    Args:
        matrix: what it holds in its other triangle does not count.
        right: as many rows.
        upper: whether it is the upper triangle.
        unit: whether ones are taken in place of its diagonal.
    """
    size = len(matrix)
    order = range(size - 1, -1, -1) if upper else range(size)
    columns = transposed(right)
    for column in columns:
        for row in order:
            known = slice(row + 1, size) if upper else slice(row)
            rest = column[row] - inner_product(matrix[row][known], column[known])
            column[row] = rest if unit else _quotient(rest, matrix[row][row])
    return transposed(columns) if columns else right


def _quotient(a: Any, b: Any) -> Any:
    try:
        return a / b
    except ZeroDivisionError:
        return math.nan if a == 0 or a != a else math.copysign(math.inf, a) * math.copysign(1, b)


def cholesky(matrix: Matrix) -> Matrix:
    """Return the lower triangular L with L L^T = A, of A's lower triangle, row by row.

    Raises:
        NotPositiveError: A is not positive definite.
    """
    factor: Matrix = []
    for row, given in enumerate(matrix):
        entries: Vector = []
        for column, above in enumerate(factor):
            rest = given[column] - inner_product(entries, above[:column])
            entries.append(rest / above[column])
        rest = given[row] - inner_product(entries, entries)
        if not rest > 0:
            raise NotPositiveError(row + 1)
        factor.append([*entries, math.sqrt(rest), *[0.0] * (len(matrix) - row - 1)])
    return factor


# ---- Reflections


def reflection(vector: Vector, start: int) -> tuple[Reflection, float] | None:
    """Return what turns all entries after `start` to zero, and what becomes of that one.

    The latter has the sign that the entry has not, so that nothing cancels. None where they are
    zero already.
    """
    head, *tail = vector[start:]
    if not any(tail):
        return None
    length = math.hypot(head, *tail)
    new = -math.copysign(length, head)
    along = [head - new, *tail]
    return (start, along, 2 / inner_product(along, along)), new


def reflect(vector: Vector, by: Reflection) -> None:
    """Mirror a vector."""
    start, along, scale = by
    part = vector[start:]
    factor = scale * inner_product(along, part)
    vector[start:] = [x - factor * y for x, y in zip(part, along, strict=True)]


def mirrored_axes(mirrors: list[Reflection], size: int, count: int) -> Matrix:
    """Return what the product of reflections makes of the first unit vectors."""
    vectors = identity(size)[:count]
    for vector in vectors:
        for each in reversed(mirrors):
            reflect(vector, each)
    return vectors


def qr(matrix: Matrix, width: int, *, complete: bool) -> tuple[Matrix, Matrix]:
    """Factor a matrix into orthonormal columns and an upper triangle, by Householder reflections.

    Args:
        matrix: its rows.
        width: how long they are.
        complete: whether Q is square; else it has no more columns than the matrix.
    """
    height = len(matrix)
    columns, mirrors = transposed(matrix), []
    for k in range(min(height, width)):
        found = reflection(columns[k], k)
        if found:
            by, new = found
            mirrors.append(by)
            columns[k][k:] = [new, *[0.0] * (height - k - 1)]
            for column in columns[k + 1 :]:
                reflect(column, by)
    count = height if complete else min(height, width)
    return transposed(mirrored_axes(mirrors, height, count)), transposed(columns)[:count]
