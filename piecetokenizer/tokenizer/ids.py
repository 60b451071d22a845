"""Ids as they come in: lists, tuples, numpy arrays of any integer type, objects with `__array__`, any iterable; and lines of numbers.

Out: a new int32 array, which nobody else can change, in which every id is in the vocabulary.  A bool, a float or a text is no id
(IdTypeError); a number outside the vocabulary is an IdError.  Both name the value, its position and the size of the vocabulary.
"""

import operator
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piecetokenizer.errors import IdError, IdTypeError
from piecetokenizer.tokenizer import decoder_cy
from piecetokenizer.tokenizer.decoder_cy import ids_of_list

__all__ = ["Ids", "check_id", "flat_ids", "id_array", "ids_of_lines"]

Ids = Iterable[int] | NDArray[Any]
"""What is taken as ids wherever they come in."""


def check_id(id: Any, size: int, position: int | None = None) -> int:
    """One id as an int; `position` is only for the message."""
    where = "" if position is None else f" at position {position}"
    if type(id) is not int:
        if isinstance(id, (bool, np.bool_)):
            raise IdTypeError(f"{id!r}{where} is a bool, not an id: ids are whole numbers from 0 to {size - 1}")
        if isinstance(id, np.ndarray) and id.ndim:
            raise IdTypeError(
                f"an array of shape {id.shape}{where} is not an id: a sequence of ids has one dimension (decode_batch takes many)"
            )
        try:
            id = int(operator.index(id))
        except TypeError:
            raise IdTypeError(
                f"{id!r}{where} is of type {type(id).__name__}, not an id: ids are whole numbers from 0 to {size - 1}"
            ) from None
    if not 0 <= id < size:
        raise IdError(f"id {id}{where} is not in the vocabulary of {size} pieces: ids go from 0 to {size - 1}")
    number: int = id
    return number


def id_array(ids: Ids, size: int) -> NDArray[np.int32]:
    """Many ids as an array, all of them in a vocabulary of `size` pieces."""
    if isinstance(ids, (list, tuple)):
        return _of_list(ids if isinstance(ids, list) else list(ids), size)
    if isinstance(ids, (str, bytes, bytearray, memoryview)):
        raise IdTypeError(f"{type(ids).__name__} is not ids: give a sequence of whole numbers from 0 to {size - 1}")
    if hasattr(ids, "__array__"):
        return _of_array(np.asarray(ids), size)
    try:
        items = list(ids)
    except TypeError:
        raise IdTypeError(f"{type(ids).__name__} is not ids: give a sequence of whole numbers from 0 to {size - 1}") from None
    return _of_list(items, size)


def flat_ids(rows: Sequence[Any], size: int) -> tuple[NDArray[np.int32], NDArray[np.int64]] | None:
    """The ids of several sequences as one array, and where each begins in it, without a step of Python for each.

    None if they are neither all lists nor all arrays of one type, or if something in them is no id: the way one by one will find it.

    >>> [array.tolist() for array in flat_ids([[5, 6], [], [7]], 8)], flat_ids([[5], [8]], 8)
    ([[5, 6, 7], [0, 2, 2, 3]], None)
    """
    kinds = set(map(type, rows))
    if kinds == {list}:
        flat: Any = list(chain.from_iterable(rows))
    elif kinds == {np.ndarray} and len({(row.dtype, row.ndim) for row in rows}) == 1 == rows[0].ndim:
        flat = np.concatenate(rows)
    else:
        return None
    offsets = np.zeros(len(rows) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, rows), np.int64, len(rows)), out=offsets[1:])
    try:
        return id_array(flat, size), offsets
    except (IdError, IdTypeError):
        return None


def ids_of_lines(data: bytes, begin: int, end: int, lines: int) -> tuple[NDArray[np.int32], NDArray[np.int64]] | None:
    """The numbers on the lines data[begin:end], so many, and where each line begins in them; whether they are in a vocabulary is not asked.

    None if there is anything but decimal numbers below 2^31 with spaces or tabs between.

    >>> [array.tolist() for array in ids_of_lines(b"5 300\\n\\n7", 0, 8, 3)]
    [[5, 300, 7], [0, 2, 2, 3]]
    """
    ids = np.empty((end - begin) // 2 + 1, np.int32)
    offsets = np.zeros(lines + 1, np.int64)
    count = decoder_cy.ids_of_lines(data, begin, end, ids.data, offsets[1:].data)
    return None if count < 0 else (ids[:count], offsets)


def _of_list(items: list[Any], size: int) -> NDArray[np.int32]:
    out = np.empty(len(items), np.int32)
    view = out.data
    done = ids_of_list(items, 0, view, size)
    while done < len(out):  # what is no plain int in the vocabulary: numpy's integers, or an error
        out[done] = check_id(items[done], size, done)
        done = ids_of_list(items, done + 1, view, size)
    return out


def _of_array(array: NDArray[Any], size: int) -> NDArray[np.int32]:
    if array.ndim != 1:
        raise IdTypeError(f"an array of shape {array.shape} is not one sequence of ids: that has one dimension (decode_batch takes many)")
    if array.dtype.kind not in "iu":
        if len(array) == 0:
            return np.empty(0, np.int32)
        if array.dtype.kind == "O":
            return _of_list(array.tolist(), size)
        raise IdTypeError(f"an array of {array.dtype} is not ids: give an array of an integer type")
    array = array.copy()
    if len(array) and (array.min() < 0 or array.max() >= size):
        position = int(np.flatnonzero((array < 0) | (array >= size))[0])
        check_id(int(array[position]), size, position)
    return array.astype(np.int32, copy=False)
