"""fewshot: how few sentences of my language must I annotate, which ones, and what will each point cost?"""
