#include "tests/documents/jobspec_schema.h"

#include <stdio.h>
#include <string.h>

#include "graph/graph_frozen.h"
#include "jobspec/job_attributes.h"
#include "jobspec/jobspec_parts.h"
#include "jobspec/jobspec_sections.h"
#include "kinds/forecast/holidays.h"
#include "scoring/report.h"

/* json_print finds that there was too little memory, for all of the calls below, as in
 * jobspec_write.c. */

/* ---- values ---- */

static cJSON *typed(const char *type, const char *help)
{
    cJSON *schema = cJSON_CreateObject();

    json_add_string(schema, "type", slice_of(type));
    if (help)
        json_add_string(schema, "description", slice_of(help));
    return schema;
}

static cJSON *integer(int64_t least, int64_t most, const char *help)
{
    cJSON *schema = typed("integer", help);

    json_add_integer(schema, "minimum", least);
    json_add_integer(schema, "maximum", most);
    return schema;
}

static cJSON *real_range(double least, double most)
{
    cJSON *schema = typed("number", NULL);

    json_add_real(schema, "minimum", least);
    json_add_real(schema, "maximum", most);
    return schema;
}

static cJSON *text(size_t least, size_t most, const char *help)
{
    cJSON *schema = typed("string", help);

    json_add_integer(schema, "minLength", (int64_t)least);
    json_add_integer(schema, "maxLength", (int64_t)most);
    return schema;
}

static void add_words(cJSON *schema, const char *const *words)
{
    cJSON *array = json_add_array(schema, "enum");

    for (; *words; words++)
        json_append(array, json_string(slice_of(*words)));
}

static cJSON *word(const char *const *words, const char *help)
{
    cJSON *schema = typed("string", help);

    add_words(schema, words);
    return schema;
}

static cJSON *array(size_t least, size_t most, cJSON *items, const char *help)
{
    cJSON *schema = typed("array", help);

    json_add_integer(schema, "minItems", (int64_t)least);
    json_add_integer(schema, "maxItems", (int64_t)most);
    json_add(schema, "items", items);
    return schema;
}

static bool is_among(const char *word, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(word, *words) == 0)
            return true;
    return false;
}

/* The schema is of an object of these members alone. All are required but `optional`. */
static void close_object(cJSON *schema, cJSON *members, const char *const *optional)
{
    cJSON *required = json_add_array(schema, "required");

    for (cJSON *member = members ? members->child : NULL; member; member = member->next)
        if (!is_among(member->string, optional))
            json_append(required, json_string(slice_of(member->string)));
    json_add_boolean(schema, "additionalProperties", false);
    json_add(schema, "properties", members);
}

static cJSON *object(cJSON *members)
{
    cJSON *schema = typed("object", NULL);

    close_object(schema, members, MEMBERS(NULL));
    return schema;
}

/* ---- attributes ---- */

/* The range that attribute_read takes: also 0, where the row's own begins above it, and what stands
 * for 'auto'. */
static void add_range(const struct attribute *attribute, bool may_be_0, cJSON *schema)
{
    const bool is_automatic_real = attribute->is_automatic && attribute->store == STORE_REAL;
    const double exception = is_automatic_real ? REAL_AUTOMATIC : 0;
    cJSON *choices, *choice;

    if (attribute->least > exception && (is_automatic_real || may_be_0)) {
        choices = json_add_array(schema, "anyOf");
        choice = cJSON_CreateObject();
        json_add_real(choice, "maximum", exception);
        json_append(choices, choice);
        choice = cJSON_CreateObject();
        json_add_real(choice, "minimum", attribute->least);
        json_append(choices, choice);
        json_add_real(schema, "minimum", exception);
    } else {
        json_add_real(schema, "minimum", attribute->least);
    }
    if (attribute->store != STORE_U64)
        json_add_real(schema, "maximum", attribute->most);
}

/* Beyond 2^53 an integer is written as a string (base/json.h). */
static cJSON *long_integer(const char *help)
{
    cJSON *schema = cJSON_CreateObject(), *types = json_add_array(schema, "type");

    json_append(types, json_string(SLICE("integer")));
    json_append(types, json_string(SLICE("string")));
    json_add_string(schema, "description", slice_of(help));
    return schema;
}

/* A number, or a list of several. */
static cJSON *reals(const struct attribute *attribute, const char *help)
{
    cJSON *schema = cJSON_CreateObject(), *choices = json_add_array(schema, "anyOf");
    cJSON *number = typed("number", NULL);

    add_range(attribute, true, number);
    json_append(choices, number);
    json_append(choices, array(0, REALS_MAX, real_range(attribute->least, attribute->most), NULL));
    json_add_string(schema, "description", slice_of(help));
    return schema;
}

static cJSON *attribute_schema(const struct attribute *attribute)
{
    const char *help = attribute->name;
    cJSON *schema = NULL;

    switch (attribute->store) {
    case STORE_NONE:
        break;
    case STORE_U32:
    case STORE_U64:
        schema = attribute->store == STORE_U64 ? long_integer(help) : typed("integer", help);
        add_range(attribute, !attribute->default_value || attribute->is_automatic, schema);
        break;
    case STORE_REAL:
        schema = typed("number", help);
        add_range(attribute, true, schema);
        break;
    case STORE_BOOLEAN:
        schema = typed("boolean", help);
        break;
    case STORE_ENUM:
        schema = word(attribute->words, help);
        break;
    case STORE_COUNTS:
        schema = array(0, COUNTS_MAX,
                       integer((int64_t)attribute->least, (int64_t)attribute->most, NULL), help);
        break;
    case STORE_REALS:
        schema = reals(attribute, help);
        break;
    }
    return schema;
}

static void add_table(const struct attribute_table *table, const char *section, cJSON *members)
{
    for (size_t i = 0; i < table->count; i++)
        if (attribute_is_in(&table->rows[i], section))
            json_add(members, table->rows[i].member, attribute_schema(&table->rows[i]));
}

/* The attributes of an object of the spec, in the order in which they are written. */
static cJSON *section_members_of(const struct kind *kind, const char *section)
{
    cJSON *members = cJSON_CreateObject();

    if (kind)
        add_table(kind->attributes, section, members);
    add_table(&job_attributes, section, members);
    return members;
}

/* ---- the spec ---- */

static cJSON *words_wanted(size_t most, const char *help)
{
    return array(0, most, text(1, WORD_BYTES_MAX, NULL), help);
}

static cJSON *model(const struct kind *kind)
{
    cJSON *members = cJSON_CreateObject();

    json_add(members, "name", text(1, NAME_BYTES_MAX, NULL));
    json_add(members, "estimator", text(1, WORD_BYTES_MAX, NULL));
    json_add(members, "family",
             kind ? word(MEMBERS(kind->name), "the kind of model")
                  : text(1, WORD_BYTES_MAX, "the kind of model"));
    json_add(members, "task", word(task_words, NULL));
    return object(members);
}

static cJSON *source_list(void)
{
    cJSON *members = cJSON_CreateObject(), *list;

    json_add(members, "form", word(list_form_words + 1, NULL));
    json_add(members, "size",
             integer(1, LIST_NUMBERS_MAX, "numbers, or one more than any id, or most items"));
    json_add(members, "delimiter", text(0, 1, "of items; empty: commas or white space"));
    json_add(members, "pair", text(0, 1, "between an id and its number"));
    json_add(members, "words_max", integer(1, TEXT_WORDS_MAX, "of a text, where they are counted"));
    json_add(members, "pairs", typed("boolean", "pairs of words are counted, too"));
    json_add(members, "width", integer(1, PICTURE_NUMBERS_MAX, "of a picture, in pixels"));
    json_add(members, "channels", integer(1, PICTURE_NUMBERS_MAX, "numbers of a pixel"));
    list = typed("object", NULL);
    close_object(list, members, MEMBERS("words_max", "pairs", "width", "channels"));
    return list;
}

/* Readings of numbers (cell_text.h), without those that every reader knows. */
#define NUMBER_READINGS "separated", "boolean", "written, with a point", "written, with a comma"

static const char *const input_readings[] = {NUMBER_READINGS, "written date", "day first",
                                             "month first", NULL};

static cJSON *crossed_columns(void)
{
    cJSON *members = cJSON_CreateObject(), *column;

    json_add(members, "column", typed("string", NULL));
    json_add(members, "rule", word(category_rule_words, "what is made of its value"));
    json_add(members, "reading", word(MEMBERS(NUMBER_READINGS), "how its text is read"));
    json_add(members, "rows", integer(1, CATEGORY_WORDS_MAX, "its hash buckets or ids"));
    json_add(members, "bounds",
             array(1, BUCKETS_MAX - 1, typed("number", NULL), "of its buckets, ascending"));
    column = typed("object", NULL);
    close_object(column, members, MEMBERS("reading", "rows", "bounds"));
    return array(2, CROSS_COLUMNS_MAX, column, "whose values together are hashed");
}

static cJSON *input_concat(void)
{
    cJSON *members = cJSON_CreateObject(), *schema;

    json_add(members, "number", integer(1, MODEL_INPUTS_MAX, "of the CONCAT"));
    json_add(members, "combiner", word(combiner_words, "of its members' embeddings"));
    schema = typed("object", "with whose other members it has one embedding");
    close_object(schema, members, MEMBERS(NULL));
    return schema;
}

static cJSON *member_schema(enum input_member_name name)
{
    const struct input_member *member = &input_members[name];

    switch (member->store) {
    case MEMBER_IS_TEXT:
        return text(member->least, member->most, member->help);
    case MEMBER_IS_U32:
        return integer(member->least, member->most, member->help);
    case MEMBER_IS_WORD:
        return word(name == MEMBER_READING ? input_readings : member->words + member->least,
                    member->help);
    case MEMBER_IS_TRUE:
        return typed("boolean", member->help);
    case MEMBER_IS_DIRECTION:
        return word(member->words, member->help);
    case MEMBER_IS_GROUPS:
        return array(member->least, member->most, integer(0, member->most - 1, NULL), member->help);
    case MEMBER_IS_LIST:
        return source_list();
    case MEMBER_IS_CONCAT:
        return input_concat();
    case MEMBER_IS_CROSS:
        return crossed_columns();
    case MEMBER_IS_BOUNDS:
        break;
    }
    return array(member->least, member->most, typed("number", NULL), member->help);
}

/* Those of an input, or of its source; all but the first `required` may be left out. */
static cJSON *input_object(bool are_of_source, size_t required)
{
    const char *optional[INPUT_MEMBERS + 2] = {NULL};
    cJSON *members = cJSON_CreateObject(), *schema = typed("object", NULL);
    size_t count = 0, seen = 0;

    for (unsigned i = 0; i < INPUT_MEMBERS; i++) {
        if (input_members[i].is_of_source != are_of_source)
            continue;
        json_add(members, input_members[i].names[RECORD_JOB], member_schema(i));
        if (seen++ >= required)
            optional[count++] = input_members[i].names[RECORD_JOB];
    }
    if (!are_of_source) {
        json_add(members, "source", input_object(true, 1));
        optional[count++] = "source";
    }
    close_object(schema, members, optional);
    return schema;
}

static cJSON *inputs(void)
{
    return array(1, MODEL_NUMBERS_MAX, input_object(false, 3), NULL);
}

static cJSON *label(void)
{
    cJSON *members = cJSON_CreateObject(), *schema;

    json_add(members, "name", text(0, NAME_BYTES_MAX, NULL));
    json_add(members, "type", word(label_type_words, NULL));
    json_add(members, "positive",
             text(0, LABEL_BYTES_MAX, "the label that is looked for, of two; empty: the greater"));
    json_add(members, "declared",
             text(1, TYPE_BYTES_MAX, "the database's own type of the label, kept in the model"));
    json_add(members, "reading", word(MEMBERS(NUMBER_READINGS), "how its text is read"));
    json_add(members, "weights",
             text(1, CLASS_WEIGHTS_BYTES_MAX,
                  "JSON: what a row of each class weighs, a list by class or an object by label"));
    json_add(members, "threshold",
             text(1, THRESHOLD_RULE_BYTES_MAX,
                  "how the probability is chosen from which the positive class is predicted"));
    json_add(members, "calibration", word(calibration_words, "of the probabilities"));
    json_add(members, "fold_scores",
             word(fold_scores_words, "of rows by the models of folds, which threshold and "
                                     "calibration are learned from"));
    schema = typed("object", NULL);
    close_object(
        schema, members,
        MEMBERS("declared", "reading", "weights", "threshold", "calibration", "fold_scores"));
    return schema;
}

static cJSON *roles(void)
{
    cJSON *members = cJSON_CreateObject();

    json_add(members, "role", word(row_role_words, "what the column is for"));
    json_add(members, "name", text(0, NAME_BYTES_MAX, NULL));
    return array(1, ROW_ROLES, object(members),
                 "columns of the rows that are neither input nor label");
}

static cJSON *training(const struct kind *kind)
{
    cJSON *members = section_members_of(kind, "training");

    json_add(members, "has_validation",
             typed("boolean", "an own spool for validation is beside the train one"));
    json_add(members, "keeps_best",
             typed("boolean", "the best epoch's weights are kept if the last is clearly worse"));
    json_add(members, "staged_shards",
             integer(0, JOBSPEC_STAGED_MAX,
                     "of the rows, which workers read from the user's table and stage; 0: the "
                     "session has staged them"));
    json_add(members, "has_default_metrics",
             typed("boolean", "of more than two classes some of the metrics fall away"));
    json_add(members, "average", word(average_words, NULL));
    json_add(members, "metrics", words_wanted(METRICS_MAX, NULL));
    return object(members);
}

static cJSON *holidays(void)
{
    cJSON *members = cJSON_CreateObject();

    json_add(members, "name", text(1, HOLIDAY_NAME_MAX, NULL));
    json_add(members, "days",
             array(1, HOLIDAY_DAYS_MAX, integer(TIME_DAY_LEAST, TIME_DAY_MOST, NULL),
                   "days since 1970-01-01, ascending"));
    return array(1, HOLIDAYS_MAX, object(members), "holidays, ascending by their names");
}

static cJSON *notices(void)
{
    cJSON *members = cJSON_CreateObject(), *notice;

    json_add(members, "kind", word(notice_words, "what it is about"));
    json_add(members, "text", text(0, NOTICE_BYTES_MAX, NULL));
    json_add(members, "hint", text(0, NOTICE_BYTES_MAX, "what to write"));
    json_add(members, "others", integer(0, UINT32_MAX, "of its kind that are left out"));
    notice = typed("object", NULL);
    close_object(notice, members, MEMBERS("hint", "others"));
    return array(0, NOTICES_MAX, notice, "of planning and of reading the rows; kept in the model");
}

static cJSON *history(void)
{
    cJSON *members = cJSON_CreateObject(), *schema;

    json_add(members, "work",
             text(JOBSPEC_WORK_BYTES, JOBSPEC_WORK_BYTES,
                  "the same of jobs that do the same for a row"));
    json_add(members, "paces",
             text(0, JOBSPEC_PACES_BYTES, "how fast earlier ones were, by numbers of workers"));
    json_add(members, "first",
             integer(0, JOBSPEC_WORKERS_MAX, "workers at first; 0: as many as there may be"));
    schema = object(members);
    json_add_string(schema, "description", SLICE("of earlier jobs of the model"));
    return schema;
}

static cJSON *intervals(void)
{
    cJSON *members = cJSON_CreateObject();

    json_add(members, "level", real_range(0.5, 0.9999));
    json_add(members, "resamples", integer(BOOTSTRAP_RESAMPLES_MIN, BOOTSTRAP_RESAMPLES_MAX, NULL));
    json_add(members, "seed", long_integer("evaluate.seed"));
    return object(members);
}

static cJSON *scoring(void)
{
    cJSON *members = cJSON_CreateObject(), *schema;
    const int64_t last_cell = JOBSPEC_COLUMNS_MAX - 1;

    json_add(members, "rows", integer(0, SCORED_ROWS_MAX, NULL));
    json_add(members, "shard_rows", integer(1, JOBSPEC_SHARD_ROWS_MAX, NULL));
    json_add(members, "columns", integer(1, JOBSPEC_COLUMNS_MAX, "cells of a row"));
    json_add(members, "inputs",
             array(0, MODEL_NUMBERS_MAX, integer(-1, last_cell, NULL),
                   "the cell of each input of the model; -1: a label that the rows lack"));
    json_add(members, "label", integer(-1, last_cell, "its cell; -1: none"));
    json_add(members, "label_name", text(0, NAME_BYTES_MAX, NULL));
    json_add(members, "group",
             integer(-1, last_cell, "evaluate, of rankings: the cell of a row's group; -1: none"));
    json_add(members, "group_name", text(0, NAME_BYTES_MAX, NULL));
    json_add(members, "upper",
             integer(-1, last_cell,
                     "evaluate, of times: the cell of the label's upper bound; -1: none"));
    json_add(members, "upper_name", text(0, NAME_BYTES_MAX, NULL));
    json_add(members, "as_means",
             typed("boolean", "evaluate: whether the model's aim is not looked at"));
    json_add(members, "by_head",
             typed("boolean", "evaluate: whether each of several labels has metrics of its own"));
    json_add(members, "outputs",
             words_wanted(JOBSPEC_OUTPUTS_MAX, "predict: words of scoring/outputs.h"));
    json_add(
        members, "checked",
        integer(-1, last_cell, "predict, of forecasts: the cell of a value that came; -1: none"));
    json_add(members, "anomaly", real_range(0, 1));
    json_add(members, "metrics", words_wanted(METRICS_MAX, NULL));
    json_add(members, "average", word(average_words, NULL));
    json_add(members, "report", word(report_words, "evaluate: what it returns"));
    json_add(members, "has_threshold", typed("boolean", NULL));
    json_add(members, "threshold", real_range(0, 1));
    json_add(members, "false_positive_cost", real_range(0, REPORT_COST_MAX));
    json_add(members, "false_negative_cost", real_range(0, REPORT_COST_MAX));
    json_add(members, "intervals", intervals());
    json_add(members, "keeps_bad_rows",
             typed("boolean", "a row that cannot be scored is put aside"));
    json_add(members, "replaces_any",
             typed("boolean", "the target may replace a table that no such statement made"));
    schema = typed("object", NULL);
    close_object(schema, members, MEMBERS("intervals", "by_head"));
    return schema;
}

static cJSON *job(const struct kind *kind)
{
    cJSON *members = section_members_of(kind, "job");

    json_add(members, "lanes_max",
             integer(1, JOBSPEC_LANES_MAX, "what the lanes of lanes = 0 stop at"));
    json_add(members, "metrics_host",
             text(0, IP_BYTES_MAX, "IP address where the master serves /metrics; empty: nowhere"));
    json_add(members, "metrics_port", integer(0, UINT16_MAX, "0: any free one"));
    json_add(members, "tensorboard",
             text(0, JOBSPEC_PATH_BYTES_MAX,
                  "absolute path of a folder for event files; empty: none are written"));
    json_add(members, "in_one_process",
             typed("boolean", "master and worker; max_workers is 1, servers is 0"));
    return object(members);
}

static cJSON *calls(void)
{
    cJSON *members = cJSON_CreateObject(), *node = typed("object", NULL), *schema;
    cJSON *of_node = json_add_object(node, "properties");

    json_add(of_node, "operation", typed("string", NULL));
    json_add(of_node, "inputs",
             array(0, GRAPH_INPUTS_MAX, integer(0, GRAPH_NODES_MAX - 1, NULL), NULL));
    json_add(of_node, "place", integer(0, INT32_MAX, "of the call, in the text of the definition"));
    json_append(json_add_array(node, "required"), json_string(SLICE("operation")));
    json_add(
        members, "nodes",
        array(1, GRAPH_NODES_MAX, node, "calls of operations, each with its arguments by name"));
    json_add(
        members, "outputs",
        array(1, 1, integer(0, GRAPH_NODES_MAX - 1, NULL), "the node whose value is returned"));
    json_add(members, "minimised",
             integer(0, GRAPH_NODES_MAX - 1,
                     "the node whose value is the loss, of a graph with one "
                     "of its own"));
    schema = typed("object", NULL);
    close_object(schema, members, MEMBERS("minimised", NULL));
    return schema;
}

static void add_learning(const struct kind *kind, cJSON *members)
{
    json_add(members, "inputs", inputs());
    json_add(members, "label", label());
    json_add(members, "roles", roles());
    json_add(members, kind->name, object(section_members_of(kind, NULL)));
    if (kind->has_calls) {
        json_add(members, "calls", calls());
        json_add(members, "definition",
                 text(0, DIGEST_BYTES_MAX, "the digest of what says the calls; empty: not known"));
        json_add(members, "freeze",
                 text(1, GRAPH_FROZEN_BYTES_MAX, "names of calls that are not learned"));
    }
    json_add(members, "training", training(kind));
    for (const char *const *section = kind->sections; *section; section++)
        json_add(members, *section, object(section_members_of(kind, *section)));
    if (kind->learns_series)
        json_add(members, "holidays", holidays());
    json_add(members, "notices", notices());
    json_add(members, "old_model",
             text(1, DIGEST_BYTES_MAX,
                  "USING: the digest of the model that is gone on from, which lies beside the "
                  "rows"));
    json_add(members, "require",
             text(1, JOBSPEC_REQUIRE_BYTES,
                  "train.require: a model that does not keep it is not published"));
    json_add(members, "history", history());
}

enum status jobspec_print_schema(const struct kind *kind, struct text *out, struct error *err)
{
    cJSON *members = cJSON_CreateObject(), *schema = cJSON_CreateObject();
    char title[128];
    enum status status;

    json_add(members, "version", integer(JOBSPEC_VERSION, JOBSPEC_VERSION, NULL));
    json_add(members, "kind",
             word(kind ? MEMBERS(spec_kind_words[SPEC_TRAIN])
                       : MEMBERS(spec_kind_words[SPEC_PREDICT], spec_kind_words[SPEC_EVALUATE]),
                  NULL));
    json_add(members, "statement", text(0, JOBSPEC_BYTES_MAX, "as the user wrote it; for people"));
    json_add(members, "model", model(kind));
    if (kind)
        add_learning(kind, members);
    else
        json_add(members, "scoring", scoring());
    json_add(members, "job", job(kind));
    json_add_string(schema, "$schema", SLICE("https://json-schema.org/draft/2020-12/schema"));
    snprintf(title, sizeof title, "ToTrain job spec: a job that %s%s",
             kind ? "trains a model of kind " : "scores a table", kind ? kind->name : "");
    json_add_string(schema, "title", slice_of(title));
    json_add_string(
        schema, "description",
        SLICE("printed from the tables of attributes by tests/documents/jobspec_schema.c"));
    json_add_string(schema, "type", SLICE("object"));
    close_object(
        schema, members,
        MEMBERS("notices", "roles", "old_model", "freeze", "holidays", "require", "history"));
    status = json_print(schema, true, out, err);
    cJSON_Delete(schema);
    TRY(status);
    text_append_string(out, "\n");
    return out->failed ? fail_no_memory(err) : STATUS_OK;
}
