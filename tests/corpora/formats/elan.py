TYPES = {"time": "Time_Subdivision", "within": "Included_In"}
TYPES |= {"part": "Symbolic_Subdivision", "one": "Symbolic_Association"}
"""Constraints by short names, which are those of linguistic types too."""


def tier(id, *rows, of="", type="", name=""):
    """A tier with a row for each annotation: id, time slots ``ts1-ts2`` or the annotation that it is of, value.

    Args:
        of: the tier that it depends on, with `type`, a key of `TYPES`.
        name: of the linguistic type, which is else called as `type`.
    """
    made = []
    for row in rows:
        own, place, *value = row.split(" ", 2)
        first, dash, last = place.partition("-")
        ends = f'TIME_SLOT_REF1="{first}" TIME_SLOT_REF2="{last}"' if dash else f'ANNOTATION_REF="{place}"'
        kind = "ALIGNABLE_ANNOTATION" if dash else "REF_ANNOTATION"
        inner = f"<ANNOTATION_VALUE>{''.join(value)}</ANNOTATION_VALUE>"
        made.append(f'<ANNOTATION><{kind} ANNOTATION_ID="{own}" {ends}>{inner}</{kind}></ANNOTATION>\n')
    depends = f' PARENT_REF="{of}"' if of else ""
    start = f'<TIER TIER_ID="{id}" LINGUISTIC_TYPE_REF="{name or type or "text"}"{depends}>\n'
    return f"{start}{''.join(made)}</TIER>\n", (name or type or "text", TYPES.get(type))


def transcript(folder, times, *tiers, header="<HEADER/>"):
    """A file of time slots, ``ts1=0 ts2``, and tiers, whose elements have a line of their own from the third on."""
    slots, types = "", ""
    for id, _, time in (slot.partition("=") for slot in times.split()):
        slots += f'<TIME_SLOT TIME_SLOT_ID="{id}"' + (f' TIME_VALUE="{time}"' if time else "") + "/>"
    for name, constraint in dict(type for _, type in tiers).items():
        said = f' CONSTRAINTS="{constraint}"' if constraint else ""
        types += f'<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="{name}"{said}/>\n'
    (folder / "x.eaf").write_text(
        f"<ANNOTATION_DOCUMENT>{header}\n<TIME_ORDER>{slots}</TIME_ORDER>\n"
        f"{''.join(text for text, _ in tiers)}{types}</ANNOTATION_DOCUMENT>\n",
        encoding="utf-8",
    )
    return folder / "x.eaf"
