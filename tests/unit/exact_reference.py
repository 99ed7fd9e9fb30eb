#!/usr/bin/env python3
"""exact_reference.py > exact_reference.h: mean and scale of the columns of exact_columns.h, in rational
arithmetic, rounded once. Each in the first 1, 2, 288 and all rows."""
import math
import struct
import sys
from fractions import Fraction

ROWS = 1001
MASK = (1 << 64) - 1


def mixed_bits(number):
    bits = (number + 1) * 0x9E3779B97F4A7C15 & MASK
    bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9 & MASK
    bits = (bits ^ bits >> 27) * 0x94D049BB133111EB & MASK
    return bits ^ bits >> 31


def share(row):
    return (mixed_bits(row) >> 11) * 2.0**-53


def any_bits(row):
    bits = mixed_bits(row)
    if bits >> 52 & 0x7FF == 0x7FF:
        bits ^= 1 << 62
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


COLUMNS = {
    "share": share,
    "any_bits": any_bits,
    "noise_on_a_large_number": lambda row: 1e15 + share(row),
    "constant": lambda row: 0.1,
    "greatest": lambda row: sys.float_info.max if row % 2 else -sys.float_info.max,
    "least": lambda row: 5e-324 * (row % 3),
    "one_of_each_end": lambda row: [1e308, 5e-324, -1.0][row % 3],
    "many_magnitudes": lambda row: math.ldexp(share(row) - 0.5, mixed_bits(row + 7777) % 160 - 80),
    "neighbours": lambda row: 1 + 2.0**-52 * (row % 5),
    "whole_numbers": lambda row: float(mixed_bits(row) >> 10) - 2.0**53,
    "decimals": lambda row: (mixed_bits(row) % 100000) / 100,
    "odd_neighbours": lambda row: 1 + 2.0**-52 * (1 + row % 2),
    "more_than_a_tie": lambda row: [1.0, 1.0, 2 + 2.0**-51, 5e-324][row % 4],
    "scale_more_than_a_tie": lambda row: ([1 + 2.0**-52, -1.0, 2.0**-53 + 2.0**-105, 2.0**-53 - 2.0**-105]
                                          + 4 * [2.0**-53])[row % 8],
    "scale_hardly_more_than_a_tie": lambda row: (9 * [-2.0**52 - 3, 2.0**52 + 3] + [-5e-324, 5e-324]
                                                 + 12 * [0.0])[row % 32],
    "least_once": lambda row: 0.0 if row else 5e-324,
}


def rounded_root(square):
    """The double nearest to the square root. 4,000 bits settle on which side of a tie it lies."""
    shift = max(0, 8000 - square.numerator.bit_length() + square.denominator.bit_length()) | 1
    root = math.isqrt((square.numerator << 2 * shift) // square.denominator)
    return float(Fraction(root, 1 << shift))


def measure(numbers):
    count = len(numbers)
    total = sum(numbers)
    squares = sum(number * number for number in numbers)
    return float(total / count), rounded_root((count * squares - total * total) / count**2) or 1.0


def main():
    print("/* Written by exact_reference.py: rows, mean and scale of each of exact_columns. */")
    print("static const struct exact_reference {")
    print("    uint32_t rows;")
    print("    double mean, scale;")
    print("} exact_references[][4] = {")
    for name, column in COLUMNS.items():
        print(f"    /* {name} */")
        print("    {")
        numbers = [Fraction(column(row)) for row in range(ROWS)]
        for rows in (1, 2, 288, ROWS):
            mean, scale = measure(numbers[:rows])
            print(f"        {{{rows}, {mean.hex()}, {scale.hex()}}},")
        print("    },")
    print("};")


main()
