"""Whatever is done with a sentence, in whatever order, it stays one that CoNLL-U can hold."""

from dataclasses import replace

from corpora.trees import cut, is_forest, recuts, treebank_lines
from hypothesis import given
from hypothesis import strategies as st

from fewshot.corpora.documents import nodes
from fewshot.corpora.documents.annotate import attach
from fewshot.corpora.documents.cells import arcs
from fewshot.corpora.documents.conllu import lines_of, parse
from fewshot.corpora.documents.diff import diff
from fewshot.corpora.documents.divide import divide
from fewshot.corpora.documents.join import join
from fewshot.corpora.documents.model import ConlluSentence, EmptyNode, Word
from fewshot.corpora.documents.retokenize import merge, retokenize, split
from fewshot.corpora.documents.rows import rows_of

sentences = treebank_lines().map(lambda text: parse(text.splitlines(keepends=True)))


def forms(sentence):
    return [word.form for word in sentence.words]


def borders(sentence):
    """The words behind which no multiword token goes on."""
    inside = {word for token in sentence.tokens for word in range(token.first, token.last)}
    return [word for word in range(1, len(sentence.words)) if word not in inside]


@st.composite
def changed(draw, sentence):
    """A sentence after one operation."""
    name = draw(st.sampled_from(["split", "merge", "retokenize", "join", "divide", "nodes", "attach"]))
    number = draw(st.integers(1, len(sentence.words)))
    if name == "split":
        form = sentence.words[number - 1].form
        is_inside = any(token.first <= number <= token.last for token in sentence.tokens)
        token = "" if is_inside else draw(st.sampled_from(["", form]))
        return split(sentence, number, [form[:1], form[1:] or "x"], token)
    if name == "merge" and number > 1:
        return merge(sentence, number - 1, number)
    if name == "retokenize":
        return retokenize(sentence, *draw(recuts(forms(sentence))))
    if name == "join":
        return join([sentence, draw(sentences)])
    if name == "divide" and borders(sentence):
        end = draw(st.sampled_from(borders(sentence)))
        heads = [word.head for word in sentence.words]
        apart = [
            attach(word, -1, "_") if head > 0 and (place <= end) != (head <= end) else word
            for place, (word, head) in enumerate(zip(sentence.words, heads, strict=True), start=1)
        ]
        parts = divide(replace(sentence, words=tuple(apart)), [(1, end), (end + 1, len(apart))], ["a", "b"])
        return draw(st.sampled_from(list(parts)))
    if name == "nodes":
        more = EmptyNode("x", deps=arcs(f"{number}:x"), after=0), *sentence.nodes[1:]
        return nodes.with_nodes(sentence, [replace(node, number=place) for place, node in enumerate(more, start=1)])
    words = list(sentence.words)
    words[number - 1] = attach(words[number - 1], -1, "_")
    return replace(sentence, words=tuple(words))


@given(st.data())
def test_a_sentence_stays_valid_after_any_operations(data):
    sentence = data.draw(sentences)
    for _ in range(data.draw(st.integers(1, 4))):
        sentence = data.draw(changed(sentence))
        ids = {"0", *(id for id, _ in sentence.rows if "-" not in id)}
        assert is_forest([word.head for word in sentence.words])
        assert all(arc.head in ids for _, word in sentence.rows for arc in word.deps)
        lines = lines_of(sentence)
        assert rows_of(1, lines).faults == []
        assert parse(lines) == sentence


@given(st.data())
def test_each_word_has_what_its_rule_says(data):
    sentence = data.draw(sentences)
    words, ranges = data.draw(recuts(forms(sentence)))
    change, made = diff(sentence.words, words), retokenize(sentence, words, ranges)
    assert forms(made) == words
    for word, sources, is_kept in zip(made.words, change.sources, change.kept, strict=True):
        old = sentence.words[sources[0]] if sources else None
        assert word.upos == (old.upos if old else "_")
        assert word.lemma == (old.lemma if is_kept else "_")
        assert word.xpos == (old.xpos if is_kept or len(sources) > 1 else "_")
        assert word.misc.get("Gloss") == next(
            (each.misc["Gloss"] for each in (sentence.words[place] for place in sources) if "Gloss" in each.misc), None
        )
        if old and word.head > 0:
            assert word.head == change.targets[old.head - 1] + 1


@given(sentences)
def test_the_same_words_are_the_same_sentence(sentence):
    ranges = [(token.first, token.last, token.form) for token in sentence.tokens]
    assert retokenize(sentence, forms(sentence), ranges) == sentence


@given(st.data())
def test_a_merge_takes_a_split_back(data):
    sentence = data.draw(sentences)
    number = data.draw(st.integers(1, len(sentence.words)))
    word = sentence.words[number - 1]
    parts = cut(word.form, {1}) if len(word.form) > 1 else [word.form, "x"]
    again = merge(split(sentence, number, parts), number, number + 1, word.form)
    words = list(sentence.words)
    words[number - 1] = replace(word, lemma="_", xpos="_", feats=again.words[number - 1].feats)
    assert again == replace(sentence, words=tuple(words))


@given(sentences, sentences)
def test_what_is_joined_can_be_divided(first, second):
    whole = join([first, second])
    length = len(first.words)
    parts = list(divide(whole, [(1, length), (length + 1, len(whole.words))], ["s", "s"]))
    assert [part.text for part in parts] == [first.text, second.text]
    assert parts[0].tokens == first.tokens
    nodes = [(node.form, node.misc) for node in (*first.nodes, *second.nodes)]
    assert [(node.form, node.misc) for node in (*parts[0].nodes, *parts[1].nodes)] == nodes
    if not any(node.after == 0 for node in second.nodes):  # those are behind the last word of the first one now
        assert [part.words for part in parts] == [first.words, second.words]


@given(sentences, st.integers(0, 3))
def test_a_word_that_is_attached_and_put_back_is_the_same(sentence, head):
    for word in sentence.words:
        other = attach(word, head, "new")
        assert f"{head}:new" in other.deps.text.split("|") or not word.deps
        assert attach(other, word.head, word.deprel) == word


def test_comments_behind_a_sentence_stand_once_in_what_it_is_joined_to():
    first, last = (parse([f"1\t{form}" + "\t_" * 8 + "\n", "\n", f"# {form}\n"]) for form in "ab")
    comments = [line for line in lines_of(join([first, last])) if line.startswith("#")]
    assert comments == ["# a\n", "# text = a b\n", "# b\n"]


def test_empty_nodes_at_a_seam_are_counted_on():
    first = ConlluSentence((Word("a"),), nodes=(EmptyNode("x", after=1, number=1),))
    second = ConlluSentence((Word("b", deps=arcs("0.1:dep")),), nodes=(EmptyNode("y", after=0, number=1),))
    made = join([first, second])
    assert [node.id for node in made.nodes] == ["1.1", "1.2"]
    assert str(made.words[1].deps) == "1.2:dep"


@given(sentences)
def test_empty_nodes_are_read_back_from_the_values_of_words(sentence):
    values = nodes.values_of(sentence)
    assert nodes.with_values((), values) == sentence.nodes == nodes.with_values(sentence.nodes, [None] * len(values))
