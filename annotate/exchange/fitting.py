"""Fit an example of a file to the project's example of the same text: spelling, words, questions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any
from unicodedata import normalize

from fewshot.corpora import offsets
from fewshot.corpora.iob import continued
from fewshot.corpora.spelling import SpellingMap, composed
from fewshot.corpora.tokenization.surface import word_places
from fewshot.corpora.types import Answer, Article, Paragraph, Question, Sentence
from fewshot.errors import CorpusError


def fitted(own: Any, example: Any) -> tuple[Any, list[str]]:
    """Return an example with the project's spelling, words and questions, and messages.

    Args:
        own: the project's example of the same text.
        example: of the file.

    Raises:
        CorpusError: when the annotation would cut a letter or a word of the project's example.
    """
    if isinstance(example, Sentence):
        return _fitted_sentence(own, example), []
    if isinstance(example, Article):
        return _fitted_article(own, example)
    return example, []


def like(text: str) -> Callable[[str], str]:
    """Return a function that normalizes a word as the text is: to NFC, to NFD, or not at all."""
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
    """Return a sentence with another spelling of its text."""
    places, respelling, spelled = word_places(sentence, sentence.text), SpellingMap(sentence.text, text), like(text)
    words, end = list(map(spelled, sentence.words)), 0
    for number, place in enumerate(places):
        if sentence.text[slice(*place)] != sentence.words[number]:
            continue  # it is part of a multiword token
        start, stop = respelling.span(*place)
        if start < end:
            what = f"the word {sentence.words[number]!r} begins inside {text[start]!r} of the project's text"
            raise CorpusError(f"{what}; give whole letters", sentence.where)
        words[number], end = text[start:stop], stop
    return replace(sentence, words=tuple(words), text=text)


def _on_words_of(own: Sentence, sentence: Sentence) -> Sentence:
    """Return a sentence of a file without words, with the project's words and its entities on them."""
    places = word_places(own, own.text)
    if not places or any(offsets.is_annotated(getattr(sentence, column)) for column in ("upos", "heads")):
        raise CorpusError("the words here may be others than the project's; give them too (words)", sentence.where)
    entities: tuple[str, ...] = ()
    if offsets.is_annotated(sentence.entities):
        stretches = offsets.entities(sentence.entities, word_places(sentence, sentence.text))
        tokens = list(dict.fromkeys(places))
        tags = dict(zip(tokens, offsets.tags(stretches, tokens, own.text, sentence.where), strict=True))
        pairs = pairwise([(-1, -1), *places])
        entities = tuple(continued(tags[place]) if place == before else tags[place] for before, place in pairs)
    return replace(own.unannotated(), id=sentence.id, entities=entities, record=None, where=sentence.where)


def _fitted_article(own: Article, article: Article) -> tuple[Article, list[str]]:
    """Return an article with the project's text and question ids, and messages about left-out questions."""
    paragraphs, messages = [], []
    for given, mine in zip(article.paragraphs, own.paragraphs, strict=True):
        paragraph = _moved(given, mine.context)
        same, known = _same_questions(mine.questions, paragraph.questions), []
        for number, asked in enumerate(paragraph.questions):
            if number in same:
                known.append(replace(asked, id=same[number].id, text=same[number].text))
            else:
                messages.append(f"the project does not have the question {asked.id!r}; it is left out")
        paragraphs.append(replace(paragraph, questions=tuple(known)))
    if not any(paragraph.questions for paragraph in paragraphs):
        raise CorpusError("; ".join(messages) or "no question of this article is in the file; give one", article.where)
    return replace(article, paragraphs=tuple(paragraphs)), messages


def _same_questions(own: Sequence[Question], given: Sequence[Question]) -> dict[int, Question]:
    """Return the own question for each given one, by number: by the same text, else the same id."""
    left, same = list(own), dict[int, Question]()
    for by_text, by_id in ((True, True), (True, False), (False, True)):
        for number, asked in enumerate(given):
            if number in same:
                continue
            alike = (
                own_question
                for own_question in left
                if not by_text or SpellingMap.fits(own_question.text, asked.text)
                if not by_id or own_question.id == asked.id
            )
            if match := next(alike, None):
                same[number] = match
                left.remove(match)
    return same


def _moved(paragraph: Paragraph, context: str) -> Paragraph:
    """Return a paragraph with another spelling of its text, and its answers moved there."""
    if paragraph.context == context:
        return paragraph
    respelling = SpellingMap(paragraph.context, context)

    def moved(answer: Answer) -> Answer:
        start, end = respelling.span(answer.start, answer.start + len(answer.text))
        return Answer(context[start:end], start)

    questions = (replace(asked, answers=tuple(map(moved, asked.answers))) for asked in paragraph.questions)
    return Paragraph(context, tuple(questions))
