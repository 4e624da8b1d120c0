"""Commands about loads: one file each."""
