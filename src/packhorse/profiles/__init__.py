"""Files that operators write, read strictly into the frozen values of `config.py`."""
