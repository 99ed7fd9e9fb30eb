#include "extension/engine/host/stored.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/json.h"
#include "base/process/log.h"
#include "base/sort_doubles.h"
#include "extension/engine/host/train_rows.h"
#include "inputs/cells/cell_text.h"
#include "planner/plan/column_kind.h"
#include "planner/plan/plan.h"
#include "scoring/columns/cell_counts.h"
#include "scoring/heads.h"
#include "scoring/numbers/elementary.h"
#include "scoring/tables/model_table.h"

/* ----- queries ----- */

static bool is_label(const struct query *query, struct slice name)
{
    if (slice_equal_fold(name, query->label))
        return true;
    for (size_t i = 0; i < query->more_label_count; i++)
        if (slice_equal_fold(name, query->more_labels[i].text))
            return true;
    return false;
}

enum status sample_begin(struct sample *sample, struct query *query, struct error *err)
{
    bool *are_keys = calloc(query->count + 1, sizeof *are_keys);
    enum status status;

    *sample = (struct sample){.query = query};
    if (!are_keys)
        return fail_no_memory(err);
    for (size_t i = 0; i < query->count; i++)
        are_keys[i] =
            name_is_key(query->columns[i].name) || is_label(query, query->columns[i].name);
    status = cell_census_new((uint32_t)query->count, are_keys, &sample->census, err);
    if (status == STATUS_OK)
        status = cell_census_new((uint32_t)query->count, NULL, &sample->numbers, err);
    sample->first = calloc((query->count + 1) * SAMPLE_NUMBERS_MAX, sizeof *sample->first);
    sample->first_count = calloc(query->count + 1, sizeof *sample->first_count);
    if (status == STATUS_OK && (!sample->first || !sample->first_count))
        status = fail_no_memory(err);
    free(are_keys);
    return status;
}

static void take_number(struct query_column *column, double number, bool is_first)
{
    column->least = is_first || number < column->least ? number : column->least;
    column->greatest = is_first || number > column->greatest ? number : column->greatest;
}

/* By their bits, which as many whole numbers have. */
static enum status count_number(struct sample *sample, uint32_t column, const struct cell *cell,
                                struct error *err)
{
    const double number = cell->type == CELL_REAL ? cell->real : (double)cell->integer;

    if (cell->type != CELL_REAL && cell->type != CELL_INTEGER)
        return STATUS_OK;
    take_number(&sample->query->columns[column], number,
                sample->numbers->columns[column].distinct.used == 0);
    return cell_count_whole(sample->numbers, column, (int64_t)double_bits(number), err);
}

static void hold_number(struct sample *sample, size_t column, const struct cell *cell)
{
    uint32_t *count = &sample->first_count[column];
    struct text_look look = {.number = NAN};

    if (*count == SAMPLE_NUMBERS_MAX)
        return;
    if (cell->type == CELL_TEXT)
        look = text_look_at(cell->text);
    else if (cell->type == CELL_REAL || cell->type == CELL_INTEGER)
        look.number = cell->type == CELL_REAL ? cell->real : (double)cell->integer;
    if (cell->type == CELL_TEXT && look.kind != TEXT_NUMBER)
        return;
    if (isfinite(look.number))
        sample->first[column * SAMPLE_NUMBERS_MAX + (*count)++] = look.number;
}

enum status sample_cells(struct sample *sample, const struct cell *cells, struct error *err)
{
    struct query *query = sample->query;

    query->sample_rows++;
    for (size_t i = 0; i < query->count; i++) {
        TRY(cell_count(sample->census, (uint32_t)i, &cells[i], err));
        TRY(count_number(sample, (uint32_t)i, &cells[i], err));
        hold_number(sample, i, &cells[i]);
        if (cells[i].type == CELL_VECTOR && query->columns[i].elements == 0)
            query->columns[i].elements = (uint32_t)cell_elements(&cells[i]);
    }
    return STATUS_OK;
}

static void find_deciles(struct query_column *column, double *numbers, uint32_t count)
{
    column->has_deciles = count > 0;
    sort_doubles(numbers, count);
    for (uint32_t i = 0; i < QUERY_DECILES && count > 0; i++)
        column->deciles[i] = numbers[(i + 1) * count / (QUERY_DECILES + 1)];
}

void sample_end(struct sample *sample)
{
    for (size_t i = 0; sample->numbers && i < sample->query->count; i++) {
        struct query_column *column = &sample->query->columns[i];

        query_column_take(column, &sample->census->columns[i], sample->query->sample_rows);
        column->distinct_numbers = sample->numbers->columns[i].distinct.used;
        if (sample->first && sample->first_count)
            find_deciles(column, sample->first + i * SAMPLE_NUMBERS_MAX, sample->first_count[i]);
    }
    free(sample->first);
    free(sample->first_count);
    cell_census_free(sample->census);
    cell_census_free(sample->numbers);
}

bool select_is_ordered(struct slice select)
{
    int depth = 0;

    for (size_t i = 0; i < select.size; i++) {
        char c = select.data[i];
        struct slice rest = {select.data + i, select.size - i};
        if (c == '\'' || c == '"' || c == '`') {
            const char *end = memchr(rest.data + 1, c, rest.size - 1);
            i = end ? (size_t)(end - select.data) : select.size;
        } else if (c == '(') {
            depth++;
        } else if (c == ')') {
            depth--;
        } else if (depth == 0 && rest.size > 6 && (c == 'o' || c == 'O')) {
            rest.size = 5;
            if (slice_is_fold(rest, "order"))
                return true;
        }
    }
    return false;
}

/* ----- models ----- */

enum status model_names_add(struct model_names *names, struct slice name, struct error *err)
{
    if (names->count == MODEL_NAMES_MAX)
        return STATUS_OK;
    names->names[names->count] = strndup(name.data, name.size);
    if (!names->names[names->count])
        return fail_no_memory(err);
    names->count++;
    return STATUS_OK;
}

void model_names_free(struct model_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->names[i]);
}

enum status refuse_missing_model(struct slice name, const struct model_names *names,
                                 struct error *err)
{
    int nearest = text_nearest(name, (const char *const *)names->names, names->count);

    fail(err, STATUS_NOT_FOUND, "there is no model \"%.*s\"", SLICE_FORMAT(name));
    if (nearest >= 0)
        return error_hint(err, "Did you mean %s?", names->names[nearest]);
    if (names->count == 0)
        return error_hint(err,
                          "There is no model here yet: SELECT ... TO TRAIN ... INTO %.*s; makes "
                          "one.",
                          SLICE_FORMAT(name));
    return error_hint(err, "SHOW MODELS lists the models that exist.");
}

enum status refuse_no_model(struct slice name, struct error *err)
{
    return fail(err, STATUS_CORRUPT, "table \"%.*s\" is no model", SLICE_FORMAT(name)),
           error_hint(err, "SHOW MODELS lists the models that exist.");
}

enum status name_damaged_model(struct slice name, enum status status, struct error *err)
{
    static const char bare[] = "model: ";
    char message[sizeof err->message];
    const char *reason = message;

    if (status != STATUS_CORRUPT)
        return status;
    snprintf(message, sizeof message, "%s", err->message);
    if (strncmp(reason, bare, sizeof bare - 1) == 0)
        reason += sizeof bare - 1;
    snprintf(err->message, sizeof err->message, "model \"%.*s\" is damaged: %.400s",
             SLICE_FORMAT(name), reason);
    return status;
}

static enum status check_replaced_by_model(struct slice name, const struct found_table *found,
                                           struct error *err)
{
    if (found->is_model)
        return STATUS_OK;
    fail(err, STATUS_INVALID, "table \"%.*s\" exists and is no model", SLICE_FORMAT(name));
    return error_hint(err, "Only a model is replaced. Choose another name, or drop the table "
                           "first.");
}

/* The statement names only the table beside which bad rows are put. */
static enum status check_replaced_by_bad_rows(struct slice name, const struct found_table *found,
                                              struct error *err)
{
    const size_t suffix = sizeof QUARANTINE_SUFFIX - 1;
    struct slice beside = name;

    if (found->holds_bad_rows)
        return STATUS_OK;
    beside.size -= name.size > suffix ? suffix : 0;
    fail(err, STATUS_INVALID, "table \"%.*s\" exists and holds no bad rows", SLICE_FORMAT(name));
    return error_hint(err,
                      "Bad rows would be written there. Rename that table, or choose another "
                      "name than %.*s.",
                      SLICE_FORMAT(beside));
}

static enum status check_replaced_by_rows(const struct table_target *target,
                                          const struct found_table *found, struct error *err)
{
    const bool is_predict = target->kind == TARGET_PREDICTIONS;

    if (found->is_marked || target->replaces_any)
        return STATUS_OK;
    fail(err, STATUS_INVALID, "table \"%.*s\" exists, and no %s made it",
         SLICE_FORMAT(target->name), is_predict ? "PREDICT or FORECAST" : "EVALUATE or EXPLAIN");
    return error_hint(err,
                      "Choose another name; or WITH %s.replace = true replaces the table and "
                      "all that is in it.",
                      is_predict ? "predict" : "evaluate");
}

enum status check_replaced(const struct table_target *target, const struct found_table *found,
                           struct error *err)
{
    const struct slice name = target->name;

    if (!found->is_table)
        return fail(err, STATUS_INVALID, "\"%.*s\" exists and is no ordinary table",
                    SLICE_FORMAT(name)),
               error_hint(err, "Choose another name.");
    if (target->kind == TARGET_MODEL)
        return check_replaced_by_model(name, found, err);
    if (found->is_model)
        return fail(err, STATUS_INVALID, "table \"%.*s\" is a model", SLICE_FORMAT(name)),
               error_hint(err, "A model is never overwritten by rows. Choose another name.");
    if (target->kind == TARGET_DEFINITION)
        return STATUS_OK;
    return target->kind == TARGET_BAD_ROWS ? check_replaced_by_bad_rows(name, found, err)
                                           : check_replaced_by_rows(target, found, err);
}

/* The names of the metrics that TRAIN measured each round. */
static enum status summarise_rounds(const struct model *model, struct arena *arena,
                                    struct model_summary *summary, struct error *err)
{
    const cJSON *metric;
    struct slice name;
    cJSON *metrics;

    if (model->metrics_json.size == 0)
        return STATUS_OK;
    TRY(json_parse(model->metrics_json, METRICS_JSON_BYTES_MAX, &metrics, err));
    cJSON_ArrayForEach(metric, metrics)
    {
        if (!cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(metric, "each_round")) ||
            summary->round_count == METRICS_MAX ||
            json_get_string(metric, "name", &name, err) != STATUS_OK)
            continue;
        summary->rounds[summary->round_count] = arena_copy(arena, name);
        if (!summary->rounds[summary->round_count++].data) {
            cJSON_Delete(metrics);
            return fail_no_memory(err);
        }
    }
    cJSON_Delete(metrics);
    return STATUS_OK;
}

static enum status summarise_heads(const struct model *model, struct arena *arena,
                                   struct model_summary *summary, struct error *err)
{
    struct model_summary_head *heads =
        ARENA_NEW(arena, struct model_summary_head, model->head_count);

    if (!heads)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < model->head_count; i++) {
        const struct input_spec *label = &head_input(model, i)->spec;

        heads[i] = (struct model_summary_head){label->name, label->label};
    }
    if (model->head_count == 0)
        return STATUS_OK;
    summary->heads = heads;
    summary->component_count = model->head_count;
    return STATUS_OK;
}

enum status model_summarise(const struct model *model, struct arena *arena,
                            struct model_summary *summary, struct error *err)
{
    *summary = (struct model_summary){
        .estimator = model->estimator,
        .task = model->task,
        .label = model->label,
        .label_type = model->labels.type,
        .class_count = model->task == TASK_CLASSIFICATION ? model->labels.count : 0,
        .classes = model->labels.values,
        .positive = model_positive(model),
        .has_threshold = model->final.has_threshold,
        .threshold = model->final.threshold,
        .calibration = model->final.calibration,
        .input_count = model->transform.column_count,
        .component_count = model->components,
        .kind = model->kind,
        .params = model->params,
        .outline = model->outline,
        .link = model->link,
        .aim = model->aim,
        .has_statistics = model->statistics_count > 0,
        .kept_epoch = model->kept_epoch,
        .digest = model->digest,
        .version = model->version,
        .memory = model->memory,
        .multiplications = model->multiplications,
    };
    TRY(summarise_rounds(model, arena, summary, err));
    TRY(summarise_heads(model, arena, summary, err));
    summary->inputs = ARENA_NEW(arena, struct model_input, summary->input_count + 1);
    summary->made =
        ARENA_NEW(arena, const struct transform_input *, model->transform.input_count + 1);
    if (!summary->inputs || !summary->made)
        return fail_no_memory(err);
    for (size_t i = 0; i < summary->input_count; i++)
        summary->inputs[i] = (struct model_input){
            .name = model->transform.columns[i], .is_source = true, .type = INPUT_CATEGORY};
    for (size_t i = 0; i < model->transform.input_count; i++) {
        const struct transform_input *input = &model->transform.inputs[i];
        struct model_input *column = &summary->inputs[input->column];

        if (input->spec.rule != RULE_WORDS)
            summary->made[summary->made_count++] = input;
        if (input->spec.cross)
            continue;
        if (i == 0 || input[-1].column != input->column) /* others are made of it beside it */
            column->type = input->spec.type;
        if (input->spec.rule != RULE_WORDS)
            continue;
        column->is_source = false;
        column->has_nulls = column->has_nulls || input->has_nulls;
        if (!transform_reach(&model->transform, input, &column->least, &column->greatest))
            column->least = column->greatest = 0;
        column->offset = input->spec.offset;
        column->label = input->spec.label;
        column->model_part = input->spec.model_part;
        column->dimension = input->spec.dimension;
        column->concat = input->spec.concat;
        if (input->spec.type == INPUT_TEXT) {
            column->hash_buckets = input->spec.weight ? input->id_rows : input->hash_buckets;
            column->words_max = input->spec.words_max;
            column->has_pairs = input->spec.has_pairs;
            column->weight = input->spec.weight;
            column->combiner = input->spec.combiner;
        }
        if (input->spec.part)
            column->parts |= (uint32_t)1 << input->spec.part;
        column->reading = input->spec.reading;
        if (cell_list_has_numbers(&input->spec.list))
            column->list = input->spec.list;
    }
    return STATUS_OK;
}

static enum status take_parts(const cJSON *metric, stored_metric_taker *take, void *context,
                              struct error *err)
{
    static const struct {
        const char *stored, *part;
    } parts[] = {{"train", PART_TRAINING},
                 {"validation", PART_VALIDATION},
                 {"folds", PART_FOLDS},
                 {"deviation", PART_DEVIATION}};
    struct slice name, label = {NULL, 0};

    TRY(json_get_string(metric, "name", &name, err));
    if (json_has(metric, "label"))
        TRY(json_get_string(metric, "label", &label, err));
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const cJSON *value = cJSON_GetObjectItemCaseSensitive(metric, parts[i].stored);

        if (cJSON_IsNumber(value))
            TRY(take(context, name, label, parts[i].part, value->valuedouble, err));
    }
    return STATUS_OK;
}

static enum status take_metrics(const cJSON *metrics, stored_metric_taker *take, void *context,
                                struct error *err)
{
    const cJSON *metric;

    cJSON_ArrayForEach(metric, metrics) TRY(take_parts(metric, take, context, err));
    return STATUS_OK;
}

enum status stored_metrics(const struct model *model, stored_metric_taker *take, void *context,
                           struct error *err)
{
    enum status status;
    cJSON *metrics;

    if (model->metrics_json.size == 0)
        return STATUS_OK;
    TRY(json_parse(model->metrics_json, METRICS_JSON_BYTES_MAX, &metrics, err));
    status = take_metrics(metrics, take, context, err);
    cJSON_Delete(metrics);
    return status;
}

/* The first beside the loss; that of rows that were held out, or of folds, takes its place. */
struct main_metric {
    char name[WORD_BYTES_MAX + 1];
    const char *part; /* NULL: none was found */
    double value;
};

static enum status take_main(void *context, struct slice name, struct slice label, const char *part,
                             double value, struct error *err)
{
    struct main_metric *found = context;

    (void)err;
    if (slice_is(name, "loss") || label.size > 0 || strcmp(part, PART_DEVIATION) == 0 ||
        (found->part && !slice_is(name, found->name)))
        return STATUS_OK;
    slice_copy(name, found->name, sizeof found->name);
    found->part = part;
    found->value = value;
    return STATUS_OK;
}

enum status put_model(const struct model *model, struct slice shown,
                      const struct model_sizes *sizes, const struct sink *sink, struct error *err)
{
    struct main_metric metric = {.part = NULL};
    const bool has_label = task_has_label(model->task);

    TRY(stored_metrics(model, take_main, &metric, err));
    return sink_row(
        sink,
        (struct cell[]){
            cell_text(shown), cell_integer(model->version), cell_text(model->estimator),
            has_label ? cell_text(model->label) : cell_null(), cell_integer((int64_t)model->rows),
            metric.part ? cell_string(metric.name) : cell_null(),
            metric.part ? cell_real(metric.value) : cell_null(),
            metric.part ? cell_string(metric.part) : cell_null(), cell_text(model->created_at),
            cell_text(model->digest), cell_text(model->statement), sizes->table, sizes->kept},
        STORED_MODEL_COLUMNS, err);
}

enum status put_unreadable_model(struct slice shown, const char *why, const struct sink *sink,
                                 struct error *err)
{
    struct cell row[STORED_MODEL_COLUMNS];
    char kind[sizeof err->message + 16];

    snprintf(kind, sizeof kind, "unreadable: %s", why);
    for (size_t i = 0; i < STORED_MODEL_COLUMNS; i++)
        row[i] = cell_null();
    row[0] = cell_text(shown);
    row[2] = cell_string(kind);
    return sink_row(sink, row, STORED_MODEL_COLUMNS, err);
}

#define ID_DIGITS 32

static enum status random_id(char id[ID_DIGITS + 1], struct error *err)
{
    unsigned char bytes[ID_DIGITS / 2];

    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return fail_errno(err, STATUS_IO, "no random bytes for a model id");
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(id + 2 * i, 3, "%02x", bytes[i]);
    return STATUS_OK;
}

void stored_now(char text[STORED_TIME_BYTES])
{
    time_t now = time(NULL);
    struct tm parts;

    gmtime_r(&now, &parts);
    strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &parts);
}

enum status model_stamp(struct model *model, struct arena *arena, struct error *err)
{
    char id[ID_DIGITS + 1], now[STORED_TIME_BYTES];

    stored_now(now);
    TRY(random_id(id, err));
    model->created_at = arena_copy(arena, slice_of(now));
    model->id = arena_copy(arena, slice_of(id));
    model->version = 1;
    return model->created_at.data && model->id.data ? STATUS_OK : fail_no_memory(err);
}

/* ----- versions ----- */

uint32_t stored_versions_kept(void)
{
    const char *said = getenv("TOTRAIN_KEPT_VERSIONS");
    int64_t number;

    if (!said || !*said)
        return VERSIONS_KEPT;
    if (slice_to_integer(slice_of(said), &number) && number >= 1 && number <= VERSIONS_KEPT_MAX)
        return (uint32_t)number;
    log_warning("TOTRAIN_KEPT_VERSIONS is \"%s\"; expected a number from 1 to %d", said,
                VERSIONS_KEPT_MAX);
    return VERSIONS_KEPT;
}

/* The numbers that a version was measured by: the metrics of rows that were held out, or of folds,
 * and those of the training rows of which nothing else is known, in six digits. */
struct version_metrics {
    cJSON *object;
    const char *part; /* the last one's; NULL: there is none */
};

static enum status take_version_metric(void *context, struct slice name, struct slice label,
                                       const char *part, double value, struct error *err)
{
    struct version_metrics *metrics = context;
    char digits[32];
    struct text key;
    bool failed;

    if (strcmp(part, PART_DEVIATION) == 0)
        return STATUS_OK;
    text_init(&key, TEXT_MAXIMUM);
    text_append(&key, name);
    if (label.size > 0)
        text_printf(&key, " of %.*s", SLICE_FORMAT(label));
    snprintf(digits, sizeof digits, "%.6g", value);
    cJSON_DeleteItemFromObjectCaseSensitive(metrics->object, text_string(&key));
    json_add_real(metrics->object, text_string(&key), strtod(digits, NULL));
    metrics->part = part;
    failed = key.failed;
    text_deinit(&key);
    return failed ? fail_no_memory(err) : STATUS_OK;
}

/* row: its first cells, version to state. */
static enum status put_version(const struct version_listing *listing, struct cell *row,
                               const struct version_metrics *metrics, struct error *err)
{
    enum status status = STATUS_OK;
    struct text text;

    text_init(&text, METRICS_JSON_BYTES_MAX);
    row[4] = row[5] = cell_null();
    if (metrics->part) {
        status = json_print(metrics->object, false, &text, err);
        row[4] = cell_string(metrics->part);
        row[5] = cell_text(text_slice(&text));
    }
    if (status == STATUS_OK)
        status = sink_row(listing->sink, row, VERSION_COLUMNS, err);
    text_deinit(&text);
    return status;
}

static enum status put_current(struct version_listing *listing, struct error *err)
{
    const struct model *current = listing->current;
    struct version_metrics metrics = {.object = cJSON_CreateObject()};
    struct cell row[VERSION_COLUMNS] = {cell_integer(current->version), cell_text(current->digest),
                                        cell_text(current->created_at), cell_string("current")};
    enum status status = stored_metrics(current, take_version_metric, &metrics, err);

    listing->is_current_put = true;
    if (status == STATUS_OK)
        status = put_version(listing, row, &metrics, err);
    cJSON_Delete(metrics.object);
    return status;
}

/* The metrics of a kept version, in its meta row. */
static enum status read_kept(const struct cell *meta, struct version_metrics *metrics,
                             struct error *err)
{
    enum status status;
    cJSON *json;

    if (meta->type != CELL_TEXT && meta->type != CELL_BLOB)
        return fail(err, STATUS_CORRUPT, "a kept version without a meta row");
    TRY(json_parse(meta->text, MODEL_META_BYTES_MAX, &json, err));
    status = take_metrics(cJSON_GetObjectItemCaseSensitive(json, "metrics"), take_version_metric,
                          metrics, err);
    cJSON_Delete(json);
    return status;
}

enum status version_listing_add(struct version_listing *listing, const struct cell *version,
                                const struct cell *digest, const struct cell *created_at,
                                const struct cell *meta, struct error *err)
{
    struct version_metrics metrics = {.object = NULL};
    struct cell row[VERSION_COLUMNS] = {*version, *digest, *created_at, cell_string("kept")};
    enum status status;

    if (!listing->is_current_put && version->integer < listing->current->version)
        TRY(put_current(listing, err));
    metrics.object = cJSON_CreateObject();
    status = read_kept(meta, &metrics, err);
    if (status == STATUS_OK)
        status = put_version(listing, row, &metrics, err);
    cJSON_Delete(metrics.object);
    return status;
}

enum status version_listing_end(struct version_listing *listing, struct error *err)
{
    return listing->is_current_put ? STATUS_OK : put_current(listing, err);
}

bool version_is(struct slice wanted, int64_t version, struct slice digest)
{
    int64_t number;

    if (slice_to_integer(wanted, &number) && number == version)
        return true;
    if (wanted.size < 4 || wanted.size > digest.size)
        return false;
    digest.size = wanted.size;
    return slice_equal_fold(digest, wanted);
}

enum status refuse_missing_version(struct slice wanted, const struct model *current,
                                   struct error *err)
{
    return fail(err, STATUS_NOT_FOUND, "no version \"%.*s\" of the model is kept",
                SLICE_FORMAT(wanted)),
           error_hint(
               err, "SHOW VERSIONS lists the versions that are; the model is at version %lld now.",
               (long long)current->version);
}
