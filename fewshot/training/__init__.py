"""Fine-tuning: the recipe, the loop, source models and their adaptation to a target language."""
