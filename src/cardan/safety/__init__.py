"""What strangers write, kept from doing harm: files that a model names, folders of others, texts with markup.

In: paths and texts. Out: content of regular files of bounded size; files that appear whole; texts that an output shows
and does not obey. This room knows no model.
"""
