"""Export of models as folders that plain transformers loads, with a model card."""
