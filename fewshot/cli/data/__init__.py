"""``fewshot data``: treebanks of Universal Dependencies."""
