/*
 * dot_line.h - where a script has a dot command instead of a statement.
 *
 * A pure function of the text, which knows blanks and comments as the parser
 * does.
 */
#pragma once

#include "base/text.h"

/* Move *at over blanks and comments. When a dot stands there, with nothing but
 * blanks before it on its line: that line, up to its end; else empty. */
struct slice dot_line_find(struct slice text, int *at);
