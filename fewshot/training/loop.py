"""The loop of every training: batches and their losses go in, and a model is trained in place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import torch
from torch import Tensor, nn

from fewshot.checkpoint import Keeper, Kept
from fewshot.progress import Progress
from fewshot.training import memory

B = TypeVar("B")


class Group(NamedTuple):
    """Parameters and their learning rate: at an update, counted from 0, the schedule says which share of the peak."""

    parameters: Iterable[nn.Parameter]
    peak: float
    schedule: Callable[[int], float]
    decay: float = 0.0


class Training:
    """One training: the optimizer (AdamW), the mean of the weights, the checkpoints and the progress.

    ``done`` counts the updates, those of the checkpoint among them; ``loss`` is that of the last one. Checkpoints also
    keep ``notes``, which the caller changes, in JSON: ``pieces``, how many pieces of text were read, and others.

    Args:
        groups: all parameters of the model that require gradients; others are left out.
        clip: largest gradient norm.
        average: the last model is the mean of this many evenly spaced ones (Schmidt et al. 2023); 1: the last one.
        keeper: of checkpoints; a training that was stopped goes on from the last one.
        doing: what the progress calls the training.
    """

    def __init__(
        self,
        model: nn.Module,
        groups: Sequence[Group],
        updates: int,
        *,
        clip: float = 1.0,
        betas: tuple[float, float] = (0.9, 0.999),
        average: int = 1,
        keeper: Keeper | None = None,
        doing: str = "",
    ) -> None:
        self.model, self.updates, self.clip, self.keeper, self.doing = model, updates, clip, keeper, doing
        self.trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
        given = [
            {"params": trained, "weight_decay": group.decay, "peak": group.peak, "schedule": group.schedule}
            for group in groups
            if (trained := [parameter for parameter in group.parameters if parameter.requires_grad])
        ]
        self.optimizer = torch.optim.AdamW(given, betas=betas, fused=True)
        self.average = Average(self.trained, updates, average)
        kept = keeper.load(model, self.optimizer) if keeper else Kept()
        self.done = self.kept = kept.update
        self.loss = torch.zeros(())
        self.notes: dict[str, Any] = {"pieces": 0, **kept.notes}
        self.average.restore(kept.update, kept.tensors)

    def run(self, batches: Iterable[B], losses: Callable[[B], Iterable[Tensor]]) -> Iterator[Progress]:
        """Do an update for each batch; yield the progress after each, and take the mean of the weights at the end.

        Args:
            batches: of the updates that are left.
            losses: yields the losses of a batch, whose sum is the loss of the update. The gradients of a loss are
                computed before the next loss is, so that no two graphs are in memory at once.
        """
        ceiling = memory.Ceiling()
        for batch in batches:
            for group in self.optimizer.param_groups:
                group["lr"] = group["peak"] * group["schedule"](self.done)
            self.loss = self._update(losses(batch), ceiling)
            self.done += 1
            self.average.add(self.done)
            if self.keeper:
                self.keeper.offer(self.done, self.model, self.optimizer, self.notes, self.average.tensors)
            yield Progress(self.done, self.updates, self.doing, self.loss, self.kept)
        self.average.store()

    def _update(self, losses: Iterable[Tensor], ceiling: memory.Ceiling) -> Tensor:
        self.optimizer.zero_grad(set_to_none=True)
        total = torch.zeros((), device=self.trained[0].device)
        for loss in losses:
            torch.autograd.backward(loss)
            total += loss.detach()
            ceiling()
        clip_gradients(self.trained, self.clip)
        self.optimizer.step()
        return total


def clip_gradients(parameters: Sequence[nn.Parameter], largest: float) -> None:
    """Scale gradients whose norm is too large; the others are left alone, but on GPUs, which would wait to be asked."""
    moved = [parameter for parameter in parameters if parameter.grad is not None]
    norm = nn.utils.get_total_norm([parameter.grad for parameter in moved if parameter.grad is not None])
    if norm.device.type != "cpu" or not norm <= 0.99 * largest:  # close to it torch decides
        nn.utils.clip_grads_with_norm_(moved, largest, norm)


class Average:
    """The running mean of so many evenly spaced states of the parameters that are trained; 1: of none."""

    def __init__(self, parameters: Sequence[nn.Parameter], updates: int, states: int) -> None:
        self.parameters = parameters
        self.at = {round(updates * (n + 1) / states) for n in range(states)} if states > 1 else set()
        self.mean: list[Tensor] = []
        self.seen = 0

    @property
    def tensors(self) -> dict[str, Tensor]:
        """The mean, for a checkpoint."""
        return {str(number): mean for number, mean in enumerate(self.mean)}

    def restore(self, update: int, tensors: Mapping[str, Tensor]) -> None:
        """Go on from the mean after an update."""
        self.seen = sum(0 < at <= update for at in self.at)
        self.mean = [tensors[str(n)].to(p.device) for n, p in enumerate(self.parameters)] if self.seen else []

    @torch.no_grad()
    def add(self, update: int) -> None:
        """Add the parameters as they are after an update, if it is one of those that count."""
        if update not in self.at:
            return
        self.seen += 1
        if not self.mean:
            self.mean = [p.detach().clone() for p in self.parameters]
        else:
            torch._foreach_lerp_(self.mean, [p.detach() for p in self.parameters], 1 / self.seen)

    @torch.no_grad()
    def store(self) -> None:
        """Give the parameters the values of the mean."""
        for parameter, mean in zip(self.parameters, self.mean, strict=False):
            parameter.copy_(mean)
