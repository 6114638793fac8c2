import json

import pytest
from llm.scripted import gold
from making import examples_of

from fewshot import tasks
from fewshot.corpora.types import Article, Document, Paragraph, Question
from fewshot.llm import LlmAnswer, Prompt, annotate, reading
from fewshot.llm.forms import FORMS, form_of
from fewshot.llm.forms.base import record, rows
from fewshot.llm.reading import AnswerError

NAMES = ["pos", "pos+feats+lemma+xpos", "dep", "dep+upos", "dep+subtypes", "ner", "nli", "qa", "topic", "topic+several"]


def answer(text, finish="stop"):
    return LlmAnswer(text, finish, 1, 1, "v", 0.1, "2026-11-25")


def prepared(name, n=12):
    made = examples_of(tasks.get(name), n, seed=3)
    return tasks.get(name).fitted(made), made


def saying(*texts):
    """Somebody who says one text after the other, and keeps what was asked."""
    rest, asked = iter(texts), []

    def ask(messages, schema):
        asked.append(list(messages))
        return answer(next(rest))

    return ask, asked


def test_every_editor_has_a_form():
    assert {task.editor for task in tasks.registry().values()} == set(FORMS)


@pytest.mark.parametrize("name", NAMES)
def test_a_gold_answer_is_read_as_gold_and_no_question_holds_it(name):
    task, made = prepared(name)
    answers = gold(task, made)
    prompt = Prompt(task, "Xish", shots=made[:2])
    for example in made:
        blank = example.unannotated() if name != "dep+upos" else example.annotated(heads=(), deprels=())
        question = prompt.form.question(example)
        assert question == prompt.form.question(blank)
        ask, _ = saying(json.dumps(answers[question]))
        reply = annotate(prompt, blank, ask)
        assert reply.refusal == ""
        assert task.columns[0] in reply.example.predicted
        assert (task.counts(example, reply.example) == task.counts(example, example)).all()
    counts = sum(task.counts(example, prompt.form.unanswered(example)) for example in made)
    assert task.metrics(counts)[task.metric] == 0


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_bounds_what_there_can_be_of_an_example(name):
    task, made = prepared(name)
    for example in made:
        (lists,) = form_of(task).schema(example)["properties"].values()
        (given,) = form_of(task).answer(example).values()
        if isinstance(given, list):
            assert lists["minItems"] <= len(given) <= lists["maxItems"] <= example.length
            assert lists["minItems"] in (0, len(given))


AROUND = {
    "thoughts before it": '<think>Perhaps {{"label": "none"}}, or\n{{}}?</think>\n<think>No.</think>\n{}',
    "thoughts that the server opened": 'Perhaps {{"label": "none"}}, or\n{{}}?</think>\n<think>No.</think>\n{}',
    "thoughts behind it": "{}<think>Was that right?</think>",
    "a fence": "```json\n{}\n```",
    "prose": "Here you are:\n{}\nI hope this helps!",
    "a byte order mark": "\ufeff  {}  ",
}


@pytest.mark.parametrize("around", AROUND.values(), ids=AROUND)
@pytest.mark.parametrize("name", ["pos", "topic"])
def test_what_stands_around_an_answer_is_passed_over(name, around):
    task, made = prepared(name, 1)
    text = json.dumps(form_of(task).answer(made[0]), ensure_ascii=False)
    ask, asked = saying(around.format(text))
    reply = annotate(Prompt(task, "Xish"), made[0], ask)
    assert (reply.refusal, len(asked)) == ("", 1)
    assert (task.counts(made[0], reply.example) == task.counts(made[0], made[0])).all()


def test_trailing_commas_are_forgiven():
    schema = record(rows=rows(0, 9, text="string"))
    assert reading.read('{"rows": [{"text": "a,] \\" ,}",},],}', schema) == {"rows": [{"text": 'a,] " ,}'}]}


def test_an_answer_with_two_values_of_one_key_is_refused():
    with pytest.raises(AnswerError, match="the key 'label' stands twice"):
        reading.read('{"label": "a", "label": "b"}', record(label="string"))


@pytest.mark.parametrize("before", ["<think>" * 300_000, '{"' + r"\"" * 300_000 + "}"])
def test_an_answer_that_repeats_itself_is_read_in_linear_time(before):
    with pytest.raises(AnswerError):
        reading.read(before, record(label="string"))


def test_a_prompt_holds_labels_guidelines_and_examples_in_order():
    task, made = prepared("topic")
    messages = Prompt(task, "Wolof", "Sports is also chess.", made[:2]).messages(made[2])
    assert [turn["role"] for turn in messages] == ["system", "user", "assistant", "user", "assistant", "user"]
    for part in ("Wolof", "Sports is also chess.", *task.choices):
        assert part in messages[0]["content"]
    assert json.loads(messages[2]["content"]) == {"label": made[0].label}
    assert made[2].text in messages[-1]["content"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"words": []}', "there are 0 rows for 4 words"),
        ("I cannot do that.", "no JSON object"),
        ('{"words": [', "no JSON object"),
        ('{"words": [}', "not valid JSON"),
        ('{"tags": ["NOUN"]}', "'words' is missing"),
        ('{"words": [{"n": 1}]}', "'words[0].word' is missing"),
        ('{"words": [{"n": true, "word": "a", "upos": "NOUN"}]}', "true or false, not a whole number"),
    ],
)
def test_what_is_wrong_is_said_to_the_model_and_the_second_answer_counts(text, message):
    task, made = prepared("pos")
    example = next(one for one in made if len(one.words) == 4)
    prompt = Prompt(task, "Xish")
    right = json.dumps(prompt.form.answer(example))
    ask, asked = saying(text, right)
    reply = annotate(prompt, example.unannotated(), ask)
    assert reply.example.upos == example.upos
    assert asked[1][-2] == {"role": "assistant", "content": text}
    assert message in asked[1][-1]["content"]
    ask, _ = saying(text, text)
    again = annotate(prompt, example, ask)
    assert (again.example, len(again.answers)) == (None, 2)
    assert message in again.refusal


def changed(name, change):
    task, made = prepared(name)
    example = next(one for one in made if getattr(one, "words", "....") and one.length > 3)
    form = form_of(task)
    value = form.answer(example)
    change(value)
    text = json.dumps(value)
    return annotate(Prompt(task, "Xish"), example.unannotated(), saying(text, text)[0])


def set_row(place, **values):
    return lambda value: next(iter(value.values()))[place].update(values)


def cycle(value):
    value["words"][-1]["head"], value["words"][-2]["head"] = len(value["words"]) - 1, len(value["words"])
    for row in value["words"][-2:]:
        row["deprel"] = "obl"


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("pos", set_row(0, upos="NOUNS"), "UPOS 'NOUNS'"),
        ("pos", set_row(1, n=7), "row 2 has the number 7"),
        ("pos", set_row(1, word="other"), "row 2 is about 'other'"),
        ("pos+feats", set_row(0, feats="nominative"), "not in the format Case=Nom"),
        ("dep", set_row(-1, head=0), "head 0 and relation 'root' go together"),
        ("dep", set_row(-1, head=-3), "has no head"),
        ("dep", set_row(-1, head=0, deprel="root"), "a sentence has one root"),
        ("dep", set_row(-1, deprel="subject"), "relation 'subject'"),
        ("dep", cycle, "cycle"),
        ("ner", lambda value: value.update(entities=[{"text": "x", "first": 0, "last": 1, "type": "LOC"}]), "0 to 1"),
        ("ner", lambda value: value.update(entities=[{"text": "x", "first": 1, "last": 1, "type": "LOC"}]), "not 'x'"),
        ("qa", set_row(0, text="what no paragraph says"), "is not copied from its paragraph"),
        ("qa", set_row(0, n=2), "numbered in order"),
    ],
)
def test_no_wrong_annotation_is_taken(name, change, message):
    reply = changed(name, change)
    assert reply.example is None
    assert message in reply.refusal


def test_letters_and_their_marks_may_come_composed_or_not():
    """Models write NFC, whatever the text and the labels are in."""
    paragraph = Paragraph("Cafe\u0301 Flore", (Question("q", "Where?"),))
    task, article = tasks.get("qa"), Article("a", (paragraph,), "")
    (asked,) = form_of(task).read(article, {"answers": [{"n": 1, "text": "Caf\u00e9"}]}).paragraphs[0].questions
    assert [(answer.text, answer.start) for answer in asked.answers] == [("Cafe\u0301", 0)]
    topics = form_of(tasks.get("topic", ["cafe\u0301", "bar"]))
    assert topics.read(Document("d", "x", ""), {"label": " caf\u00e9"}).label == "cafe\u0301"
    several = form_of(tasks.get("topic+several", ["cafe\u0301", "bar"]))
    assert several.read(Document("d", "x", ""), {"label": ["bar", "caf\u00e9", "bar "]}).label == "bar|cafe\u0301"
    assert several.answer(Document("d", "x", "bar|cafe\u0301")) == {"label": ["bar", "cafe\u0301"]}


def test_entities_of_unknown_types_and_those_that_overlap_are_refused():
    def refusal(*entities):
        keys = ("first", "last", "type", "text")
        found = [(first, last, kind, " ".join(example.words[first - 1 : last])) for first, last, kind in entities]
        text = json.dumps({"entities": [dict(zip(keys, one, strict=True)) for one in found]})
        return annotate(Prompt(task, "Xish"), example, saying(text, text)[0]).refusal

    task, made = prepared("ner")
    example = next(one for one in made if len(one.words) > 3)
    assert "B-CITY" in refusal((1, 2, "CITY"))
    assert "overlaps" in refusal((1, 2, "LOC"), (1, 3, "LOC"))
    assert refusal((1, 2, "LOC")) == ""


@pytest.mark.parametrize(("text", "finish"), [("", "stop"), ('{"label": "sports"}', "length"), ("", "content_filter")])
def test_no_answer_and_half_an_answer_are_refused(text, finish):
    task, (example, *_) = prepared("topic")
    reply = annotate(Prompt(task, "Xish"), example, lambda *_: answer(text, finish))
    assert reply.example is None
    assert reply.refusal in ("there is no answer", "it is too long and was cut off")
