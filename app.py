"""The annotation app, as ``fewshot app`` starts it: with the settings that it needs of Streamlit."""

from annotate import navigation

navigation.run()
