from dataclasses import replace

import pytest

from fewshot.corpora.formats import tsv
from fewshot.corpora.types import Document, Pair
from fewshot.errors import CorpusError


def test_columns_in_any_order_others_ignored_and_labels_optional(upload):
    path = upload("label\tgenre\thypothesis\tpremise\nneutral\tx\tb\ta\n\n\tx\td\tc\n", "a.tsv")
    assert tsv.read(path) == [Pair("a-1", "a", "b", "neutral"), Pair("a-3", "c", "d")]
    path = upload("\ufeffindex_id\tcategory\ttext\r\n7\tsports\tA 'quoted\" text.\r\n", "b.tsv")
    assert tsv.read(path) == [Document("7", "A 'quoted\" text.", "sports")]
    (alone,) = tsv.read(upload("text\nAlone.\n", "c.tsv"))
    assert alone.label == "_" and alone.where.endswith("c.tsv:2")


def test_a_text_that_the_format_cannot_hold_is_refused(tmp_path):
    with pytest.raises(CorpusError, match="d-1: a tab or line end"):
        tsv.write([Document("d-1", "a\tb", "x")], tmp_path / "x.tsv")
    assert not (tmp_path / "x.tsv").exists()


def test_texts_and_labels_with_quotes_come_back(tmp_path):
    made = [('"Yes, I do."', "x"), ('""""', '"b, c"'), ("no, never", "y")]
    examples = [Document(f"d-{place}", *each) for place, each in enumerate(made)]
    for some in (examples, examples[:1], examples[2:]):
        tsv.write(some, tmp_path / "x.tsv")
        assert tsv.read(tmp_path / "x.tsv") == some
    (tmp_path / "in.tsv").write_text("id\ttext\tlabel\n1\tno\t_\n")
    (read,) = tsv.read(tmp_path / "in.tsv")
    tsv.write([replace(read, label='"b, c"')], tmp_path / "x.tsv")
    assert tsv.read(tmp_path / "x.tsv") == [replace(read, label='"b, c"')]


def test_labels_that_may_be_in_a_column_that_is_not_read_are_warned_of(upload):
    for text, name in (("text\tlabel\tcategory\na\t\tx\n", "category"), ("text\tsentiment\na\tx\n", "sentiment")):
        ((where, message),) = tsv.oddities(tsv.read(upload(text, "in.tsv")))
        assert where.endswith("in.tsv:2") and message.startswith(f"the column {name!r} is not read")
    assert not list(tsv.oddities(tsv.read(upload("text\tlabel\tcategory\na\ty\tx\n", "in.tsv"))))
