"""Ids as they come in: lists, tuples, numpy arrays of any integer type, objects with `__array__`, any iterable.

Out: a new int32 array, which nobody else can change, in which every id is in the vocabulary.  A bool, a float or a text is no id
(IdTypeError); a number outside the vocabulary is an IdError.  Both name the value, its position and the size of the vocabulary.
"""

import operator
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piecetokenizer.errors import IdError, IdTypeError
from piecetokenizer.tokenizer.decoder_cy import ids_of_list

__all__ = ["Ids", "check_id", "id_array"]

Ids = Iterable[int] | NDArray[Any]
"""What is taken as ids wherever they come in."""


def check_id(id: Any, size: int, position: int | None = None) -> int:
    """One id as an int; `position` is only for the message."""
    where = "" if position is None else f" at position {position}"
    if type(id) is not int:
        if isinstance(id, (bool, np.bool_)):
            raise IdTypeError(f"{id!r}{where} is a bool, not an id: ids are whole numbers from 0 to {size - 1}")
        if isinstance(id, np.ndarray) and id.ndim:
            raise IdTypeError(f"an array of shape {id.shape}{where} is not an id: give one sequence of ids, or use decode_batch")
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
        raise IdTypeError(f"an array of shape {array.shape} is not one sequence of ids: give one dimension, or use decode_batch")
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
