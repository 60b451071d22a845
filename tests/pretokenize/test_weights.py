"""Weights are logarithms rounded once."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from reference import words as reference

from piecetokenizer.pretokenize.weights import exact_sum, log_weight, log_weights

frequencies = st.lists(st.integers(1, 2**63 - 1) | st.integers(1, 1000), min_size=1, max_size=20)


@given(frequencies)
def test_weights_equal_the_rounded_logarithms(values):
    array = np.array(values, np.int64)
    total = exact_sum(array)
    assert total == sum(values)
    assert log_weights(array, total).tolist() == [reference.weight(value, total) for value in values]
    assert log_weight(1, total) == reference.weight(1, total)


def test_a_value_near_the_middle_is_decided_by_exact_digits():
    total = 60101750
    values = np.arange(1, 60001)
    near = np.abs(np.abs((np.log(values) - np.log(total)) * 2**24 % 1) - 0.5) < 1e-4
    assert near.sum() >= 5
    found = log_weights(values[near], total)
    assert found.tolist() == [reference.weight(int(value), total) for value in values[near]]


def test_the_lowest_weight_fits():
    assert log_weight(1, 2**95) > -(2**31)
    assert log_weights(np.array([1]), 1).tolist() == [0]
