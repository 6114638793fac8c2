"""The worker processes of the annotation app: ``python -m annotate.worker`` and ``fewshot worker``."""
