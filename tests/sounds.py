"""Recordings that tests make themselves."""

import io
import math
import struct
import wave

from annotate.exchange import recordings

RATE = 8000
"""Samples a second."""


def tone(seconds=4.0):
    """Return a WAV file whose pitch rises by an octave a second."""
    samples = (math.sin(2 * math.pi * 110 * 2 ** (n / RATE) * n / RATE) for n in range(int(seconds * RATE)))
    made = io.BytesIO()
    with wave.open(made, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(b"".join(struct.pack("<h", int(9000 * sample)) for sample in samples))
    return made.getvalue()


def keep(store, project, name, sound=None):
    """Keep a recording of a project; return the name that it has there."""
    return recordings.add(store, project, name, io.BytesIO(tone(0.1) if sound is None else sound))
