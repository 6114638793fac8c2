"""How few sentences of my language must I annotate, which ones, and what will each point of accuracy cost?"""
