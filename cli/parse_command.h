/*
 * parse_command.h - `totrain parse [-f FILE] [--help]`.
 *
 * Prints one JSON object a statement, for editors and other tools; needs no
 * database. At the first wrong statement it prints the error with its caret to
 * standard error and returns 2.
 */
#pragma once

/* argv[0] is "parse". Returns the exit code. */
int command_parse(int argc, char **argv);
