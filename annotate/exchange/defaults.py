"""What a new project has unless its form or its command says otherwise."""

K = 10
"""Shots of the first round."""

TEST = 50
"""Examples of the test set, where none comes with the data."""

SEED = 0
BLIND_SHARE = 0.2
DOUBLE_SHARE = 0.0
CURRENCIES = ("USD", "EUR", "GBP", "JPY")
"""To choose from; the first is the usual one."""

LEVEL = 2
ENCODER = "mini"
SUGGESTER = "encoder"
LEARNS = True
