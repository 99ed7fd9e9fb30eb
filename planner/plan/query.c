#include "planner/plan/query.h"

#include "parser/refused.h"
#include "planner/plan/dialect.h"
#include "planner/plan/planning.h"

#define LIST_BYTES_MAX 380 /* length of the columns' names in a hint */

enum status slice_keep(struct planning *planning, struct slice from, struct slice *to)
{
    *to = arena_copy(planning->arena, from);
    return to->data ? STATUS_OK : fail_no_memory(planning->err);
}

enum status name_keep(struct planning *planning, const struct name *from, struct slice *to)
{
    char *bytes;

    TRY(slice_keep(planning, from->text, to));
    bytes = (char *)to->data; /* our own copy */
    if (dialect_of(planning->catalog->dialect)->folds_names && !from->quoted)
        for (size_t i = 0; i < to->size; i++)
            if (bytes[i] >= 'A' && bytes[i] <= 'Z')
                bytes[i] = (char)(bytes[i] - 'A' + 'a');
    return STATUS_OK;
}

enum status query_keep(struct planning *planning, struct query *query)
{
    if (query->count > QUERY_COLUMNS_MAX)
        return fail_at(planning->err, STATUS_LIMIT, planning->statement->select_position,
                       "the query has %zu columns, where at most %d are possible", query->count,
                       QUERY_COLUMNS_MAX);
    for (size_t i = 0; i < query->count; i++) {
        TRY(slice_keep(planning, query->columns[i].name, &query->columns[i].name));
        TRY(slice_keep(planning, query->columns[i].declared_type,
                       &query->columns[i].declared_type));
        TRY(slice_keep(planning, query->columns[i].sql_type, &query->columns[i].sql_type));
    }
    return query_add_elements(query, planning->arena, planning->err);
}

enum status query_describe(struct planning *planning)
{
    const struct statement *statement = planning->statement;
    enum status status;

    if (planning->is_described)
        return STATUS_OK;
    planning->is_described = true;
    planning->plan->query.label = statement->label.text;
    planning->plan->query.more_labels = statement->other_labels;
    planning->plan->query.more_label_count = statement->other_label_count;
    status = planning->catalog->describe(planning->catalog->self, statement->select,
                                         planning->arena, &planning->plan->query, planning->err);
    planning->plan->query.label = SLICE(""); /* they would be borrowed from the statement */
    planning->plan->query.more_labels = NULL;
    planning->plan->query.more_label_count = 0;
    if (status == STATUS_SYNTAX && planning->err)
        refused_select_hint(statement->select, planning->err);
    /* The host's position counts from the SELECT; ours from the whole text. */
    if (status != STATUS_OK && planning->err && planning->err->position >= 0)
        planning->err->position += statement->select_position;
    TRY(status);
    return query_keep(planning, &planning->plan->query);
}

int query_find(const struct query *query, struct slice name)
{
    int exact = -1, folded = -1;
    unsigned exact_count = 0, folded_count = 0;

    for (size_t i = 0; i < query->count; i++) {
        if (slice_equal(query->columns[i].name, name)) {
            exact = (int)i;
            exact_count++;
        }
        if (slice_equal_fold(query->columns[i].name, name)) {
            folded = (int)i;
            folded_count++;
        }
    }
    if (exact_count > 0)
        return exact_count == 1 ? exact : -2;
    return folded_count <= 1 ? folded : -2;
}

int query_find_input(const struct query *query, struct slice name)
{
    const struct vectors *vectors = &query->vectors;
    const int found = query_find(query, name);

    if (found != -1 || vectors->elements == 0)
        return found;
    for (size_t i = query->count; i < query->count + vectors->elements; i++)
        if (slice_equal(query->columns[i].name, name))
            return (int)i;
    return -1;
}

static const char *nearest_column(const struct query *query, struct slice name)
{
    const char *names[QUERY_COLUMNS_MAX];
    size_t count = 0;
    int nearest;

    for (size_t i = 0; i < query->count && count < QUERY_COLUMNS_MAX; i++)
        names[count++] = query->columns[i].name.data; /* query_keep terminated them */
    nearest = text_nearest(name, names, count);
    return nearest < 0 ? NULL : names[nearest];
}

/* "The query has id, age and 12 more." */
static void append_columns(const struct query *query, struct text *out)
{
    if (query->count == 0) {
        text_append_string(out, "The query has no columns.");
        return;
    }
    text_append_string(out, "The query has ");
    for (size_t i = 0; i < query->count; i++) {
        if (out->size + query->columns[i].name.size > LIST_BYTES_MAX) {
            text_printf(out, " and %zu more", query->count - i);
            break;
        }
        text_append_string(out, i > 0 ? ", " : "");
        text_append(out, query->columns[i].name);
    }
    text_append_char(out, '.');
}

static enum status refuse_unknown(const struct query *query, const char *what, struct slice name,
                                  int position, struct error *err)
{
    const char *meant = nearest_column(query, name);
    enum status status = STATUS_INVALID;
    struct text hint;

    text_init(&hint, TEXT_MAXIMUM);
    if (meant)
        text_printf(&hint, "Did you mean %s? ", meant);
    append_columns(query, &hint);
    fail_at(err, status, position, "%scolumn \"%.*s\" is not among the columns of the query", what,
            SLICE_FORMAT(name));
    error_hint(err, "%s", text_string(&hint));
    if (hint.failed)
        status = fail_no_memory(err);
    text_deinit(&hint);
    return status;
}

enum status query_resolve(const struct query *query, const char *what, struct slice name,
                          int position, int *column, struct error *err)
{
    *column = query_find(query, name);
    if (*column == -1)
        return refuse_unknown(query, what, name, position, err);
    if (*column == -2) {
        fail_at(err, STATUS_INVALID, position, "the query has more than one column \"%.*s\"",
                SLICE_FORMAT(name));
        return error_hint(err, "Give one of them another name with AS.");
    }
    return STATUS_OK;
}

void query_refuse_binary(const struct planning *planning, const char *what,
                         const struct query_column *column, int position)
{
    struct slice type = column->declared_type;

    if (column->vectors > 0 && column->blobs == 0) {
        fail_at(planning->err, STATUS_INVALID, position,
                "%scolumn \"%.*s\" holds arrays, where one value was expected", what,
                SLICE_FORMAT(column->name));
        return;
    }
    /* PostgreSQL: whatever is no number, text or time is a blob to us. */
    if (dialect_of(planning->plan->dialect)->names_types && !slice_is(type, "bytea"))
        fail_at(planning->err, STATUS_INVALID, position,
                "%scolumn \"%.*s\" has type %.*s, which no model reads", what,
                SLICE_FORMAT(column->name), SLICE_FORMAT(type));
    else
        fail_at(planning->err, STATUS_INVALID, position,
                "%scolumn \"%.*s\" holds binary data, in %u of %u %s", what,
                SLICE_FORMAT(column->name), column->blobs, planning->plan->query.sample_rows,
                query_rows_word(&planning->plan->query));
}

const char *query_rows_word(const struct query *query)
{
    return query->is_whole ? "rows" : "sampled rows";
}

enum status query_check_distinct(struct planning *planning)
{
    const struct query *query = &planning->plan->query;

    for (size_t i = 0; i < query->count; i++) {
        for (size_t j = 0; j < i; j++) {
            if (!slice_equal_fold(query->columns[i].name, query->columns[j].name))
                continue;
            fail_at(planning->err, STATUS_INVALID, planning->statement->select_position,
                    "the query has more than one column \"%.*s\"",
                    SLICE_FORMAT(query->columns[i].name));
            return error_hint(planning->err, "Give one of them another name with AS.");
        }
    }
    return STATUS_OK;
}
