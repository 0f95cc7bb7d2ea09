"""Find out why language models mispredict what programs do."""

__version__ = "0.1.0"
