"""The document model: sentences of words, multiword tokens and empty nodes, and their operations.

`model` has the types, `reading` reads and writes files, `conllu` turns lines into the model and back. Each operation
has a module: `annotate`, `nodes`, `retokenize` (with split and merge), `join`, `divide` (its inverse) and `diff`.
"""
