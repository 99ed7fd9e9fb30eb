/*
 * display.h - text on a terminal: how many columns it takes, and how much of it fits.
 *
 * Wide characters (CJK, emoji) take two columns, combining ones none, as wcwidth() says in the
 * locale of the program (LC_CTYPE). Widths are in columns of the terminal, sizes in bytes.
 */
#pragma once

#include "base/text.h"

/* Appends a text with codes for characters that do not print (\n, \t, \x1b): a text must neither
 * break a table nor speak to the terminal. */
void display_append(struct text *out, struct slice value);

unsigned display_width(struct slice text);

/* The text, or its beginning and an ellipsis where it is wider than `width`. */
void display_append_cut(struct text *out, struct slice text, unsigned width);

/* The size of the first line when the text is broken into lines of `width`: between
 * words where it can be, and of one character at least. *next is where the second line begins;
 * text.size: there is none. */
size_t display_line(struct slice text, unsigned width, size_t *next);
