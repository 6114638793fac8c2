"""The annotation app: store, rounds, editors, pages. Only its workers, processes of their own, import torch."""
