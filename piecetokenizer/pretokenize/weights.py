"""The weights of a dictionary's words: logarithms as whole numbers.

In: frequencies and their total.  Out: log(freq / total) in units of 2^-24, rounded once to the nearest whole number, the same on
every machine.

Floating point gives each logarithm to about 10^-6 of a unit, but which way the last bits fall depends on the machine's library.
So where a value comes near the middle between two whole numbers, which is one word in thousands, 50 decimal digits decide.
The middle itself never occurs: log of a fraction is irrational, but for log 1 = 0.

A weight is above -2^31: a total is below 2^95, whatever the file, and log(2^95) is 65.9, in units 1.1 * 10^9.
"""

import math
from decimal import Context, Decimal

import numpy as np
from numpy.typing import NDArray

__all__ = ["UNIT", "exact_sum", "log_weight", "log_weights"]

UNIT = 1 << 24
"""Units of a weight in 1."""

DOUBT = 1e-4
"""How near to the middle of two whole numbers a floating-point result is not believed: a hundred times its error."""

EXACT = Context(prec=50)


def exact_sum(frequencies: NDArray[np.int64]) -> int:
    """The sum, which may be above 2^63."""
    high, low = frequencies >> 32, frequencies & 0xFFFFFFFF
    return (int(high.sum()) << 32) + int(low.sum())


def log_weights(frequencies: NDArray[np.int64], total: int) -> NDArray[np.int32]:
    """The weight of each frequency.

    >>> log_weights(np.array([1, 5, 10]), 10).tolist()
    [-38630967, -11629080, 0]
    """
    values = (np.log(frequencies.astype(np.float64)) - math.log(total)) * UNIT
    weights = np.rint(values)
    for i in np.flatnonzero(np.abs(np.abs(values - weights) - 0.5) < DOUBT).tolist():
        weights[i] = log_weight(int(frequencies[i]), total)
    return weights.astype(np.int32)


def log_weight(frequency: int, total: int) -> int:
    """The weight of one frequency, from 50 digits."""
    logarithm = EXACT.subtract(EXACT.ln(Decimal(frequency)), EXACT.ln(Decimal(total)))
    return int(EXACT.multiply(logarithm, Decimal(UNIT)).to_integral_value())
