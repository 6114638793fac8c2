"""Examples of every kind, drawn by hypothesis: any script, any annotation."""

from hypothesis import strategies as st

from fewshot.corpora.types import Answer, Article, Document, Pair, Paragraph, Question, Sentence

chars = st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp", "Zs"), exclude_characters="\ufeff")
word = st.one_of(
    st.text(chars, min_size=1, max_size=5), st.sampled_from(["#", "_", "[x]", "a\\tb", "😀", "-", "O", "東京", "مرحبا"])
)
label = st.sampled_from(["PER", "LOC", "a_b", "x|y", "->", "[1]", "*"])
spaced = st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp"), exclude_characters="\ufeff")
text = st.text(spaced, min_size=1, max_size=20).map(str.strip).filter(bool)


@st.composite
def entities(draw, length, label=label):
    """Valid IOB2, all of it annotated."""
    tags = []
    while len(tags) < length:
        size = draw(st.integers(1, length - len(tags)))
        kind = draw(st.one_of(st.none(), label))
        tags += ["O"] * size if kind is None else [f"B-{kind}", *[f"I-{kind}"] * (size - 1)]
    return tuple(tags)


@st.composite
def tree(draw, length):
    order = draw(st.permutations(range(1, length + 1)))
    heads = {order[0]: 0} | {child: draw(st.sampled_from(order[:n])) for n, child in enumerate(order) if n}
    return tuple(heads[number] for number in range(1, length + 1))


@st.composite
def sentence(draw, number=0, columns=("upos", "heads", "entities"), label=label):
    words = tuple(draw(st.lists(word, min_size=1, max_size=6)))
    gaps = [draw(st.sampled_from(["", " ", "  "])) for _ in words[1:]]
    joined = words[0] + "".join(gap + each for gap, each in zip(gaps, words[1:], strict=True))
    made = {}
    if "upos" in columns:
        made["upos"] = tuple(draw(st.sampled_from(["NOUN", "VERB", "X"])) for _ in words)
    if "heads" in columns:
        made["heads"] = draw(tree(len(words)))
        made["deprels"] = tuple(
            "root" if head == 0 else draw(st.sampled_from(["obj", "nsubj:pass"])) for head in made["heads"]
        )
    if "entities" in columns:
        made["entities"] = draw(entities(len(words), label))
    return Sentence(f"s-{number}", joined, words, **made)


@st.composite
def numbered(draw, make, **options):
    return [draw(make(number=number, **options)) for number in range(draw(st.integers(1, 3)))]


@st.composite
def pair(draw, number=0):
    return Pair(f"p-{number}", draw(text), draw(text), draw(st.sampled_from(["neutral", "_"])))


@st.composite
def document(draw, number=0):
    return Document(f"d-{number}", draw(text), draw(st.sampled_from(["sports", "_"])))


@st.composite
def article(draw, number=0):
    contexts = draw(st.lists(text, min_size=1, max_size=2, unique=True))
    paragraphs = []
    for place, context in enumerate(contexts):
        questions = []
        for question in range(draw(st.integers(1, 2))):
            start = draw(st.integers(0, len(context) - 1))
            answer = context[start : draw(st.integers(start + 1, len(context)))]
            answers = (Answer(answer, start),) if answer.strip() else ()
            questions.append(Question(f"{number}-{place}-{question}", draw(text), answers))
        paragraphs.append(Paragraph(context, tuple(questions)))
    return Article(f"a-{number}", tuple(paragraphs))


KINDS = {"pairs": pair, "documents": document, "articles": article}


def of_task(task, label=label):
    if task.example is not Sentence:
        return numbered(KINDS[task.example.kind])
    return numbered(sentence, columns=task.columns, label=label)
