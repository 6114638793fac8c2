"""Patterns over tags and arcs, in a part of the syntax of Grew (Guillaume 2021), matched against sentences.

::

    pattern { V [upos="VERB", !Tense]; V -[nsubj|obj]-> N; N << V }
    without { N -[case]-> * }

A node stands for a word: two nodes never for the same one. It has conditions on features: ``form``, ``lemma``,
``upos``, ``xpos``, ``NER``, and any key of FEATS and MISC. `parsing` names all that may stand in a pattern.
"""

from fewshot.corpora.patterns.deadline import Deadline
from fewshot.corpora.patterns.graph import Match
from fewshot.corpora.patterns.matching import matches
from fewshot.corpora.patterns.parsing import PatternError, parse
from fewshot.corpora.patterns.pattern import COLUMNS, FILE, Pattern

__all__ = ["COLUMNS", "FILE", "Deadline", "Match", "Pattern", "PatternError", "matches", "parse"]
