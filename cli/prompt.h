/*
 * prompt.h - lines from a terminal: editing, history, completion (libedit).
 *
 * The history is one entry a statement, in $XDG_STATE_HOME/totrain/history
 * (0600), the newest HISTORY_MAX, each text once. Where the file cannot be
 * written there is history for this session alone.
 */
#ifndef CLI_PROMPT_H
#define CLI_PROMPT_H

#include "completion.h"
#include "session.h"

#define HISTORY_MAX 1000

enum prompt_result { PROMPT_LINE, PROMPT_INTERRUPTED, PROMPT_END };

struct prompt;

struct prompt *prompt_new(struct session *session, const struct completion_command *commands,
                          size_t command_count); /* NULL: out of memory */
void prompt_free(struct prompt *prompt);
/* Append one line to what was typed; with something typed before it, the
 * prompt is that of a continuation. */
enum prompt_result prompt_read(struct prompt *prompt, struct text *typed);
void prompt_remember(struct prompt *prompt, struct slice statement);

#endif
