/*
 * expect_words.h - words that other languages have where a clause or a name of ours is expected.
 *
 *     TO TRAIN X LABEL y AS m        The name of what is made follows INTO.
 *     TO TRAIN X ... INTO m LIMIT 5  LIMIT belongs to the SELECT, which stands before TO: ...
 */
#pragma once

#include "parser/expect.h"

/* True: *err, which holds the message about the token, has a hint now. */
bool expect_word(const struct yyParser *parser, const struct progress *progress,
                 const struct token *found, struct error *err);
