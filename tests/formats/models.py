"""Vocabularies for the tests of formats, learned from text that was written for them.

`trained(**options)` gives a Model; options of the three specs are told apart by name.  The text holds what formats disagree about:
runs of spaces, digits, apostrophes, Han, marks, line feeds inside nothing, punctuation, code.
"""

import dataclasses
import itertools
import random
from collections import Counter
from functools import cache
from typing import Any

from piecetokenizer.counter.segments import Segments
from piecetokenizer.counter.vocabulary import learn_vocabulary
from piecetokenizer.formats.generate import generated_texts
from piecetokenizer.model import Model
from piecetokenizer.normalize import Normalizer
from piecetokenizer.pretokenize import Dictionary, PreTokenizer
from piecetokenizer.spec import CounterSpec, PreTokenizerSpec, TokenizerSpec
from piecetokenizer.symbols import SymbolMatcher

SENTENCES = """\
The baker's oven wasn't warm until nine, so we waited outside and counted 128 pigeons.
She said: "I don't know, they'll be here by 10:45 or they won't come at all."
It’s the cook’s third book; she’d rather cook than write, wouldn’t you?
def area(width, height):\n    return width * height  # in square metres
    if total >= 1000 and not done:\n        total -= rate * 0.25\n        print("left:", total)
for (int i = 0; i < 10; i++) { sum += values[i]; }   // nine more
Der Bäcker öffnete früh, und wir kauften zwölf Brötchen für 3,60 Euro.
Le pêcheur n’a rien pris aujourd’hui, mais l’été est long à l’île.
Los niños corrían por la calle; ¿quién abrió la puerta a las 7?
今天早上天气很好，我们去公园散步，看见了十二只白色的鸟。
他说明天下雨，所以我们今天去买米、茶和三本新书。
图书馆在学校的东边，每天上午九点开门，下午五点关门。
我在2024年学了Python和C++，现在用它们写小程序。
朝の電車はとても混んでいたので、一本あとの電車に乗りました。
नदी के किनारे एक छोटा गाँव था जहाँ सब लोग खेती करते थे।
Кот спит на окне, а собака ждёт у двери с 8 утра.
مرحبا، وصل القطار متأخرا عشر دقائق.
The old New York ferry left at 6:15; the new one leaves at 6:45 from New York too.
naïve café, coöperate, résumé, Ångström, ½ cup, 3² = 9, № 5, ﬁsh
👩‍🌾 plants 🌱 and 🥕; 👍🏽 for the 🇳🇱 tulips ❤️
https://example.org/a/b?q=1&r=two#three  <a href="x">link</a>  a_b-c.d
"""


@cache
def sample() -> tuple[str, ...]:
    """Some 1,500 lines: the sentences, and their words in other orders."""
    chance = random.Random(7)
    lines = SENTENCES.splitlines()
    words = [word for line in lines for word in line.split(" ")]
    for _ in range(900):
        lines.append(" ".join(chance.choice(words) for _ in range(chance.randint(2, 12))))
    for _ in range(400):
        line = chance.choice(lines[:21])
        begin = chance.randrange(len(line))
        lines.append(line[begin : begin + chance.randint(3, 30)] + chance.choice(("", "  ", " - ", "'s ", "42")))
    return tuple(lines * 2)


@cache
def trained(size: int = 1000, *, without: str = "", dictionary: Dictionary | None = None, **options: Any) -> Model:
    """A model learned from the sample `without` some characters; options belong to one of the three specs by name."""
    for_counter, for_spec = (_only(options, spec) for spec in (CounterSpec, PreTokenizerSpec))
    counter = CounterSpec(vocab_size=size, character_coverage=0.999, soft_vocab_limit=True, **for_counter)
    spec = PreTokenizerSpec(**for_spec)
    normalizer, pretokenizer, matcher = Normalizer(spec), PreTokenizer(spec, dictionary), SymbolMatcher(counter.user_defined)
    counts: Counter[str] = Counter()
    for line in sample():
        line = line.translate(dict.fromkeys(map(ord, without)))
        data, start = line.encode(), 0
        for begin, end, _ in [*matcher.spans(data), (len(data), len(data), -1)]:
            counts.update(pretokenizer.pretokenize(str(normalizer.normalize(data[start:begin]))))
            start = end
    vocabulary = learn_vocabulary(Segments.from_pairs(list(counts.items())), counter)
    roles = {f"{role}_id": id for role, id in vocabulary.roles.items()}
    rest = {k: v for k, v in options.items() if k not in for_counter and k not in for_spec}
    named = {k: vocabulary.texts.index(v) for k, v in rest.items() if k.endswith("_id")}
    return Model(
        counter=counter,
        pretokenizer=spec,
        tokenizer=TokenizerSpec(**roles | rest | named),
        texts=vocabulary.texts,
        scores=vocabulary.columns.scores,
        types=vocabulary.columns.types,
        parts=vocabulary.parts,
    )


def texts_for(model: Model, count: int = 400) -> list[str]:
    """Generated ones, and every fourth line of the sample; none holds ▁, which is a space for readers."""
    return list(itertools.islice(generated_texts(model, seed=3), count)) + list(sample()[::4])


def _only(options: dict[str, Any], spec: type) -> dict[str, Any]:
    names = {field.name for field in dataclasses.fields(spec)}
    return {name: value for name, value in options.items() if name in names}
