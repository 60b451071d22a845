"""Models of other tools: the ids and the text that their own readers give.  (llama.cpp itself is asked in tests/formats.)"""

import io
import random
from itertools import pairwise

import pytest
import sentencepiece
from reference.small_models import BYTE, CONTROL, NORMAL, UNKNOWN, UNUSED, USER_DEFINED

from piecetokenizer.errors import ModelError
from piecetokenizer.model import Model
from piecetokenizer.spec import CounterSpec, PreTokenizerSpec, TokenizerSpec
from piecetokenizer.tokenizer import StreamDecoder, Tokenizer

WORDS = ["the", "cat", "sat", "on", "mat", "ﬁne", "①", "hello", "New", "York", "你好", "世界", "é", "ｆｕｌｌ", "２"]
FRAGMENTS = [
    *WORDS, " ", "  ", " the", "New▁York", "New York", "abcd", "▁", "\u0007", "\u200b", "<s>", "</s>", "<0x41>", "e\u0301", "😀",
    "\u3000", "ｆ",
]  # fmt: skip
NAMES = {"identity": "none", "nfkc": "nfkc", "nmt_nfkc": "nmt_nfkc"}


def trained(name: str, prefix: bool, trims: bool, user: list[str]) -> tuple[sentencepiece.SentencePieceProcessor, Tokenizer]:
    """A small model as SentencePiece makes and reads it, and ours of the same pieces."""
    rng = random.Random(5)
    file = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=(" ".join(rng.choices(WORDS, k=10)) for _ in range(300)),
        model_writer=file,
        vocab_size=400,
        model_type="bpe",
        byte_fallback=True,
        normalization_rule_name=name,
        add_dummy_prefix=prefix,
        remove_extra_whitespaces=trims,
        user_defined_symbols=user,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    theirs = sentencepiece.SentencePieceProcessor(model_proto=file.getvalue())
    ids = range(len(theirs))
    texts = [theirs.id_to_piece(id) for id in ids]
    types = [
        BYTE if theirs.is_byte(id) else CONTROL if theirs.is_control(id) else UNKNOWN if theirs.is_unknown(id)
        else USER_DEFINED if texts[id] in user else NORMAL
        for id in ids
    ]  # fmt: skip
    model = Model(
        counter=CounterSpec(method="imported", vocab_size=len(texts)),
        pretokenizer=PreTokenizerSpec(
            normalization=NAMES[name], reconstruct=not trims, prefix="text" if prefix else "none", split="none"
        ),
        tokenizer=TokenizerSpec(semantics="sentencepiece", unk_id=0, bos_id=1, eos_id=2),
        texts=[text.replace("▁", " ") if type == USER_DEFINED else text for text, type in zip(texts, types, strict=True)],
        scores=[theirs.get_score(id) for id in ids],
        types=types,
    )
    return theirs, Tokenizer(model)


@pytest.mark.parametrize("user", [[], ["New▁York", "ab", "①", "cat", "bcd", "▁the"]], ids=["", "user-defined"])
@pytest.mark.parametrize("trims", [True, False], ids=["trimming", "not"])
@pytest.mark.parametrize("prefix", [True, False], ids=["prefix", "none"])
@pytest.mark.parametrize("name", NAMES)
def test_sentencepiece(name: str, prefix: bool, trims: bool, user: list[str]) -> None:
    theirs, ours = trained(name, prefix, trims, user)
    rng = random.Random(6)
    texts = ["".join(rng.choices(FRAGMENTS, k=rng.randint(0, 8))) for _ in range(60)]
    assert ours.encode_batch(texts) == theirs.encode(texts)
    for text in texts:
        ids = theirs.encode(text)
        assert ours.encode(text) == ids
        found, spans = ours.encode_with_offsets(text)
        assert found == ids
        assert all(0 <= start <= end <= len(text) for start, end in spans)
        assert all(a[0] <= b[0] and a[1] <= b[1] for a, b in pairwise(spans))
        for some in (ids, rng.choices(ids, k=4) if ids else []):
            stream = StreamDecoder(ours)
            assert "".join([stream.push(id) for id in some]) + stream.flush() == ours.decode(some)
            decoded = theirs.decode(some)
            if "\ufffd" not in decoded:  # for bytes that are no character it has another rule
                assert ours.decode(some) == decoded


def llama(pieces: dict[str, tuple[int, float]], prefix: str = "fragment") -> Tokenizer:
    """A llama.cpp model: unk 0, bos 1, eos 2, bytes from 3, these pieces (text -> type, score) from 259."""
    columns = {"<unk>": (UNKNOWN, 0.0), "<s>": (CONTROL, 0.0), "</s>": (CONTROL, 0.0)}
    columns |= {f"<0x{byte:02X}>": (BYTE, 0.0) for byte in range(256)} | pieces
    return Tokenizer(
        Model(
            counter=CounterSpec(method="imported", vocab_size=len(columns)),
            pretokenizer=PreTokenizerSpec(reconstruct=True, split="none", prefix=prefix),
            tokenizer=TokenizerSpec(semantics="llama", unk_id=0, bos_id=1, eos_id=2, add_bos=True),
            texts=list(columns),
            scores=[score for _, score in columns.values()],
            types=[type for type, _ in columns.values()],
        )
    )


LLAMA = llama(
    {"▁": (NORMAL, -9.0), "a": (NORMAL, -8.0), "b": (NORMAL, -7.0), "▁a": (NORMAL, -1.0), "ab": (UNUSED, -2.0), "abba": (CONTROL, -3.0),
     "X": (USER_DEFINED, 0.0), "XaX": (USER_DEFINED, 0.0), "bX": (USER_DEFINED, 0.0), "s d": (USER_DEFINED, 0.0), "ba": (NORMAL, -4.0)}
)  # fmt: skip


def llama_pieces(text: str, **options: object) -> list[str]:
    return LLAMA.encode(text, out="pieces", bos=False, **options)  # type: ignore[call-overload, no-any-return]


def test_llama_merges_any_type_of_piece() -> None:
    assert llama_pieces("ab") == ["▁a", "b"]
    assert llama_pieces("bab") == ["▁", "b", "ab"]
    assert llama_pieces("babba") == ["▁", "b", "abba"]


def test_llama_puts_a_space_before_every_fragment() -> None:
    assert llama_pieces("") == []
    assert llama_pieces("aXa a") == ["▁a", "X", "▁a", "▁a"]
    assert llama_pieces("X b") == ["X", "▁", "▁", "b"]
    assert llama_pieces("a<s>a", special="parse") == ["▁a", "<s>", "▁a"]
    assert llama_pieces("<unk>b", special="parse") == ["<unk>", "▁", "b"]
    assert LLAMA.encode("", out="pieces") == ["<s>"]


def test_llama_takes_the_longest_symbol_of_all_first() -> None:
    assert llama_pieces("XaXaX") == ["XaX", "▁a", "X"]
    assert llama_pieces("bXaX") == ["▁", "b", "XaX"], "not bX, which is further left"
    assert llama_pieces("bs d") == ["▁", "b", "s d"]


def test_llama_takes_a_literal_space_symbol_for_a_space() -> None:
    assert llama_pieces("b▁a a") == ["▁", "b", "▁a", "▁a"]
    assert LLAMA.encode_with_offsets("b▁a a", bos=False)[1] == [(0, 0), (0, 1), (1, 3), (3, 5)]


def test_llama_strips_the_space_of_the_first_id_only() -> None:
    space, a, ab = LLAMA.piece_to_id("▁"), LLAMA.piece_to_id("▁a"), LLAMA.piece_to_id("ab")
    assert LLAMA.decode([a, a]) == "a a"  # type: ignore[list-item]
    assert LLAMA.decode([1, a, a]) == " a a"  # type: ignore[list-item]
    assert LLAMA.decode([ab, a]) == " a", "what prints nothing is the first id all the same"  # type: ignore[list-item]
    assert LLAMA.decode([space, space]) == " "  # type: ignore[list-item]
    assert LLAMA.decode([3 + 32, 3 + 32]) == " "
    stream = StreamDecoder(LLAMA)
    assert [stream.push(id) for id in (a, a)] == ["a", " a"]  # type: ignore[arg-type]
    assert stream.flush() == ""
    assert stream.push(a) == "a", "a new text"  # type: ignore[arg-type]


def test_llama_without_a_piece_for_the_space() -> None:
    tokenizer = llama({"a": (NORMAL, 0.0), "▁a": (NORMAL, -1.0)}, prefix="none")
    assert tokenizer.encode(" a  ", out="pieces", bos=False) == ["▁a", *["<0xE2>", "<0x96>", "<0x81>"] * 2]
    assert tokenizer.encode_with_offsets(" a ", bos=False)[1] == [(0, 2), (2, 3), (2, 3), (2, 3)]


def test_unused_pieces_that_sentencepiece_would_take_apart_are_refused() -> None:
    _, tokenizer = trained("identity", False, False, [])
    types = tokenizer.model.types.copy()
    types[tokenizer.piece_to_id("▁cat")] = UNUSED
    with pytest.raises(ModelError, match="'▁cat' is unused"):
        Tokenizer(tokenizer.model.replace(types=types))


def test_a_native_model_with_a_prefix_strips_it_too() -> None:
    model = LLAMA.model
    texts = (*model.texts[:259], "▁", "a", "▁a")
    native = Tokenizer(
        model.replace(
            tokenizer=TokenizerSpec(), pretokenizer=model.pretokenizer.replace(prefix="text"), texts=texts, parts=None,
            scores=[0.0] * 259 + [-3.0, -2.0, -1.0], types=list(model.types[:259]) + [NORMAL] * 3,
        )
    )  # fmt: skip
    for text in ("a a", " a", "", "  "):
        assert native.decode(native.encode(text)) == text
    assert native.encode("a", out="pieces") == ["▁a"]
