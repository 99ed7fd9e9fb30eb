/*
 * The section of jobs that score a table, read and written.
 */
#include "jobspec/jobspec_scoring.h"

#include "jobspec/jobspec_get.h"
#include "jobspec/jobspec_parts.h"
#include "scoring/report.h"

static enum status read_column(const cJSON *json, uint32_t columns, uint32_t *column,
                               struct error *err)
{
    const double value = cJSON_IsNumber(json) ? json->valuedouble : -2;

    if (value == -1) {
        *column = JOBSPEC_NO_LABEL;
        return STATUS_OK;
    }
    if (!(value >= 0 && value < columns) || value != (double)(uint32_t)value)
        return fail(err, STATUS_CORRUPT, "member \"inputs\": expected cells from -1 to below %u",
                    columns);
    *column = (uint32_t)value;
    return STATUS_OK;
}

static enum status read_inputs(const cJSON *section, struct arena *arena,
                               struct spec_scoring *scoring, struct error *err)
{
    const cJSON *inputs, *input;

    TRY(json_get_array(section, "inputs", MODEL_NUMBERS_MAX, &inputs, err));
    scoring->inputs = ARENA_NEW(arena, uint32_t, (size_t)cJSON_GetArraySize(inputs) + 1);
    if (!scoring->inputs)
        return fail_no_memory(err);
    cJSON_ArrayForEach(input, inputs)
        TRY(read_column(input, scoring->columns, &scoring->inputs[scoring->input_count++], err));
    return STATUS_OK;
}

/* -1: none, as in EVALUATE of a model that is learned without. */
static enum status read_label(const cJSON *section, const struct jobspec *spec, uint32_t *label,
                              struct error *err)
{
    const bool has_label = spec->kind == SPEC_EVALUATE && task_has_label(spec->task);
    const int64_t least = has_label ? 0 : -1;
    int64_t column;

    TRY(json_get_integer(section, "label", least, (int64_t)spec->scoring.columns - 1, &column,
                         err));
    *label = column < 0 ? JOBSPEC_NO_LABEL : (uint32_t)column;
    return STATUS_OK;
}

static enum status read_optional(const cJSON *section, const char *name, uint32_t columns,
                                 uint32_t *cell, struct error *err)
{
    int64_t column;

    TRY(json_get_integer(section, name, -1, (int64_t)columns - 1, &column, err));
    *cell = column < 0 ? JOBSPEC_NO_LABEL : (uint32_t)column;
    return STATUS_OK;
}

/* Reads what the metrics of a ranking or of times are made of. */
static enum status read_aim(const cJSON *section, struct arena *arena, struct spec_scoring *scoring,
                            struct error *err)
{
    TRY(read_optional(section, "group", scoring->columns, &scoring->group, err));
    TRY(read_optional(section, "upper", scoring->columns, &scoring->upper, err));
    TRY(spec_get_text(section, "group_name", 0, NAME_BYTES_MAX, arena, &scoring->group_name, err));
    TRY(spec_get_text(section, "upper_name", 0, NAME_BYTES_MAX, arena, &scoring->upper_name, err));
    if (json_has(section, "by_head"))
        TRY(json_get_boolean(section, "by_head", &scoring->by_head, err));
    return json_get_boolean(section, "as_means", &scoring->as_means, err);
}

/* Reads what a value that came is compared with. */
static enum status read_checked(const cJSON *section, struct spec_scoring *scoring,
                                struct error *err)
{
    TRY(read_optional(section, "checked", scoring->columns, &scoring->checked, err));
    TRY(json_get_real(section, "anomaly", &scoring->anomaly, err));
    return scoring->anomaly >= 0 && scoring->anomaly <= 1
               ? STATUS_OK
               : fail(err, STATUS_CORRUPT, "member \"anomaly\": expected 0 to 1");
}

static enum status read_cost(const cJSON *section, const char *name, double *cost,
                             struct error *err)
{
    TRY(json_get_real(section, name, cost, err));
    return *cost >= 0 && *cost <= REPORT_COST_MAX
               ? STATUS_OK
               : fail(err, STATUS_CORRUPT, "member \"%s\": expected 0 to %g", name,
                      REPORT_COST_MAX);
}

/* An object that is there only where intervals are wanted. */
static enum status read_intervals(const cJSON *section, struct bootstrap_choice *choice,
                                  struct error *err)
{
    const cJSON *intervals;
    int64_t seed;

    if (!json_has(section, "intervals"))
        return STATUS_OK;
    TRY(spec_get_section(section, "intervals", MEMBERS("level", "resamples", "seed"), &intervals,
                         err));
    TRY(json_get_real(intervals, "level", &choice->level, err));
    if (!(choice->level >= 0.5 && choice->level <= 0.9999))
        return fail(err, STATUS_CORRUPT, "member \"level\": expected 0.5 to 0.9999");
    TRY(spec_get_u32(intervals, "resamples", BOOTSTRAP_RESAMPLES_MIN, BOOTSTRAP_RESAMPLES_MAX,
                     &choice->resamples, err));
    TRY(json_get_integer(intervals, "seed", 0, INT64_MAX, &seed, err));
    choice->seed = (uint64_t)seed;
    return STATUS_OK;
}

static enum status read_judging(const cJSON *section, struct spec_scoring *scoring,
                                struct error *err)
{
    unsigned average, report;

    TRY(spec_get_word(section, "average", average_words, &average, err));
    TRY(spec_get_word(section, "report", report_words, &report, err));
    TRY(json_get_boolean(section, "has_threshold", &scoring->has_threshold, err));
    TRY(json_get_real(section, "threshold", &scoring->threshold, err));
    TRY(read_cost(section, "false_positive_cost", &scoring->false_positive_cost, err));
    TRY(read_cost(section, "false_negative_cost", &scoring->false_negative_cost, err));
    TRY(read_intervals(section, &scoring->bootstrap, err));
    scoring->average = (enum average)average;
    scoring->report = (enum report_kind)report;
    return scoring->threshold >= 0 && scoring->threshold <= 1
               ? STATUS_OK
               : fail(err, STATUS_CORRUPT, "member \"threshold\": expected 0 to 1");
}

enum status spec_read_scoring(const cJSON *json, struct arena *arena, struct jobspec *spec,
                              struct error *err)
{
    struct spec_scoring *scoring = &spec->scoring;
    const cJSON *section;
    int64_t rows;

    TRY(json_get_object(json, "scoring", &section, err));
    TRY(spec_check_members(section,
                           MEMBERS("rows", "shard_rows", "columns", "inputs", "label", "label_name",
                                   "group", "group_name", "upper", "upper_name", "as_means",
                                   "outputs", "checked", "anomaly", "metrics", "average", "report",
                                   "has_threshold", "threshold", "false_positive_cost",
                                   "false_negative_cost", "keeps_bad_rows", "replaces_any",
                                   json_has(section, "intervals") ? "intervals"
                                   : json_has(section, "by_head") ? "by_head"
                                                                  : NULL),
                           err));
    TRY(json_get_integer(section, "rows", 0, SCORED_ROWS_MAX, &rows, err));
    scoring->rows = (uint64_t)rows;
    TRY(spec_get_u32(section, "shard_rows", 1, JOBSPEC_SHARD_ROWS_MAX, &scoring->shard_rows, err));
    TRY(spec_get_u32(section, "columns", 1, JOBSPEC_COLUMNS_MAX, &scoring->columns, err));
    TRY(read_inputs(section, arena, scoring, err));
    TRY(read_label(section, spec, &scoring->label, err));
    TRY(spec_get_text(section, "label_name", 0, NAME_BYTES_MAX, arena, &scoring->label_name, err));
    TRY(read_aim(section, arena, scoring, err));
    TRY(spec_get_words(section, "outputs", JOBSPEC_OUTPUTS_MAX, arena, scoring->outputs,
                       &scoring->output_count, err));
    TRY(read_checked(section, scoring, err));
    TRY(spec_get_words(section, "metrics", METRICS_MAX, arena, scoring->metrics,
                       &scoring->metric_count, err));
    TRY(read_judging(section, scoring, err));
    TRY(json_get_boolean(section, "keeps_bad_rows", &scoring->keeps_bad_rows, err));
    return json_get_boolean(section, "replaces_any", &scoring->replaces_any, err);
}

static void write_words(cJSON *section, const char *name, const struct slice *words, size_t count)
{
    cJSON *array = json_add_array(section, name);

    for (size_t i = 0; i < count; i++)
        json_append(array, json_string(words[i]));
}

static void write_optional(cJSON *section, const char *name, uint32_t cell)
{
    json_add_integer(section, name, cell == JOBSPEC_NO_LABEL ? -1 : (int64_t)cell);
}

void spec_write_scoring(const struct spec_scoring *scoring, cJSON *json)
{
    cJSON *section = json_add_object(json, "scoring"), *inputs, *intervals;

    json_add_integer(section, "rows", (int64_t)scoring->rows);
    json_add_integer(section, "shard_rows", scoring->shard_rows);
    json_add_integer(section, "columns", scoring->columns);
    inputs = json_add_array(section, "inputs");
    for (size_t i = 0; i < scoring->input_count; i++)
        json_append(inputs, json_integer(scoring->inputs[i] == JOBSPEC_NO_LABEL
                                             ? -1
                                             : (int64_t)scoring->inputs[i]));
    write_optional(section, "label", scoring->label);
    json_add_string(section, "label_name", scoring->label_name);
    write_optional(section, "group", scoring->group);
    json_add_string(section, "group_name", scoring->group_name);
    write_optional(section, "upper", scoring->upper);
    json_add_string(section, "upper_name", scoring->upper_name);
    json_add_boolean(section, "as_means", scoring->as_means);
    if (scoring->by_head)
        json_add_boolean(section, "by_head", true);
    write_words(section, "outputs", scoring->outputs, scoring->output_count);
    write_optional(section, "checked", scoring->checked);
    json_add_real(section, "anomaly", scoring->anomaly);
    write_words(section, "metrics", scoring->metrics, scoring->metric_count);
    json_add_string(section, "average", slice_of(average_words[scoring->average]));
    json_add_string(section, "report", slice_of(report_words[scoring->report]));
    json_add_boolean(section, "has_threshold", scoring->has_threshold);
    json_add_real(section, "threshold", scoring->threshold);
    json_add_real(section, "false_positive_cost", scoring->false_positive_cost);
    json_add_real(section, "false_negative_cost", scoring->false_negative_cost);
    if (scoring->bootstrap.level > 0) {
        intervals = json_add_object(section, "intervals");
        json_add_real(intervals, "level", scoring->bootstrap.level);
        json_add_integer(intervals, "resamples", scoring->bootstrap.resamples);
        json_add_integer(intervals, "seed", (int64_t)scoring->bootstrap.seed);
    }
    json_add_boolean(section, "keeps_bad_rows", scoring->keeps_bad_rows);
    json_add_boolean(section, "replaces_any", scoring->replaces_any);
}

static bool same_words(const struct slice *a, size_t count, const struct slice *b, size_t others)
{
    if (count != others)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!slice_equal(a[i], b[i]))
            return false;
    return true;
}

bool spec_same_scoring(const struct spec_scoring *a, const struct spec_scoring *b)
{
    if (a->input_count != b->input_count)
        return false;
    for (size_t i = 0; i < a->input_count; i++)
        if (a->inputs[i] != b->inputs[i])
            return false;
    return a->rows == b->rows && a->shard_rows == b->shard_rows && a->columns == b->columns &&
           a->label == b->label && slice_equal(a->label_name, b->label_name) &&
           a->group == b->group && slice_equal(a->group_name, b->group_name) &&
           a->upper == b->upper && slice_equal(a->upper_name, b->upper_name) &&
           a->as_means == b->as_means && a->by_head == b->by_head &&
           same_words(a->outputs, a->output_count, b->outputs, b->output_count) &&
           same_words(a->metrics, a->metric_count, b->metrics, b->metric_count) &&
           a->checked == b->checked && a->anomaly == b->anomaly && a->average == b->average &&
           a->report == b->report && a->has_threshold == b->has_threshold &&
           a->threshold == b->threshold && a->false_positive_cost == b->false_positive_cost &&
           a->false_negative_cost == b->false_negative_cost &&
           a->bootstrap.level == b->bootstrap.level &&
           a->bootstrap.resamples == b->bootstrap.resamples &&
           a->bootstrap.seed == b->bootstrap.seed && a->keeps_bad_rows == b->keeps_bad_rows &&
           a->replaces_any == b->replaces_any;
}
