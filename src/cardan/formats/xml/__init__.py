"""What the formats in XML share: elements with their lines, names, meshes, and the description that becomes a model.

In: a file. Out: a `Description`, which one format fills, and the model made of it.
"""
