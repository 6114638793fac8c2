"""Every command that the documentation shows is run on tiny data, or listed with the reason why it is not."""

import re
import shlex
import shutil
from itertools import chain

import pytest
import sounds
from cli.calls import call
from documented import ROOT, TYPED, examples
from making import made_up, write
from papers.making import changed
from pretraining.making import write_corpus

from annotate import accounts
from annotate.worker.queue import JOBS_ELSEWHERE
from fewshot.corpora.formats import conllu
from fewshot.corpora.load import fingerprint
from fewshot.training import sources

LIST = ROOT / "tests" / "documented_commands.txt"
"""The commands by story, and those that are not run by reason."""

TUTORIAL = ROOT / "docs" / "start" / "shoebox.md"
"""Its commands are run by `test_tutorial`."""

TINY = {
    "run": "--k 4 --updates 2 --seeds 1 --shot-sets 1 --test-share 0.3",
    "source": "--updates 2",
    "adapt-encoder": "--updates 3 --batch 4",
    "shrink": "--layers 1 --updates 2 --batch 4 --pieces 193",
    "zero-shot": "--data treebanks",
    "analyze alignment": "--task pos --langs fi,ja --seeds 1",
    "analyze few-shot-grid": "--langs ja --k 4 --shot-sets 1 --updates 1 --sampler random",
    "analyze language-id": "--langs en,fi --sentences 20 --seeds 1",
    "analyze layers": "--task pos --langs ja --sentences 10 --test-sentences 6 --updates 1 --seeds 1 --frozen 0,2",
    "analyze overlap": "--task pos --langs fi,ja",
    "analyze random-init": "--task pos --langs ja --sentences 10 --test-sentences 6 --updates 1 --seeds 1 --layers 1-2",
    "analyze resources": "--langs fi,ja --k 4 --updates 1 --seeds 1",
    "analyze sources": "--source en,de,ja --langs fi --updates 1",
}
"""Options that make the work of a command tiny; they come last and replace those of the documentation."""

STANDS_FOR = {"CORPUS": "corpus"}
"""What a word in capitals stands for."""

ANSWERS = {"users add": "a long password\n" * 2, "users password": "a long password\n" * 2, "projects delete": "y\n"}
"""What is typed into a command."""

SECTION = re.compile(r"^# (story|not run): (.+)\n((?:.+\n)+)", re.M)
SECTIONS = SECTION.findall(LIST.read_text(encoding="utf-8"))
STORIES = {name: lines.splitlines() for kind, name, lines in SECTIONS if kind == "story"}
NOT_RUN = {reason: lines.splitlines() for kind, reason, lines in SECTIONS if kind == "not run"}

SETTINGS_OF_ENCODER = """
vocabulary = 80
tokenizer_sentences = 400
hidden = 4
layers = 1
heads = 2
intermediate = 16
positions = 32
length = 16
batch = 4
mlm_sentences = 400
updates = {updates}
"""

SWEEP = """
k = 4
updates = 2
seeds = 1
shot-sets = 1
data = "my_wolof"

[[runs]]
lang = "wo"
sampler = ["random", "longest"]
"""


def uncommented(line):
    return re.split(r"\s+#", line)[0].rstrip()


def write_conllu_files(folder):
    gold = made_up(60, seed=1, shortest=8)
    parts = {"a": gold[:10], "b": gold[10:20], "c": gold[20:30], "my": gold, "more": gold[:20], "ana": gold[:20]}
    for name, sentences in parts.items():
        conllu.write(sentences, folder / f"{name}.conllu")
    for name in ("my_wolof", "he_htb"):
        write(folder / name, made_up(30, seed=2, name="pool"), "pool")
        write(folder / name, made_up(12, seed=3), "test")
    for number, lang in enumerate(("en", "fi", "ja", "sv", "tr", "zh", "de")):
        train = made_up(20, seed=10 + number, name=f"{lang}-train")
        test = [changed(sentence, number) for sentence in made_up(12, seed=7)]
        for place in (folder / lang, folder / "treebanks" / f"{lang}_made"):
            write(place, train, "train")
            write(place, test)
    for name, lang in {"en_ewt": "en", "fi_tdt": "fi", "tr_imst": "tr"}.items():
        (folder / name).symlink_to(lang)


def write_other_files(folder):
    for number, name in enumerate(("story", "new", "my_text", "wolof", "more")):
        texts = [sentence.text for sentence in made_up(110, seed=20 + number, shortest=6)]
        (folder / f"{name}.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")
    (folder / "texts").mkdir()
    shutil.copy(folder / "my_text.txt", folder / "texts" / "wo.txt")
    (folder / "wo.tsv").write_text("form\tlemma\tupos\ntalo\ttalo\tNOUN\n", encoding="utf-8")
    for name in ("story1", "story2", "rice", "river"):
        (folder / f"{name}.wav").write_bytes(sounds.tone(0.1))
    shutil.copy(ROOT / "data" / "rates.toml", folder / "my_rates.toml")
    write_corpus(folder / "corpus")
    (folder / "data").mkdir()
    for name in ("lm.toml", "data/pretrain.toml"):
        (folder / name).write_text(SETTINGS_OF_ENCODER.format(updates=2 * (name == "lm.toml")), encoding="utf-8")
    (folder / "languages.toml").write_text(SWEEP, encoding="utf-8")


@pytest.fixture(scope="module")
def given(tmp_path_factory, encoder_folder):
    """A folder with all files and folders that the commands name."""
    folder = tmp_path_factory.mktemp("documented") / "given"
    folder.mkdir()
    write_conllu_files(folder)
    write_other_files(folder)
    (folder / "xlm-roberta-base").symlink_to(encoder_folder)
    return folder


@pytest.fixture
def folder(given, tiny_mini, trained, tmp_path, monkeypatch):
    """A copy of that folder, in which commands run; its database is empty, and there is an English source model."""
    shutil.copytree(given, tmp_path / "folder", symlinks=True)
    monkeypatch.chdir(tmp_path / "folder")
    monkeypatch.setenv("FEWSHOT_DB_URL", f"sqlite:///{tmp_path}/fewshot.db")
    monkeypatch.setenv(JOBS_ELSEWHERE, "1")
    monkeypatch.setattr(accounts, "COST", 2**4)
    english = tmp_path / "folder" / "treebanks" / "en_made"
    model = trained.source("pos")
    gold = conllu.read(english / "train.conllu")
    model.provenance = {"lang": "en", "data": str(english), "data_fingerprint": fingerprint(gold)}
    model.save(sources.user_dir() / "english")
    return tmp_path / "folder"


def run_line(line, folder):
    """Run a line as it stands in the documentation, but tiny; return what went wrong, or an empty string."""
    words = [STANDS_FOR.get(word, word) for word in shlex.split(line)[1:]]
    name = next((name for name in (*TINY, *ANSWERS) if f"{' '.join(words)} ".startswith(f"{name} ")), "")
    paths = {word: sorted(str(path.relative_to(folder)) for path in folder.glob(word)) for word in words if "*" in word}
    words = [*chain.from_iterable(paths.get(word, [word]) for word in words)]
    result = call(*words, *shlex.split(TINY.get(name, "")), typed=ANSWERS.get(name, ""))
    return f"{line}\n{result.output}" if result.exit_code else ""


def test_every_documented_command_is_run_or_is_listed():
    shown = {uncommented(line) for line in (*TYPED, *chain(*examples().values()))}
    tutorial = {uncommented(line) for line in TUTORIAL.read_text(encoding="utf-8").splitlines()}
    run = [line for story in STORIES.values() for line in story if not line.startswith("+ ")]
    listed = [line for lines in NOT_RUN.values() for line in lines]
    assert len(run) == len({*run}) and not {*run} & {*listed}
    assert sorted(shown - tutorial) == sorted({*run, *listed} - tutorial)


@pytest.mark.parametrize("story", STORIES)
def test_documented_commands_run(story, folder):
    faults = [run_line(line.removeprefix("+ "), folder) for line in STORIES[story]]
    assert not [fault for fault in faults if fault]
