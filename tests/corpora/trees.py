"""Sentences of treebanks, and other tokenizations of them, drawn by hypothesis."""

from itertools import pairwise

from hypothesis import strategies as st

letters = st.text("abé'가", min_size=1, max_size=3)


@st.composite
def treebank_lines(draw):
    """A whole tree in CoNLL-U: some words glued, some in multiword tokens, DEPS and an empty node or none."""
    words = draw(st.lists(letters, min_size=2, max_size=8))
    n = len(words)
    order = draw(st.permutations(range(1, n + 1)))
    heads = {word: draw(st.sampled_from(order[:place])) if place else 0 for place, word in enumerate(order)}
    starts = draw(st.lists(st.integers(1, n - 1), max_size=2, unique=True))
    ranges = {start: draw(letters) for start in starts if start - 1 not in starts}
    tokens = [(w, ranges.get(w, words[w - 1])) for w in range(1, n + 1) if w - 1 not in ranges]
    glued = {word: draw(st.booleans()) for word, _ in tokens}
    glued[tokens[-1][0]] = False
    node = draw(st.sampled_from([None, *range(n + 1)])) if draw(st.booleans()) else None
    enhanced = node is not None or draw(st.booleans())
    text = "".join(form + " " * (not glued[word]) for word, form in tokens).strip()
    lines = ["# sent_id = s", f"# text = {text}"]
    empty = f"{node}.1\te\t_\tVERB\t_\t_\t_\t_\t{order[0]}:dep\t_"
    lines += [empty] * (node == 0)
    for word, form in enumerate(words, start=1):
        if word in ranges:
            after = "SpaceAfter=No" if glued[word] else "_"
            lines.append(f"{word}-{word + 1}\t{ranges[word]}" + "\t_" * 7 + f"\t{after}")
        relation = "dep" if heads[word] else "root"
        arcs = [(float(heads[word]), f"{heads[word]}:{relation}")]
        arcs += [(node + 0.1, f"{node}.1:obj")] if node == word else []
        deps = "|".join(arc for _, arc in sorted(arcs)) if enhanced else "_"
        misc = "SpaceAfter=No" if glued.get(word) and word not in ranges else f"Gloss={word}"
        lines.append(f"{word}\t{form}\t{form}\tX\tx{word}\t_\t{heads[word]}\t{relation}\t{deps}\t{misc}")
        lines += [empty] * (node == word)
    return "\n".join(lines) + "\n\n"


def is_forest(heads):
    """No way up from any word comes back to it, and no head is outside of the sentence."""
    above = set(range(1, len(heads) + 1))
    for _ in heads:
        above = {heads[word - 1] for word in above if 0 < word <= len(heads)}
    return above <= {0, -1} and max(heads) <= len(heads)


def cut(text, places):
    return [text[start:end] for start, end in pairwise([0, *sorted(places), len(text)])]


@st.composite
def recuts(draw, words):
    """The same characters in other words, some of them in a multiword token."""
    text = "".join(words)
    new = cut(text, draw(st.sets(st.integers(1, len(text) - 1), max_size=8)))
    starts = draw(st.sets(st.integers(1, len(new) - 1), max_size=1)) if len(new) > 1 else []
    return new, [(start, start + 1, draw(letters)) for start in starts]
