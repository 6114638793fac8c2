"""Pairs and documents as tab-separated files."""

import pytest

from fewshot.corpora.formats import tsv
from fewshot.corpora.types import Document, Pair
from fewshot.errors import CorpusError


def test_columns_in_any_order_others_ignored_and_labels_optional(tmp_path):
    (tmp_path / "a.tsv").write_text("label\tgenre\thypothesis\tpremise\nneutral\tx\tb\ta\n\n\tx\td\tc\n")
    assert tsv.read(tmp_path / "a.tsv") == [Pair("a-1", "a", "b", "neutral"), Pair("a-3", "c", "d")]
    (tmp_path / "b.tsv").write_text("\ufeffindex_id\tcategory\ttext\r\n7\tsports\tA 'quoted\" text.\r\n")
    assert tsv.read(tmp_path / "b.tsv") == [Document("7", "A 'quoted\" text.", "sports")]
    (tmp_path / "c.tsv").write_text("text\nAlone.\n")
    (alone,) = tsv.read(tmp_path / "c.tsv")
    assert alone.label == "_" and alone.where.endswith("c.tsv:2")


def test_a_text_that_the_format_cannot_hold_is_refused(tmp_path):
    with pytest.raises(CorpusError, match="d-1: a tab or line end"):
        tsv.write([Document("d-1", "a\tb", "x")], tmp_path / "x.tsv")
    assert not (tmp_path / "x.tsv").exists()
