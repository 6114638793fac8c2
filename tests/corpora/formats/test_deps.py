import pytest
from corpora import official

from fewshot.corpora.documents import deps
from fewshot.corpora.formats import conllu
from fewshot.corpora.tokenization.joining import join_sentences
from fewshot.corpora.tokenization.repair import retokenized
from fewshot.corpora.tokenization.sentences import separated, set_ends
from fewshot.corpora.types import ranges_of

FILE = """# sent_id = s1
# text = Ana quiere comer y dormir en casa y Eva té.
1\tAna\tAna\tPROPN\t_\t_\t2\tnsubj\t2:nsubj|3:nsubj:xsubj|5:nsubj:xsubj\t_
2\tquiere\tquerer\tVERB\t_\t_\t0\troot\t0:root\t_
3\tcomer\tcomer\tVERB\t_\t_\t2\txcomp\t2:xcomp\t_
4\ty\ty\tCCONJ\t_\t_\t5\tcc\t5:cc\t_
5\tdormir\tdormir\tVERB\t_\t_\t3\tconj\t2:xcomp|3:conj:y\t_
6\ten\ten\tADP\t_\t_\t7\tcase\t7:case\t_
7\tcasa\tcasa\tNOUN\t_\t_\t3\tobl\t3:obl:en\t_
8\ty\ty\tCCONJ\t_\t_\t9\tcc\t9.1:cc\t_
9\tEva\tEva\tPROPN\t_\t_\t2\tconj\t9.1:nsubj\t_
9.1\tquiere\tquerer\tVERB\t_\t_\t_\t_\t2:conj:y\tCopyOf=2
10\tté\tté\tNOUN\t_\t_\t9\torphan\t9.1:obj\tSpaceAfter=No
11\t.\t.\tPUNCT\t_\t_\t2\tpunct\t2:punct\t_

"""


@pytest.fixture
def sentence(parse):
    return parse(FILE)[0]


def column(sentence):
    rows = [line.split("\t") for line in conllu.to_text(sentence).splitlines() if "\t" in line]
    return {row[0]: row[8] for row in rows}


def valid(sentence, tmp_path):
    conllu.write([sentence], tmp_path / "out.conllu")
    return not official.faults(tmp_path / "out.conllu")


def attached(sentence, **arcs):
    heads, relations = list(sentence.heads), list(sentence.deprels)
    for word, (head, relation) in arcs.items():
        heads[int(word[1:]) - 1], relations[int(word[1:]) - 1] = head, relation
    return sentence.annotated(heads=tuple(heads), deprels=tuple(relations))


@pytest.mark.parametrize(
    ("before", "kept", "now"),
    [
        ("2:nsubj:en", "=:en", "5:obj:en"),
        ("2:nsubj|7:nsubj:xsubj", "=|7:nsubj:xsubj", "5:obj|7:nsubj:xsubj"),
        ("2:nsubj|2:nsubj:x", "=|2:nsubj:x", "2:nsubj:x|5:obj"),
        ("5:obj|2:nsubj", "5:obj|=", "5:obj"),
        ("9.1:conj|2:nsubj|12:obl", "9.1:conj|=|12:obl", "5:obj|9.1:conj|12:obl"),
        ("_", "_", "_"),
    ],
)
def test_the_arc_of_the_tree_follows_and_others_stay(before, kept, now):
    assert deps.make_relative(before, "2", "nsubj") == kept
    assert deps.resolve(kept, "5", "obj") == now
    assert deps.make_relative("2:nsubj", "_", "_") == "2:nsubj"
    assert deps.resolve("=|7:nsubj", "_", "_") == "7:nsubj"
    assert deps.resolve("=", "_", "_") == "_"
    assert deps.renumber("=|=:x|0:root|2:a|3:b", {"2": "5"}.get) == "=|=:x|0:root|5:a"


@pytest.mark.parametrize("cell", ["x:dep", "2", f"{'9' * 5000}:dep", "2.1.1:dep"])
def test_what_is_no_arc_stays_as_it_is_wherever_a_sentence_is_repaired_joined_or_ended(parse, cell):
    text = FILE.replace("2:nsubj|3:nsubj:xsubj|5:nsubj:xsubj", cell)
    sentence, other = parse(text + text.replace("s1", "s2"))
    repaired = retokenized(sentence, [*sentence.words[:-1], "."], [(10, 11, "té.")])
    whole = join_sentences([sentence, other])
    for made in (repaired, whole, *separated([set_ends(whole, [11], ranges_of(whole))])):
        assert column(made)["1"] == cell
        made = made.annotated(heads=(2, 0, *made.heads[2:]), deprels=("obj", *made.deprels[1:]))
        assert column(made)["1"] == cell


def test_a_tree_that_is_changed_takes_its_arcs_along_and_what_is_not_changed_is_as_it_was(sentence, tmp_path):
    assert conllu.to_text(sentence) == FILE
    assert valid(sentence, tmp_path)
    before = column(sentence)
    made = attached(sentence, w7=(5, "obl"), w3=(2, "ccomp"), w5=(3, "parataxis"))
    assert column(made) == before | {"3": "2:ccomp", "5": "2:xcomp|3:parataxis:y", "7": "5:obl:en"}
    assert valid(made, tmp_path)
    assert column(attached(made, w7=(3, "obl"), w3=(2, "xcomp"), w5=(3, "conj"))) == before


def test_what_people_make_of_it_is_written_with_the_arc_of_the_tree_as_it_is(sentence, tmp_path):
    made = attached(sentence, w7=(5, "obl")).annotated(deps=(None,) * 6 + ("=:en|3:obl:en",) + (None,) * 4)
    assert column(made)["7"] == "3:obl:en|5:obl:en"
    assert valid(made, tmp_path)


def test_words_that_are_split_or_merged_follow_the_tree(sentence, tmp_path):
    words = (*sentence.words[:6], "ca", "sa", *sentence.words[7:])
    split = retokenized(sentence, words, [(7, 8, "casa")])
    assert (column(split)["7"], column(split)["8"], column(split)["10"]) == ("3:obl:en", "_", "10.1:nsubj")
    done = attached(split, w8=(7, "flat")).annotated(upos=tuple(tag.replace("_", "X") for tag in split.upos))
    assert column(done)["8"] == "7:flat"
    assert valid(done, tmp_path)
    moved = attached(done, w7=(5, "obl"))
    assert column(moved)["7"] == "5:obl:en"
    merged = retokenized(sentence, (*sentence.words[:7], "yEva", *sentence.words[9:]), [])
    assert column(merged)["8"] == "8.1:cc|8.1:nsubj"


def test_what_people_made_of_it_is_carried_to_other_words(sentence):
    made = sentence.annotated(deps=((None,) * 9 + ("9.1:obj|2:obj",) + (None,)))
    split = retokenized(made, (*sentence.words[:6], "ca", "sa", *sentence.words[7:]), [(7, 8, "casa")])
    assert split.deps == (None,) * 10 + ("2:obj|10.1:obj", None)
    assert column(split)["11"] == "2:obj|10.1:obj"


def test_each_sentence_of_several_has_its_own(sentence, tmp_path):
    cut = retokenized(attached(sentence, w9=(0, "root"), w11=(9, "punct")), sentence.words, [], ends=(7,))
    first, second = separated([cut])
    assert column(first)["5"] == "2:xcomp|3:conj:y"
    assert column(second) == {"1": "2.1:cc", "2": "2.1:nsubj", "2.1": "0:root", "3": "2.1:obj", "4": "2:punct"}
    assert valid(second, tmp_path)


def test_where_nobody_had_any_the_first_one_brings_the_tree_with_it(parse):
    (sentence,) = parse("1\ta\t_\t_\t_\t_\t2\tnsubj\t_\t_\n2\tb\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    assert column(sentence.annotated(deps=(None, None))) == {"1": "_", "2": "_"}
    assert column(sentence.annotated(deps=("=|2:obj", None))) == {"1": "2:nsubj|2:obj", "2": "0:root"}


@pytest.mark.parametrize(
    ("value", "said"),
    [("=:of|8.1:conj", ""), ("_", ""), ("nsubj", "not an enhanced dependency"), ("9:x", "not a word")],
)
def test_what_cannot_be_arcs_is_named(value, said):
    found = deps.fault(value, ["0", "1", "8.1"])
    assert said in found and bool(found) == bool(said)


def test_a_word_that_gets_a_head_gets_its_arc_beside_those_that_it_has(parse):
    rows = ("1\ta\t_\t_\t_\t_\t0\troot\t0:root\t_", "2\tb\t_\t_\t_\t_\t_\t_\t{}\t_")
    for column, expected in (("3:conj", "1:obj|3:conj"), ("1:obj:of|3:conj", "1:obj:of|3:conj")):
        (sentence,) = parse("\n".join(rows).format(column) + "\n\n")
        assert conllu.to_text(sentence) == "\n".join(rows).format(column) + "\n\n"
        whole = sentence.annotated(heads=(0, 1), deprels=("root", "obj"))
        assert conllu.to_text(whole).splitlines()[1].split("\t")[8] == expected
