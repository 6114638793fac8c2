"""Pretraining of small multilingual encoders: corpus, tokenizer, embeddings, language modelling."""
