from collections import Counter
from itertools import pairwise

import pytest
from pretraining.making import small, write_lines

from fewshot.errors import FewshotError
from fewshot.pretraining import texts


def read(folder, **changes):
    warnings = []
    return texts.read_texts(folder, small(**{"updates": 1, **changes}), warnings.append), warnings


@pytest.fixture
def long(tmp_path):
    """1,000 English sentences in order, the first 600 of them translated; the last 100 are the first ones again."""
    english = [f"this is sentence {number}" for number in range(900)]
    english += english[:100]
    write_lines(tmp_path / "mono" / "en.txt.xz", english)
    write_lines(tmp_path / "mono" / "fi.txt.xz", [f"lause {number}" for number in range(900)])
    rows = [f"{text}\tkäännös {number}" for number, text in enumerate(english[:600])]
    write_lines(tmp_path / "parallel" / "made.tsv.xz", ["en\tfi", *rows])
    return tmp_path


def test_held_out_sentences_occur_nowhere_else(long):
    for seed in range(4):
        found, _ = read(long, seed=seed, nsp=True)
        held = set(found.held["en"])
        assert len(held) == 900 // 200
        assert not held & set(found.sentences["en"])
        assert not held & {row["en"] for row in found.rows}
        assert not held & {text for first, second, _ in found.following["en"] for text in (first, second)}
        assert len(set(found.sentences["en"])) == 900 - len(held)
    assert held != set(read(long, seed=0)[0].held["en"])
    assert held == set(read(long, seed=3)[0].held["en"])


def test_held_out_copies_are_found_before_they_are_transformed(long):
    plain, _ = read(long)
    changed, _ = read(long, transforms={"en": ["permute-1"]})
    assert [sorted(text.split()) for text in changed.held["en"]] == [sorted(text.split()) for text in plain.held["en"]]
    numbers = {text.split()[-1] for text in plain.held["en"]}
    assert numbers and not numbers & {word for text in changed.sentences["en"] for word in text.split()}


def test_at_most_so_many_are_held_out_and_none_without_language_modelling(long):
    assert len(read(long, held_out=2)[0].held["en"]) == 2
    for changes in ({"held_out": 0}, {"updates": 0}):
        found, _ = read(long, **changes)
        assert not any(found.held.values())
        assert len(found.rows) == 600
        assert len(found.sentences["en"]) == 1600


def test_half_of_the_pairs_follow_each_other(long):
    found, _ = read(long, nsp=True, held_out=0)
    order = [f"lause {number}" for number in range(900)]
    assert {pair[:2] for pair in found.following["fi"] if pair[2]} <= set(pairwise(order))
    assert [first for first, *_ in found.following["fi"]] == order[:-1]
    assert {second for _, second, follows in found.following["fi"] if not follows} <= set(order)
    shares = Counter(follows for *_, follows in found.following["fi"])
    assert shares[1] == pytest.approx(450, abs=60)
    others = [second == f"lause {n + 1}" for n, (_, second, follows) in enumerate(found.following["fi"]) if not follows]
    assert sum(others) < 5
    assert not read(long)[0].following


def test_transforms_reach_pairs_and_rows(long):
    found, _ = read(long, nsp=True, transforms={"en": ["mark-en"]})
    assert all(first.startswith("[en] ") and second.startswith("[en] ") for first, second, _ in found.following["en"])
    assert all(row["en"].startswith("[en] ") and row["fi"].startswith("käännös") for row in found.rows)
    assert not any(first.startswith("[en]") for first, *_ in found.following["fi"])


def test_corrupt_lines_are_counted_aloud(long):
    write_lines(long / "mono" / "sv.txt.xz", [*("hus" for _ in range(100)), *(b"\xff\n" for _ in range(7))])
    _, (warning,) = read(long)
    assert warning.startswith("7 corrupt lines are left out: ")
    assert "sv.txt.xz:101: byte 0xff is not UTF-8" in warning
    assert warning.endswith("; and 2 more")


def test_languages_of_rows_and_of_transforms(long):
    write_lines(long / "parallel" / "more.tsv.xz", ["lang\ten\ttext", "sw\thouse\tnyumba"])
    assert read(long)[0].sentences["sw"] == ["nyumba"]
    with pytest.raises(FewshotError, match="unknown language in transforms 'fin': did you mean fi"):
        read(long, transforms={"fin": ["fake"]})


def test_corpus_lacks_what_the_settings_need(long):
    (long / "parallel" / "made.tsv.xz").unlink()
    with pytest.raises(FewshotError, match=r"no translations from or into en in .*; give some"):
        read(long)
    write_lines(long / "mono" / "en.txt.xz", ["one"])
    write_lines(long / "mono" / "fi.txt.xz", ["yksi"])
    assert read(long, alignment="none")[0].sentences == {"en": ["one"], "fi": ["yksi"]}
    with pytest.raises(FewshotError, match="no two sentences in a row"):
        read(long, alignment="none", nsp=True)
