"""Pairs and documents as tab-separated files."""

import pytest
from making import examples

from fewshot.corpora.formats import tsv
from fewshot.corpora.types import Document, Pair
from fewshot.errors import CorpusError


@pytest.mark.parametrize("kind", ["pairs", "documents"])
def test_what_is_written_is_read_again(kind, tmp_path):
    made = examples(kind, 5, seed=1)
    made[0] = made[0].unannotated()
    tsv.write(made, tmp_path / "x.tsv")
    assert tsv.read(tmp_path / "x.tsv") == made


def test_columns_in_any_order_others_ignored_and_labels_optional(tmp_path):
    (tmp_path / "a.tsv").write_text("label\tgenre\thypothesis\tpremise\nneutral\tx\tb\ta\n\n\tx\td\tc\n")
    assert tsv.read(tmp_path / "a.tsv") == [Pair("a-1", "a", "b", "neutral"), Pair("a-3", "c", "d")]
    (tmp_path / "b.tsv").write_text("\ufeffindex_id\tcategory\ttext\r\n7\tsports\tA 'quoted\" text.\r\n")
    assert tsv.read(tmp_path / "b.tsv") == [Document("7", "A 'quoted\" text.", "sports")]
    (tmp_path / "c.tsv").write_text("text\nAlone.\n")
    (alone,) = tsv.read(tmp_path / "c.tsv")
    assert alone.label == "_" and alone.where.endswith("c.tsv:2")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("premise\tlabel\na\tneutral\n", r"x.tsv:1: the first line must name the columns: premise, hypothesis, label"),
        ("text\tlabel\na\tb\tc\n", r"x.tsv:2: 3 columns, but the first line names 2"),
        ("premise\thypothesis\tlabel\na\tb\tneutral\n \tb\tneutral\n", r"x.tsv:3: empty premise"),
        ("id\ttext\n7\ta\n8\tb\n\n7\tc\n", r"x.tsv:5: id '7' is that of line 2 too; give each line its own"),
        ("text\tlabel\tlabel\na\tx\ty\n", r"x.tsv:1: column 'label' is named twice"),
        ("text\tlabel\n\n", r"x.tsv: no line after the names of the columns"),
        ("", r"x.tsv: the file is empty"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path, text, message):
    (tmp_path / "x.tsv").write_text(text)
    with pytest.raises(CorpusError, match=message):
        tsv.read(tmp_path / "x.tsv")


def test_a_text_that_the_format_cannot_hold_is_refused(tmp_path):
    with pytest.raises(CorpusError, match="d-1: a tab or line end"):
        tsv.write([Document("d-1", "a\tb", "x")], tmp_path / "x.tsv")
    assert not (tmp_path / "x.tsv").exists()
