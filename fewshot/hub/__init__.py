"""Models as folders for people without this package: what plain transformers loads, and a card that says what it is."""
