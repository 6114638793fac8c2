"""Time of one fine-tuning here against a plain Hugging Face `Trainer` loop: same encoder, data, batch and epochs.

    PYTHONPATH=tests python -m benchmarks.trainer_ratio --data FOLDER_WITH_train.conllu [--model mini] \\
        [--sentences 2000]

Both train all weights of the encoder and a linear word classifier with AdamW, one epoch, in the same precision. They
take turns in one process, and the ratio of each turn is printed, so that a machine which slows down slows both.
"""

import copy
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path

import torch
from benchmarks.side_by_side import arguments, in_turns, print_ratios, seconds
from transformers import DataCollatorForTokenClassification, Trainer, TrainingArguments
from transformers.modeling_outputs import TokenClassifierOutput
from transformers.trainer_callback import PrinterCallback

from fewshot import tasks
from fewshot.encoders.load import Encoder, load_encoder
from fewshot.encoders.precision import has_bf16
from fewshot.experiments.source_data import read_train_file
from fewshot.training import presets
from fewshot.training.adapt import resolve_device, settings
from fewshot.training.batching import prepare
from fewshot.training.fit import fit
from fewshot.training.model import build_model


class Tagger(torch.nn.Module):
    """The model that a plain script would use: last layer, dropout, linear, loss at the first piece of each word."""

    def __init__(self, encoder: Encoder, labels: int) -> None:
        super().__init__()
        self.encoder = copy.deepcopy(encoder.module)
        self.dropout = torch.nn.Dropout(0.1)
        self.linear = torch.nn.Linear(encoder.hidden, labels)

    def forward(self, input_ids, attention_mask, labels):
        """Return loss and scores of a batch; ignored pieces have label -100."""
        hidden = self.encoder(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        scores = self.linear(self.dropout(hidden))
        loss = torch.nn.functional.cross_entropy(scores.flatten(0, 1), labels.flatten())
        return TokenClassifierOutput(loss=loss, logits=scores)


def features(encoder, task, sentences):
    """Encode as the tutorials of transformers do: labels on first pieces."""
    rows = []
    for sentence in sentences:
        encoded = encoder.tokenizer(
            list(sentence.words), is_split_into_words=True, truncation=True, max_length=encoder.limit
        )
        before, labels = None, []
        for word in encoded.word_ids():
            labels.append(-100 if word is None or word == before else task.labels.index(sentence.upos[word]))
            before = word
        rows.append({"input_ids": encoded["input_ids"], "attention_mask": encoded["attention_mask"], "labels": labels})
    return rows


def with_trainer(encoder, task, sentences, batch, on):
    with tempfile.TemporaryDirectory() as folder:
        training = {"num_train_epochs": 1, "learning_rate": 2e-4, "warmup_steps": 10, "bf16": has_bf16(on)}
        training |= {"per_device_train_batch_size": batch, "train_sampling_strategy": "random"}
        quiet = {"report_to": [], "save_strategy": "no", "logging_strategy": "no", "disable_tqdm": True}
        arguments = TrainingArguments(output_dir=folder, use_cpu=on.type == "cpu", **training, **quiet)
        collator = DataCollatorForTokenClassification(encoder.tokenizer)
        trainer = Trainer(
            Tagger(encoder, len(task.labels)),
            arguments,
            train_dataset=features(encoder, task, sentences),
            data_collator=collator,
        )
        trainer.remove_callback(PrinterCallback)
        return seconds(trainer.train)


def with_fewshot(encoder, task, sentences, batch, on):
    changes = {"regime": "sequential", "epochs": 1, "batch": batch, "head_lr": 1e-3, "average": 1}
    recipe = presets.adaptation(task, presets.encoder_size(encoder), "freeze-0", **changes)
    model = build_model(task, encoder, seed=0, dropout=0.1)
    prepared = prepare(model, sentences)
    chosen = replace(settings(model, recipe, len(sentences), len(sentences)), frozen=None)

    def epoch():
        fit(model, prepared, None, chosen, 0, on)
        if on.type == "cuda":
            torch.cuda.synchronize()

    return seconds(epoch)


def main():
    options = {"data": Path, "model": "mini", "sentences": 2000, "batch": 32, "device": "auto"}
    given = arguments(__doc__, turns=5, **options).parse_args()
    encoder, task, on = load_encoder(given.model), tasks.get("pos"), resolve_device(given.device)
    setting = (encoder, task, read_train_file(given.data, task)[: given.sentences], given.batch, on)
    sides = {"Trainer": partial(with_trainer, *setting), "fewshot": partial(with_fewshot, *setting)}
    print_ratios(in_turns(sides, given.turns), given.vs)


if __name__ == "__main__":
    main()
