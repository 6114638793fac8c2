"""The annotation app: store, session, editors. Never imports torch."""
