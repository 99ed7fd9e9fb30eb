/*
 * prompt.h - lines from a terminal: editing, history, completion (libedit).
 *
 * The history has one entry a statement (history_file.h). Ctrl-C, another size
 * of the terminal, a stop and a continuation are answered while a line is
 * typed; what is pasted is taken as it is.
 */
#pragma once

#include "cli/session/session.h"
#include "cli/shell/completion.h"

enum prompt_result { PROMPT_LINE, PROMPT_INTERRUPTED, PROMPT_END };

struct prompt;

struct prompt *prompt_new(struct session *session, const struct completion_command *commands,
                          size_t command_count); /* NULL: out of memory */
void prompt_free(struct prompt *prompt);
/* Append one line to what was typed; with something typed before it, the
 * prompt is that of a continuation. */
enum prompt_result prompt_read(struct prompt *prompt, struct text *typed);
void prompt_remember(struct prompt *prompt, struct slice statement);
