"""A new task that derives from another, in one file: documents again, with labels of their own."""

from typing import ClassVar

from fewshot.tasks.topic import TOPIC


class Sentiment(TOPIC):
    """Whether a document is glad or sad."""

    name = "sentiment"
    title: ClassVar[str] = "sentiment analysis"
    labels = ("glad", "sad")
