"""The annotation app: store, rounds, editors, pages. Only its worker processes import torch."""
