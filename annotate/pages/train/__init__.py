"""The train page: training, forecast of the next round, curve, errors of the newest model."""

from annotate.pages.train.page import show

__all__ = ["show"]
