"""``fewshot analyze``: a file a study of the papers, its options and the call of it."""
