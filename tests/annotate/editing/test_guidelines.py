import re

import pytest

from annotate.editing import guidelines
from annotate.editing.guidelines import LabelInfo
from fewshot import tasks
from fewshot.corpora.embedded import sample_dir
from fewshot.corpora.formats.tsv import read
from fewshot.tasks.ner import TYPES

SPACES = {
    **{name: task.labels for name, task in tasks.registry().items()},
    "ner": TYPES,
    "qa": ("answer",),
    "topic": tuple(sorted({document.label for document in read(sample_dir("en", "documents") / "pool.tsv")})),
}
"""What annotators of each task choose from."""


def label_info(name, labels=()):
    return guidelines.label_info(tasks.get(name), labels)


@pytest.mark.parametrize("name", SPACES)
def test_every_label_has_a_definition_an_example_and_at_most_one_key_of_its_own(name):
    infos = label_info(name, SPACES[name])
    assert [info.name for info in infos] == list(SPACES[name])
    assert {info.name for info in label_info(name)} == set(SPACES[name])
    for info in infos:
        assert re.fullmatch(r"[A-Z].{10,118}\.", info.definition), info
        assert info.example, info
    keys = [info.key for info in infos if info.key]
    assert len(keys) == len(set(keys))
    assert all(re.fullmatch("[a-z1-9]", key) for key in keys)


def test_labels_are_numbered_in_their_order_while_there_are_numbers_and_own_ones_have_no_definition():
    assert [info.key for info in label_info("nli", ("neutral", "entailment"))] == ["1", "2"]
    infos = label_info("topic", [f"own-{number}" for number in range(11)])
    assert infos[0] == LabelInfo("own-0", "1")
    assert [info.key for info in infos] == [*"123456789", "", ""]
    assert label_info("dep", ["nsubj:pass"]) == [LabelInfo("nsubj:pass")]


def test_frequent_relations_get_a_letter_of_theirs_a_free_one_or_that_of_a_rare_one():
    frequent = ["punct", "nmod:gen", "nsubj:pass", "root", "obl", "clf"]
    infos = guidelines.label_info(tasks.get("dep"), [*SPACES["dep"], "nmod:gen", "nsubj:pass"], frequent)
    keys = {info.name: info.key for info in infos}
    assert [keys[name] for name in frequent] == ["p", "h", "n", "", "i", "f"]
    assert (keys["cc"], keys["flat"], keys["nsubj"]) == ("", "", "s")
    assert len({key for key in keys.values() if key}) == len([key for key in keys.values() if key])


@pytest.mark.parametrize("name", ["pos", "dep"])
def test_examples_show_the_word_and_its_head(name):
    for info in label_info(name):
        stars, heads = re.findall(r"\*\S+( \S+)*\*", info.example), re.findall(r"\[\w+\]", info.example)
        assert stars, info
        assert len(heads) == (name == "dep" and info.name != "root"), info
        assert info.example.count("*") % 2 == 0, info
