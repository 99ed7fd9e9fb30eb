/*
 * card_command.h - totrain report: the model card (card.h) of a model in a database, as a file.
 *
 *     totrain report DB MODEL [-c SELECT] [-o card.html]    card.md: the same as Markdown
 */
#pragma once

/* The exit code. */
int command_report(int argc, char **argv);
