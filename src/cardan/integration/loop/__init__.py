"""What is compiled: the loop over steps and all that it calls, with the records it reads and writes."""
