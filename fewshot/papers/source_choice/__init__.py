"""Which language to learn from (Ebrahimi et al. 2025): how well `fewshot.source_choice` ranks sources."""
