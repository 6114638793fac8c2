"""Throughput of tagging and parsing here against Stanza's, in turns on one machine: with its own encoder and with ours.

    pip install -c constraints.txt '.[dev]' stanza
    PYTHONPATH=tests python -m benchmarks.stanza_ratio --data FOLDER_WITH_train_dev_test [--sentences 500] \\
        [--turns 5] [--steps 3]

Both get sentences that are cut into words, in memory, and give back their annotation. Stanza's models are of its
default size, a tagger and a parser, for the columns that ours fill too (UPOS, heads, relations), without pretrained
word vectors and character models, which would make it slower. They are trained here for a few steps: what they predict
is worth nothing, what it costs is theirs, but for cycles in trees of little trained scores. "Stanza, same encoder" has
ours under its own layers; ours are the embedded source models, POS and DEP, each with an encoder of its own.
"""

import logging
import statistics
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

import stanza
import torch
from benchmarks.side_by_side import arguments, in_turns, print_head, print_row, ratios, seconds
from stanza.models import parser, tagger

import fewshot as fs
from fewshot.corpora.formats import conllu
from fewshot.encoders.load import load_encoder

TRAINED = 500
"""Sentences that Stanza's models see, for their vocabularies."""


def train(folder: Path, data: Path, steps: int, encoder: Path | None) -> None:
    """Train Stanza's tagger and parser for a few steps."""
    for split, most in (("train", TRAINED), ("dev", 20)):
        sentences = islice(conllu.read(data / f"{split}.conllu"), most)
        conllu.write((replace(one, record=None) for one in sentences), folder / f"{split}.conllu")
    options = {
        "train_file": folder / "train.conllu", "eval_file": folder / "dev.conllu", "output_file": folder / "out.conllu",
        "save_dir": folder, "lang": "xx", "shorthand": "xx_x", "max_steps": steps, "eval_interval": steps,
        "batch_size": 500, **({"bert_model": encoder} if encoder else {}),
    }  # fmt: skip
    words = [str(part) for name, value in options.items() for part in (f"--{name}", value)]
    for model in (tagger, parser):
        model.main([*words, "--no_pretrain", "--cpu", "--save_name", f"{model.__name__.rpartition('.')[2]}.pt"])


def with_stanza(folder: Path, words: Sequence[Sequence[str]]) -> dict[str, Callable[[], object]]:
    """Return what tags, and what parses after tagging."""
    (folder / "resources.json").write_text("{}")  # what it would download
    shared = {
        "lang": "xx", "dir": str(folder), "allow_unknown_language": True, "download_method": None, "use_gpu": False,
        "tokenize_pretokenized": True, "pos_model_path": str(folder / "tagger.pt"), "verbose": False,
    }  # fmt: skip
    tags = stanza.Pipeline(**shared, processors="tokenize,pos")
    trees = stanza.Pipeline(
        **shared,
        processors="tokenize,pos,lemma,depparse",
        lemma_use_identity=True,
        depparse_model_path=str(folder / "parser.pt"),
    )
    given = [list(one) for one in words]
    return {"tagging": lambda: tags(given), "tagging and parsing": lambda: trees(given)}


def with_fewshot(sentences: Sequence[object]) -> dict[str, Callable[[], object]]:
    pos, dep = fs.source("pos"), fs.source("dep")
    return {
        "tagging": lambda: fs.predict(pos, sentences),
        "tagging and parsing": lambda: (fs.predict(pos, sentences), fs.predict(dep, sentences)),
    }


def main() -> None:
    given = arguments(__doc__, turns=5, data=Path, sentences=500, steps=3).parse_args()
    logging.getLogger("stanza").setLevel(logging.ERROR)
    gold = list(islice(conllu.read(given.data / "test.conllu"), given.sentences))
    sentences = [one.unannotated() for one in gold]
    words = [one.words for one in sentences]
    encoder = load_encoder("mini")
    pieces = sum(len(encoder.tokenizer(list(one), is_split_into_words=True)["input_ids"]) for one in words)
    with tempfile.TemporaryDirectory() as place:
        ours = Path(place, "encoder")
        encoder.module.float().save_pretrained(ours)
        encoder.tokenizer.save_pretrained(ours)
        sides = {"fewshot": with_fewshot(sentences)}
        for name, bert in (("Stanza", None), ("Stanza, same encoder", ours)):
            folder = Path(place, name)
            folder.mkdir()
            train(folder, given.data, given.steps, bert)
            sides[name] = with_stanza(folder, words)
        print(f"{len(words)} sentences, {sum(map(len, words))} words, {pieces} pieces of mini; ", end="")
        print(f"{torch.get_num_threads()} threads, Stanza {stanza.__version__}")
        vs = given.vs or "fewshot"
        print_head("", "", "sentences/s", "pieces/s", f"times as long as {vs}", texts=2)
        for job in sides["fewshot"]:
            turns = in_turns({name: partial(seconds, side[job]) for name, side in sides.items()}, given.turns)
            shown = {vs: "1", **ratios(turns, vs)}
            for name in sides:
                taken = statistics.median(turn[name] for turn in turns)
                print_row(job, name, f"{len(words) / taken:.0f}", f"{pieces / taken:.0f}", shown[name])


if __name__ == "__main__":
    main()
