from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewshot.corpora.formats import conllu
from fewshot.corpora.tokenization.joining import find_separated, join_sentences, rejoin, with_following
from fewshot.corpora.tokenization.repair import named, retokenized
from fewshot.corpora.tokenization.sentences import separated
from fewshot.corpora.types import Sentence, ranges_of
from fewshot.errors import CorpusError

FILE = """\
# newdoc id = d
# sent_id = s1
# text = Il vient av.
# text_en = He comes bef.
1\tIl\til\tPRON\t_\t_\t2\tnsubj\t2:nsubj\tNER=O
2\tvient\tvenir\tVERB\t_\t_\t0\troot\t0:root\tNER=O
3\tav\tav\tNOUN\t_\t_\t2\tobl\t2:obl\tSpaceAfter=No|NER=B-X
4\t.\t.\tPUNCT\t_\t_\t3\tpunct\t3:punct\tNER=I-X
4.1\ty\ty\tVERB\t_\t_\t_\t_\t2:conj\t_

# newpar
# sent_id = s2
# text = Du vin.
# text_en = Some wine.
# own = yes
# a comment without an equals sign
0.1\tx\t_\tVERB\t_\t_\t_\t_\t0:root\t_
1-2\tDu\t_\t_\t_\t_\t_\t_\t_\tGloss=of
1\tde\tde\tADP\tX1\tA=b\t3\tcase\t3:case\tNER=O
2\tle\tle\tDET\tX2\t_\t3\tdet\t3:det\tNER=O
3\tvin\tvin\tNOUN\t_\t_\t0\troot\t0.1:obj\tSpaceAfter=No|NER=B-X
4\t.\t.\tPUNCT\t_\t_\t3\tpunct\t3:punct\tSpaceAfter=No|NER=O

# sent_id = s3
# text = Oui
1\tOui\toui\tINTJ\t_\t_\t0\troot\t0:root\tNER=O

"""

ONE = """\
# newdoc id = d
# sent_id = s1
# text = Il vient av. Du vin.Oui
# text_en = He comes bef. Some wine.
# own = yes
# a comment without an equals sign
1\tIl\til\tPRON\t_\t_\t2\tnsubj\t2:nsubj\tNER=O
2\tvient\tvenir\tVERB\t_\t_\t0\troot\t0:root\tNER=O
3\tav\tav\tNOUN\t_\t_\t2\tobl\t2:obl\tSpaceAfter=No|NER=B-X
4\t.\t.\tPUNCT\t_\t_\t3\tpunct\t3:punct\tNER=I-X
4.1\ty\ty\tVERB\t_\t_\t_\t_\t2:conj\t_
4.2\tx\t_\tVERB\t_\t_\t_\t_\t0:root\t_
5-6\tDu\t_\t_\t_\t_\t_\t_\t_\tGloss=of|NewPar=Yes
5\tde\tde\tADP\tX1\tA=b\t7\tcase\t7:case\tNER=O
6\tle\tle\tDET\tX2\t_\t7\tdet\t7:det\tNER=O
7\tvin\tvin\tNOUN\t_\t_\t0\troot\t4.2:obj\tSpaceAfter=No|NER=B-X
8\t.\t.\tPUNCT\t_\t_\t7\tpunct\t7:punct\tSpaceAfter=No|NER=O
9\tOui\toui\tINTJ\t_\t_\t0\troot\t0:root\tNER=O

"""


@pytest.fixture(scope="module")
def sentence(tmp_path_factory):
    """The first of three, which the two others can be joined to."""
    path = tmp_path_factory.mktemp("joining") / "in.conllu"
    path.write_text(FILE)
    first, *others = conllu.read(path, columns=("lemmas", "feats"))
    return replace(first, following=tuple(others))


def test_all_that_the_file_had_of_the_sentences_is_in_one_at_once_or_one_after_the_other(sentence):
    both = with_following(sentence, 2)
    assert conllu.to_text(both) == ONE
    step = with_following(with_following(sentence, 1), 2)
    assert conllu.to_text(step) == ONE
    assert (step, step.joined) == (both, 2)
    assert "joined" not in named(sentence) and named(step)["joined"] == 2
    for count in (0, 1):  # and is cut off again
        assert with_following(both, count) == with_following(sentence, count)
        assert with_following(both, count).text == with_following(sentence, count).text


def test_an_arc_to_what_is_cut_off_is_open_and_its_empty_nodes_go_with_the_arcs_from_them(sentence):
    made = with_following(sentence, 1)
    heads, relations = list(made.heads), list(made.deprels)
    heads[0], heads[2], relations[2] = 7, -1, "_"
    again = with_following(made.annotated(heads=tuple(heads), deprels=tuple(relations)), 0)
    assert (again.heads, again.deprels) == ((-1, 0, -1, 3), ("_", "root", "_", "punct"))
    again = with_following(made.annotated(deps=("=|4.1:x", "=|4.2:x", "4.2:x", *[None] * 5)), 0)
    assert [node.id for node in again.source.nodes] == ["4.1"]
    assert again.deps == ("=|4.1:x", "=", "_", None)


def test_repaired_words_and_ends_stay_where_a_sentence_is_joined_and_cut_off(sentence):
    cut = retokenized(sentence, ("Il", "vi", "ent", "av", "."), (), (2,))
    made = retokenized(cut, (*cut.words, "de", "le", "vin", "."), [(6, 7, "Du")], (2,), 1)
    assert (made.words[2:6], made.ends, made.heads[5]) == (("ent", "av", ".", "de"), (2,), 8)
    words = ("Il", "vi", "ent", "av", ".", "de", "le", "v", "in", ".")
    again = with_following(retokenized(made, words, [(6, 7, "Du")], (2, 5), 1), 0)
    assert (again.words, again.ends, again.joined) == (cut.words, (2,), 0)
    over = retokenized(with_following(sentence, 1), ("Il", "vient", "av", ". Du", "vin", "."), (), (), 1)
    assert with_following(over, 0).words == ("Il", "vient", "av")  # a word over the seam falls with it


@pytest.mark.parametrize("count", [-1, 3, 1.0, True, "1"])
def test_no_more_can_be_joined_than_follow(sentence, count):
    with pytest.raises(CorpusError, match="2 can be"):
        with_following(sentence, count)


@pytest.mark.parametrize(
    ("texts", "text", "misc"),
    [
        (("彼は言った。", "「そう」"), "彼は言った。「そう」", "SpaceAfter=No"),
        (("그는 갔다", "집에"), "그는 갔다 집에", "_"),
        (("z. B.", "hier"), "z. B. hier", "_"),
    ],
)
def test_raw_text_has_a_space_between_sentences_but_where_its_script_has_none(texts, text, misc):
    one, other = (Sentence(f"s{place}", each, tuple(each.split())) for place, each in enumerate(texts))
    made = join_sentences([one, other])
    assert made.text == text
    assert made.lines[1 + len(one.words)].split("\t")[-1].strip() == misc


def test_what_one_part_says_of_features_or_of_a_model_is_not_said_of_the_whole_but_where_all_say_so(parse):
    row = "1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n"
    assert "annotated" not in "".join(join_sentences(parse(f"# annotated = FEATS\n{row}{row}")).lines)
    first = Sentence("s0", "a", ("a",), ("NOUN",), (-1,), ("_",), ("_",))
    second = replace(first, id="s1", predicted=("upos",), has_feats=True)
    for order in ([first, second], [second, first]):
        assert (join_sentences(order).predicted, join_sentences(order).has_feats) == (("upos",), False)
    assert join_sentences([first, first]).predicted == ()


@given(ends=st.sets(st.integers(1, 4) | st.sampled_from([6, 7, 8])))
def test_parts_are_one_again_with_all_columns_wherever_it_was_cut(sentence, ends):
    once = with_following(sentence, 2)
    made = retokenized(once, once.words, ranges_of(once), sorted(ends), 2)
    again = rejoin(separated([made])) if ends else made
    assert (again.words, again.text, again.ends) == (made.words, made.text, made.ends)
    assert [getattr(again, column) for column in made.columns] == [getattr(made, column) for column in made.columns]
    rows = [[line.split("\t") for line in one.lines if "\t" in line] for one in (again, made)]
    assert [row[:6] for row in rows[0]] == [row[:6] for row in rows[1]]


@pytest.mark.parametrize(
    ("ids", "runs"),
    [
        (["s1A", "s1B", "s2"], [["s1A", "s1B"]]),
        (["s1A2", "s1B2", "s1C2", "x"], [["s1A2", "s1B2", "s1C2"]]),
        (["s1A", "s1B2"], []),
        (["A", "sA", "sB", "sA", "sB"], [["sA", "sB"], ["sA", "sB"]]),
    ],
)
def test_parts_are_known_by_their_ids(ids, runs):
    found = find_separated([Sentence(name, "a", ("a",)) for name in ids])
    assert [[one.id for one in run] for run in found] == runs
    parts = separated([Sentence("s", " ".join("a" * 30), tuple("a" * 30), ends=tuple(range(1, 30)))])
    assert parts[26].id == "sAA"  # more parts than letters
    (run,) = find_separated(parts)
    assert rejoin(run).words == tuple("a" * 30) and rejoin(run).id == "s"
