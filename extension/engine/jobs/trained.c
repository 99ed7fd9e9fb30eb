/*
 * What a job leaves in its job.db: the model, and the rows that TRAIN ends with.
 */
#include "extension/engine/jobs/trained.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "kinds/kinds.h"
#include "scoring/model_meta.h"

static enum status add_model_row(void *context, const struct model_row *row, struct error *err)
{
    return model_reader_add(context, row, err);
}

enum status job_model_read(struct jobstore *store, struct arena *arena, struct model *model,
                           struct error *err)
{
    struct model_reader *reader;
    enum status status;

    TRY(model_reader_new(kinds, arena, &reader, err));
    status = jobstore_each_model_row(store, add_model_row, reader, err);
    if (status == STATUS_OK)
        status = model_reader_finish(reader, model, err);
    model_reader_free(reader);
    return status;
}

static enum status add_metric(void *context, const char *name, double train, double validation,
                              struct error *err)
{
    cJSON *metric = cJSON_CreateObject();

    (void)err; /* what does not fit is seen when the array is printed */
    json_add_string(metric, "name", slice_of(name));
    json_add_real(metric, "train", train);
    json_add_real(metric, "validation", validation);
    json_append(context, metric);
    return STATUS_OK;
}

/* The result rows travel with the model: SHOW TRAIN finds them in any copy. */
static enum status keep_result(struct jobstore *store, struct arena *arena, struct model *model,
                               struct error *err)
{
    cJSON *metrics = cJSON_CreateArray();
    enum status status = jobstore_each_result(store, add_metric, metrics, err);

    if (status == STATUS_OK)
        status = model_keep_metrics(metrics, arena, model, err);
    cJSON_Delete(metrics);
    return status;
}

enum status trained_model_read(struct jobstore *store, struct arena *arena, struct model *model,
                               struct error *err)
{
    TRY(job_model_read(store, arena, model, err));
    return keep_result(store, arena, model, err);
}

struct gaps {
    struct text names; /* of metrics without a value */
    bool has_loss;     /* each model has one, unless its labels are too large; a table has none */
};

static enum status note_gap(void *context, const char *name, double train, double validation,
                            struct error *err)
{
    struct gaps *gaps = context;

    (void)validation;
    (void)err;
    if (isfinite(train))
        gaps->has_loss |= strcmp(name, "loss") == 0;
    else
        text_printf(&gaps->names, "%s%s", gaps->names.size > 0 ? ", " : "", name);
    return STATUS_OK;
}

/* Labels of 1e200 can be learned, since they are scaled; their squares are no
 * numbers any more. */
static enum status warn_of_gaps(struct jobstore *store, const struct sink *sink, struct error *err)
{
    struct gaps gaps = {.has_loss = false};
    enum status status;

    text_init(&gaps.names, 200);
    status = jobstore_each_result(store, note_gap, &gaps, err);
    if (status == STATUS_OK && !gaps.has_loss && gaps.names.size > 0)
        sink_notice(sink, "%s: NULL, since the labels are too large to measure errors by",
                    text_string(&gaps.names));
    text_deinit(&gaps.names);
    return status;
}

static enum status result_row(void *context, const char *name, double train, double validation,
                              struct error *err)
{
    struct cell cells[] = {cell_string(name), cell_real(train), cell_real(validation)};

    return sink_row(context, cells, 3, err);
}

static enum status result_fact(const struct sink *sink, const char *name, struct cell value,
                               struct error *err)
{
    return sink_row(sink, (struct cell[]){cell_string(name), value, cell_null()}, 3, err);
}

enum status train_result_put(struct jobstore *store, const struct train_facts *facts,
                             const struct sink *sink, struct error *err)
{
    double seconds = round(facts->seconds * 1000) / 1000;

    TRY(warn_of_gaps(store, sink, err));
    TRY(jobstore_each_result(store, result_row, (void *)(uintptr_t)sink, err));
    TRY(result_fact(sink, "job", cell_integer(facts->job), err));
    if (facts->version > 0)
        TRY(result_fact(sink, "version", cell_integer(facts->version), err));
    if (facts->rows > 0)
        TRY(result_fact(sink, "rows", cell_integer(facts->rows), err));
    if (facts->bad_rows >= 0)
        TRY(result_fact(sink, "bad_rows", cell_integer(facts->bad_rows), err));
    return result_fact(sink, "seconds", cell_real(seconds), err);
}
