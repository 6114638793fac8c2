"""Experiments of papers that pretrain encoders of their own: one file an experiment, one machinery for all."""
