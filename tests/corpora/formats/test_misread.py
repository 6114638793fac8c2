import json
from dataclasses import replace

import pytest

from fewshot import tasks
from fewshot.corpora import formats
from fewshot.corpora.formats import bio, conllu, jsonl, label_studio, squad, tsv
from fewshot.corpora.oddities import oddities, other_spellings, untagged
from fewshot.errors import CorpusError

ROW = "{}\t{}\t{}\tNOUN\t_\t_\t0\troot\t_\t_"
WORDS = [ROW.format(1, "xale", "_"), ROW.format(2, "yi", "_"), ROW.format(3, "dem", "_")]


def misc_row(value, number=2):
    return ROW.format(number, "Ana", "_")[:-1] + value


HEADER = "#FORMAT=WebAnno TSV 3{}\n#T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|value\n"


@pytest.fixture
def rows_of(upload):
    """Return the examples and the bad rows of a file with this text."""
    return lambda name, text, task: formats.check(upload(text, name), None, "wo", tasks.get(task))


REFUSED = {  # name of the file, task, text, line of the error, part of its message
    "range behind its words": ("a.conllu", "pos", [*WORDS[:2], "1-2\txaley" + "\t_" * 8], 3, "directly before word 1"),
    "range of one word": ("a.conllu", "pos", ["1-1\txale" + "\t_" * 8, *WORDS], 1, "fewer than two words"),
    "range without its words": ("a.conllu", "pos", [*WORDS[:2], "3-5\tdemna" + "\t_" * 8, WORDS[2]], 3, "no word 5"),
    "empty node without its word": ("a.conllu", "pos", [*WORDS, "4.1\tcia" + "\t_" * 8], 4, "stand behind word 4"),
    "empty node before its word": ("a.conllu", "pos", [WORDS[0], "2.1\tcia" + "\t_" * 8, *WORDS[1:]], 2, "word 2"),
    "empty node twice": ("a.conllu", "pos", [*WORDS, *["3.1\tcia" + "\t_" * 8] * 2], 5, "3.1 behind 3.1; ids must run"),
    "id of eleven digits": ("a.conllu", "pos", [WORDS[0], "2" * 11 + WORDS[1][1:]], 2, "is not a word id (1)"),
    "ranges that overlap": ("a.conllu", "pos",
        ["1-2\txaley" + "\t_" * 8, WORDS[0], "2-3\tyidem" + "\t_" * 8, *WORDS[1:]], 3, "overlaps range 1-2"),
    "word of a space": ("a.conllu", "pos", [WORDS[0], ROW.format(2, "\u00a0", "_")], 2, "FORM column is empty"),
    "space behind a form": ("a.conllu", "pos", [WORDS[0], ROW.format(2, "yi ", "_")], 2, "ends with a space"),
    "CR in a comment": ("a.conllu", "pos", [*WORDS, "", f"# a\r{WORDS[0]}", "", *WORDS], 5, "carriage return"),
    "CR in Toolbox": ("a.sfm", "pos", ["\\ref 1", "\\tx a b\r\\ft A"], 2, "carriage return"),
    "CR in raw text": ("a.txt", "pos", ["a", "b\rc"], 2, "carriage return"),
    "CR between lines of JSON": ("a.jsonl", "topic", ['{"text": "a"}\r{"text": "b"}'], 1, "carriage return"),
    "CR in WebAnno": ("a.tsv", "ner", [HEADER.format(".3"), "#Text=Ana\r1-1\t0-3\tAna\t_\t"], 4, "carriage return"),
    "line end in a label of WebAnno": ("a.tsv", "ner", [HEADER.format(".3"), "#Text=Ana", "1-1\t0-3\tAna\tA\\nB\t"], 5,
        "holds a tab or line end"),
    "CR in names of columns": ("a.tsv", "topic", ["text\tlabel\rnote", "a\tb"], 1, "carriage return"),
    "an entity without its B": ("a.conllu", "ner", [WORDS[0], misc_row("NER=PER")], 2, "'PER' is not an entity tag"),
    "two entity tags": ("a.conllu", "ner", [misc_row("NER=B-PER|NER=B-LOC", 1)], 1, "NER twice, B-LOC and B-PER"),
    "an empty lemma": ("a.conllu", "pos", [WORDS[0].replace("xale\t_", "xale\t")], 1, "LEMMA column is empty"),
    "a space behind a relation": ("a.conllu", "dep", [WORDS[0].replace("root", "root ")], 1, "ends with a space"),
    "missing blank line": ("a.conllu", "pos", [*WORDS, WORDS[0]], 4, "blank line is missing"),
    "eleven columns": ("a.conllu", "pos", [WORDS[0] + "\t_"], 1, "CoNLL-U Plus"),
    "token of a space": ("a.bio", "ner", ["Ana\tB-PER", "\u00a0\tO"], 2, "token TAB tag"),
    "CR inside a line": ("a.bio", "ner", ["Ana\tB-PER", "dem\tO\rfa\tO"], 2, "carriage return"),
    "counted words": ("a.bio", "ner", ["1\tAna\tB-PER", "2\tdem\tO"], 1, "first column counts"),
    "words counted from 0": ("a.conll", "ner", ["0 Ana B-PER", "1 dem O"], 1, "first column counts"),
    "words counted through the file": ("a.bio", "ner", ["1\tAna\tO", "2\tdem\tO", "", "3\tfa\tO", "4\tm\tO"], 1,
        "first column counts"),
    "a word with a space between spaces": ("a.conll", "ner", ["Ana B-PER", "10 000 O"], 2, "3 columns, but 2 in"),
    "a first word with a space": ("a.conll", "ner", ["10 000 O", "Ana B-PER", "dem O"], 1, "but 2 in line 2"),
    "U+0000 as JSON writes it": ("a.jsonl", "topic", ['{"text": "\\\\\\u0000"}'], 1, "control character U+0000"),
    "U+0000": ("a.bio", "ner", ["Ana\tB-PER", "d\0em\tO"], 2, "control character U+0000; remove it"),
    "columns between spaces": ("a.conllu", "pos", ["# sent_id = 1", "1 xale _ NOUN _ _ 0 root _ _"], 2, "1 tab-sep"),
    "BIO called .tsv": ("a.tsv", "ner", ["Ana\tB-PER"], 1, "name a file of words and tags .bio"),
    "tags in raw text": ("a.txt", "ner", ["Ana B-PER", "dem O"] * 3, 1, "name such a file .bio"),
    "CoNLL-U in raw text": ("a.txt", "pos", ["# sent_id = 1", *WORDS], 2, "name such a file .conllu"),
    "five columns in raw text": ("a.txt", "ner", ["Ana N B-NP x B-PER", "dem VB B-VP x O"] * 3, 1, "a file .bio"),
    "JSON Lines in raw text": ("a.txt", "ner", ['\ufeff{"text": "Ana"}', '{"text": "dem"}'], 1, "such a file .jsonl"),
    "XML in raw text": ("a.txt", "pos", ['<?xml version="1.0"?>', "<document/>"], 1, "name such a file .flextext"),
    "WebAnno in raw text": ("a.txt", "ner", [HEADER.format(".3")], 1, "name such a file .tsv"),
    "UPOS in raw text": ("a.txt", "pos", ["xale NOUN", "yi DET", ". PUNCT"] * 3, 1, "a word and its UPOS; write words"),
    "words and tags between tabs": ("a.txt", "pos", ["xale\tNN", "yi\tDT", "dem\tVB", "fi\tRB", ".\t."], 1,
        "columns of words and tags; write words and tags as CoNLL-U, named .conllu, or delete the columns of tags"),
    "TreeTagger's words": ("a.txt", "pos", ['<s n="1">', *["xale\tNN\txale", "yi\tDT\tyi"] * 9, "</s>"], 2, "columns"),
    "tags behind words": ("a.txt", "pos", ["xale/NN yi/DT dem/VB"] * 2, 1, "words with tags behind them; write"),
    "a tree of the Penn Treebank": ("a.txt", "dep", ["( (S", "  (NP (NN xale))))"], 1, "a tree in brackets; write"),
    "subtitles": ("a.txt", "pos", ["1", "00:00:01,500 --> 00:00:02,000", "xale yi"], 2, "subtitles; write their texts"),
    "a page of HTML": ("a.txt", "pos", ["<!DOCTYPE html>", "<p>xale yi</p>"], 1, "HTML or XML; take the markup out"),
    "RTF": ("a.txt", "pos", ["{\\rtf1 xale yi}"], 1, "RTF; save it as plain text"),
    "JSON of several lines": ("a.jsonl", "topic", ["", "[", '{"text": "a"}', "]"], 2, "JSON of several lines; write"),
    "Toolbox in raw text": ("a.txt", "pos", ["# made by X", "\\ref 1", "\\tx a b"], 2, "name such a file .sfm"),
    "an invisible word": ("a.txt", "pos", ["\u200b", "xale yi"], 1, "no word on this line"),
    "Doccano's entities": ("a.jsonl", "ner", ['{"text": "Ana", "label": [[0, 3, "PER"]]}'], 1, "read from 'entities'"),
    "Prodigy's entities": ("a.jsonl", "ner", ['{"text": "Ana", "spans": [{"start": 0, "end": 3, "label": "PER"}]}'], 1,
        "read from 'entities'"),
    "numbers as tags": ("a.jsonl", "ner", ['{"words": ["Ana"], "ner_tags": [1]}'], 1, "one value a word"),
    "label in a list": ("a.jsonl", "topic", ['{"text": "Ana", "label": ["x"]}'], 1, "not a text"),
    "label in capitals": ("a.jsonl", "topic", ['{"text": "Ana", "Label": 0}'], 1, "rename the key"),
    "CoNLL-U with a range called .conll": ("a.conll", "ner", ["1-2\tdu\tO", "1\tde\tO", "2\tle\tO", "", "1\tmar\tO"], 1,
        "first column counts"),
    "tags of other words": ("a.jsonl", "ner", ['{"text": "Ana works.", "labels": ["B-PER", "O"]}'], 1, "one value"),
    "stretches beside no entities": ("a.jsonl", "ner", ['{"text": "Ana", "entities": [], "label": [[0, 3, "PER"]]}'], 1,
        "read from 'entities'"),
    "stretches in an object": ("a.jsonl", "ner", ['{"text": "Ana", "annotations": {"entities": [[0, 3, "PER"]]}}'], 1,
        "read from 'entities'"),
    "spaCy's entities": ("a.jsonl", "ner", ['{"text": "Ana", "entities": [[0, 3, "PER"]]}'], 1, "lists of three"),
    "label under another key": ("a.jsonl", "topic", ['{"text": "Ana", "category": "x"}'], 1, "rename the key"),
    "an id twice": ("a.jsonl", "topic",
        ['{"id": "a", "text": "x", "label": "l"}', '{"id": "a", "text": "y", "label": "l"}'], 2, "used twice"),
    "entity before the text": ("a.jsonl", "ner",
        ['{"text": "Ana", "entities": [{"start": -2, "end": 3, "label": "PER"}]}'], 1, "not in the text"),
    "WebAnno's word with a line end": ("a.tsv", "ner", [HEADER.format(".3"), "#Text=Ana", "1-1\t0-3\tA\\na\t_\t"], 5,
        "tab or line end"),
    "entity without a value": ("a.tsv", "ner", [HEADER.format(".3"), "#Text=Ana", "1-1\t0-3\tAna\t*\t"], 5, "value"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "task", "lines", "line", "message"), REFUSED.values(), ids=list(REFUSED))
def test_what_cannot_be_meant_is_refused_with_its_line(rows_of, tmp_path, name, task, lines, line, message):
    _, bad = rows_of(name, "\n".join(lines) + "\n\n", task)
    assert [row.where for row in bad] == [f"{tmp_path / name}:{line}"]
    assert message in bad[0].message


READ = {  # name of the file, task, text, expected words or texts, expected entities or labels
    "columns below each other, with # among the words": ("a.conll", "ner", "Ana    NN    B-PER\n#      NN    O\n",
        [("Ana", "#")], [("B-PER", "O")]),
    "an empty column between spaces": ("a.conll", "ner", "EU NNP  B-ORG\nrejects VBZ I-VP O\n", [("EU", "rejects")],
        [("B-ORG", "O")]),
    "texts that end in what looks like a tag": ("a.txt", "ner", "mit der S-Bahn\nmit der U-Bahn\nper E-Mail\n",
        [("mit", "der", "S", "-", "Bahn"), ("mit", "der", "U", "-", "Bahn"), ("per", "E", "-", "Mail")],
        [("_",) * 5, ("_",) * 5, ("_",) * 4]),
    "texts with slashes and brackets": ("a.txt", "ner", "((e/o))\nS (x_y)\n", [("(", "(", "e", "/", "o", ")", ")"),
        ("S", "(", "x", "_", "y", ")")], [("_",) * 7, ("_",) * 6]),
    **{
        name: ("a.txt", "ner", f"{line}\n" * 6, [words] * 6, [("_",) * len(words)] * 6)
        for name, line, words in (
            ("texts behind a speaker and a tab", "ANNA:\tLan la?", ("ANNA", ":", "Lan", "la", "?")),
            ("texts of one word in capitals behind a speaker", "A\tYES", ("A", "YES")),
            ("texts behind a number and a tab", "1.\tXale yi.", ("1", ".", "Xale", "yi", ".")),
            ("texts behind a number and a language", "7\tDE\tXale yi", ("7", "DE", "Xale", "yi")),
            ("words with their counts", "1\txale\t22", ("1", "xale", "22")),
            ("words with their translations", "Bett\tbed", ("Bett", "bed")),
            ("words that end in a letter", "xale_a", ("xale", "_", "a")),
            ("variants", "und/oder er/sie", ("und", "/", "oder", "er", "/", "sie")),
        )
    },
    "a text that begins with brackets": ("a.txt", "ner", "[{a}] b\n", [("[", "{", "a", "}", "]", "b")], [("_",) * 6]),
    "tokens that begin with #": ("a.conll", "ner", "Ana NN B-PER\n# NN O\n", [("Ana", "#")], [("B-PER", "O")]),
    "-DOCSTART- without blank lines": ("a.conll", "ner", "-DOCSTART- O\nAna B-PER\n-DOCSTART- O\ndem O\n",
        [("Ana",), ("dem",)], [("B-PER",), ("O",)]),
    "quotes of a spreadsheet": ("a.tsv", "topic", 'text\tlabel\n"a ""b"""\tx\n"c"\ty\n"d, e"\t""\n',
        ['a "b"', "c", "d, e"], ["x", "y", "_"]),
    "line ends in quotes": ("a.tsv", "topic", 'text\tlabel\n"a\n\n""b"", c"\tx\n\nd, e\ty\n', ['a\n\n"b", c', "d, e"],
        ["x", "y"]),
    "all in quotes, as of R": ("a.tsv", "topic", '"text"\t"label"\n"a, b"\t"x"\n"c"\t"y"\n', ["a, b", "c"], ["x", "y"]),
    "names without quotes above cells in quotes": ("a.tsv", "topic", 'text\tlabel\n"a"\t"x"\n"c"\t"y"\n', ["a", "c"],
        ["x", "y"]),
    "quotes of the text": ("a.tsv", "topic", 'text\tlabel\n"Yes, I do."\tx\nbye, now\tx\n6" nails\ty\n',
        ['"Yes, I do."', "bye, now", '6" nails'], ["x", "x", "y"]),
    "a backslash before u0000": ("a.jsonl", "topic", '{"text": "\\\\u0000", "label": "x"}\n', [r"\u0000"], ["x"]),
    "topics of a text": ("a.jsonl", "ner", '{"text": "Guten Tag", "tags": ["news", "de"]}\n', [("Guten", "Tag")],
        [("_", "_")]),
    "entity with a space at its edge": ("a.jsonl", "ner",
        '{"text": "Ana dem", "entities": [{"start": 0, "end": 4, "label": "PER"}]}\n', [("Ana", "dem")],
        [("B-PER", "O")]),
    "entities beside invisible characters": ("a.jsonl", "ner",
        '{"text": "\u200fAna\u200b \u200edem", "entities": [{"start": 1, "end": 4, "label": "A", "text": "Ana"},'
        ' {"start": 6, "end": 10, "label": "B"}]}\n'
        '{"text": "\u200fAna\u200b", "entities": [{"start": 0, "end": 5, "label": "A"}]}\n',
        [("\u200fAna\u200b", "\u200edem"), ("\u200fAna\u200b",)], [("B-A", "B-B"), ("B-A",)]),
    "what looks like annotation, and is none": ("a.jsonl", "ner",
        '{"words": ["Ana", "dem"], "glosses": ["Ana", "go"], "ref": ["Genesis", 1, 1], "start_pos": [0, 4],'
        ' "tags": ["news", "s-bahn"], "entity_ids": [7, 8], "lang_tags": ["de", "de"], "scores": [0.5, 1],'
        ' "meta": {"type": "video", "cut": {"start": 0, "end": 3}}}\n', [("Ana", "dem")], [("_", "_")]),
    "an entity counted in UTF-16, as its text tells": ("a.jsonl", "ner",
        '{"text": "😀 Ana", "entities": [{"start": 3, "end": 6, "label": "PER", "text": "Ana"}]}\n', [("😀", "Ana")],
        [("O", "B-PER")]),
    "entities that were rejected in Prodigy": ("a.jsonl", "ner",
        '{"text": "Ana", "entities": [{"start": 0, "end": 3, "label": "PER"}], "answer": "ignore"}\n', [("Ana",)],
        [("_",)]),
    "a column of topics behind that of the labels": ("a.tsv", "topic", "text\tlabel\ttopic\na\tx\ty\n", ["a"], ["x"]),
    "a column of topics before that of the labels": ("a.tsv", "topic", "text\ttopic\tlabel\na\ty\tx\n", ["a"], ["x"]),
    "a column of topics behind that of the categories": ("a.tsv", "topic",
        "text\tcategory\ttopic\na\tx\ty\nb\t\ty\n", ["a", "b"], ["x", "_"]),
    "keys of other tools beside our keys": ("a.jsonl", "ner",
        '{"words": ["Ana"], "entities": ["B-PER"], "spans": [{"start": 0, "end": 3, "label": "X"}], "ner_tags": [1],'
        ' "heads": [0], "deprels": ["root"], "arcs": [{"head": 0, "child": 0}], "lemmas": ["a"], "lemma": ["a"]}\n',
        [("Ana",)], [("B-PER",)]),
    "labels with spaces, that were rejected, or are none of the hub": ("a.jsonl", "topic",
        '{"text": "a", "label": " x "}\n{"text": "b", "label": "x", "answer": "reject"}\n{"text": "c", "label": -1}\n'
        '{"text": "d", "label": 0, "answer": "accept"}\n{"text": "e", "label": null, "tags": ["news"]}\n',
        ["a", "b", "c", "d", "e"], ["x", "_", "_", "0", "_"]),
    "words with spaces around them": ("a.bio", "ner", " Ana \tB-PER\n\u00a0dem\tO\n", [("Ana", "dem")],
        [("B-PER", "O")]),
    "files put together, each with a mark": ("a.bio", "ner", "\ufeffAna\tO\n\n\ufeffdem\tO\n", [("Ana",), ("dem",)],
        [("O",), ("O",)]),
    "spaces that do not break, around words of Toolbox": ("a.sfm", "ner",
        "\\ref 1\n\\tx \u00a0xale \u00a0 dem\u00a0fi\n", [("xale", "dem\u00a0fi")], [("_", "_")]),
    "entity tags with spaces around them": ("a.conllu", "ner", misc_row("X=1| NER=B-PER ", 1) + "\n\n", [("Ana",)],
        [("B-PER",)]),
    "WebAnno with one number for two entities": ("a.tsv", "ner",
        HEADER.format(".3") + "\n#Text=a b c\n1-1\t0-1\ta\tA[1]\t\n1-2\t2-3\tb\tB[1]\t\n1-3\t4-5\tc\tB[1]\t\n",
        [("a", "b", "c")], [("B-A", "B-B", "I-B")]),
    "WebAnno without a text": ("a.tsv", "ner", HEADER.format(".3") + "\n1-1\t0-3\tAna\tPER\t\n", [("Ana",)],
        [("B-PER",)]),
    "documents whose first has no label": ("a.jsonl", "topic", '{"text": "a"}\n{"text": "b", "label": "x"}\n',
        ["a", "b"], ["_", "x"]),
    "WebAnno with its header in the first block": ("a.tsv", "ner",
        HEADER.format(".3") + "#Text=Ana\n1-1\t0-3\tAna\tPER\t\n", [("Ana",)], [("B-PER",)]),
    "WebAnno with relations and chains before entities": ("a.tsv", "ner", HEADER.format(".3").replace("#T_SP",
        "#T_RL=x.Rel|kind|BT_x\n#T_RL=x.Bare|BT_x\n#T_CH=x.Link|kind|type\n#T_SP")
        + "\n#Text=Ana\n1-1\t0-3\tAna\tagent\t1-2\t*\t1-2\tA\tB\tPER\t\n", [("Ana",)], [("B-PER",)]),
    "WebAnno without a blank line between sentences": ("a.tsv", "ner",
        HEADER.format(".3") + "\n#Text=Ana\n1-1\t0-3\tAna\tPER\t\n#Text=Bob\n2-1\t4-7\tBob\t_\t\n3-1\t8-9\tA\t_\t\n",
        [("Ana",), ("Bob",), ("A",)], [("B-PER",), ("O",), ("O",)]),
}  # fmt: skip


@pytest.mark.parametrize(("name", "task", "text", "words", "labels"), READ.values(), ids=list(READ))
def test_what_other_tools_write_is_read_as_it_is_meant(rows_of, name, task, text, words, labels):
    examples, bad = rows_of(name, text, task)
    assert not bad
    is_ner = task == "ner"
    assert [one.words if is_ner else one.text for one in examples] == words
    assert [one.entities if is_ner else one.label for one in examples] == labels


def test_text_of_webanno_3_0_comes_without_its_offsets(rows_of):
    (sentence,), _ = rows_of("a.tsv", HEADER.format("") + "\n#Text=0-3#Ana\n1-1\t0-3\tAna\t_\t\n", "ner")
    assert sentence.text == "Ana"


def test_comments_behind_a_sentence_and_an_empty_id_are_kept_and_tell_nothing_of_it(rows_of):
    text = "# sent_id = a\n# text = xale yi dem\n" + "\n".join(WORDS) + "\n\n# sent_id = b\n# text = other\n"
    (sentence,), _ = rows_of("a.conllu", text, "pos")
    assert (sentence.id, sentence.text) == ("a", "xale yi dem")
    assert conllu.to_text(sentence) == text
    assert "after the words" in next(message for _, message in oddities([sentence]))
    text = "# sent_id = \n" + "\n".join(WORDS) + "\n\n"
    (sentence,), bad = rows_of("a.conllu", text, "pos")
    assert sentence.id and not bad
    assert conllu.to_text(sentence) == text
    lines = ["1-2\txaley" + "\t_" * 8, *WORDS[:2], WORDS[2][:-1] + "SpaceAfter=No", ROW.format(4, ".", "_")]
    (sentence,), _ = rows_of("a.conllu", "\n".join(lines) + "\n", "pos")
    assert sentence.text == "xaley dem."  # which follows from forms, ranges and spaces where no comment gives it


def test_trees_on_words_without_tags_are_warned_of(rows_of):
    tree = ["1\txale\t_\tNOUN\t_\t_\t0\troot\t_\t_", "2\tyi\t_\t{}\t_\t_\t1\tdet\t_\t_", ""]
    whole, gap = ["\n".join(tree).format(tag) for tag in ("DET", "_")]
    examples, _ = rows_of("a.conllu", f"{whole}\n{gap}\n", "dep")
    ((where, said),) = untagged(examples)
    assert where.endswith(":4") and said.startswith("without UPOS: 'yi' (word 2); give it one")
    examples, _ = rows_of("a.conllu", f"{gap}\n{gap}\n".replace("NOUN", "_"), "dep")
    assert [said for _, said in untagged(examples)] == ["no word has a UPOS, which treebanks of UD have"]


ODD = {
    "two ids": (["# sent_id = a", "# sent_id = b", *WORDS], 1, "two sent_id"),
    "another text": (["# text = xale yu dem", *WORDS], 1, "differs from what the forms make: 'xale yi dem'"),
    "entities under another key": ([misc_row("ner=B-PER", 1)], 1, "'ner' in MISC is not read; rename it NER"),
    "entities of another kind": ([WORDS[0], misc_row("NER=PER")], 2, "'PER' is not an entity tag"),
    "a tag on a range": (["1-2\tab\t_\tX" + "\t_" * 6, *WORDS], 1, "UPOS of range 1-2 is not read"),
    "an entity on a range": (["1-2\tab" + "\t_" * 7 + "\tNER=B-PER", *WORDS], 1, "NER of range 1-2 is not read"),
    "a relation in capitals": ([*WORDS, "", WORDS[0].replace("root", "ROOT")], 5, "'ROOT' and 'root' differ"),
    "half a relation": ([WORDS[0], WORDS[1].replace("root", "nsubj:")], 2, "'nsubj:' ends with a colon"),
    "no arc": ([WORDS[0], WORDS[1][:-3] + "x:dep\t_"], 2, "'x:dep' is not an enhanced dependency"),
    "an arc from nothing": ([WORDS[0], WORDS[1][:-3] + "3.1:dep\t_"], 2, "'3.1:dep' is not a word or empty node"),
    "entities of coreference": ([misc_row("Entity=(1-person)", 1)], 1, "'Entity' in MISC is not read; rename it NER"),
    "an invisible word": ([ROW.format(1, "\u200b", "_")], 1, "invisible"),
    "a byte order mark": ([ROW.format(1, "\ufeffxale", "_")], 1, "has a byte order mark; remove it"),
    "both forms of accents": ([ROW.format(1, "e\u0301", "_"), ROW.format(2, "\u00e9", "_")], 1, "NFD"),
}  # fmt: skip


@pytest.mark.parametrize(("lines", "line", "message"), ODD.values(), ids=list(ODD))
def test_what_is_odd_is_named_with_its_place(rows_of, tmp_path, lines, line, message):
    examples, bad = rows_of("a.conllu", "\n".join(lines) + "\n\n", "pos")
    assert not bad
    ((where, said),) = oddities(examples)
    assert where == f"{tmp_path / 'a.conllu'}:{line}"
    assert message in said


@pytest.mark.parametrize(
    ("labels", "found"),
    [
        (["Entailment", "neutral", "neutral"], {2: "the label 'Entailment' differs from 'entailment' in case"}),
        (["X", "x", "x"], {2: "the label 'X' differs from 'x' in case; write 'x' if"}),
        (["I-PER", "B-PER"], {2: "the labels 'B-PER' and 'I-PER' are tags of words; give 'PER' to"}),
        (["-", "-"], {2: "'-' is read as a label; leave the label empty"}),
        (["NaN", "neutral"], {2: "'NaN' is read as a label; leave the label empty"}),
        (["neutral", "neutral\u200b"], {3: r"the label 'neutral\u200b' differs from 'neutral' in spaces, invisible"}),
        (["x y", "x y", "x  y"], {4: "the label 'x  y' differs from 'x y' in spaces"}),
    ],
)
def test_labels_in_another_spelling_are_named_once(rows_of, tmp_path, labels, found):
    task = tasks.get("nli")
    rows = "".join(f"a\tb{number}\t{label}\n" for number, label in enumerate(labels))
    examples, _ = rows_of("a.tsv", "premise\thypothesis\tlabel\n" + rows, "nli")
    places = ((example.where, task.labels_of(example)) for example in examples)
    odd = [*oddities(examples), *other_spellings(places, task.choices)]
    assert [where for where, _ in odd] == [f"{tmp_path / 'a.tsv'}:{line}" for line in found]
    assert all(said.startswith(start) for (_, said), start in zip(odd, found.values(), strict=True))


ODD_LINES = {
    "glosses": ("ner", '{"words": ["a", "b"], "glosses": ["x", "y"]}\n' * 2, ["'glosses' holds one value a word"]),
    "topics of as many words by chance": ("ner",
        '{"words": ["a", "b"], "about": ["x", "y"]}\n{"words": ["a"], "about": ["x", "y"]}\n', []),
    "columns of the format": ("ner", '{"words": ["a"], "entities": ["O"], "tokens": ["a"], "lemmas": ["b"]}\n', []),
    "rejected": ("topic", '{"text": "a", "label": "x", "answer": "reject"}\n', ["'answer' is 'reject'"]),
    "no gold": ("topic", '{"text": "a", "label": -1}\n', ["the label -1 is read as not annotated"]),
    "another key": ("topic", '{"text": "a", "intent": "x"}\n' * 2, ["'intent' is not read"]),
    "the label of a class": ("topic", '{"text": "a", "label_text": "x"}\n', ["'label_text' is not read"]),
    "the label in a key of our mark": ("topic", '{"text": "a", "label_status": "begun", "goldLabels": ["x"]}\n',
        ["'goldLabels' is not read"]),
    "relations between entities": ("ner",
        '{"words": ["a"], "entities": ["B-X"], "relations": [{"from_id": 0, "to_id": 1}]}\n'
        '{"words": ["a"], "entities": [], "relations": [{"from_id": 0, "to_id": 1}]}\n',
        ["'relations' holds relations between entities, which are not read"]),
    "a word that the text lacks": ("ner", '{"text": "Ana", "words": ["Ana", "dem"]}\n', ["the text differs from"]),
    "an entity with a space": ("ner", '{"text": "Ana dem", "entities": [{"start": 0, "end": 4, "label": "PER"}]}\n' * 2,
        ["the space at the edge of an entity is left out"]),
    "an entity counted in UTF-16": ("ner",
        '{"text": "😀 a b", "entities": [{"start": 3, "end": 4, "label": "X", "text": "a"}]}\n', []),
    "labelled": ("topic", '{"text": "a", "label": "y", "intent": "x"}\n', []),
}  # fmt: skip


@pytest.mark.parametrize(("task", "text", "messages"), ODD_LINES.values(), ids=list(ODD_LINES))
def test_keys_that_may_hold_annotation_are_named_once(rows_of, tmp_path, task, text, messages):
    examples, bad = rows_of("a.jsonl", text, task)
    found = list(oddities(examples))
    assert not bad and [where for where, _ in found] == [f"{tmp_path / 'a.jsonl'}:1"] * len(messages)
    assert all(said.startswith(message) for (_, said), message in zip(found, messages, strict=True))


@pytest.mark.parametrize(
    ("cells", "line"), [(['a "b"', '"c ""d"""'], 3), (["a", '"c ""d"""'], 0), (['"a" b', '"c" d"'], 0)]
)
def test_quotes_of_a_spreadsheet_that_are_read_as_text_are_named(rows_of, tmp_path, cells, line):
    examples, _ = rows_of("a.tsv", "text\tlabel\n" + "".join(f"{cell}\tx\n" for cell in cells), "topic")
    assert [where for where, _ in oddities(examples)] == [f"{tmp_path / 'a.tsv'}:{line}"] * bool(line)


def test_a_label_that_no_column_could_take_is_refused_and_one_with_a_bar_survives_conllu(upload):
    path = upload("\n".join(WORDS) + "\n\n", "a.conllu")
    (sentence,) = conllu.read(path)
    broken = sentence.annotated(record=sentence.record, upos=("A\rB", "NOUN", "NOUN"))
    with pytest.raises(CorpusError, match="tab or line end"):
        conllu.to_text(broken)
    conllu.write(bio.read(upload("Ana\tB-PER|ORG\n\n", "a.bio")), path)
    assert conllu.read(path)[0].entities == ("B-PER|ORG",)


BYTES = {
    "a.tsv": (tsv, "\ufeffid\ttext\tLabel\r\n1\ta\tOLD\n\n\t\n2\tb\ty\r\n3\tc\tz"),
    "empty.tsv": (tsv, "text\tlabel\t\t\na\tOLD\t\t\n"),
    "quoted.tsv": (tsv, '"text"\t"label"\r\n"a\n""b"", c"\tOLD\r\n\r\n"d\te"\t"y"\r\n'),
    "a.jsonl": (jsonl, '\ufeff{"text": "a", "label": "OLD"}\n\n \n{"text": "b", "label": "y"}\r\n{"text": "c"}'),
    "slashes.jsonl": (jsonl, '{"text":"a\\/\\\\\\/b","label":"OLD"}\n'),
}


def laid_out(value, **style):
    return json.dumps(value, ensure_ascii=False, **style)


ASKED = {"id": "1", "question": "Kan?", "answers": [{"text": "Ana", "answer_start": 0}], "is_impossible": True}
QUESTIONS = [ASKED, *({"id": f"n{number}", "question": "Kan?", "is_impossible": number} for number in (0, 1))]
JSON_VALUES = {
    squad: {"version": "v2.0", "data": [{"title": "É", "paragraphs": [{"context": "Ana 1/2", "qas": QUESTIONS}]}]},
    label_studio: [{"id": 7, "data": {"text": "É 1/2", "note": 1}, "annotations": []}],
}
LAYOUTS = {
    "of one line": ("", {}, "", "/"),
    "compact": ("", {"separators": (",", ":")}, "\n", "/"),
    "indented, with a mark": ("\ufeff", {"indent": 2}, "\n\n", "/"),
    "tabs": ("\n", {"indent": "\t"}, "", "/"),
    "escaped slashes": ("", {"indent": 4}, "\n", r"\/"),
}


@pytest.mark.parametrize("module", JSON_VALUES)
@pytest.mark.parametrize(("before", "style", "behind", "slash"), LAYOUTS.values(), ids=list(LAYOUTS))
def test_a_json_file_that_nobody_annotated_is_written_byte_for_byte(
    upload, tmp_path, module, before, style, behind, slash
):
    text = before + laid_out(JSON_VALUES[module], **style).replace("/", slash) + behind
    path = upload(text, "a.json")
    if module is squad:
        squad.write(squad.read(path), tmp_path / "same.json")
    else:
        label_studio.write(label_studio.read(path, "sentences", ["entities"]), tmp_path / "same.json", ["entities"])
    assert (tmp_path / "same.json").read_bytes().decode() == text


@pytest.mark.parametrize("name", BYTES)
def test_blank_lines_line_ends_and_marks_stay_and_only_a_changed_label_differs(upload, tmp_path, name):
    module, text = BYTES[name]
    examples = module.read(upload(text, name))
    columns = () if module is tsv else (("label",),)
    module.write(examples, tmp_path / "same", *columns)
    assert (tmp_path / "same").read_bytes().decode() == text
    module.write([replace(examples[0], label="new"), *examples[1:]], tmp_path / "changed", *columns)
    assert (tmp_path / "changed").read_bytes().decode() == text.replace("OLD", "new")
