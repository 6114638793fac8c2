"""The annotation app: ``fewshot app``, or ``streamlit run app.py``."""

from annotate.pages import navigation

navigation.run()
