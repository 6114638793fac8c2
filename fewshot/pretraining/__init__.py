"""Pretraining of small multilingual encoders: corpus, tokenizer, aligned embeddings, masked language modelling."""
