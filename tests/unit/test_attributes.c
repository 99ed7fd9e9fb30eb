#include <stdlib.h>

#include "cli/shell/completion.h"
#include "graph/graph.h"
#include "jobspec/job_attributes.h"
#include "jobspec/jobspec.h"
#include "jobspec/jobspec_equal.h"
#include "jobspec/jobspec_fingerprint.h"
#include "jobspec/jobspec_read.h"
#include "jobspec/jobspec_write.h"
#include "kinds/kinds.h"
#include "params/attribute.h"
#include "parser/statement.h"
#include "planner/attributes/attribute_check.h"
#include "planner/attributes/attributes.h"
#include "planner/attributes/estimators.h"
#include "planner/attributes/later.h"
#include "planner/attributes/short_names.h"
#include "tests/check.h"
#include "tests/documents/advice_document.h"
#include "tests/documents/attribute_document.h"
#include "tests/documents/column_document.h"
#include "tests/documents/jobspec_schema.h"
#include "tests/documents/metric_document.h"
#include "tests/documents/model_document.h"
#include "tests/unit/other_value.h"

#define DOCUMENT_BYTES_MAX (1 << 20)

static struct value number(double value)
{
    return (struct value){.kind = VALUE_NUMBER,
                          .number = value,
                          .is_integer = value == (double)(int64_t)value,
                          .integer = (int64_t)value,
                          .text = SLICE("?"),
                          .span = {20, 21}};
}

static struct value string(const char *text)
{
    return (struct value){.kind = VALUE_STRING, .text = slice_of(text), .span = {20, 21}};
}

static struct setting setting(const char *name, struct value value)
{
    return (struct setting){.name = {.text = slice_of(name), .position = 10}, .value = value};
}

static const struct estimator *estimator_named(const char *name)
{
    const struct name named = {.text = slice_of(name)};
    const struct estimator *estimator = NULL;
    struct error err;

    if (slice_is(named.text, estimator_defined()->name)) /* no statement names it */
        return estimator_defined();
    CHECK_OK(estimator_find(&named, &estimator, &err));
    return estimator;
}

static enum status check_for(const char *model, const char *name, struct value value,
                             unsigned scope, struct error *err)
{
    const struct attribute *attribute;
    struct setting one = setting(name, value);

    error_clear(err);
    return attribute_check(&one, scope, model ? estimator_named(model) : NULL, &attribute, err);
}

static enum status check(const char *name, struct value value, unsigned scope, struct error *err)
{
    return check_for(scope & SCOPE_TRAIN ? "DNNClassifier" : NULL, name, value, scope, err);
}

/* The value that the table writes so. */
static struct value written_as(const char *written)
{
    static struct value layers[2];
    struct slice text = slice_of(written);
    double real;

    layers[0] = number(slice_is(text, "[64, 32]") ? 64 : 16);
    layers[1] = number(slice_is(text, "[64, 32]") ? 32 : 16);
    if (slice_is(text, "true") || slice_is(text, "false"))
        return (struct value){.kind = VALUE_BOOLEAN, .boolean = slice_is(text, "true")};
    if (slice_is(text, "[]"))
        return (struct value){.kind = VALUE_LIST};
    if (slice_is(text, "[64, 32]") || slice_is(text, "[16, 16]"))
        return (struct value){.kind = VALUE_LIST, .items = layers, .count = 2};
    if (slice_to_real(text, &real))
        return number(real);
    return string(written);
}

static const struct estimator *estimator_with(const struct attribute *attribute)
{
    for (size_t i = 0; i < estimator_count; i++)
        if (estimator_uses(&estimators[i], attribute))
            return &estimators[i];
    if (estimator_uses(estimator_defined(), attribute))
        return estimator_defined();
    check_failed("no estimator has a use for %s", attribute->name);
    return NULL;
}

/* An estimator's name; NULL for other statements than TRAIN. */
static const char *model_for(const struct attribute *attribute)
{
    return attribute->scope & SCOPE_TRAIN ? estimator_with(attribute)->name : NULL;
}

static void every_default_passes_its_own_check(void **state)
{
    const struct attribute *attribute;
    struct error err;
    (void)state;

    for (size_t i = 0; (attribute = attribute_number(i)); i++)
        if (attribute->default_value)
            CHECK_OK(check_for(model_for(attribute), attribute->name,
                               written_as(attribute->default_value), attribute->scope, &err));
}

static void some_numbers_may_be_automatic(void **state)
{
    struct error err;
    (void)state;

    CHECK_OK(check("train.epoch", string("Auto"), SCOPE_TRAIN, &err));
    CHECK_OK(check("model.l2", string("auto"), SCOPE_TRAIN, &err));
    CHECK_FAILS(check("model.l2", string("automatic"), SCOPE_TRAIN, &err), STATUS_INVALID,
                "takes a number from 0 to 1000000 or 'auto', not 'automatic'");
    CHECK_FAILS(check("model.l1", string("auto"), SCOPE_TRAIN, &err), STATUS_INVALID,
                "takes a number from 0 to 1000000, not 'auto'");
}

static void every_name_is_there_once_and_every_alias_leads_to_one(void **state)
{
    const struct attribute *attribute;
    struct attribute_alias alias;
    (void)state;

    for (size_t i = 0; (attribute = attribute_number(i)); i++)
        CHECK(attribute_find(slice_of(attribute->name)) == attribute);
    for (size_t i = 0; attribute_alias_number(i, &alias); i++) {
        const struct slice meant = slice_of(alias.attribute);

        if (later_find(later_attributes, later_attribute_count, meant))
            CHECK(!attribute_find(slice_of(alias.name)));
        else
            CHECK(attribute_find(slice_of(alias.name)) == attribute_find(meant) &&
                  attribute_find(meant));
    }
}

static void names_are_found_in_any_case(void **state)
{
    (void)state;
    assert_string_equal(attribute_find(SLICE("Train.Epoch"))->name, "train.epoch");
    assert_string_equal(attribute_find(SLICE("OPTIMIZER"))->name, "model.optimizer");
    CHECK(attribute_find(SLICE("train")) == NULL);
}

static void the_ends_of_a_range_belong_to_it(void **state)
{
    struct error err;
    (void)state;

    CHECK_OK(check("train.batch_size", number(1), SCOPE_TRAIN, &err));
    CHECK_OK(check("train.batch_size", number(1000000), SCOPE_TRAIN, &err));
    CHECK_FAILS(check("train.batch_size", number(0), SCOPE_TRAIN, &err), STATUS_INVALID,
                "from 1 to 1000000");
    CHECK_FAILS(check("train.batch_size", number(1000001), SCOPE_TRAIN, &err), STATUS_INVALID,
                "from 1 to 1000000");
    CHECK_INT(err.position, 20);
    CHECK_FAILS(check("model.dropout", number(1), SCOPE_TRAIN, &err), STATUS_INVALID,
                "from 0 to 0.99");
}

static void an_unknown_name_is_answered_at_its_place_with_the_nearest(void **state)
{
    struct error err;
    (void)state;

    CHECK_FAILS(check("modle.hidden_unit", number(1), SCOPE_TRAIN, &err), STATUS_INVALID,
                "unknown attribute \"modle.hidden_unit\"");
    assert_string_equal(err.hint, "Did you mean model.hidden_units?");
    CHECK_INT(err.position, 10);
    CHECK_FAILS(check("batchsize", number(1), SCOPE_TRAIN, &err), STATUS_INVALID, "unknown");
    assert_string_equal(err.hint, "Did you mean train.batch_size?");
    CHECK_FAILS(check("train.learning_rate", number(1), SCOPE_TRAIN, &err), STATUS_INVALID,
                "unknown");
    assert_string_equal(err.hint, "Did you mean optimizer.learning_rate?");
}

static const char *written(const char *name, unsigned scope, const char *model)
{
    const struct estimator *estimator = NULL;
    const struct attribute *found;
    struct error err;

    if (model)
        CHECK_OK(estimator_find(&(struct name){.text = slice_of(model)}, &estimator, &err));
    found = attribute_find_written(slice_of(name), scope, estimator);
    return found ? found->name : "";
}

static void a_name_may_lack_what_stands_before_its_dot(void **state)
{
    (void)state;
    assert_string_equal(written("epoch", SCOPE_TRAIN, "LinearClassifier"), "train.epoch");
    assert_string_equal(written("Epochs", SCOPE_TRAIN, "LinearClassifier"), "train.epoch");
    assert_string_equal(written("lr", SCOPE_TRAIN, "DNNRegressor"), "optimizer.learning_rate");
    assert_string_equal(written("l2", SCOPE_TRAIN, "DNNRegressor"), "model.l2");
    assert_string_equal(written("bad_rows", SCOPE_TRAIN, "DNNRegressor"), "train.bad_rows");
    assert_string_equal(written("bad_rows", SCOPE_PREDICT, NULL), "predict.bad_rows");
    assert_string_equal(written("random_state", SCOPE_TRAIN, "KMeans"), "train.seed");
    assert_string_equal(written("max_iterations", SCOPE_TRAIN, "KMeans"), "model.max_iter");
    assert_string_equal(written("max_iterations", SCOPE_TRAIN, "DNNRegressor"), "train.epoch");
    assert_string_equal(written("metrics", SCOPE_TRAIN, "KMeans"), "validation.metrics");
    assert_string_equal(written("metrics", SCOPE_EVALUATE, NULL), "validation.metrics");
    assert_string_equal(written("metrics", SCOPE_PREDICT, NULL), "job.metrics");
    assert_string_equal(written("metric", SCOPE_TRAIN, "KMeans"), "validation.metrics");
    assert_string_equal(written("model.epoch", SCOPE_TRAIN, "DNNRegressor"), "");
}

/* Do both mean something to a statement, where their last parts are a short name? */
static bool have_a_statement(const struct attribute *a, const struct attribute *b)
{
    if (a->scope & b->scope & ~(unsigned)SCOPE_TRAIN)
        return true;
    for (size_t i = 0; a->scope & b->scope & SCOPE_TRAIN && i < estimator_count; i++)
        if (estimator_uses(&estimators[i], a) && estimator_uses(&estimators[i], b))
            return true;
    return false;
}

static bool is_short(const struct attribute *attribute)
{
    return strncmp(attribute->name, "job.", 4) != 0 && strncmp(attribute->name, "tune.", 5) != 0 &&
           strncmp(attribute->name, "linear_optimizer.", 17) != 0;
}

static void a_short_name_is_of_one_attribute_of_a_statement(void **state)
{
    const struct attribute *a, *b;
    (void)state;

    for (size_t i = 0; (a = attribute_number(i)); i++)
        for (size_t j = i + 1; (b = attribute_number(j)); j++)
            if (is_short(a) && is_short(b) &&
                slice_equal_fold(attribute_last_part(slice_of(a->name)),
                                 attribute_last_part(slice_of(b->name))))
                CHECK(!have_a_statement(a, b));
}

static void every_name_of_other_tools_is_that_of_an_attribute(void **state)
{
    const struct attribute_alias *other;
    (void)state;

    for (size_t i = 0; (other = short_name_of_others(i)); i++)
        CHECK(attribute_find(slice_of(other->attribute)) && !attribute_find(slice_of(other->name)));
}

static void a_wrong_value_is_answered_with_what_to_write(void **state)
{
    static const struct {
        const char *name, *text, *hint;
    } cases[] = {
        {"model.hidden_units", "64,32", "Write [64, 32]: a list in brackets, without quotes."},
        {"model.hidden_units", "(64, 32)", "Write [64, 32]: a list in brackets, without quotes."},
        {"model.hidden_units", "64x32", "A list is written in brackets, without quotes: [64, 32]."},
        {"train.epoch", "5", "Write 5, without quotes."},
        {"train.shuffle", "yes", "Write true, without quotes."},
        {"train.shuffle", "perhaps", ""},
    };
    struct error err;
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_FAILS(check(cases[i].name, string(cases[i].text), SCOPE_TRAIN, &err), STATUS_INVALID,
                    cases[i].name);
        assert_string_equal(err.hint, cases[i].hint);
    }
    CHECK_FAILS(check("train.test_size", number(20), SCOPE_TRAIN, &err), STATUS_INVALID, "0.9");
    CHECK(strstr(err.hint, "is 0.2."));
    CHECK_FAILS(check("model.l2", number(1e7), SCOPE_TRAIN, &err), STATUS_INVALID, "1000000");
    assert_string_equal(err.hint, "");
}

static void a_known_name_that_is_not_built_is_unsupported(void **state)
{
    struct error err;
    (void)state;

    CHECK_FAILS(check("model.rnn_type", number(1), SCOPE_TRAIN, &err), STATUS_UNSUPPORTED,
                "attribute \"model.rnn_type\" is not supported yet");
    CHECK_FAILS(check("model.n_in", number(6), SCOPE_TRAIN, &err), STATUS_UNSUPPORTED,
                "not supported yet");
    CHECK_FAILS(check("train.records_per_task", number(6), SCOPE_TRAIN, &err), STATUS_UNSUPPORTED,
                "\"train.records_per_task\"");
}

static void an_attribute_belongs_to_its_statements_and_models(void **state)
{
    struct error err;
    (void)state;

    CHECK_OK(check("validation.metrics", string("AUC"), SCOPE_EVALUATE, &err));
    CHECK_FAILS(check("train.epoch", number(3), SCOPE_EVALUATE, &err), STATUS_INVALID,
                "no use in TO EVALUATE");
    CHECK_FAILS(check("predict.extra_outputs", string("score"), SCOPE_TRAIN, &err), STATUS_INVALID,
                "no use in TO TRAIN");
    CHECK_FAILS(check_for("LinearClassifier", "model.dropout", number(0.5), SCOPE_TRAIN, &err),
                STATUS_INVALID, "without hidden layers");
    assert_string_equal(err.hint,
                        "It belongs to DNNClassifier, DNNRegressor and click-through models.");
}

static void a_list_of_words_may_be_written_with_commas(void **state)
{
    struct error err;
    (void)state;

    CHECK_OK(check("predict.extra_outputs", string("score, Probability"), SCOPE_PREDICT, &err));
    CHECK_FAILS(check("predict.extra_outputs", string("score,"), SCOPE_PREDICT, &err),
                STATUS_INVALID, "takes a list of");
    CHECK_FAILS(check("predict.extra_outputs", string("scores"), SCOPE_PREDICT, &err),
                STATUS_INVALID, "takes a list of");
    assert_string_equal(err.hint, "Did you mean 'score'?");
}

/* A file that is printed from the tables; TOTRAIN_WRITE=1 writes it anew. */
static void check_file(const char *path, const struct text *printed)
{
    static char stored[DOCUMENT_BYTES_MAX];
    const bool writes = getenv("TOTRAIN_WRITE") != NULL;
    FILE *file = fopen(path, writes ? "wb" : "rb");
    size_t size;

    if (!file)
        check_failed("%s is not there: run this test with TOTRAIN_WRITE=1", path);
    if (writes) {
        CHECK_INT(fwrite(printed->data, 1, printed->size, file), printed->size);
    } else {
        size = fread(stored, 1, sizeof stored, file);
        if (size != printed->size || memcmp(stored, printed->data, size) != 0)
            check_failed("%s is not what the tables say: run this test with TOTRAIN_WRITE=1", path);
    }
    CHECK_INT(fclose(file), 0);
}

static void functions_of_columns_are_printed_from_their_list(void **state)
{
    struct text printed;
    (void)state;

    text_init(&printed, DOCUMENT_BYTES_MAX);
    column_functions_document(&printed);
    check_file(COLUMNS_DOCUMENT, &printed);
    text_deinit(&printed);
}

static void the_document_is_printed_from_the_tables(void **state)
{
    struct text printed;
    (void)state;

    text_init(&printed, DOCUMENT_BYTES_MAX);
    attributes_print_document(&printed);
    check_file(ATTRIBUTES_DOCUMENT, &printed);
    text_deinit(&printed);
}

static void models_are_printed_from_their_list(void **state)
{
    struct text printed;
    (void)state;

    text_init(&printed, DOCUMENT_BYTES_MAX);
    models_print_document(&printed);
    check_file(MODELS_DOCUMENT, &printed);
    text_deinit(&printed);
}

static void metrics_are_printed_from_their_list(void **state)
{
    struct text printed;
    (void)state;

    text_init(&printed, DOCUMENT_BYTES_MAX);
    metrics_print_document(&printed);
    check_file(METRICS_DOCUMENT, &printed);
    text_deinit(&printed);
}

static void names_of_other_tools_are_printed_from_their_tables(void **state)
{
    struct text printed;
    (void)state;

    text_init(&printed, DOCUMENT_BYTES_MAX);
    advice_print_document(&printed);
    check_file(OTHER_TOOLS_DOCUMENT, &printed);
    text_deinit(&printed);
}

static void check_schema_file(const struct kind *kind)
{
    struct text printed;
    struct error err;
    char path[512];

    text_init(&printed, DOCUMENT_BYTES_MAX);
    CHECK_OK(jobspec_print_schema(kind, &printed, &err));
    snprintf(path, sizeof path, SCHEMA_FOLDER "/%s.schema.json", kind ? kind->name : "scoring");
    check_file(path, &printed);
    text_deinit(&printed);
}

static void the_schemas_of_job_specs_are_printed_from_the_tables(void **state)
{
    (void)state;
    for (size_t i = 0; kinds[i]; i++)
        check_schema_file(kinds[i]);
    check_schema_file(NULL);
}

/* "Regressors: MSE, RMSE (default RMSE)." of one task. */
static void print_metrics(enum task task, const char *models, struct text *out)
{
    const char *comma = "";

    text_printf(out, "%s: ", models);
    for (int i = 0; i < METRIC_COUNT; i++)
        if (metric_task((enum metric)i) == task) {
            text_printf(out, "%s%s", comma, metric_name((enum metric)i));
            comma = ", ";
        }
    comma = " (default ";
    for (int i = 0; i < METRIC_COUNT; i++)
        if (metric_task((enum metric)i) == task &&
            metric_is_default((enum metric)i, AIM_MEANS, 0)) {
            text_printf(out, "%s%s", comma, metric_name((enum metric)i));
            comma = ", ";
        }
    comma = "; with two classes also ";
    for (int i = 0; i < METRIC_COUNT; i++)
        if (metric_task((enum metric)i) == task &&
            metric_default((enum metric)i) == METRIC_OF_TWO_CLASSES) {
            text_printf(out, "%s%s", comma, metric_name((enum metric)i));
            comma = ", ";
        }
    text_append_string(out, ").");
}

static void the_help_of_the_metrics_has_all_of_them(void **state)
{
    static const char *const models[] = {"Classifiers",           "Regressors",
                                         "Models of clusters",    "Models of components",
                                         "Detectors of outliers", NULL};
    const struct attribute *attribute = attribute_find(SLICE("validation.metrics"));
    struct text sentence;
    (void)state;

    text_init(&sentence, 1000);
    for (int task = 0; task_words[task]; task++) {
        assert_non_null(models[task]);
        text_clear(&sentence);
        print_metrics((enum task)task, models[task], &sentence);
        CHECK(strstr(attribute->help, text_string(&sentence)));
    }
    text_deinit(&sentence);
}

static void a_network_has_up_to_16_layers(void **state)
{
    struct value items[HIDDEN_LAYERS_MAX + 1];
    struct value list = {.kind = VALUE_LIST, .items = items, .count = HIDDEN_LAYERS_MAX};
    struct error err;
    (void)state;

    for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
        items[i] = number(8);
        items[i].span.start = 100 + (int)i;
    }
    CHECK_OK(check("model.hidden_units", list, SCOPE_TRAIN, &err));
    list.count++;
    CHECK_FAILS(check("model.hidden_units", list, SCOPE_TRAIN, &err), STATUS_INVALID,
                "has 17 items, where at most 16");
    CHECK_INT(err.position, 116);
}

static const cJSON *member_of(const cJSON *object, const char *name)
{
    const cJSON *member = cJSON_GetObjectItemCaseSensitive(object, name);

    if (!member)
        check_failed("there is no \"%s\"", name);
    return member;
}

static const struct estimator *estimator_of_kind(const struct kind *kind)
{
    for (size_t i = 0; i < estimator_count; i++)
        if (estimators[i].kind == kind)
            return &estimators[i];
    if (estimator_defined()->kind == kind)
        return estimator_defined();
    check_failed("no estimator is of the kind %s", kind->name);
    return NULL;
}

/* False: a kind before has one of this name, too. */
static bool attribute_is_listed(const struct attribute *attribute)
{
    return attribute_find(slice_of(attribute->name)) == attribute;
}

static void a_kind_names_the_attribute_that_makes_it_large(void **state)
{
    (void)state;
    for (size_t k = 0; kinds[k]; k++) {
        bool is_there = false;

        if (!kinds[k]->size_attribute) /* its inputs alone make it large */
            continue;
        for (size_t i = 0; i < kinds[k]->attributes->count; i++)
            is_there |= strcmp(kinds[k]->attributes->rows[i].name, kinds[k]->size_attribute) == 0;
        CHECK(is_there);
        CHECK(strstr(kinds[k]->size_hint, kinds[k]->size_attribute));
    }
}

/* dense(numbers(), outputs) */
static const struct graph *calls_of(void)
{
    static struct arena arena;
    static struct graph graph;
    static uint32_t node;
    struct error err;

    if (graph.output_count > 0)
        return &graph;
    arena_init(&arena, 1 << 20);
    graph_begin(&graph, &arena);
    CHECK_OK(graph_call(&graph, SLICE("numbers"), NULL, 0, 0, &node, &err));
    CHECK_OK(
        graph_call(&graph, SLICE("dense"),
                   (const struct graph_value[]){{.type = GRAPH_NODE, .node = node},
                                                {.type = GRAPH_NUMBER, .number = GRAPH_OUTPUTS}},
                   2, 0, &node, &err));
    CHECK_OK(graph_end(&graph, &node, 1, &err));
    return &graph;
}

/* A job that trains a model of the kind, with every attribute at its default. */
static struct jobspec spec_of(const struct kind *kind)
{
    static struct input_spec input = {.name = SLICE("x"), .type = INPUT_NUMERIC};
    const struct estimator *estimator = estimator_of_kind(kind);
    struct jobspec spec = {
        .kind = SPEC_TRAIN,
        .family = slice_of(kind->name),
        .estimator = slice_of(estimator->name),
        .task = estimator->task,
        .model_name = SLICE("m"),
        .inputs = &input,
        .input_count = 1,
        .label_type = LABEL_NONE,
        .lanes_max = 1,
    };

    if (kind->has_calls)
        spec.graph = calls_of();
    if (task_has_label(spec.task)) {
        spec.label = SLICE("y");
        spec.label_type = LABEL_INTEGER;
    }
    for (size_t i = 0; i < job_attributes.count; i++)
        attribute_set_default(&job_attributes.rows[i], &spec);
    for (size_t i = 0; i < kind->attributes->count; i++)
        attribute_set_default(&kind->attributes->rows[i], spec.params.bytes);
    spec.max_workers = JOBSPEC_WORKERS_MAX; /* whatever job.min_workers is */
    return spec;
}

/* job.json has the value, reads back the same with it, and cannot be read without. */
static void check_written_and_read(const struct attribute *attribute, const struct jobspec *spec)
{
    const char *section = attribute->section ? attribute->section : spec->family.data;
    struct text written, without;
    struct jobspec again;
    struct arena arena;
    struct error err;
    cJSON *json;

    arena_init(&arena, ARENA_MAXIMUM);
    text_init(&written, JOBSPEC_BYTES_MAX);
    text_init(&without, JOBSPEC_BYTES_MAX);
    CHECK_OK(jobspec_write(spec, &written, &err));
    CHECK_OK(jobspec_read(text_slice(&written), &arena, &again, &err));
    CHECK(jobspec_equal(spec, &again));
    CHECK_OK(json_parse(text_slice(&written), written.size, &json, &err));
    CHECK(json_has(member_of(json, section), attribute->member));
    cJSON_DeleteItemFromObjectCaseSensitive(cJSON_GetObjectItemCaseSensitive(json, section),
                                            attribute->member);
    CHECK_OK(json_print(json, false, &without, &err));
    CHECK_FAILS(jobspec_read(text_slice(&without), &arena, &again, &err), STATUS_CORRUPT,
                attribute->member);
    cJSON_Delete(json);
    text_deinit(&without);
    text_deinit(&written);
    arena_deinit(&arena);
}

static void check_not_read(const struct attribute *attribute, const char *format, double number)
{
    struct jobspec members; /* members as large as any struct of attributes */
    char value[64], text[256];
    struct error err;
    cJSON *object;

    snprintf(value, sizeof value, format, number);
    snprintf(text, sizeof text, "{\"%s\": %s}", attribute->member, value);
    CHECK_OK(json_parse(slice_of(text), sizeof text, &object, &err));
    CHECK_FAILS(attribute_read(attribute, object, &members, &err), STATUS_CORRUPT,
                attribute->member);
    cJSON_Delete(object);
}

/* A value out of the range, or of another type, is refused in a job spec as in a statement. */
static void check_range_of_stored(const struct attribute *attribute)
{
    const double above = attribute->most + attribute->most / 2 + 1;

    switch (attribute->store) {
    case STORE_NONE:
        break;
    case STORE_U32:
    case STORE_REAL:
        check_not_read(attribute, "%.17g", above);
        if (attribute->least < 0) {
            check_not_read(attribute, "%.17g", 2 * attribute->least);
            break;
        }
        check_not_read(attribute, "%g", REAL_AUTOMATIC - 1);
        check_not_read(attribute, "%g", attribute->is_automatic ? -0.5 : -1);
        break;
    case STORE_U64: /* up to whatever fits */
        check_not_read(attribute, "%g", -1);
        break;
    case STORE_BOOLEAN:
        check_not_read(attribute, "%g", 1);
        break;
    case STORE_ENUM:
        check_not_read(attribute, "\"no such word\"", 0);
        break;
    case STORE_COUNTS:
        check_not_read(attribute, "[%.17g]", above);
        check_not_read(attribute, "[%g]", -1);
        break;
    case STORE_REALS:
        check_not_read(attribute, "%.17g", above);
        check_not_read(attribute, "[0.5, %.17g]", above);
        check_not_read(attribute, "[%.17g]", attribute->least - 1);
        check_not_read(attribute, "[\"%g\"]", attribute->most);
        break;
    }
}

/* The bytes of a state's fingerprint follow the value, unless no bit of the model does. */
static void check_hashed(const struct attribute *attribute, const struct jobspec *spec,
                         const struct jobspec *other)
{
    struct text one, two;

    text_init(&one, TEXT_MAXIMUM);
    text_init(&two, TEXT_MAXIMUM);
    jobspec_put_settings(spec, &one);
    jobspec_put_settings(other, &two);
    CHECK(slice_equal(text_slice(&one), text_slice(&two)) == attribute->same_bits);
    text_deinit(&one);
    text_deinit(&two);
}

/* A row of the document has it, with what it takes, its default and its help. */
static void check_documented(const struct attribute *attribute, const char *document)
{
    char start[128], end[2048];
    const char *row, *found;

    snprintf(start, sizeof start, "\n| %s | ", attribute->name);
    CHECK(attribute->help && attribute->help[0]);
    snprintf(end, sizeof end, " | %s | %s |\n",
             attribute->default_value ? attribute->default_value : "", attribute->help);
    for (row = strstr(document, start); row; row = strstr(row + 1, start)) {
        found = strstr(row, end);
        if (found && found < strchr(row + 1, '\n'))
            return;
    }
    check_failed("%s is not documented as it is", attribute->name);
}

/* The schema of the kind's job specs wants the member, of the row's range and words. */
static void check_in_schema(const struct attribute *attribute, const struct kind *kind,
                            const cJSON *schema)
{
    const char *section = attribute->section ? attribute->section : kind->name;
    const cJSON *object = member_of(member_of(schema, "properties"), section), *name;
    const cJSON *member = member_of(member_of(object, "properties"), attribute->member);
    size_t found = 0, words = 0;

    cJSON_ArrayForEach(name, member_of(object, "required")) found +=
        strcmp(name->valuestring, attribute->member) == 0;
    CHECK_INT(found, 1);
    assert_string_equal(member_of(member, "description")->valuestring, attribute->name);
    if (attribute->store == STORE_U32 || attribute->store == STORE_REAL) {
        CHECK(member_of(member, "maximum")->valuedouble == attribute->most);
        CHECK(member_of(member, "minimum")->valuedouble <= attribute->least);
    } else if (attribute->store == STORE_ENUM) {
        cJSON_ArrayForEach(name, member_of(member, "enum"))
            assert_string_equal(name->valuestring, attribute->words[words++]);
        CHECK(words > 0 && !attribute->words[words]);
    }
}

/* The words that may be typed at the end of the text. */
static struct completion completed(const char *text, struct arena *arena)
{
    static const struct completion_names no_names;
    struct completion completion;
    struct error err;

    CHECK_OK(completion_find(slice_of(text), strlen(text), &no_names, arena, &completion, &err));
    return completion;
}

static bool offers(const struct completion *completion, const char *text, const char *help)
{
    for (size_t i = 0; i < completion->count; i++)
        if (slice_is(completion->candidates[i].text, text))
            return strstr(completion->candidates[i].help.data, help) != NULL;
    return false;
}

static void check_completed_in(const struct attribute *attribute, const char *verb,
                               const char *object)
{
    struct completion names, values;
    struct arena arena;
    char text[256], word[64];

    arena_init(&arena, 1 << 20);
    snprintf(text, sizeof text, "SELECT * FROM t TO %s %s WITH %.*s", verb, object,
             (int)strcspn(attribute->name, ".") + 2, attribute->name);
    names = completed(text, &arena);
    if (!offers(&names, attribute->name, attribute->help))
        check_failed("%s does not offer %s", text, attribute->name);
    snprintf(text, sizeof text, "SELECT * FROM t TO %s %s WITH %s = ", verb, object,
             attribute->name);
    values = completed(text, &arena);
    CHECK(values.note.size > 0 && strstr(values.note.data, attribute->help));
    for (const char *const *known = attribute->words; known && *known; known++) {
        snprintf(word, sizeof word, "'%s'", *known);
        CHECK(offers(&values, word, ""));
    }
    if (attribute->type == ATTRIBUTE_BOOLEAN)
        CHECK(offers(&values, "true", ""));
    arena_deinit(&arena);
}

/* An estimator of the kind, of a task that has a use for it. */
static const struct estimator *user_of(const struct attribute *attribute, const struct kind *kind)
{
    for (size_t i = 0; i < estimator_count; i++)
        if (estimators[i].kind == kind && estimator_uses(&estimators[i], attribute))
            return &estimators[i];
    return estimator_of_kind(kind);
}

static void check_completed(const struct attribute *attribute, const struct kind *kind)
{
    const struct estimator *estimator;

    if (attribute->scope & SCOPE_TRAIN) {
        estimator =
            attribute_is_listed(attribute) ? estimator_with(attribute) : user_of(attribute, kind);
        check_completed_in(attribute, "TRAIN",
                           estimator == estimator_defined() ? "zoo/mlp" : estimator->name);
    }
    if (attribute->scope & SCOPE_EVALUATE)
        check_completed_in(attribute, "EVALUATE", "m");
    if (attribute->scope & SCOPE_PREDICT)
        check_completed_in(attribute, "PREDICT", "p");
    if (attribute->scope & SCOPE_EXPLAIN)
        check_completed_in(attribute, "EXPLAIN", "m");
}

static struct value list_of(struct value *item)
{
    return (struct value){.kind = VALUE_LIST, .items = item, .count = 1, .span = {20, 21}};
}

static void check_taken(const struct attribute *attribute, const char *model, struct value value)
{
    struct error err;

    CHECK_OK(check_for(model, attribute->name, value, attribute->scope, &err));
}

static void check_refused(const struct attribute *attribute, const char *model, struct value value)
{
    struct error err;

    CHECK_FAILS(check_for(model, attribute->name, value, attribute->scope, &err), STATUS_INVALID,
                attribute->name);
}

/* The ends of the range are taken; what is beyond them is refused. */
static void check_range(const struct attribute *attribute, const char *model)
{
    const bool is_list = attribute->type == ATTRIBUTE_INTEGERS;
    const double least = attribute->least, most = attribute->most;
    const bool takes_minus_one = attribute->minus_one_is_0;
    struct value first = number(least), last = number(most),
                 below = number(takes_minus_one && least == 0 ? -2 : least - 1),
                 above = number(most + most / 2 + 1);

    check_taken(attribute, model, is_list ? list_of(&first) : first);
    if (takes_minus_one)
        check_taken(attribute, model, number(-1));
    check_refused(attribute, model, is_list ? list_of(&below) : below);
    if (most >= 0x1p63) /* no number of a statement is beyond it */
        return;
    check_taken(attribute, model, is_list ? list_of(&last) : last);
    check_refused(attribute, model, is_list ? list_of(&above) : above);
}

/* One number, or several: each within the range, as many as there is room for. */
static void check_reals(const struct attribute *attribute, const char *model)
{
    struct value items[REALS_MAX + 1], list = {.kind = VALUE_LIST, .items = items};
    struct error err;

    check_range(attribute, model);
    for (size_t i = 0; i < REALS_MAX + 1; i++)
        items[i] = number(attribute->least);
    list.count = REALS_MAX;
    check_taken(attribute, model, list);
    list.count++;
    CHECK_FAILS(check_for(model, attribute->name, list, attribute->scope, &err), STATUS_INVALID,
                "17 items, where at most 16");
    list.count = 2;
    items[1] = number(attribute->most + 1);
    check_refused(attribute, model, list);
    list.count = 0;
    check_refused(attribute, model, list);
    check_refused(attribute, model, string("7"));
}

/* Its word, a list, or an object by label, of numbers within the range. */
static void check_weights(const struct attribute *attribute, const char *model)
{
    static const char *const bad[] = {"",        "no such word",      "{}",  "{\"a\": -1}",
                                      "{\"a\"}", "{\"a\": \"five\"}", "[1]", "{\"a\": 1"};
    struct value items[] = {number(attribute->least), number(attribute->most)};
    struct value list = {.kind = VALUE_LIST, .items = items, .count = 2};

    check_taken(attribute, model, string(attribute->words[0]));
    check_taken(attribute, model, string("{\"a\": 2, \"b\": 0.5}"));
    check_taken(attribute, model, list);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        check_refused(attribute, model, string(bad[i]));
    items[1] = number(attribute->most * 2);
    check_refused(attribute, model, list);
    items[1] = string("2");
    check_refused(attribute, model, list);
    list.count = 0;
    check_refused(attribute, model, list);
    check_refused(attribute, model, number(7));
}

/* The words are taken, as is whatever is a text where there are none; another word is not. */
static void check_words(const struct attribute *attribute, const char *model)
{
    for (const char *const *word = attribute->words; word && *word; word++)
        check_taken(attribute, model, string(*word));
    if (attribute->words)
        check_refused(attribute, model, string("no such word"));
    else
        check_taken(attribute, model, string("some text"));
    check_refused(attribute, model, string(""));
    check_refused(attribute, model, number(7));
}

/* Like check_range; 1 byte beyond is beyond. */
static void check_memory(const struct attribute *attribute, const char *model)
{
    static const char *const bad[] = {"",    "lots",   "512",    "16777215", "-1Gi",
                                      "1e9", "2048Ti", "512 Mi", "512MB",    "0Gi"};

    check_taken(attribute, model, string("16Mi"));
    check_taken(attribute, model, string("16777216"));
    check_taken(attribute, model, string("1.5Gi"));
    check_taken(attribute, model, string("1024Ti"));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        check_refused(attribute, model, string(bad[i]));
    check_refused(attribute, model, number(16777216));
}

/* A statement may give it the values of the row alone; what is not built yet is another answer. */
static void check_checked(const struct attribute *attribute, const struct kind *kind)
{
    const char *model =
        attribute_is_listed(attribute) ? model_for(attribute) : estimator_of_kind(kind)->name;
    struct error err;

    switch (attribute->type) {
    case ATTRIBUTE_INTEGER:
    case ATTRIBUTE_INTEGERS:
        check_refused(attribute, model, number(attribute->least + 0.5));
        check_range(attribute, model);
        check_refused(attribute, model, string("7"));
        break;
    case ATTRIBUTE_REAL:
        check_range(attribute, model);
        check_refused(attribute, model, string("7"));
        break;
    case ATTRIBUTE_REALS:
        check_reals(attribute, model);
        break;
    case ATTRIBUTE_WEIGHTS:
        check_weights(attribute, model);
        break;
    case ATTRIBUTE_MEMORY:
        check_memory(attribute, model);
        break;
    case ATTRIBUTE_BOOLEAN:
        check_refused(attribute, model, number(7));
        break;
    case ATTRIBUTE_LABEL:
        CHECK_OK(check_for(model, attribute->name, string("fraud"), attribute->scope, &err));
        CHECK_OK(check_for(model, attribute->name, number(1), attribute->scope, &err));
        check_refused(attribute, model, string(""));
        break;
    case ATTRIBUTE_WORD:
    case ATTRIBUTE_TEXT:
    case ATTRIBUTE_WORDS:
        check_words(attribute, model);
        break;
    }
    for (const char *const *later = attribute->later; later && *later; later++) {
        struct value value = written_as(*later);

        CHECK_FAILS(check_for(model, attribute->name, value, attribute->scope, &err),
                    STATUS_UNSUPPORTED, attribute->name);
    }
}

/* A row of a table: for one kind, or for all of them, as seen with one of them. */
static void check_attribute(const struct attribute *attribute, const struct kind *kind,
                            bool is_of_kind, const char *document, const cJSON *schema)
{
    struct jobspec as_default, other;

    check_checked(attribute, kind);
    check_documented(attribute, document);
    check_completed(attribute, kind);
    CHECK((attribute->store != STORE_NONE) == (attribute->member != NULL));
    if (!attribute->member)
        return;
    as_default = other = spec_of(kind);
    set_other_value(attribute, is_of_kind ? (void *)other.params.bytes : &other);
    CHECK(jobspec_equal(&as_default, &as_default) && !jobspec_equal(&as_default, &other));
    check_written_and_read(attribute, &other);
    check_range_of_stored(attribute);
    check_hashed(attribute, &as_default, &other);
    check_in_schema(attribute, kind, schema);
}

/* A row of a list is all that a scalar attribute takes: the rest follows from it. */
static void every_attribute_is_checked_written_read_compared_hashed_documented_and_completed(
    void **state)
{
    struct text document, printed;
    struct error err;
    (void)state;

    text_init(&document, DOCUMENT_BYTES_MAX);
    attributes_print_document(&document);
    for (size_t k = 0; kinds[k]; k++) {
        const struct attribute_table *const tables[] = {&job_attributes, kinds[k]->attributes};
        cJSON *schema;

        text_init(&printed, DOCUMENT_BYTES_MAX);
        CHECK_OK(jobspec_print_schema(kinds[k], &printed, &err));
        CHECK_OK(json_parse(text_slice(&printed), DOCUMENT_BYTES_MAX, &schema, &err));
        for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
            for (size_t i = 0; i < tables[t]->count; i++)
                check_attribute(&tables[t]->rows[i], kinds[k], t > 0, text_string(&document),
                                schema);
        cJSON_Delete(schema);
        text_deinit(&printed);
    }
    text_deinit(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_default_passes_its_own_check),
        cmocka_unit_test(some_numbers_may_be_automatic),
        cmocka_unit_test(every_name_is_there_once_and_every_alias_leads_to_one),
        cmocka_unit_test(names_are_found_in_any_case),
        cmocka_unit_test(the_ends_of_a_range_belong_to_it),
        cmocka_unit_test(an_unknown_name_is_answered_at_its_place_with_the_nearest),
        cmocka_unit_test(a_name_may_lack_what_stands_before_its_dot),
        cmocka_unit_test(a_short_name_is_of_one_attribute_of_a_statement),
        cmocka_unit_test(every_name_of_other_tools_is_that_of_an_attribute),
        cmocka_unit_test(a_wrong_value_is_answered_with_what_to_write),
        cmocka_unit_test(a_known_name_that_is_not_built_is_unsupported),
        cmocka_unit_test(an_attribute_belongs_to_its_statements_and_models),
        cmocka_unit_test(a_list_of_words_may_be_written_with_commas),
        cmocka_unit_test(the_document_is_printed_from_the_tables),
        cmocka_unit_test(functions_of_columns_are_printed_from_their_list),
        cmocka_unit_test(models_are_printed_from_their_list),
        cmocka_unit_test(metrics_are_printed_from_their_list),
        cmocka_unit_test(names_of_other_tools_are_printed_from_their_tables),
        cmocka_unit_test(the_schemas_of_job_specs_are_printed_from_the_tables),
        cmocka_unit_test(the_help_of_the_metrics_has_all_of_them),
        cmocka_unit_test(a_network_has_up_to_16_layers),
        cmocka_unit_test(a_kind_names_the_attribute_that_makes_it_large),
        cmocka_unit_test(
            every_attribute_is_checked_written_read_compared_hashed_documented_and_completed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
