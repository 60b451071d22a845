"""Spaces, prefixes and invalid bytes against SentencePiece, for any rules."""

from hypothesis import assume, given
from hypothesis import strategies as st
from normalize import strategies
from normalize.oracle import by_rules
from normalize.workers import new_worker, text_of

from piecetokenizer.normalize import PREFIX, WHOLE, Charsmap


@given(rules=strategies.rules, data=strategies.texts_for_rules, collapse=st.booleans(), prefix=st.booleans())
def test_as_sentencepiece_does(rules: dict[str, str], data: bytes, collapse: bool, prefix: bool) -> None:
    rules = {source: target for source, target in rules.items() if source != target and "  " not in target}
    assume(rules)  # it cannot be asked to have none
    # It writes a space as a low line, so it takes a literal one at the end for a space.  A target with two spaces in a row it leaves alone.
    data = data.replace("▁".encode(), b"")
    oracle = by_rules(rules, remove_extra_whitespaces=collapse, add_dummy_prefix=prefix, escape_whitespaces=True)
    worker = new_worker(True, Charsmap.from_rules(rules), collapse)
    got = text_of(worker, worker.run_one(data, WHOLE | PREFIX if prefix else WHOLE))
    want = oracle.normalize(data)
    assert got.decode() == (want if isinstance(want, str) else want.decode()).replace("▁", " ")
