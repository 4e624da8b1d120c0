"""`python -m cardan`: the command line, where the program `cardan` is not on the path."""

from cardan.cli import main

__all__ = ["main"]

if __name__ == "__main__":
    main()
