#include "parser/clauses.h"

#include "parser/grammar.h"

#define CLAUSES_MAX 5

static const struct clauses {
    int verb;
    int optional[CLAUSES_MAX]; /* kinds, 0 behind the last */
    int needed[CLAUSES_MAX];
} list[] = {
    {TOKEN_TRAIN, {TOKEN_WITH, TOKEN_COLUMN, TOKEN_LABEL, TOKEN_USING}, {TOKEN_INTO}},
    {TOKEN_PREDICT, {TOKEN_WITH, TOKEN_INTO}, {TOKEN_USING}},
    {TOKEN_EVALUATE, {TOKEN_WITH, TOKEN_LABEL, TOKEN_INTO}, {0}},
    {TOKEN_EXPLAIN, {TOKEN_WITH, TOKEN_USING, TOKEN_INTO}, {0}},
    {TOKEN_RUN, {TOKEN_CMD, TOKEN_INTO}, {0}},
    {TOKEN_FORECAST, {TOKEN_FOR, TOKEN_WITH, TOKEN_INTO}, {0}},
    {TOKEN_MAXIMIZE, {TOKEN_CONSTRAINT, TOKEN_USING}, {TOKEN_WITH, TOKEN_INTO}},
    {TOKEN_MINIMIZE, {TOKEN_CONSTRAINT, TOKEN_USING}, {TOKEN_WITH, TOKEN_INTO}},
};

/* NULL: the verb has none. */
static const struct clauses *find(int verb)
{
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (list[i].verb == verb)
            return &list[i];
    return NULL;
}

static bool holds(const int *kinds, int kind)
{
    for (size_t i = 0; i < CLAUSES_MAX && kinds[i]; i++)
        if (kinds[i] == kind)
            return true;
    return false;
}

bool clauses_have(int verb, int kind)
{
    const struct clauses *clauses = find(verb);

    return clauses && (holds(clauses->optional, kind) || holds(clauses->needed, kind));
}

bool clauses_allow(const struct progress *progress, int kind)
{
    const struct clauses *clauses = find(progress->verb);

    if (!clauses)
        return true;
    for (size_t i = 0; kind == LEXER_END && i < CLAUSES_MAX && clauses->needed[i]; i++)
        if (!progress->seen[clauses->needed[i]])
            return false;
    return kind == TOKEN_COLUMN || !clauses_have(progress->verb, kind) || !progress->seen[kind];
}
