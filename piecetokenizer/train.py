"""Training: from a corpus to a Model.  The story of the whole package, top to bottom.

In: files or texts, and options.  Out: a Model with exactly `vocab_size` pieces.  Normalizer and PreTokenizer are built from the same spec
that goes into the model and that encoding will use.  The model depends on the multiset of texts and the options alone: not on the
number of threads, the order of lines or files, the hash seed, or the version of Python.
"""

import os
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from time import perf_counter
from typing import Any

from piecetokenizer.corpus import Corpus, Limit
from piecetokenizer.corpus.reading import Source
from piecetokenizer.counter.layout import plan
from piecetokenizer.counter.segments import Segments
from piecetokenizer.counter.vocabulary import Vocabulary, learn_vocabulary
from piecetokenizer.errors import InputError
from piecetokenizer.model import Model, PieceType
from piecetokenizer.normalize import Charsmap, Normalizer
from piecetokenizer.options import Choices, choose
from piecetokenizer.pretokenize import PreTokenizer
from piecetokenizer.progress import Bars, ProgressFunction, silent
from piecetokenizer.report import TrainReport
from piecetokenizer.scan import scan
from piecetokenizer.threads import chosen_threads

__all__ = ["TrainReport", "count", "train"]

Path = str | os.PathLike[str]


def train(
    inputs: Source,
    *,
    dict: Path | None = None,
    charsmap: Charsmap | Path | None = None,
    text_unit: str = "line",
    errors: str = "replace",
    limit: Limit | int | str | None = None,
    threads: int | None = None,
    progress: bool | ProgressFunction = False,
    report: TrainReport | None = None,
    notice: Callable[[str], None] | None = None,
    **options: Any,
) -> Model:
    """Learn a vocabulary from files or texts.

    `inputs` is a path or a list of paths ("-": standard input), or any other iterable of `str`, each one text: for a list of texts,
    give `iter(texts)`.  The options are those of CounterSpec and PreTokenizerSpec (vocab_size, character_coverage, user_defined,
    control, normalization, reconstruct, split, digit, cn, ...) and add_bos, add_eos.  Further

    - dict: "no", "zh", or the path of a dictionary, see piecetokenizer.options; charsmap: the rules of normalization=custom
    - text_unit: "line", or "file" to take each file as one text, newlines and all
    - errors: what becomes of bytes that are not UTF-8 and of lone surrogates: "replace", "skip" the text, or "strict"
    - limit: so many texts, or bytes as "100MB"
    - threads: all processors if None; progress: True for bars on standard error, or a function
    - report: a TrainReport to fill in; notice: called with each line that the user should see (default: the log)

    >>> model = train(iter(["we sow and we reap"]), vocab_size=272)
    >>> [piece.text for piece in model][259:262]
    ['we', 'an', 'ap']
    """
    notice = notice or _log
    result = TrainReport() if report is None else report
    choices = choose(options, dict=dict, charsmap=charsmap)
    threads = chosen_threads(threads)
    plan(choices.counter)  # what is wrong with the layout of ids is said before the corpus is read
    for line in [*choices.idle(), *choices.obstacles()]:
        notice(line)
    with ExitStack() as stack:
        tell = stack.enter_context(Bars()) if progress is True else progress or silent
        # The segments have no name here, so that learning can let go of them (see learn_vocabulary).
        began = perf_counter()
        vocabulary = learn_vocabulary(
            count(inputs, choices, text_unit=text_unit, errors=errors, limit=limit, threads=threads, progress=tell, report=result),
            choices.counter,
            space=choices.pretokenizer.space,
            threads=threads,
            progress=partial(tell, "merge"),
        )
    model = _model(choices, vocabulary)
    _describe(vocabulary, model, result)
    result.seconds["merge"] = perf_counter() - began - result.seconds["read"]
    if vocabulary.note:
        notice(vocabulary.note)
    if report is None and (losses := result.summary()):
        notice(f"of the corpus: {losses}")
    return model


def count(
    inputs: Source,
    choices: Choices,
    *,
    text_unit: str = "line",
    errors: str = "replace",
    limit: Limit | int | str | None = None,
    threads: int | None = None,
    progress: ProgressFunction = silent,
    report: TrainReport,
) -> Segments:
    """The first half: the segments of a corpus and how often each occurs."""
    threads = chosen_threads(threads)
    began = perf_counter()
    corpus = Corpus(inputs, text_unit=text_unit, errors=errors, limit=limit)
    spec = choices.pretokenizer
    segments, report.scan = scan(
        corpus,
        Normalizer(spec, choices.charsmap),
        PreTokenizer(spec, choices.dictionary),
        symbols=choices.counter.user_defined,
        threads=threads,
        progress=lambda done: progress("read", done, corpus.size, ""),
    )
    report.corpus = corpus.counts
    report.dictionary = "" if choices.dictionary is None else choices.dictionary.report()
    report.normalization = spec.normalization
    report.unit = text_unit if corpus.counts.files else "text"
    report.distinct = len(segments)
    report.seconds["read"] = perf_counter() - began
    if not len(segments):
        found = [
            str(report).splitlines()[0],
            *report.losses(),
            *([f"{corpus.limit} leaves nothing of it"] if corpus.limit != Limit() else []),
        ]
        raise InputError(f"there is no text to learn from; {'; '.join(found)}")
    return segments


def _log(line: str) -> None:
    """A line for the user of a program that did not say where to."""
    import logging  # 3 ms that the command line need not wait for

    logging.getLogger("piecetokenizer").warning(line)


def _model(choices: Choices, vocabulary: Vocabulary) -> Model:
    """The pieces with the specs that made them."""
    roles = {f"{role}_id": id for role, id in vocabulary.roles.items()}
    return Model.of_columns(
        choices.counter,
        choices.pretokenizer,
        choices.tokenizer.replace(**roles),
        vocabulary.columns,
        charsmap_rules=None if choices.charsmap is None else choices.charsmap.rules(),
    )


def _describe(vocabulary: Vocabulary, model: Model, report: TrainReport) -> None:
    """What the report says of the pieces."""
    report.coverage = vocabulary.coverage
    report.dropped = vocabulary.dropped
    report.min_count = model.counter.min_count
    report.note = vocabulary.note
    kinds = Counter(model.types.tolist())
    report.pieces = {PieceType(kind).label: kinds[kind] for kind in sorted(kinds)}
    report.longest = [model.texts[id] for id in model.longest(5)]
