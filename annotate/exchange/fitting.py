"""What a file says of an example, put in the terms of the project's: its spelling, its words, its questions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any
from unicodedata import normalize

from fewshot.corpora import offsets
from fewshot.corpora.spelling import SpellingMap, composed
from fewshot.corpora.tokenization.surface import word_places
from fewshot.corpora.types import Answer, Article, Paragraph, Question, Sentence
from fewshot.errors import CorpusError


def fitted(own: Any, example: Any) -> tuple[Any, list[str]]:
    """Return an example of a file in the terms of the project's, and what had to be left out of it.

    Args:
        own: the project's example of the same text.
        example: of the file.

    Raises:
        CorpusError: when it cannot be: its annotation would cut a letter or a word of the project's.
    """
    if isinstance(example, Sentence):
        return _fitted_sentence(own, example), []
    if isinstance(example, Article):
        return _fitted_article(own, example)
    return example, []


def like(text: str) -> Callable[[str], str]:
    """Return what writes letters and their marks as a text does: as one character, as several, or as they are."""
    if text == composed(text):
        return composed
    return lambda word: normalize("NFD", word) if text == normalize("NFD", text) else word


def _fitted_sentence(own: Sentence, sentence: Sentence) -> Sentence:
    if sentence.key == own.key:
        return replace(sentence, words=own.words, text=own.text)
    if sentence.text != own.text and SpellingMap.fits(sentence.text, own.text):
        sentence = _respelled(own.text, sentence)
    return _on_words_of(own, sentence) if sentence.is_segmented else sentence


def _respelled(text: str, sentence: Sentence) -> Sentence:
    """Return a sentence in another spelling of its text."""
    stands, respelling, spelled = word_places(sentence, sentence.text), SpellingMap(sentence.text, text), like(text)
    words, end = list(map(spelled, sentence.words)), 0
    for number, place in enumerate(stands):
        if sentence.text[slice(*place)] != sentence.words[number]:
            continue  # it is part of a multiword token
        start, stop = respelling.span(*place)
        if start < end:
            what = f"the word {sentence.words[number]!r} begins inside {text[start]!r} of the project's text"
            raise CorpusError(f"{what}; give whole letters", sentence.where)
        words[number], end = text[start:stop], stop
    return replace(sentence, words=tuple(words), text=text)


def _on_words_of(own: Sentence, sentence: Sentence) -> Sentence:
    """Return a sentence whose file gives no words, with the project's words and its entities on these."""
    there = word_places(own, own.text)
    if not there or any(offsets.is_annotated(getattr(sentence, column)) for column in ("upos", "heads")):
        raise CorpusError("the words here may be others than the project's; give them too (words)", sentence.where)
    entities: tuple[str, ...] = ()
    if offsets.is_annotated(sentence.entities):
        stretches = offsets.entities(sentence.entities, word_places(sentence, sentence.text))
        tokens = list(dict.fromkeys(there))
        tags = dict(zip(tokens, offsets.tags(stretches, tokens, own.text, sentence.where), strict=True))
        pairs = pairwise([(-1, -1), *there])
        entities = tuple(_inside(tags[place]) if place == before else tags[place] for before, place in pairs)
    return replace(own.unannotated(), id=sentence.id, entities=entities, record=None, where=sentence.where)


def _inside(tag: str) -> str:
    """Return the tag of the further words of a multiword token."""
    return tag.replace("B-", "I-", 1) if tag.startswith("B-") else tag


def _fitted_article(own: Article, article: Article) -> tuple[Article, list[str]]:
    """Return an article with its answers in the project's text, and the ids that its questions have there."""
    paragraphs, said = [], []
    for given, mine in zip(article.paragraphs, own.paragraphs, strict=True):
        paragraph = _moved(given, mine.context)
        same, known = _same_questions(mine.questions, paragraph.questions), []
        for number, asked in enumerate(paragraph.questions):
            if number in same:
                known.append(replace(asked, id=same[number].id, text=same[number].text))
            else:
                said.append(f"the project does not have the question {asked.id!r}; it is left out")
        paragraphs.append(replace(paragraph, questions=tuple(known)))
    if not any(paragraph.questions for paragraph in paragraphs):
        raise CorpusError("; ".join(said) or "no question of this article is in the file; give one", article.where)
    return replace(article, paragraphs=tuple(paragraphs)), said


def _same_questions(own: Sequence[Question], given: Sequence[Question]) -> dict[int, Question]:
    """Return by number which of its own questions a given one is: that of the same text, else that of the same id."""
    left, same = list(own), dict[int, Question]()
    for by_text, by_id in ((True, True), (True, False), (False, True)):
        for number, asked in enumerate(given):
            if number in same:
                continue
            alike = (
                one
                for one in left
                if (not by_text or SpellingMap.fits(one.text, asked.text)) and (not by_id or one.id == asked.id)
            )
            if found := next(alike, None):
                same[number] = found
                left.remove(found)
    return same


def _moved(paragraph: Paragraph, context: str) -> Paragraph:
    """Return a paragraph whose text is another spelling of its own, with the answers at their places there."""
    if paragraph.context == context:
        return paragraph
    respelling = SpellingMap(paragraph.context, context)

    def there(answer: Answer) -> Answer:
        start, end = respelling.span(answer.start, answer.start + len(answer.text))
        return Answer(context[start:end], start)

    questions = (replace(one, answers=tuple(map(there, one.answers))) for one in paragraph.questions)
    return Paragraph(context, tuple(questions))
