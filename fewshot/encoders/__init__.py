"""Pretrained encoders of any kind that transformers loads: pieces and word vectors, freezing, LoRA.

Import the modules, since only some need torch.
"""
