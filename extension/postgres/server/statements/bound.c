#include "extension/postgres/server/statements/bound.h"

#include <catalog/pg_type.h>
#include <common/keywords.h>
#include <lib/stringinfo.h>
#include <parser/scanner.h>
#include <utils/builtins.h>
#include <utils/guc.h>
#include <utils/lsyscache.h>
#include <utils/memutils.h>

#include "extension/postgres/server/session/session.h"
#include "parser/placeholders.h"
#include "parser/splitter.h"

/* ----- values as SQL ----- */

/* Sets the output of values so that any session reads them again, to the last bit;
 * AtEOXact_GUC(true, level) ends it. */
static int begin_exact_output(void)
{
    static const char *const settings[][2] = {{"extra_float_digits", "3"},
                                              {"datestyle", "ISO"},
                                              {"intervalstyle", "postgres"},
                                              {"bytea_output", "hex"}};
    const int level = NewGUCNestLevel();

    for (size_t i = 0; i < lengthof(settings); i++)
        (void)set_config_option(settings[i][0], settings[i][1], PGC_USERSET, PGC_S_SESSION,
                                GUC_ACTION_SAVE, true, 0, false);
    return level;
}

/* E'' is read in one way, however the server is set to read backslashes. */
static void append_quoted(StringInfo literal, const char *value)
{
    appendStringInfoString(literal, "E'");
    for (; *value; value++) {
        if (*value == '\'' || *value == '\\')
            appendStringInfoChar(literal, *value);
        appendStringInfoChar(literal, *value);
    }
    appendStringInfoChar(literal, '\'');
}

/* (E'2024-01-31'::date) */
static struct slice literal_of(FunctionCallInfo fcinfo, int argument)
{
    const Oid type = get_fn_expr_argtype(fcinfo->flinfo, argument);
    StringInfoData literal;
    bool is_variable;
    Oid output;

    if (!OidIsValid(type))
        ereport(ERROR, (errcode(ERRCODE_INDETERMINATE_DATATYPE),
                        errmsg("could not determine the type of value %d", argument)));
    initStringInfo(&literal);
    appendStringInfoChar(&literal, '(');
    if (PG_ARGISNULL(argument)) {
        appendStringInfoString(&literal, "NULL");
    } else {
        getTypeOutputInfo(type, &output, &is_variable);
        append_quoted(&literal, OidOutputFunctionCall(output, PG_GETARG_DATUM(argument)));
    }
    if (type != UNKNOWNOID)
        appendStringInfo(&literal, "::%s",
                         format_type_extended(type, -1, FORMAT_TYPE_FORCE_QUALIFY));
    appendStringInfoChar(&literal, ')');
    return session_to_utf8(literal.data, (size_t)literal.len);
}

static struct slice *literals_of(FunctionCallInfo fcinfo, int count)
{
    struct slice *literals = palloc0(sizeof *literals * (size_t)(count + 1));
    const int level = begin_exact_output();

    for (int i = 0; i < count; i++)
        literals[i] = literal_of(fcinfo, i + 1);
    AtEOXact_GUC(true, level);
    return literals;
}

/* ----- the places of the parameters ----- */

/* Where backslashes are read in strings, the processes of a job, whose sessions are set otherwise,
 * might find the end of a string elsewhere, and a value outside of it. */
static void refuse_backslashes(struct slice statement)
{
    if (standard_conforming_strings || !memchr(statement.data, '\\', statement.size))
        return;
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                    errmsg("no values are written into a statement with a backslash while "
                           "standard_conforming_strings is off"),
                    errhint("SET standard_conforming_strings = on; strings with escapes are E'...' "
                            "then.")));
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* By the server's own lexer, which reads the SELECT again when it is run: does it find a parameter
 * in each of these places, and no others? */
static bool are_the_servers(const char *select, int offset, const struct placeholders *places)
{
    core_yy_extra_type extra;
    core_YYSTYPE value;
    YYLTYPE at;
    core_yyscan_t lexer = scanner_init(select, &extra, &ScanKeywords, ScanKeywordTokens);
    size_t count = 0;
    bool is_same = true;

    extra.escape_string_warning = false; /* running it warns */
    while (is_same && core_yylex(&value, &at, lexer) != 0) {
        if (select[at] != '$' || !is_digit(select[at + 1])) /* no other token begins so */
            continue;
        is_same = count < places->count && places->places[count].span.start == offset + at &&
                  places->places[count].number == value.ival;
        count++;
    }
    scanner_finish(lexer);
    return is_same && count == places->count;
}

/* A value inside of what the server takes for a string or a comment would end that, and be run. */
static void check_places(struct slice select, int offset, const struct placeholders *places)
{
    if (are_the_servers(pnstrdup(select.data, select.size), offset, places))
        return;
    ereport(ERROR,
            (errcode(ERRCODE_SYNTAX_ERROR),
             errmsg("the server finds other parameters in this SELECT than ToTrain does"),
             errhint("They differ in comments within comments, and in E'...' strings that go "
                     "on in the next line: leave these out.")));
}

/* Throws nothing. `places` has room for as many as there may be. */
static enum status find_places(struct slice statement, int count, struct placeholders *places,
                               struct error *err)
{
    struct placeholders found;
    struct arena arena;
    enum status status;

    arena_init(&arena, ARENA_MAXIMUM);
    status = placeholders_of_statement(statement, PLACEHOLDERS_POSTGRES, &arena, &found, err);
    if (status == STATUS_OK && found.most != count) {
        status = fail(err, STATUS_INVALID, "the SELECT has %d parameter%s, and %d value%s given",
                      found.most, found.most == 1 ? "" : "s", count, count == 1 ? " is" : "s are");
        error_hint(err, "Give one for each behind the statement: totrain.run($$ SELECT ... $1 ... "
                        "TO ... $$, value).");
    }
    if (status == STATUS_OK && found.count > 0)
        memcpy(places->places, found.places, found.count * sizeof *found.places);
    places->count = found.count;
    places->most = found.most;
    arena_deinit(&arena);
    return status;
}

static void raise_refused(const struct error *err)
{
    ereport(ERROR, (errcode(err->status == STATUS_NO_MEMORY ? ERRCODE_OUT_OF_MEMORY
                                                            : ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("%s", err->message), err->hint[0] ? errhint("%s", err->hint) : 0));
}

static struct placeholders places_of(struct slice statement, int count)
{
    const struct piece piece = split_piece(statement, 0);
    const bool has_select = piece.kind == PIECE_OURS && piece.select_start >= 0;
    const struct slice select = {statement.data + (has_select ? piece.select_start : 0),
                                 has_select ? (size_t)(piece.select_end - piece.select_start) : 0};
    struct placeholders places = {.places = palloc(PLACEHOLDERS_MAX * sizeof *places.places)};
    struct error err;

    if (count > 0)
        refuse_backslashes(statement);
    error_clear(&err);
    if (find_places(statement, count, &places, &err) != STATUS_OK)
        raise_refused(&err);
    if (count > 0)
        check_places(select, piece.select_start, &places);
    return places;
}

/* ----- the statement with them ----- */

static struct slice copy_to_palloc(const struct text *written)
{
    char *copy = MemoryContextAllocExtended(CurrentMemoryContext, written->size + 1,
                                            MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);

    if (copy)
        memcpy(copy, text_string(written), written->size + 1);
    return (struct slice){copy, written->size};
}

struct slice bound_statement(FunctionCallInfo fcinfo, struct slice statement)
{
    const int count = PG_NARGS() - 1;
    struct slice *literals, bound = {NULL, 0};
    struct placeholders places;
    struct text written;
    struct error err;

    if (count > 0 && get_fn_expr_variadic(fcinfo->flinfo))
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                        errmsg("the values of parameters are given one by one, not as an array")));
    literals = literals_of(fcinfo, count);
    places = places_of(statement, count);
    text_init(&written, MaxAllocSize); /* from here on nothing is thrown */
    placeholders_fill(statement, &places, literals, &written);
    if (!written.failed)
        bound = copy_to_palloc(&written);
    text_deinit(&written);
    if (!bound.data) {
        fail_no_memory(&err);
        raise_refused(&err);
    }
    return bound;
}
