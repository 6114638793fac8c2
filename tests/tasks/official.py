"""The official scorer of Universal Dependencies."""

from udtools import udeval

from fewshot.corpora.formats import conllu


def official_scores(gold, guess, folder):
    loaded = []
    for name, sentences in (("gold", gold), ("guess", guess)):
        path = folder / f"{name}.conllu"
        conllu.write(sentences, path)
        with path.open(encoding="utf-8") as file:  # which `load_conllu_file` does not close
            loaded.append(udeval.load_conllu(file, str(path), {}))
    return udeval.evaluate(*loaded)
