/*
 * grammar_tables.h - questions to lemon's tables. Included once, at the end of
 * the generated parser, where the tables are visible.
 */
#define LEMON_ACCEPTS grammar_accepts
#include "parser/lemon_accepts.h"

struct yyParser *grammar_new(struct parse *parse)
{
    struct yyParser *parser = arena_alloc(parse->arena, sizeof *parser);

    if (parser)
        grammarInit(parser, parse);
    return parser;
}

int grammar_token_count(void)
{
    return YYNTOKEN;
}
