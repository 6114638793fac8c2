"""What is drawn, trained on and expected next."""
