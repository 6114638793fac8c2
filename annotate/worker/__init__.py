"""The worker processes of the annotation app: ``python -m annotate.worker ID`` and ``fewshot worker``."""
