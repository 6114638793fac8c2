import pytest
from cli.calls import BAD, call


def test_data_list_and_check_name_treebanks_and_lines(place, tmp_path):
    listed = call("data", "list", "ja").output
    assert "UD_Japanese-GSD" in listed and "UD_Swedish" not in listed
    assert call("data", "check", place / "xx", "--task", "pos").exit_code == 0
    (tmp_path / "bad.conllu").write_text(BAD)
    result = call("data", "check", tmp_path / "bad.conllu", ends=2)
    assert "bad.conllu:1: " in result.output
    (tmp_path / "bad.conllu").rename(tmp_path / "pool.CONLLU")
    assert "pool.CONLLU:1: " in call("data", "check", tmp_path).output


def test_data_check_reads_every_line_of_every_file(tmp_path):
    rows = ["text\tlabel", "a\tx", "\ty", "b\tX", "\ty"]
    for name in ("a.tsv", "b.tsv"):
        (tmp_path / name).write_text("\n".join(rows) + "\n")
    result = call("data", "check", tmp_path, "--task", "topic")
    assert result.exit_code == 2 and "2 files: 4 errors" in result.output, result.output
    for name in ("a.tsv", "b.tsv"):
        assert all(f"{tmp_path / name}:{line}: error: " in result.output for line in (3, 5))
        assert f"{tmp_path / name}:4: warning: the label 'X' differs from 'x' in case" in result.output


def test_data_check_warns_of_what_is_odd_beside_a_single_error(tmp_path):
    row = "{}\t{}" + "\t_" * 8 + "\n"
    (tmp_path / "x.conllu").write_text("# text = b\n" + row.format(1, "a") + "\n" + row.format(1, " "))
    output = call("data", "check", tmp_path / "x.conllu").output
    assert "x.conllu:1: warning: '# text' differs" in output and "error: " in output and "x.conllu:4: " in output


@pytest.mark.parametrize(
    ("name", "content", "task", "message"),
    [
        ("x.conllu", BAD.replace("\t_\n", "\t_\t_\n").replace("NOUN", "_"), "dep+upos", "1: no word has a UPOS tag"),
        ("x.tsv", "id\ttext\tlabel\n1\ta\tx\n1\tb\ty\n", "topic", "3: id '1' is that of line 2 too"),
        ("x.tsv", "text\ttext\na\tb\n", None, "1: column 'text' is named twice"),
        ("x.tsv", "#FORMAT=WebAnno TSV 3.3\n", None, " no layer of named entities"),
        ("x.json", "[]", None, " Label Studio files do not name their task; give it (--task)"),
        ("x.json", "[]", "pos", " no task in this file"),
        ("x.ndjson", '{"text": "a"}', "pos", "1: no pos annotation here"),
    ],
)
def test_data_check_finds_what_a_run_would_refuse(tmp_path, name, content, task, message):
    (tmp_path / name).write_text(content)
    result = call("data", "check", tmp_path / name, *(["--task", task] if task else []), ends=2)
    assert f"error: {tmp_path / name}:{message}" in result.output


def test_a_file_without_annotation_is_one_error(tmp_path):
    (tmp_path / "x.txt").write_text("a b c\n" * 3)
    output = call("data", "check", tmp_path / "x.txt", "--task", "pos", ends=2).output
    assert (
        output.count("no pos annotation") == 1
        and "x.txt:1: no pos annotation here, nor in the other 2 sentences" in output
    )
    (tmp_path / "x.tsv").write_text("text\tlabel\na\tx\n")
    assert (
        "x.tsv: 1 document, 1 word, no error; labels x"
        in call("data", "check", tmp_path / "x.tsv", "--task", "topic").output
    )


def test_data_check_reads_a_file_for_all_of_its_tasks(tmp_path):
    row = "{}\ta\t_\t{}\t_\t_\t_\t_\t_\tNER={}\n"
    (tmp_path / "x.conllu").write_text(row.format(1, "X", "O") + "\n" + row.format(1, "X", "PER"))
    for task in ("pos,ner", "ner, pos"):
        result = call("data", "check", tmp_path / "x.conllu", "--task", task)
        assert result.exit_code == 2 and "x.conllu:3: 'PER' is not an entity tag" in result.output, result.output
    assert "different kinds of examples" in call("data", "check", tmp_path / "x.conllu", "--task", "pos,nli").output


def test_every_wrong_label_is_named_with_the_line_of_its_word(tmp_path):
    words = "1-2 ab _ _ _,1 a NOUN 2 foo,2 b VREB 0 root,3 c VERB 2 Foo:"
    rows = [word.split() for word in words.split(",")]
    lines = "".join(f"{id}\t{form}\t_\t{upos}\t_\t_\t{head}\t{rel}\t_\t_\n" for id, form, upos, head, rel in rows)
    (tmp_path / "x.conllu").write_text("# text = ab c\n" + lines.replace("NOUN", "N") + "\n" + lines)
    output = call("data", "check", tmp_path / "x.conllu", "--task", "pos").output
    found = [line.removeprefix(f"{tmp_path / 'x.conllu'}:").split(" is none")[0] for line in output.splitlines()]
    assert [line for line in found if "UPOS" in line and "warning" not in line] == [
        "3: error: UPOS 'N' of 'a'", "4: error: UPOS 'VREB' of 'b'", "9: error: UPOS 'VREB' of 'b'",
    ]  # fmt: skip
    (tmp_path / "x.conllu").write_text("# text = ab c\n" + lines.replace("foo", "root"))
    output = call("data", "check", tmp_path / "x.conllu", "--task", "dep").output
    assert "x.conllu:3: head 2 of 'a' (word 1) goes with relation 'root'" in output, output


def test_data_check_of_the_cache_knows_its_tasks():
    assert "unknown task 'foo'" in call("data", "check", "--task", "foo").output
    assert call("data", "check", "--task", "pos").exit_code == 0


def test_words_that_are_annotated_in_several_ways_are_named_with_a_place(tmp_path):
    rows = ["they PRON light VERB", "they PRON light VERB", "they PRON light NOUN", "we PRON sing VERB"]
    text = "".join(
        "".join(f"{place}\t{word}\t_\t{tag}\t_\t_\t_\t_\t_\t_\n" for place, (word, tag) in enumerate(words, 1)) + "\n"
        for words in ([*zip(row.split()[::2], row.split()[1::2], strict=True)] for row in rows)
    )
    file = tmp_path / "tags.conllu"
    file.write_text(text, encoding="utf-8")
    lines = call("data", "check", file, "--task", "pos").output.splitlines()
    assert lines[1:] == [
        "  with several annotations, or a rare one: 1; the likeliest errors:",
        f"  {file}:7: light: VERB 2, NOUN 1",
    ]
    assert len(call("data", "check", file).output.splitlines()) == 1
