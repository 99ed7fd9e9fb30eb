#include "tests/unit/described_catalog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cell_values.h"
#include "kinds/graph/graph_kind.h"
#include "planner/attributes/estimators.h"

static void give_up(const char *what, struct slice where)
{
    fprintf(stderr, "described_catalog: %s in \"%.*s\"\n", what, SLICE_FORMAT(where));
    abort();
}

static struct slice cut(struct slice *rest, const char *separators)
{
    size_t size = 0;
    struct slice part;

    while (size < rest->size && !strchr(separators, rest->data[size]))
        size++;
    part = (struct slice){rest->data, size};
    rest->data += size < rest->size ? size + 1 : size;
    rest->size -= size < rest->size ? size + 1 : size;
    return slice_trim(part);
}

/* The next word, or what stands in double quotes. */
static struct slice word(struct slice *rest)
{
    *rest = slice_trim(*rest);
    if (rest->size > 0 && rest->data[0] == '"') {
        rest->data++;
        rest->size--;
        return cut(rest, "\"");
    }
    return cut(rest, " ,");
}

static uint32_t *counter(struct query_column *column, struct slice what)
{
    if (slice_is(what, "integers"))
        return &column->integers;
    if (slice_is(what, "reals"))
        return &column->reals;
    if (slice_is(what, "texts"))
        return &column->texts;
    if (slice_is(what, "numeric"))
        return &column->numeric_texts;
    if (slice_is(what, "blank"))
        return &column->blank_texts;
    if (slice_is(what, "codes"))
        return &column->code_texts;
    if (slice_is(what, "separated"))
        return &column->separated_texts;
    if (slice_is(what, "missing"))
        return &column->missing_texts;
    if (slice_is(what, "truths"))
        return &column->boolean_texts;
    if (slice_is(what, "spaced"))
        return &column->spaced_texts;
    if (slice_is(what, "blobs"))
        return &column->blobs;
    if (slice_is(what, "nulls"))
        return &column->nulls;
    if (slice_is(what, "dates"))
        return &column->dates;
    if (slice_is(what, "times"))
        return &column->times;
    if (slice_is(what, "vectors"))
        return &column->vectors;
    if (slice_is(what, "elements"))
        return &column->elements;
    give_up("unknown count", what);
    return NULL;
}

/* "1000 listed, 3 numbers": each a dense list; "10 ids": each a sparse one, of pairs. Both forms:
 * the numbers of a text differ. */
static bool take_lists(struct list_counts *lists, struct slice what, uint64_t number)
{
    if (slice_is(what, "listed")) {
        lists->texts = lists->sparse_several = number;
        lists->not_dense = lists->not_sparse = true;
    } else if (slice_is(what, "numbers") || slice_is(what, "most")) {
        lists->not_dense = false;
        lists->dense_least = slice_is(what, "most") ? lists->dense_least : (uint32_t)number;
        lists->dense_most = (uint32_t)number;
    } else if (slice_is(what, "plain")) {
        lists->dense_plain = number;
    } else if (slice_is(what, "ids")) {
        lists->not_sparse = false;
        lists->sparse_ids = (uint32_t)number;
        lists->sparse_most = 5;
    } else if (slice_is(what, "alone")) {
        lists->sparse_alone = number;
    } else {
        return false;
    }
    return true;
}

/* "1000 counted, 990 different", in texts of "20000 bytes" together. */
static void take_count(struct query_column *column, struct slice what, uint64_t number)
{
    if (slice_is(what, "counted"))
        column->distinct_cells = number;
    else if (slice_is(what, "different"))
        column->distinct_values = number;
    else if (slice_is(what, "bytes"))
        column->word_bytes = number;
    else if (!take_lists(&column->lists, what, number))
        *counter(column, what) = (uint32_t)number;
}

static void read_column(struct slice text, struct described_query *query)
{
    struct query_column *column = &query->columns[query->count++];
    struct slice rest = text;
    uint32_t rows;
    int64_t number;

    column->name = word(&rest);
    rest = slice_trim(rest);
    column->declared_type.data = rest.data;
    while (rest.size > 0) {
        struct slice next = word(&rest);
        if (slice_to_integer(next, &number))
            take_count(column, word(&rest), (uint64_t)number);
        else
            column->declared_type.size =
                (size_t)(next.data + next.size - column->declared_type.data);
    }
    rows = column->integers + column->reals + column->texts + column->blobs + column->nulls +
           column->vectors;
    query->rows = rows > query->rows ? rows : query->rows;
}

static void read_query(struct slice text, struct described_query *query)
{
    while (slice_trim(text).size > 0)
        read_column(cut(&text, ";"), query);
}

/* The word's place among these; a test's model has no other. */
static unsigned value_of(const char *const *words, struct slice word)
{
    unsigned value;

    if (!term_find(words, word, &value))
        give_up("no such word", word);
    return value;
}

static void read_classes(struct slice text, struct described_catalog *described)
{
    struct model_summary *model = &described->model;

    model->classes = described->classes;
    model->positive = 1;
    while (slice_trim(text).size > 0) {
        struct cell *class = &described->classes[model->class_count++];

        *class = (struct cell){.type = CELL_TEXT, .text = word(&text)};
        if (model->label_type == LABEL_INTEGER && slice_to_integer(class->text, &class->integer))
            class->type = CELL_INTEGER;
    }
}

static const struct kind *kind_of_estimator(struct slice name)
{
    for (size_t i = 0; i < estimator_count; i++)
        if (slice_is(name, estimators[i].name))
            return estimators[i].kind;
    return slice_is(slice_prefix(name, 4), "zoo/") ? &graph_kind : NULL;
}

/* "bucket", "hash", "ids", "items": an input that such a function makes of the column; "crossed": a
 * cross of it with itself. */
static void read_made(struct slice column, struct slice what, struct described_catalog *described)
{
    static const double bounds[] = {10, 20};
    static struct cross_column columns[2];
    static struct cross cross = {columns, 2, 50};
    const size_t number = described->model.made_count++;
    const bool is_bucket = slice_is(what, "bucket"), is_cross = slice_is(what, "crossed");
    struct transform_input *made = &described->made[number];

    snprintf(described->made_names[number], sizeof described->made_names[number], "%s(%.*s)",
             is_bucket                ? "BUCKET"
             : slice_is(what, "hash") ? "CATEGORY_HASH"
             : is_cross               ? "CROSS"
                                      : "CATEGORY_ID",
             SLICE_FORMAT(column));
    *made = (struct transform_input){.spec.name = slice_of(described->made_names[number]),
                                     .spec.source = column,
                                     .spec.type = INPUT_CATEGORY,
                                     .hash_buckets = 30,
                                     .spec.rule = slice_is(what, "hash") ? RULE_HASH : RULE_ID};
    if (slice_is(what, "items")) {
        made->spec.type = INPUT_TEXT;
        made->spec.words_max = 8;
        made->spec.list = (struct cell_list){.form = LIST_ITEMS, .size = 8};
    }
    if (is_bucket) {
        made->spec.rule = RULE_BUCKET;
        made->spec.bounds = bounds;
        made->spec.bound_count = 2;
    }
    if (is_cross) {
        columns[0] = (struct cross_column){.name = column};
        columns[1] = (struct cross_column){.name = column, .rule = RULE_HASH, .rows = 9};
        made->spec.rule = RULE_CROSS;
        made->spec.cross = &cross;
    }
    described->made_list[number] = made;
}

#define HOUR_MICROSECONDS INT64_C(3600000000)

/* Describes a forecast of hours, whose inputs are known; of its series two have a week's season.
 * The one called "kept" keeps their parameters. */
static void describe_outline(struct described_catalog *described)
{
    struct model_summary *model = &described->model;
    uint32_t groups = 0;

    if (!model->kind || !model->kind->learns_series)
        return;
    while (model->inputs[groups].type == INPUT_CATEGORY)
        groups++;
    described->outline =
        (struct forecast_model){.groups = groups,
                                .regressors = (uint32_t)model->input_count - groups - 1,
                                .series = 3,
                                .horizon = 14,
                                .times = FORECAST_DATES,
                                .level = 0.95,
                                .limits = forecast_unlimited,
                                .unit = STEP_MICROSECOND,
                                .size = HOUR_MICROSECONDS,
                                .found = &described->found};
    described->found.season_count = 2;
    described->found.seasons[0] = (struct found_season){168, 2};
    described->found.seasons[1] = (struct found_season){1, 1};
    for (size_t i = 0; i < groups; i++)
        described->found.has_integers[i] = slice_is(slice_prefix(model->inputs[i].name, 4), "item");
    model->outline = &described->outline;
    if (!slice_is(described->model_name, "kept"))
        return;
    described->outline.kept = 100;
    *forecast_params(&described->fitted) = (struct forecast_params){.horizon = 14, .keeps = true};
    model->params = &described->fitted;
}

/* The input is one of several labels: one more head of the model. */
static void read_head(struct model_input *input, struct slice type,
                      struct described_catalog *described)
{
    struct model_summary *model = &described->model;

    if (!model->heads)
        model->component_count = 0;
    model->heads = described->heads;
    model->aim.aim = AIM_LOSSES;
    input->label = (enum input_label)value_of(input_label_words, type);
    described->heads[model->component_count++] =
        (struct model_summary_head){input->name, input->label};
}

static void read_model(struct slice text, struct described_catalog *described)
{
    struct slice head = cut(&text, ";"), label = cut(&text, ";"), inputs = slice_trim(text), what;

    described->has_model = true;
    described->model_name = word(&head);
    described->model.estimator = word(&head);
    described->model.task = (enum task)value_of(task_words, word(&head));
    what = word(&head);
    described->model.kind = kind_of_estimator(described->model.estimator);
    described->model.aim.aim = slice_is(what, "margins") ? AIM_MARGINS : AIM_MEANS;
    if (described->model.task == TASK_PROJECTION)
        described->model.component_count = 2;
    word(&label);
    described->model.label = word(&label);
    described->model.label_type = (enum label_type)value_of(label_type_words, word(&label));
    described->model.version = 1;
    if (slice_is(word(&label), "classes"))
        read_classes(label, described);
    described->model.digest = SLICE("0123456789abcdef");
    described->model.inputs = described->inputs;
    described->model.made = described->made_list;
    word(&inputs);
    while (slice_trim(inputs).size > 0) {
        struct slice one = cut(&inputs, ",");
        struct model_input *input = &described->inputs[described->model.input_count++];
        input->name = word(&one);
        what = word(&one);
        input->is_source = !slice_is(what, "numeric") && !slice_is(what, "category");
        input->type = slice_is(what, "numeric") ? INPUT_NUMERIC : INPUT_CATEGORY;
        if (input->is_source)
            read_made(input->name, what, described);
        what = word(&one);
        input->parts = slice_is(what, "age") ? 1 << DATE_AGE | 1 << DATE_WEEKDAY : 0;
        if (slice_is(what, "label"))
            read_head(input, word(&one), described);
    }
    described->model.has_statistics =
        !described->model.kind || (!described->model.kind->learns_series &&
                                   !slice_is(slice_prefix(described->model_name, 3), "old"));
    describe_outline(described);
}

static enum status describe(void *self, struct slice select, struct arena *arena,
                            struct query *query, struct error *err)
{
    struct described_catalog *described = self;
    struct described_query *found = &described->query;

    if (described->refused.size > 0)
        return fail_at(err, STATUS_DATABASE, described->refused_position, "%.*s",
                       SLICE_FORMAT(described->refused));
    if (found->select.size == 0) {
        found->select = arena_copy(arena, select);
        if (!found->select.data)
            return fail_no_memory(err);
    } else if (!slice_equal(found->select, select)) {
        found = &described->validation;
    }
    query->count = found->count;
    query->sample_rows = found->rows;
    query->columns = ARENA_NEW(arena, struct query_column, found->count + 1);
    if (!query->columns)
        return fail_no_memory(err);
    memcpy(query->columns, found->columns, found->count * sizeof *found->columns);
    return STATUS_OK;
}

static struct cell written_cell(struct slice text)
{
    int64_t integer;

    if (slice_is(text, "-") || text.size == 0)
        return cell_null();
    return slice_to_integer(text, &integer) ? cell_integer(integer) : cell_text(text);
}

static enum status each_written_row(struct slice rows, const struct row_taker *taker,
                                    struct error *err)
{
    while (slice_trim(rows).size > 0) {
        struct slice row = cut(&rows, ",");
        struct cell cells[QUERY_COLUMNS_MAX] = {{0}};

        for (size_t i = 0; slice_trim(row).size > 0; i++)
            cells[i] = written_cell(word(&row));
        TRY(taker->row(taker->self, cells, QUERY_COLUMNS_MAX, err));
    }
    return STATUS_OK;
}

/* Rows 0 to 999, whose cells are the row's number; every tenth is NULL. */
static enum status each_row(void *self, struct slice select, const struct row_taker *taker,
                            struct error *err)
{
    const struct described_catalog *described = self;
    struct cell cells[QUERY_COLUMNS_MAX];

    (void)select;
    for (int64_t i = 0; i < described->repeats; i++)
        TRY(each_written_row(described->rows, taker, err));
    if (described->repeats > 0)
        return STATUS_OK;
    for (int64_t row = 0; row < QUERY_SAMPLE_ROWS; row++) {
        for (size_t i = 0; i < QUERY_COLUMNS_MAX; i++)
            cells[i] =
                (struct cell){.type = row % 10 == 9 ? CELL_NULL : CELL_INTEGER, .integer = row};
        TRY(taker->row(taker->self, cells, QUERY_COLUMNS_MAX, err));
    }
    return STATUS_OK;
}

static enum status find_model(void *self, struct slice schema, struct slice name,
                              struct arena *arena, struct model_summary *model, struct error *err)
{
    struct described_catalog *described = self;
    (void)schema;
    (void)arena;

    if (described->has_model && slice_equal_fold(described->model_name, name)) {
        *model = described->model;
        return STATUS_OK;
    }
    fail(err, STATUS_NOT_FOUND, "no model \"%.*s\"", SLICE_FORMAT(name));
    if (!described->has_model)
        return error_hint(err, "There is no model yet; TO TRAIN makes one.");
    return error_hint(err, "There is %.*s.", SLICE_FORMAT(described->model_name));
}

static bool has_schema(void *self, struct slice schema)
{
    const struct described_catalog *described = self;
    struct slice rest = described->schemas;

    while (slice_trim(rest).size > 0)
        if (slice_equal_fold(word(&rest), schema))
            return true;
    return false;
}

static struct slice find_file(void *self, struct slice schema)
{
    const struct described_catalog *described = self;
    (void)schema;

    return described->file;
}

static void read_cluster(struct slice what, struct catalog_limits *limits)
{
    limits->wants_cluster = slice_is(what, "will");
    limits->keeps_cluster = slice_is(what, "keeps");
    limits->has_cluster = limits->wants_cluster || limits->keeps_cluster || slice_is(what, "may");
    if (!limits->has_cluster) {
        limits->no_cluster = "not allowed here";
        limits->no_cluster_hint = "Ask who rules it.";
    }
}

/* Behind the line of the model. */
static void read_memory(struct slice what, struct slice line, struct described_catalog *described)
{
    struct catalog_limits *limits = &described->catalog.limits;
    int64_t bytes, most;

    if (!slice_to_integer(word(&what), &bytes) || !slice_is(word(&what), "of") ||
        !slice_to_integer(word(&what), &most))
        give_up("no bytes", line);
    described->model.memory = (uint64_t)bytes;
    limits->model_memory = (uint64_t)most;
    limits->model_memory_decision = "totrain.model_memory";
}

static void read_line(struct slice line, struct described_catalog *described)
{
    struct slice rest = line, what = cut(&rest, ":");
    int64_t position;

    if (slice_is(what, "query"))
        read_query(rest, &described->query);
    else if (slice_is(what, "validation"))
        read_query(rest, &described->validation);
    else if (slice_is(what, "model"))
        read_model(rest, described);
    else if (slice_is(what, "rows")) {
        described->rows = rest;
        described->repeats = 1;
    } else if (slice_is(what, "repeats")) {
        if (!slice_to_integer(slice_trim(rest), &described->repeats))
            give_up("no number", line);
    } else if (slice_is(what, "schemas")) {
        described->schemas = rest;
        described->catalog.has_schema = has_schema;
    } else if (slice_is(what, "dialect")) {
        described->catalog.dialect =
            slice_is(slice_trim(rest), "postgres") ? SQL_POSTGRES : SQL_SQLITE;
    } else if (slice_is(what, "file")) {
        described->file = slice_trim(rest);
        described->catalog.find_file = find_file;
    } else if (slice_is(what, "refused")) {
        if (!slice_to_integer(word(&rest), &position))
            give_up("no position", line);
        described->refused_position = (int)position;
        described->refused = slice_trim(rest);
    } else if (slice_is(what, "cluster")) {
        read_cluster(slice_trim(rest), &described->catalog.limits);
    } else if (slice_is(what, "workers")) {
        if (!slice_to_integer(slice_trim(rest), &position))
            give_up("no number", line);
        described->catalog.limits.workers = (uint32_t)position;
        described->catalog.limits.workers_decision = "totrain.max_workers";
    } else if (slice_is(what, "memory")) {
        read_memory(rest, line, described);
    } else if (slice_is(what, "staged")) {
        described->catalog.limits.is_staged = true;
    } else if (slice_is(what, "pathless")) {
        described->catalog.working_folder = NULL;
    } else {
        give_up("unknown line", line);
    }
}

static enum status working_folder(void *self, struct arena *arena, struct slice *folder,
                                  struct error *err)
{
    (void)self;
    (void)arena;
    (void)err;
    *folder = SLICE("/home/ada");
    return STATUS_OK;
}

size_t described_catalog_read(struct described_catalog *described, struct slice text)
{
    struct slice rest = text;

    *described = (struct described_catalog){.catalog = {.self = described,
                                                        .describe = describe,
                                                        .each_row = each_row,
                                                        .find_model = find_model,
                                                        .working_folder = working_folder}};
    while (rest.size > 3 && memcmp(rest.data, "-- ", 3) == 0) {
        struct slice line = cut(&rest, "\n");
        read_line((struct slice){line.data + 3, line.size - 3}, described);
    }
    return (size_t)(rest.data - text.data);
}
