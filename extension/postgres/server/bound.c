#include "extension/postgres/server/bound.h"

#include <catalog/pg_type.h>
#include <lib/stringinfo.h>
#include <utils/builtins.h>
#include <utils/guc.h>
#include <utils/lsyscache.h>
#include <utils/memutils.h>

#include "extension/postgres/server/session.h"
#include "parser/placeholders.h"

/* ----- values as SQL ----- */

/* As any session reads them again, to the last bit; AtEOXact_GUC(true, level) ends it. */
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

/* ----- the statement with them: nothing is thrown here ----- */

static enum status write_statement(struct slice statement, const struct slice *literals, int count,
                                   struct text *written, struct error *err)
{
    struct placeholders places;
    struct arena arena;
    enum status status;

    arena_init(&arena, ARENA_MAXIMUM);
    status = placeholders_of_statement(statement, PLACEHOLDERS_POSTGRES, &arena, &places, err);
    if (status == STATUS_OK && places.most != count) {
        status =
            fail(err, STATUS_INVALID, "the SELECT has %d parameter%s, and %d value%s given",
                 places.most, places.most == 1 ? "" : "s", count, count == 1 ? " is" : "s are");
        error_hint(err, "Give one for each behind the statement: totrain.run($$ SELECT ... $1 ... "
                        "TO ... $$, value).");
    }
    if (status == STATUS_OK)
        placeholders_fill(statement, &places, literals, written);
    arena_deinit(&arena);
    return status == STATUS_OK && written->failed ? fail_no_memory(err) : status;
}

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
    struct text written;
    struct error err;

    if (count > 0 && get_fn_expr_variadic(fcinfo->flinfo))
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                        errmsg("the values of parameters are given one by one, not as an array")));
    literals = literals_of(fcinfo, count);
    error_clear(&err);
    text_init(&written, MaxAllocSize);
    if (write_statement(statement, literals, count, &written, &err) == STATUS_OK) {
        bound = copy_to_palloc(&written);
        if (!bound.data)
            fail_no_memory(&err);
    }
    text_deinit(&written);
    if (err.status != STATUS_OK)
        ereport(ERROR, (errcode(err.status == STATUS_NO_MEMORY ? ERRCODE_OUT_OF_MEMORY
                                                               : ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("%s", err.message), err.hint[0] ? errhint("%s", err.hint) : 0));
    return bound;
}
