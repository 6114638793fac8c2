"""What several commands share; each other file of `fewshot.cli` is a command."""
