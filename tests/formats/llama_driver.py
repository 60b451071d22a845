"""Runs llama.cpp's own tokenizer on one vocabulary: requests as JSON lines on stdin, answers as JSON lines on stdout.

    python llama_driver.py VOCABULARY.gguf

    ["encode", text, add_special, parse_special]     -> [id, ...]
    ["decode", [id, ...], remove, unparse]           -> "hex of the bytes"
    ["types"]                                        -> [attribute bits of each token]
    ["ends"]                                         -> [ids that end generation]

A process of its own, because a vocabulary that llama.cpp does not like aborts it.  The functions are those of llama.h as the wheel
xllamacpp 2026.10.11549 carries them; the parameter struct has another layout in other versions, so its size is checked.
"""

import ctypes
import importlib.util
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

POINTER, INT, FLAG, TEXT = ctypes.c_void_p, ctypes.c_int32, ctypes.c_bool, ctypes.c_char_p
IDS = ctypes.POINTER(INT)
PARAMS_SIZE, N_GPU_LAYERS, VOCAB_ONLY = 80, 16, 72
"""Size of llama_model_params, and where two of its fields are."""

Params = ctypes.c_uint8 * PARAMS_SIZE


class Parameters(ctypes.Structure):
    """llama_model_params as bytes: it is passed and returned by value, and only two of its fields matter here."""

    _fields_ = (("bytes", Params),)


def bind(library: ctypes.CDLL, name: str, result: object, *arguments: object) -> Callable[..., Any]:
    function = getattr(library, name)
    function.restype, function.argtypes = result, arguments
    return function


class Llama:
    """The vocabulary of one GGUF file in llama.cpp."""

    def __init__(self, path: str) -> None:
        found = importlib.util.find_spec("xllamacpp")
        if found is None or found.origin is None:
            sys.exit("xllamacpp is missing: pip install '.[test]'")
        library = ctypes.CDLL(str(Path(found.origin).parent / "xllamacpp.abi3.so"))
        logger = ctypes.CFUNCTYPE(None, ctypes.c_int, TEXT, POINTER)
        self.log: list[bytes] = []
        self.keep = logger(lambda level, text, data: self.log.append(text or b""))
        bind(library, "llama_log_set", None, logger, POINTER)(self.keep, None)
        bind(library, "llama_backend_init", None)()
        params = bind(library, "llama_model_default_params", Parameters)()
        raw = memoryview(params).cast("B")
        if raw[N_GPU_LAYERS : N_GPU_LAYERS + 4].tobytes() != b"\xff\xff\xff\xff" or raw[VOCAB_ONLY]:
            sys.exit("this xllamacpp has other parameters: install the version of the test extra")
        raw[N_GPU_LAYERS : N_GPU_LAYERS + 4] = bytes(4)
        raw[VOCAB_ONLY] = 1
        model = bind(library, "llama_model_load_from_file", POINTER, TEXT, Parameters)(os.fsencode(path), params)
        if not model:
            sys.exit("llama.cpp does not load it: " + b"".join(self.log)[-600:].decode("utf-8", "replace"))
        self.vocab = bind(library, "llama_model_get_vocab", POINTER, POINTER)(model)
        self.size = bind(library, "llama_vocab_n_tokens", INT, POINTER)(self.vocab)
        self._tokenize = bind(library, "llama_tokenize", INT, POINTER, TEXT, INT, IDS, INT, FLAG, FLAG)
        self._detokenize = bind(library, "llama_detokenize", INT, POINTER, IDS, INT, TEXT, INT, FLAG, FLAG)
        self._type = bind(library, "llama_vocab_get_attr", ctypes.c_int, POINTER, INT)
        self._ends = bind(library, "llama_vocab_is_eog", FLAG, POINTER, INT)

    def encode(self, text: str, add_special: bool, parse_special: bool) -> list[int]:
        data = text.encode()
        ids = (INT * (len(data) + 8))()
        count = self._tokenize(self.vocab, data, len(data), ids, len(ids), add_special, parse_special)
        if count < 0:
            sys.exit(f"llama_tokenize says {count}")
        return ids[:count]

    def decode(self, ids: list[int], remove: bool, unparse: bool) -> str:
        given = (INT * max(1, len(ids)))(*ids)
        room = ctypes.create_string_buffer(1024 + 256 * len(ids))
        count = self._detokenize(self.vocab, given, len(ids), room, len(room), remove, unparse)
        if count < 0:
            sys.exit(f"llama_detokenize says {count}")
        return room.raw[:count].hex()

    def types(self) -> list[int]:
        return [self._type(self.vocab, id) for id in range(self.size)]

    def ends(self) -> list[int]:
        return [id for id in range(self.size) if self._ends(self.vocab, id)]


def main() -> None:
    llama = Llama(sys.argv[1])
    for line in sys.stdin:
        name, *arguments = json.loads(line)
        print(json.dumps(getattr(llama, name)(*arguments)), flush=True)


if __name__ == "__main__":
    main()
