"""Text and specs for the tests of this stage."""

import itertools

from hypothesis import strategies as st

from piecetokenizer.spec import PreTokenizerSpec

SAMPLES = {
    "S": " ",
    "N": "\n\r\u0085\u2028",
    "T": "\t\0\x7f\u00a0\u3000",
    "H": "你好一々𠮷\uf900",
    "L": "aZéжक𐐀ᄀ",
    "M": "\u0301\u093f\ufe0f\u20e3\U000e0100",
    "D": "17١१𝟗",
    "J": "\u200d\u00ad\ufeff\U000e0067",
    "P": "!(€²。\U0001f44d\u0378\ue000\U0010ffff",
    "A": "'\u2019",
}
"""Some characters of each class, of every length in UTF-8."""

ALL_SPECS = [
    PreTokenizerSpec(split=split, digit=digit, cn=cn, spaces=spaces)
    for split in ("word", "isolate", "space", "none")
    for digit, cn, spaces in itertools.product(("keep", "split"), ("none", "char"), ("each", "run"))
]

specs = st.sampled_from(ALL_SPECS)
letters_of_classes = st.sampled_from("".join(SAMPLES.values()))
texts = st.text(letters_of_classes, max_size=40) | st.text(letters_of_classes | st.characters(exclude_categories=["Cs"]), max_size=20)
