import pytest
import torch

from fewshot.heads.span import MAX_SPAN_UNITS, Span


def head_and_scores(lengths, seed=0):
    units = max(1, *lengths)
    generator = torch.Generator().manual_seed(seed)
    head = Span(hidden=8).eval()
    mask = torch.arange(units) < torch.tensor(lengths).unsqueeze(-1)
    vectors = torch.randn(len(lengths), units, 8, generator=generator)
    return head, head(vectors, mask, torch.zeros_like(mask, dtype=torch.long)), mask


def test_starts_and_ends_are_distributions_over_the_units_of_an_input():
    _, scores, mask = head_and_scores([3, 50, 1])
    torch.testing.assert_close(scores.exp().sum(1), torch.ones(3, 2))
    assert scores.exp()[~mask].sum() == 0


@pytest.mark.parametrize("lengths", [[1], [4, 2], [MAX_SPAN_UNITS + 25, 3], [MAX_SPAN_UNITS]])
def test_decoding_finds_what_a_search_over_all_spans_finds(lengths):
    head, scores, mask = head_and_scores(lengths, seed=sum(lengths))
    for length, row, found in zip(lengths, scores.tolist(), head.decode(scores, mask), strict=True):
        every = (
            (row[start][0] + row[end][1], start, end)
            for start in range(length)
            for end in range(start, min(length, start + MAX_SPAN_UNITS))
        )
        score, start, end = max(every)
        ((*place, best),) = found
        assert place == [start, end]
        assert best == pytest.approx(score, abs=1e-4)


def test_loss_is_minus_the_log_of_the_probabilities_of_all_right_spans():
    head, scores, mask = head_and_scores([6, 4, 3])
    targets = head.collate([[(0, 1), (2, 5)], [(3, 3)], []], 6)  # of the last input none is right
    start, end = scores.exp().unbind(-1)
    first = start[0, 0] * end[0, 1] + start[0, 2] * end[0, 5]
    second = start[1, 3] * end[1, 3]
    expected = -(first.log() + second.log()).item()
    assert head.loss(scores, targets, mask).item() == pytest.approx(expected, abs=1e-5)
    assert head.count_annotated(targets) == 2


def test_gradients_are_numbers_where_inputs_and_answers_are_padded():
    head, scores, mask = head_and_scores([0, 40, 2])
    loss = head.loss(scores, head.collate([[], [(3, 39), (0, 0)], [(1, 1)]], 40), mask)
    loss.backward()
    assert torch.isfinite(head.output.weight.grad).all()
    assert head.output.weight.grad.any()


def test_probability_of_a_span_is_that_of_its_start_times_that_of_its_end():
    head, scores, mask = head_and_scores([6, 4, 0])
    found = head.decode(scores, mask)
    probabilities = head.probabilities(scores, mask, found)
    assert [len(row) for row in probabilities] == [1, 1, 0]
    for row, spans, values in zip(scores.detach().exp(), found, probabilities, strict=True):
        expected = [float(row[span.start, 0] * row[span.end, 1]) for span in spans]
        assert list(values) == pytest.approx(expected, rel=1e-4)
