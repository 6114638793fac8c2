import pytest
from cli.calls import call
from making import made_up

from fewshot.corpora.formats import conllu
from fewshot.corpora.ud import cache, treebanks


@pytest.fixture
def folders(tmp_path):
    """Treebanks of three languages, and one with a test file alone."""
    for number, lang in enumerate(("de", "ja", "sv", "fi")):
        (tmp_path / "many" / f"{lang}_made").mkdir(parents=True)
        file = "test" if lang == "fi" else "train"
        conllu.write(made_up(12, seed=number), tmp_path / "many" / f"{lang}_made" / f"{file}.conllu")
    return tmp_path / "many"


def rows(output):
    return [line.split()[1] for line in output.splitlines() if line[:1].isdigit()]


def test_sources_of_given_folders_are_ranked_by_text_and_language_or_by_language_alone(place, folders, tmp_path):
    (tmp_path / "new.txt").write_text("talo juoksee\niso metsa nukkuu\n", encoding="utf-8")
    fixed = ["--lang", "sv", "--among", folders, "--model", place / "encoder", "--device", "cpu"]
    found = call("sources", *fixed, "--data", tmp_path / "new.txt", ends=0)
    assert rows(found.output) == ["de", "ja"]  # not itself, nor what has no training file
    assert "de_made" in found.output and "neighbours %" in found.output and "warning" not in found.output
    assert "de is first for sv: it is" in found.output and "of the nearest sentences are its own" in found.output
    assert call("sources", *fixed, "--data", tmp_path / "new.txt").output == found.output
    found = call("sources", "--lang", "no", "--among", folders, "--model", place / "encoder", "--most", "2", ends=0)
    assert rows(found.output) == ["sv", "de"]
    assert "warning: the ranking reads no text of no; give --data, 25 sentences, annotated or not" in found.output
    assert "neighbours" not in found.output


def test_what_is_installed_and_what_can_be_downloaded(place):
    downloaded = cache.folder_of(treebanks.find("sv"))
    downloaded.mkdir(parents=True)
    conllu.write(made_up(12, seed=1), downloaded / "sv_talbanken-ud-train.conllu")
    found = call(
        "sources", "--lang", "nb", "--model", place / "encoder", "--data", place / "xx", "--most", "200", ends=0
    )
    here, elsewhere = found.output.split("that fewshot data get NAME downloads")
    assert rows(here)[0] == "sv" and sorted(rows(here)) == ["ar", "en", "ja", "sv", "sw"]
    assert downloaded.name in here and "embedded sample (sw)" in here
    assert {"de", "da", "fi"} <= set(rows(elsewhere)) and not {"sv", "en"} & set(rows(elsewhere))
    assert "UD_Danish-DDT" in elsewhere


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--among", "nowhere"], "nowhere: no such folder"),
        (["--task", "tagging"], "unknown task 'tagging'"),
        *((["--lang", code], f"{code} is not the code of one language") for code in ("und", "mul")),
        (["--data", "nowhere.conllu"], "nowhere.conllu: no such file or folder"),
        (["--data", "{many}"], "no pool, train, dev or test file of sentences here; give the file itself"),
        (["--data", "{empty}"], "empty.conllu: no sentence in this file"),
        (["--among", "{many}/de_made", "--task", "topic"], "found no documents for topic in languages other than sv"),
    ],
)
def test_bad_input_ends_with_one_line(place, folders, tmp_path, options, message):
    (tmp_path / "empty.conllu").write_text("# nothing\n\n")
    options = [one.format(many=folders, empty=tmp_path / "empty.conllu") for one in options]
    fixed = [] if "--among" in options else ["--among", folders]
    found = call("sources", "--lang", "sv", *fixed, "--model", place / "encoder", *options, ends=2)
    assert message in found.output and len(found.output.splitlines()) == 1, found.output
