"""The command line: one file a command. A command parses, calls one library function and prints."""
