"""Pretrained encoders: loading, pieces and word vectors, freezing, LoRA. Import the modules: only some need torch."""
