"""The worker processes of the annotation app: ``python -m fewshot.jobs ID`` and ``fewshot worker``."""
