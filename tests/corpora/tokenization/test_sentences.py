import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewshot.corpora.formats import conllu
from fewshot.corpora.tokenization.joining import rejoin
from fewshot.corpora.tokenization.repair import named, retokenized
from fewshot.corpora.tokenization.sentences import separated
from fewshot.corpora.types import Record, Sentence, ranges_of
from fewshot.errors import CorpusError

FILE = """\
# newdoc id = d
# newpar
# sent_id = s1
# text = Du vin. ¡Él viene!Sí
# text_en = Some wine. He comes! Yes
# a comment without an equals sign
0.1\tx\t_\tVERB\t_\t_\t_\t_\t0:root\t_
1-2\tDu\t_\t_\t_\t_\t_\t_\t_\tGloss=of
1\tde\tde\tADP\tX1\tA=b\t3\tcase\t3:case\tNER=O
2\tle\tle\tDET\tX2\t_\t3\tdet\t3:det\tNER=B-X
3\tvin\tvin\tNOUN\t_\t_\t0\troot\t0.1:obj\tSpaceAfter=No|NER=I-X
4\t.\t.\tPUNCT\t_\t_\t3\tpunct\t3:punct\tNER=I-X
4.1\ty\ty\tVERB\t_\t_\t_\t_\t7:conj\tCopyOf=3
5\t¡\t¡\tPUNCT\t_\t_\t7\tpunct\t7:punct\tNER=I-X|SpaceAfter=No
6\tÉl\tél\tPRON\t_\tCase=Nom\t7\tnsubj\t7:nsubj|4.1:nsubj\tNER=O|Own=a
7\tviene\tvenir\tVERB\t_\t_\t3\tparataxis\t3:parataxis\tNER=O|SpaceAfter=No
8\t!\t!\tPUNCT\t_\t_\t7\tpunct\t7:punct\tNER=O|SpaceAfter=No
8.1\tz\t_\tVERB\t_\t_\t_\t_\t7:conj\t_
9\tSí\tsí\tINTJ\t_\t_\t7\tdiscourse\t8.1:discourse\tNER=O

"""

PARTS = f"""\
{FILE[: FILE.index("4.1")].replace("s1", "s1A").replace("Du vin. ¡Él viene!Sí", "Du vin.")}\
4.1\ty\ty\tVERB\t_\t_\t_\t_\t0:root\tCopyOf=3

# sent_id = s1B
# text = ¡Él viene!
1\t¡\t¡\tPUNCT\t_\t_\t3\tpunct\t3:punct\tNER=B-X|SpaceAfter=No
2\tÉl\tél\tPRON\t_\tCase=Nom\t3\tnsubj\t3:nsubj\tNER=O|Own=a
3\tviene\tvenir\tVERB\t_\t_\t0\troot\t0:root\tNER=O|SpaceAfter=No
4\t!\t!\tPUNCT\t_\t_\t3\tpunct\t3:punct\tNER=O|SpaceAfter=No
4.1\tz\t_\tVERB\t_\t_\t_\t_\t3:conj\t_

# sent_id = s1C
# text = Sí
1\tSí\tsí\tINTJ\t_\t_\t0\troot\t0:root\tNER=O

"""


@pytest.fixture
def sentence(parse):
    return parse(FILE, columns=("lemmas", "feats"))[0]


def cut(sentence, *ends):
    return retokenized(sentence, sentence.words, ranges_of(sentence), ends)


def test_each_sentence_has_its_own_id_text_and_numbers_and_all_that_its_words_had(sentence):
    assert "".join(conllu.to_text(one) for one in separated([cut(sentence, 4, 8)])) == PARTS
    other = sentence.annotated(id="s1B")
    assert [one.id for one in separated([cut(sentence, 4), other])] == ["s1A2", "s1B2", "s1B"]


def test_a_sentence_that_ends_once_is_the_file_as_it_came(sentence):
    assert [conllu.to_text(one) for one in separated([cut(sentence)])] == [FILE]
    assert cut(cut(sentence, 4)).ends == ()
    assert "ends" not in named(sentence) and named(cut(sentence, 4))["ends"] == [4]


def test_a_head_in_another_sentence_is_open_unless_its_word_can_only_be_the_root(sentence):
    heads = list(sentence.heads)
    heads[5] = -1  # of a word in the second sentence, so that another one may be its root
    made = cut(sentence.annotated(heads=tuple(heads)), 4, 8)
    assert (made.heads[6], made.deprels[6]) == (-1, "_")
    assert (made.heads[8], made.deprels[8]) == (0, "root")


@pytest.mark.parametrize("ends", [(0,), (9,), (10,), (4, 4), (5, 4), (1,), ("4",), (True,), (4.0,)])
def test_a_sentence_ends_at_words_before_the_last_and_not_in_a_multiword_token(sentence, ends):
    with pytest.raises(CorpusError, match="sentence"):
        cut(sentence, *ends)


def columns(sentences):
    """Return what each row of words, tokens and empty nodes has beside numbers."""
    lines = "".join(map(conllu.to_text, sentences)).splitlines()
    rows = [line.split("\t") for line in lines if "\t" in line]
    return [(*row[1:6], row[9].replace("NER=B-", "NER=I-")) for row in rows]


@given(ends=st.sets(st.sampled_from([2, 3, 4, 5, 6, 7, 8])))
def test_nothing_of_the_words_is_lost_wherever_sentences_end(tmp_path_factory, ends):
    def comments(sentences):
        lines = (line for one in sentences for line in one.lines if line.startswith("#"))
        return [line for line in lines if not line.startswith(("# sent_id", "# text ="))]

    path = tmp_path_factory.getbasetemp() / "ends.conllu"
    path.write_text(FILE)
    sentence = conllu.read(path)[0]
    parts = separated([cut(sentence, *sorted(ends))])
    assert columns(parts) == columns([sentence])
    assert "".join("".join(part.text for part in parts).split()) == "".join(sentence.text.split())
    conllu.write(parts, path)
    again = conllu.read(path)
    assert again == parts and [one.id for one in again] == [one.id for one in parts]
    assert comments(again) == comments([sentence])


def test_a_column_that_one_part_lacks_is_open_there_and_a_multiword_token_says_whether_a_space_follows():
    one, other = Sentence("s1A", "A b", ("A", "b"), lemmas=("a", "b")), Sentence("s1B", "C", ("C",))
    assert rejoin([one, other]).lemmas == ("a", "b", "_")
    token = "1-2\tdel\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n"
    rows = [f"{n}\t{form}\t_\tX\t_\t_\t0\troot\t_\t_\n" for n, form in ((1, "de"), (2, "el"))]
    first = Sentence("s1A", "del", ("de", "el"), record=Record("conllu", (token, *rows, "\n")))
    assert rejoin([first, Sentence("s1B", ".", (".",))]).text == "del."


@pytest.mark.parametrize(("first", "marks"), [("# text = hay sol", [0, 0]), ("\ufeff# sent_id = q", [1, 0])])
def test_parts_have_ids_where_the_whole_had_none_and_no_byte_order_mark_twice(first, marks):
    rows = [f"{n}\t{form}\t_\tX\t_\t_\t0\troot\t_\t_\n" for n, form in ((1, "hay"), (2, "sol"))]
    record = Record("conllu", (first + "\n", *rows, "\n"))
    whole = Sentence("q", "hay sol", ("hay", "sol"), ends=(1,), record=record)
    said = ["".join(part.record.lines) for part in separated([whole])]
    assert ["# sent_id = qA\n" in said[0], "# sent_id = qB\n" in said[1]] == [True, True]
    assert [text.count("\ufeff") for text in said] == marks
