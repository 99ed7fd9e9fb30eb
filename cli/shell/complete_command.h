/*
 * complete_command.h - totrain complete: completion.h for other programs, without a database.
 *
 *     {"text": "...", "cursor": 12, "tables": {"t": ["a", "b c"]}, "models": ["m"]}
 * --> {"start": 7, "candidates": [{"text": "\"b c\"", "help": "column of t"}], "note": ""}
 *
 * cursor and start count bytes of the text. Names come as they are, and go as they are to be
 * written.
 */
#pragma once

/* The exit code. */
int command_complete(int argc, char **argv);
