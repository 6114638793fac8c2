"""The train page: one button, what the next round would bring, the curve, and what the newest model gets wrong."""

from annotate.pages.train.page import show

__all__ = ["show"]
