"""A small corpus of translations, settings of a small encoder, and the whole way from one to the other."""

import lzma
import random

import torch

from fewshot.encoders.load import load_encoder
from fewshot.pretraining.config import PretrainConfig
from fewshot.pretraining.pretrain import pretrain

WORDS = {"house": "talo", "tree": "puu", "water": "vesi", "sings": "laulaa", "sleeps": "nukkuu", "old": "vanha"}


def pairs(n, seed=0):
    """Translations word by word, as short sentences."""
    rng = random.Random(seed)
    for _ in range(n):
        english = rng.sample(list(WORDS), rng.randint(2, 4))
        yield {"en": " ".join(english), "fi": " ".join(WORDS[word] for word in english)}


def write_lines(path, lines):
    """Write an xz file; a line in bytes goes as it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with lzma.open(path, "wb") as file:
        file.writelines(line if isinstance(line, bytes) else f"{line}\n".encode() for line in lines)


def write_corpus(folder):
    """Write a corpus of two languages that are translations of each other, word by word."""
    rows = list(pairs(400))
    for lang in ("en", "fi"):
        write_lines(folder / "mono" / f"{lang}.txt.xz", [row[lang] for row in rows[:200]])
    lines = ["en\tfi", *(f"{row['en']}\t{row['fi']}" for row in rows)]
    write_lines(folder / "parallel" / "made.tsv.xz", lines)


def small(**changes):
    values = {"vocabulary": 80, "tokenizer_sentences": 400, "hidden": 4, "layers": 1, "heads": 2, "intermediate": 16}
    values |= {"positions": 32, "length": 16, "batch": 4, "mlm_sentences": 400, "updates": 0}
    return PretrainConfig(**{**values, **changes})


def build(folder, out, **changes):
    """Pretrain; return the encoder, and all that was reported: stages and steps, warnings, and the result last."""
    seen = []
    result = pretrain(small(**changes), folder, out, torch.device("cpu"), seen.append, seen.append)
    return load_encoder(str(out)), [*seen, result]
