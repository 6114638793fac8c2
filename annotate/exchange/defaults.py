"""Default settings of a new project."""

K = 10
"""Number of shots of the first round."""

TEST = 50
"""Number of examples of the test set, if the data have none."""

SEED = 0
BLIND_SHARE = 0.2
DOUBLE_SHARE = 0.0
CURRENCIES = ("USD", "EUR", "GBP", "JPY")
"""Currencies of the form; the first is the default."""

LEVEL = 2
ENCODER = "mini"
SUGGESTER = "encoder"
LEARNS = True
