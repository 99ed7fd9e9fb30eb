/*
 * lemon_accepts.h - may a token come next? Included once at the end of each parser that lemon
 * generates, where its tables are visible, with LEMON_ACCEPTS as the function's name.
 *
 * By the time that an LALR parser meets a wrong token it may have reduced, and
 * forgotten what else could have come. So the question is asked before the
 * token is fed, on a copy of the stack of states.
 */

static YYACTIONTYPE lemon_action(YYACTIONTYPE state, int kind, bool as_name)
{
    int at = yy_shift_ofst[state] + kind;

    if (as_name)
        return yy_find_shift_action((YYCODETYPE)kind, state);
    return yy_lookahead[at] == kind ? yy_action[at] : yy_default[state];
}

/* The kind 0 is the end of the text. With `as_name` also where the token may come only because a
 * keyword can be a name (%fallback). */
bool LEMON_ACCEPTS(const struct yyParser *parser, int kind, bool as_name)
{
    YYACTIONTYPE states[YYSTACKDEPTH + 1];
    int top = (int)(parser->yytos - parser->yystack);

    for (int i = 0; i <= top; i++)
        states[i] = parser->yystack[i].stateno;
    for (;;) {
        /* A shift of a rule's last token is kept as the rule's reduction. */
        YYACTIONTYPE action =
            states[top] >= YY_MIN_REDUCE ? states[top] : lemon_action(states[top], kind, as_name);
        if (action < YY_MIN_REDUCE)
            return action <= YY_MAX_SHIFTREDUCE || action == YY_ACCEPT_ACTION;
        unsigned rule = action - YY_MIN_REDUCE;
        top += yyRuleInfoNRhs[rule];
        action = yy_find_reduce_action(states[top], yyRuleInfoLhs[rule]);
        if (action == YY_ACCEPT_ACTION)
            return kind == 0;
        if (top >= YYSTACKDEPTH)
            return false;
        states[++top] = action;
    }
}
