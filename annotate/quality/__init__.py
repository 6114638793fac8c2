"""Agreement, gold, adjudication, flags and comments."""
