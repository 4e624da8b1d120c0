"""What strangers write, kept from doing harm: files that a model names.

In: paths and texts from models. Out: bytes of regular files of bounded size. This room knows no model.
"""

__all__: list[str] = []
