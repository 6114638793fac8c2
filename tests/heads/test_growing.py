import pytest
import torch

from fewshot import tasks
from fewshot.tasks.dep import RELATIONS

HIDDEN = 16

CASES = {
    "topic": (["a", "b", "c"], ["d", "e"]),
    "topic of one label": (["a"], ["d"]),
    "ner": (["PER", "LOC"], ["DATE", "KIN"]),
    "ner of one type": (["LOC"], ["DATE"]),
    "ner+crf": (["PER", "LOC"], ["DATE", "KIN"]),
    "ner+crf of one type": (["LOC"], ["DATE", "KIN"]),
    "pos+feats+lemma": (["", "Case=Nom", "↓0;0,0,0;", "↓0;0,1,0;"], ["Case=Gen", "=be", "↓0;0,2,0;"]),
    "pos+xpos": (["xpos NN", "xpos NOUN"], ["xpos VB"]),
    "dep": ([*RELATIONS], ["foo", "bar"]),
    "dep+upos+tags+subtypes+distance": ([*RELATIONS], ["nsubj:own"]),
}


@pytest.fixture(params=CASES)
def heads(request):
    name, (known, new) = request.param.partition(" ")[0], CASES[request.param]
    task = tasks.get(name, known)
    more = task.with_labels(new)
    torch.manual_seed(0)
    small, large = (each.head(HIDDEN, 0.1).eval() for each in (task, more))
    for parameter in small.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    large.grow(small, [task.similar_labels(label) for label in more.labels[len(task.labels) :]])
    return task, more, small, large


def batch(seed, units=9):
    generator = torch.Generator().manual_seed(seed)
    mask = torch.arange(units) < torch.randint(1, units + 1, (64, 1), generator=generator)
    vectors = torch.randn(64, units, HIDDEN, generator=generator) * mask.unsqueeze(-1)
    return vectors, mask, torch.randint(0, 5, mask.shape, generator=generator) * mask


def test_predictions_stay_the_same_and_no_new_label_is_likelier_than_the_best_known_one(heads):
    task, more, small, large = heads
    vectors, mask, features = batch(seed=9)
    with torch.no_grad():
        before, scores = small.decode(small(vectors, mask, features), mask), large(vectors, mask, features)
        assert large.decode(scores, mask) == before
        found = large.probabilities(scores, mask, before)
    known = len(task.labels)
    for each in found:
        labels = each[1] if isinstance(each, tuple) else each
        legal = labels[labels[:, known:].sum(1) > 0]  # of an arc from the root there is one relation
        for column in more.places.values() if task.name.startswith("pos") else [range(len(more.labels))]:
            old, new = ([place for place in column if (place < known) == is_old] for is_old in (True, False))
            assert not new or (legal[:, old].max(1) > legal[:, new].max(1)).all()


def test_a_crf_begins_new_entities_as_it_does_known_ones():
    task = tasks.get("ner+crf", ["PER", "LOC"])
    more = task.with_labels(["DATE"])
    small, large = (each.head(HIDDEN, 0.0) for each in (task, more))
    with torch.no_grad():
        small.follows.copy_(torch.arange(25.0).reshape(5, 5))
    large.grow(small, [task.similar_labels(label) for label in ("B-DATE", "I-DATE")])
    table = dict(zip(more.labels, large.follows.tolist(), strict=True))
    follows = {(one, other): score for one, row in table.items() for other, score in zip(table, row, strict=True)}
    assert follows["B-PER", "I-LOC"] == small.follows[1, 4]
    assert follows["B-DATE", "I-DATE"] == (follows["B-PER", "I-PER"] + follows["B-LOC", "I-LOC"]) / 2
    assert follows["B-PER", "I-DATE"] == follows["B-PER", "I-LOC"]  # neither may be
    assert follows["O", "B-DATE"] == (follows["O", "B-PER"] + follows["O", "B-LOC"]) / 2
    known = [follows[one, other] for one in ("I-PER", "I-LOC") for other in ("B-PER", "B-LOC")]
    assert follows["I-DATE", "B-DATE"] == sum(known) / 4


@pytest.mark.parametrize(
    "heads", ["topic", "ner", "ner+crf", "pos+feats+lemma", "dep+upos+tags+subtypes+distance"], indirect=True
)
def test_a_grown_head_learns_its_new_labels(heads):
    task, more, _, large = heads
    target = [more.labels.index("B-DATE") if task.name.startswith("ner") else len(more.labels) - 1]
    if task.name.startswith("pos"):
        target = [[column[-1] for column in more.places.values()]]
    elif task.name.startswith("dep"):  # two words: the second has a relation that is new
        target = [[0, more.labels.index("root"), 0], [1, *target, 0]]
    vectors, mask = torch.randn(1, len(target), HIDDEN), torch.ones(1, len(target), dtype=torch.bool)
    features, targets = torch.zeros(mask.shape, dtype=torch.long), large.collate([target], len(target))
    large.train()
    optimizer = torch.optim.Adam(large.parameters(), lr=0.02)
    for _ in range(150):
        optimizer.zero_grad()
        large.loss(large(vectors, mask, features), targets, mask).backward()
        optimizer.step()
    large.eval()
    with torch.no_grad():
        (found,) = large.decode(large(vectors, mask, features), mask)
    assert found == (([0, 1], targets[0, :, 1].tolist()) if isinstance(found, tuple) else targets[0].tolist())
