import pytest
import torch
from safetensors.torch import load_file

from fewshot.encoders import packed
from fewshot.errors import FewshotError


def matrix(rows=6, columns=64, scale=1.0):
    return torch.randn(rows, columns, generator=torch.Generator().manual_seed(0)) * scale


def in_blocks(bits):
    """A matrix as it comes out of ggml's blocks: whole numbers by a scale in half precision, the largest at its end."""
    generator = torch.Generator().manual_seed(1)
    end = {4: -8, 8: 127}[bits]
    numbers = torch.randint(-abs(end) + 1, abs(end), (5, 3, packed.BLOCK), generator=generator).float()
    numbers[..., 7] = end
    scales = (torch.rand(5, 3, 1, generator=generator) - 0.5).half().float() / 100
    scales = scales.half().float() if bits == 4 else scales.abs().half().float()
    return (numbers * scales).flatten(1)


@pytest.mark.parametrize("bits", [4, 8])
def test_zeros_and_weights_that_came_in_blocks_are_kept_exactly(bits):
    for whole in (in_blocks(bits), torch.zeros(2, 32)):
        assert torch.equal(packed.unpack(*packed.pack(whole, bits)), whole)


@pytest.mark.parametrize(("bits", "error"), [(8, 0.5 / 127), (4, 1 / 8)])
@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_rounding_is_bounded_by_the_largest_number_of_a_block(bits, error, scale):
    whole = matrix(scale=scale)
    off = (packed.unpack(*packed.pack(whole, bits)) - whole).unflatten(1, (-1, packed.BLOCK)).abs().amax(2)
    largest = whole.unflatten(1, (-1, packed.BLOCK)).abs().amax(2)
    assert (off <= largest * error * 1.01).all()
    assert off.max() > 0


def test_what_is_written_is_as_small_as_asked(tmp_path):
    tensors = {"four": matrix(), "eight": matrix(), "half": matrix(), "odd": matrix(columns=40), "ids": torch.arange(9)}
    tensors["bias"] = matrix(1)[0]
    packed.save(tensors, {"four": 4, "eight": 8, "half": 16, "odd": 4, "bias": 8}, tmp_path / packed.FILE)
    sizes = {name: tensor.numel() * tensor.element_size() for name, tensor in load_file(tmp_path / packed.FILE).items()}
    scales = 6 * 2 * 2
    assert sizes == {
        **{"four": 6 * 32, "four.scales": scales, "eight": 6 * 64, "eight.scales": scales},
        **{"half": 6 * 64 * 2, "odd": 6 * 40 * 2, "ids": 72, "bias": 128},
    }
    loaded = packed.load(tmp_path / packed.FILE)
    assert loaded.keys() == tensors.keys()
    assert torch.equal(loaded["eight"], packed.unpack(*packed.pack(tensors["eight"], 8)))
    assert torch.equal(loaded["half"], tensors["half"].half().float())
    assert torch.equal(loaded["ids"], tensors["ids"])
    assert {tensor.dtype for name, tensor in loaded.items() if name != "ids"} == {torch.float32}


def test_other_widths_are_refused():
    with pytest.raises(FewshotError, match="weights of 3 bits cannot be written; choose from 4, 8, 16"):
        packed.check(3)
