"""The self-contained HTML report and the tables of the terminal."""
