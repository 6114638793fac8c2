"""Search sentences by patterns over tags and arcs, in a part of the syntax of Grew (Guillaume 2021).

::

    pattern { V [upos="VERB", !Tense]; V -[nsubj|obj]-> N; N << V }
    without { N -[case]-> * }

A node stands for a word; two nodes are always different words. Conditions on nodes use ``form``, ``lemma``, ``upos``,
``xpos``, ``NER``, and any key of FEATS and MISC. `parsing` documents the syntax, `rules` that of commands.
"""

from fewshot.corpora.patterns.deadline import Deadline
from fewshot.corpora.patterns.graph import Match
from fewshot.corpora.patterns.matching import matches
from fewshot.corpora.patterns.parsing import PatternError, parse
from fewshot.corpora.patterns.pattern import COLUMNS, FILE, Pattern
from fewshot.corpora.patterns.rules import Rule, parse_rule

__all__ = ["COLUMNS", "FILE", "Deadline", "Match", "Pattern", "PatternError", "Rule", "matches", "parse", "parse_rule"]
