"""Files with a few pieces cut out, put in or moved, as people and other programs damage them."""

PIECES = [
    b"\t", b"\n", b"\r\n", b"\r", b"\n\n", b" ", b"_", b"-1", b"9" * 5000, b"1-2", b"3-2", b"1.1", b"9.1", b"9" * 12,
    b"# ", b"\x00", b"\xff", b"\xef\xbb\xbf", b"O", b"B-A|B", b"I-X", b"*", b'"', b"{", b"[" * 2000, b"null", b"[]",
    b"\\ud83d", b"true", b"-", b"0", "\u0663".encode(), "\u00b2".encode(),
    b"\\", b"|", b"=", b"\\tx a", b"\\ref", b"\\upos X", b"<", b">", b"/>", b"&",
    b"&#0;", b"<!DOCTYPE a>", b"<word>", b"TIER", b"a1", "\u00a0".encode(), "\u200b".encode(), "\u2028".encode(),
    "e\u0301".encode(), "\U0001f468\u200d\U0001f469".encode(), b"SpaceAfter=No", b"# text = a b", b"# sent_id = 1",
]  # fmt: skip
"""What is put into files."""


def broken(data, choose):
    """Return a file with a piece cut out or put in, a line taken out, doubled or moved, or a cell put for another.

    Args:
        choose: a function that returns one of some values.
    """
    change = choose(["piece", "piece", "cut", "drop", "double", "swap", "cell"])
    if change in ("piece", "cut"):
        start = choose(range(len(data) + 1))
        end = min(start + choose([0, 0, 1, 2, 30]), len(data))
        return data[:start] + (choose(PIECES) if change == "piece" else b"") + data[end:]
    lines = data.splitlines(keepends=True) or [b""]
    place, other = choose(range(len(lines))), choose(range(len(lines)))
    if change == "drop":
        del lines[place]
    elif change == "double":
        lines.insert(other, lines[place])
    elif change == "swap":
        lines[place], lines[other] = lines[other], lines[place]
    else:
        cells, others = lines[place].split(b"\t"), lines[other].split(b"\t")
        cells[choose(range(len(cells)))] = choose(others)
        lines[place] = b"\t".join(cells)
    return b"".join(lines)
