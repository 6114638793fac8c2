"""Small corpora and encoders, made on the spot: no test needs a network or anything outside the repository."""

import random
from dataclasses import replace

import torch

from fewshot import tasks
from fewshot.corpora.formats import conllu
from fewshot.corpora.types import Answer, Article, Document, Pair, Paragraph, Question, Sentence
from fewshot.training import presets

LEXICON = {
    "NOUN": ["kala", "metsa", "talo", "vesi", "puu"],
    "VERB": ["juoksee", "nukkuu", "laulaa", "syo"],
    "ADJ": ["iso", "pieni", "vanha"],
    "PUNCT": [".", "!"],
}

LABELS = {
    "pairs": {"entailment": "yes", "neutral": "maybe", "contradiction": "no"},
    "documents": {"sports": "ball", "health": "cough"},
}
"""Labels of each kind of text, with the word that gives them away."""


RELATIONS = {"NOUN": "obl", "VERB": "conj", "ADJ": "xcomp:pred", "PUNCT": "punct"}
"""Relation of each kind of word to the root."""


def made_up(n, seed, shortest=3, longest=12, name="s"):
    """Sentences whose tags, entities and trees follow from the words, so that a model can learn them."""
    rng = random.Random(seed)
    sentences = []
    for number in range(n):
        tags = [rng.choice(list(LEXICON)) for _ in range(rng.randint(shortest, longest))]
        words = [rng.choice(LEXICON[tag]) for tag in tags]
        entities = ["B-LOC" if word == "metsa" else "O" for word in words]
        heads, deprels = star(tags)
        columns = {"upos": tags, "heads": heads, "deprels": deprels, "entities": entities}
        columns = {column: tuple(values) for column, values in columns.items()}
        sentences.append(Sentence(f"{name}-{number}", " ".join(words), tuple(words), **columns))
    return sentences


LEMMAS = {"juoksee": "juosta", "nukkuu": "nukkua", "syo": "syoda", "metsa": "Metsa", "!": "."}
FEATS = {"NOUN": "Case=Nom|Number=Sing", "VERB": "Number=Sing|VerbForm=Fin", "ADJ": "Degree=Pos", "PUNCT": ""}
XPOS = {"NOUN": "NN", "VERB": "VB", "ADJ": "JJ", "PUNCT": "PUNCT"}
"""The last one is a tag of both kinds."""


def with_morphology(sentence):
    """A made-up sentence with lemmas, features and XPOS, which follow from the words too."""
    lemmas = tuple(LEMMAS.get(word, word) for word in sentence.words)
    feats, xpos = (tuple(of[tag] for tag in sentence.upos) for of in (FEATS, XPOS))
    return sentence.annotated(lemmas=lemmas, feats=feats, xpos=xpos)


def examples_of(task, n, seed, **lengths):
    """Examples that hold whatever a task needs."""
    made = examples(task.example.kind, n, seed, **lengths)
    return [with_morphology(one) for one in made] if {*Sentence.asked} & {*task.columns} else made


def star(tags):
    """A tree in which every word hangs on the first verb, or on the first word where there is no verb."""
    root = tags.index("VERB") if "VERB" in tags else 0
    heads = [0 if place == root else root + 1 for place in range(len(tags))]
    return heads, ["root" if head == 0 else RELATIONS[tag] for head, tag in zip(heads, tags, strict=True)]


def examples(kind, n, seed, shortest=3, longest=12):
    """Examples of any kind whose labels follow from the text."""
    sentences = made_up(n, seed, shortest, longest, name=kind)
    if kind == "sentences":
        return sentences
    rng = random.Random(seed)
    if kind == "articles":
        return [article(s, rng) for s in sentences]
    labels = [rng.choice(list(LABELS[kind])) for _ in sentences]
    texts = [f"{LABELS[kind][label]} {s.text}" for s, label in zip(sentences, labels, strict=True)]
    make = {"pairs": lambda key, text, label: Pair(key, "talo", text, label), "documents": Document}[kind]
    return [make(s.id, text, label) for s, text, label in zip(sentences, texts, labels, strict=True)]


def article(sentence, rng):
    """An article of one paragraph, of a sentence with the answer to its two questions in it."""
    words = list(sentence.words)
    place = rng.randint(0, len(words))
    context = " ".join([*words[:place], "Turku", "Oulu", *words[place:]])
    answer = Answer("Turku Oulu", context.index("Turku"))
    questions = (Question(f"{sentence.id}-{number}", "missa?", (answer,)) for number in range(2))
    return Article(sentence.id, (Paragraph(context, tuple(questions)),))


def save_encoder(folder, limit):
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    letters = [chr(code) for code in range(33, 127)]
    vocabulary = {piece: number for number, piece in enumerate([*specials, *letters, *(f"##{x}" for x in letters)])}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    names = dict(zip(("pad", "unk", "cls", "sep", "mask"), specials, strict=True))
    wrapped = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, **{f"{name}_token": token for name, token in names.items()}
    )
    wrapped.save_pretrained(folder)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        config = BertConfig(
            from_nothing=True,
            vocab_size=len(vocabulary),
            hidden_size=32,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=64,
            max_position_embeddings=limit,
        )
        BertModel(config, add_pooling_layer=False).save_pretrained(folder)
    return folder


def result(k, score, sampler="random", shot_set=0, seed=0, tokens=100, test_units=500, seconds=3.6, **changes):
    """A result with made-up values where a test does not care."""
    from fewshot.curves.results import Result

    values = {
        "run": f"{sampler}-{k}-{shot_set}-{seed}",
        "task": "pos",
        "lang": "ja",
        "sampler": sampler if k else "",
        "k": k,
        "shot_set": shot_set,
        "seed": seed,
        "method": "full",
        "regime": "joint",
        "model": "mini",
        "data": "sample",
        "metric": "accuracy",
        "score": score,
        "low": score - 1,
        "high": score + 1,
        "metrics": {"accuracy": score},
        "tokens": tokens if k else 0,
        "units": {"token": tokens if k else 0, "sentence": k},
        "test_units": {"token": test_units, "sentence": 50},
        "minutes": 1.0,
        "dollars": 0.5,
        "seconds": seconds,
        "device": "cpu",
        "shots": (),
        "known_only": None if k else score,
    }
    return Result(**{**values, **changes})


def small_recipe(task="pos", encoder="new", method="full", **changes):
    """Return how a source model of a tiny encoder is adapted, with some settings changed."""
    return presets.adaptation(tasks.get(task), encoder, method, **changes)


def write(folder, sentences, split="test"):
    folder.mkdir(parents=True, exist_ok=True)
    conllu.write(sentences, folder / f"{split}.conllu")


def write_treebanks(folder):
    """Write ``en_made`` and ``fi_made``, both with a training and a test file."""
    for number, lang in enumerate(("en", "fi")):
        for split, count in (("train", 30), ("test", 15)):
            sentences = made_up(count, seed=10 * number + count, name=f"{lang}-{split}")
            bare = [replace(sentence, entities=("_",) * sentence.length) for sentence in sentences]
            write(folder / f"{lang}_made", bare, split)
    return folder


def save_xlmr(folder):
    """Write an XLM-R of 4 layers x 16 over single characters, with random weights and biases as if pretrained."""
    from transformers import XLMRobertaConfig, XLMRobertaModel

    save_encoder(folder, limit=64)
    size = {"hidden_size": 16, "num_attention_heads": 2, "intermediate_size": 16, "num_hidden_layers": 4}
    config = XLMRobertaConfig(vocab_size=200, max_position_embeddings=66, pad_token_id=0, **size)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        module = XLMRobertaModel(config, add_pooling_layer=False)
        for layer in module.encoder.layer:
            torch.nn.init.normal_(layer.output.dense.bias)
    module.save_pretrained(folder)
    return folder
