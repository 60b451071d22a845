"""Texts to measure an export with, when the user has none: made from the vocabulary, where encoders disagree first.

In: a Model.  Out: an endless, always equal stream of short texts: pieces strung together so that their seams can merge otherwise,
runs of digits, of Han and of spaces, apostrophes, user-defined symbols among all that, and characters nobody expects.
"""

import random
from collections.abc import Iterator

from piecetokenizer.model import Model, PieceType

__all__ = ["generated_texts"]

STRANGE = (
    "\t\n\r.,;:!?-_()[]{}<>/\\'\"’&@#%$€+=*~^|´`¡¿·…—«»“”éïñøßıſéİñаяΩשלוםسلامहिन्दीไทย你好世界龘𠮷〇々、。「」カナ한국어①²½ﬁ٣४５"
    "\u00a0\u200b\u200d\u3000\ufeff👍🏽👨\u200d👩\u200d👧🇳🇱❤️\ue000\u0378"
)
HAN = "的一是不了在人有我他这中大来上国和地到以说时要就出会可也你对生能而子那得于着下自之"


def generated_texts(model: Model, seed: int = 0) -> Iterator[str]:
    """Texts without end; the same for the same model and seed."""
    random_ = random.Random(seed)
    space = model.pretokenizer.space
    types = model.types.tolist()
    normal = [text.replace(space, " ") for text, type in zip(model.texts, types, strict=True) if type == PieceType.NORMAL]
    symbols = [text for text, type in zip(model.texts, types, strict=True) if type == PieceType.USER_DEFINED]
    # Pieces of one and of a few characters are few among many, but every merge begins with them.
    short = [text for text in normal if len(text) < 4]
    characters = [text for text in normal if len(text) == 1] or ["a"]

    def piece() -> str:
        return random_.choice(random_.choice((normal, short or normal))) if normal else "a"

    def cut_piece() -> str:
        text = piece()
        return text[random_.randrange(len(text)) :] if random_.random() < 0.5 else text[: random_.randrange(1, len(text) + 1)]

    makers = (
        lambda: "".join(piece() for _ in range(random_.randint(1, 8))),
        lambda: "".join(cut_piece() for _ in range(random_.randint(1, 10))),
        lambda: " ".join(piece().strip() for _ in range(random_.randint(1, 8))),
        lambda: "".join(random_.choice(characters) for _ in range(random_.randint(1, 20))),
        lambda: piece() + str(random_.randrange(10 ** random_.randint(1, 9))) + random_.choice(("", ".", ",5", " ", "a")),
        lambda: piece() + "".join(random_.choice(HAN) for _ in range(random_.randint(1, 12))) + cut_piece(),
        lambda: piece().strip() + random_.choice("'’`") + random_.choice(("s", "t", "re", "", " ", "'", "n't")) + piece(),
        lambda: " " * random_.randint(0, 5) + piece() + " " * random_.randint(1, 9) + piece() + " " * random_.randint(0, 3),
        lambda: "".join(random_.choice(STRANGE) if random_.random() < 0.5 else cut_piece() for _ in range(random_.randint(1, 12))),
        lambda: random_.choice(characters) * random_.randint(1, 40),
    )
    while True:
        text = random_.choice(makers)()
        if symbols and random_.random() < 0.5:
            place = random_.randrange(len(text) + 1)
            text = text[:place] + random_.choice(symbols) + text[place:]
        yield text
