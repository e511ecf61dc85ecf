"""How dates and numbers are written, by language (Django's FORMAT_MODULE_PATH)."""
