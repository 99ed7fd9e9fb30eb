/*
 * refused.h - what to write instead of a text that the database refused, where it was meant for
 * ToTrain.
 *
 *     DROP MODEL m;                  SHOW TABLES;          SELECT * EXCEPT (a) FROM t
 *     (SELECT * FROM t) TO TRAIN     SELECT * FROM t TRAIN LinearClassifier LABEL y INTO m
 *
 * Such texts are no statements of ours (splitter.h), so the database reads them and reports a
 * syntax error of its own. Its message stays as it is; this adds the hint beside it. A text has one
 * only where nothing of the database's own could have been meant: its first words, or the verb's
 * place among its neighbours, say so.
 */
#pragma once

#include "base/error.h"
#include "parser/parser.h"

/* `text` begins with the statement that failed with a syntax error, at byte `position` of it, or -1
 * where that is not known. True: *err, which holds the database's message, has a hint now. */
bool refused_hint(struct slice text, int position, struct error *err);

/* Hints at ToTrain's way for a function, a table or a column that the database does not have, as
 * err's message says: predict(...) is totrain_predict, 'a.csv' is imported first, m in
 * totrain_predict(m, a) stands in quotes. text: the statement. True: there is a hint now. */
bool refused_missing_hint(struct slice text, struct error *err);

/* The same for PostgreSQL's "unrecognized configuration parameter": only of SHOW with a word that
 * is nearly one of ours. */
bool refused_show_hint(struct slice text, struct error *err);

/* Hints at a syntax error at err->position in the SELECT half of a statement of ours: where a
 * keyword is misspelt there the hint names it; at the end the hint says that something is missing.
 */
void refused_select_hint(struct slice select, struct error *err);
