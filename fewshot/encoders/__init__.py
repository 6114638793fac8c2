"""Pretrained encoders, of whatever kind transformers loads: pieces and word vectors, freezing, LoRA.

Import the modules: only some need torch.
"""
