"""The cost and duration of annotation and computing; the price of labels is in the task's file."""
