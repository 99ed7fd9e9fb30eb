#include "runtime/data/dataset/dataset_check.h"

#include <math.h>
#include <stdlib.h>

#include "jobspec/jobspec_sections.h"
#include "runtime/data/dataset/dataset.h"
#include "runtime/data/spool/spool_reader.h"

static enum status refuse_rows(struct slice column, const char *kind, const char *what,
                               uint64_t bad, uint64_t rows, struct error *err)
{
    return fail(err, STATUS_INVALID, "%s \"%.*s\" is %s in %llu of %llu %s", kind,
                SLICE_FORMAT(column), what, (unsigned long long)bad, (unsigned long long)rows,
                rows == 1 ? "row" : "rows");
}

static enum status count_infinite(const struct spool *spool, uint32_t column, uint64_t *infinite,
                                  struct error *err)
{
    struct spool_column_view *columns = calloc(spool->column_count, sizeof *columns);
    enum status status = columns ? STATUS_OK : fail_no_memory(err);

    *infinite = 0;
    for (uint32_t b = 0; b < spool->block_count && status == STATUS_OK; b++) {
        struct spool_block block;

        status = spool_open_block(spool, b, columns, &block, err);
        for (uint32_t row = 0; status == STATUS_OK && row < block.rows; row++)
            *infinite +=
                !isfinite(spool_real(&columns[column], row)) && !spool_is_gone(&block, row);
    }
    free(columns);
    return status;
}

/* Where there is none the summaries show that without reading the rows. */
static enum status check_finite(const struct spool *spool, uint32_t column, struct slice name,
                                const char *kind, struct error *err)
{
    const struct spool_column_summary *summary = &spool->summaries[column];
    uint64_t infinite;

    if (spool->types[column] != SPOOL_REAL ||
        (isfinite(summary->least) && isfinite(summary->greatest)))
        return STATUS_OK;
    TRY(count_infinite(spool, column, &infinite, err));
    refuse_rows(name, kind, "infinite", infinite, spool->rows, err);
    return error_hint(err, "Leave such rows out of the SELECT, or replace the values.");
}

static enum status check_types(const struct spool *spool, const struct jobspec *spec,
                               struct error *err)
{
    static const enum spool_type label_types[] = {
        [LABEL_NONE] = SPOOL_REAL,
        [LABEL_INTEGER] = SPOOL_INTEGER,
        [LABEL_REAL] = SPOOL_REAL,
        [LABEL_TEXT] = SPOOL_TEXT,
    };
    const enum spool_type *types = spool->types;
    enum spool_type wanted = label_types[spec->label_type];

    for (uint32_t i = 0; i < spec->input_count; i++)
        if (input_takes_numbers(&spec->inputs[i]) && types[i] == SPOOL_TEXT)
            return fail(err, STATUS_INVALID, "column \"%.*s\" is text, where numbers were expected",
                        SLICE_FORMAT(spec->inputs[i].name));
    if (!task_has_label(spec->task))
        return STATUS_OK;
    if (types[spec->input_count] != wanted)
        return fail(err, STATUS_INVALID, "label column \"%.*s\" is %s, where %s was expected",
                    SLICE_FORMAT(spec->label), spool_type_words[types[spec->input_count]],
                    spool_type_words[wanted]);
    if (spec->task == TASK_REGRESSION && wanted == SPOOL_TEXT)
        return fail(err, STATUS_INVALID,
                    "label column \"%.*s\" is text, and a regressor predicts "
                    "numbers",
                    SLICE_FORMAT(spec->label));
    return STATUS_OK;
}

/* The greatest and the least label are floats that can be computed with. */
static enum status check_label_size(const struct spool *spool, const struct jobspec *spec,
                                    struct error *err)
{
    const struct spool_column_summary *summary = &spool->summaries[spec->input_count];
    const double least = summary->least, greatest = summary->greatest;
    const double label = fabs(least) > fabs(greatest) ? least : greatest;

    if (spec->task != TASK_REGRESSION || !kind_of(spec)->keeps_numbers ||
        fabs(label) <= DATASET_LABEL_MAX)
        return STATUS_OK;
    fail(err, STATUS_INVALID,
         "label column \"%.*s\" has the number %g, where at most %g is learned",
         SLICE_FORMAT(spec->label), label, DATASET_LABEL_MAX);
    return error_hint(err, "Divide the label by a constant in the SELECT.");
}

enum status label_null_hint(const struct jobspec *spec, bool in_all, struct error *err)
{
    if (in_all)
        return error_hint(err, "LABEL names the column to learn: is there another one?");
    if (spec->label_type == LABEL_TEXT)
        return error_hint(err, "Add WHERE %.*s <> '' to the SELECT: it leaves out NULL, too.",
                          SLICE_FORMAT(spec->label));
    return error_hint(err,
                      "Add WHERE %.*s IS NOT NULL to the SELECT, or WHERE %.*s <> '' if it has "
                      "empty texts.",
                      SLICE_FORMAT(spec->label), SLICE_FORMAT(spec->label));
}

static enum status check_label(const struct spool *spool, const struct jobspec *spec,
                               struct error *err)
{
    const uint32_t label = (uint32_t)spec->input_count;

    if (spool->summaries[label].nulls && !kind_of(spec)->keeps_labels) {
        refuse_rows(spec->label, "label column", "NULL", spool->summaries[label].nulls, spool->rows,
                    err);
        return label_null_hint(spec, spool->summaries[label].nulls == spool->rows, err);
    }
    TRY(check_finite(spool, label, spec->label, "label column", err));
    return check_label_size(spool, spec, err);
}

/* A column of a role, and what messages call it. */
struct checked_role {
    const struct spool *spool;
    uint32_t column;
    const struct spool_column_summary *summary;
    const char *kind;
    struct slice name;
};

static enum status check_groups(const struct checked_role *group, struct error *err)
{
    if (!group->spool->is_keyed)
        return fail(err, STATUS_INVALID, "rows without shuffle have no groups");
    if (group->summary->nulls == 0)
        return STATUS_OK;
    refuse_rows(group->name, group->kind, "NULL", group->summary->nulls, group->spool->rows, err);
    return error_hint(err, "Add WHERE %.*s IS NOT NULL to the SELECT.", SLICE_FORMAT(group->name));
}

static enum status check_weights(const struct checked_role *weight, struct error *err)
{
    const struct spool_column_summary *summary = weight->summary;

    if (summary->nulls > 0) {
        refuse_rows(weight->name, weight->kind, "NULL", summary->nulls, weight->spool->rows, err);
        return error_hint(err, "COALESCE(%s, 1) AS %s in the SELECT gives such rows a weight.",
                          SQL_NAME(weight->name), SQL_NAME(weight->name));
    }
    TRY(check_finite(weight->spool, weight->column, weight->name, weight->kind, err));
    if (summary->least >= 0 && summary->greatest <= DATASET_WEIGHT_MAX)
        return STATUS_OK;
    fail(err, STATUS_INVALID, "%s \"%.*s\" has the number %g, and weights are from 0 to %g",
         weight->kind, SLICE_FORMAT(weight->name),
         summary->least < 0 ? summary->least : summary->greatest, DATASET_WEIGHT_MAX);
    return error_hint(err, "Leave such rows out of the SELECT, or replace the values.");
}

static enum status check_upper_bounds(const struct checked_role *upper, struct error *err)
{
    if (check_finite(upper->spool, upper->column, upper->name, upper->kind, err) != STATUS_OK)
        return error_hint(err, "NULL stands for a bound that is not known.");
    if (!(upper->summary->least < 0))
        return STATUS_OK;
    fail(err, STATUS_INVALID, "%s \"%.*s\" has the number %g, and times are from 0 on", upper->kind,
         SLICE_FORMAT(upper->name), upper->summary->least);
    return error_hint(err, "Leave such rows out of the SELECT, or replace the values.");
}

static enum status check_role(const struct spool *spool, const struct jobspec *spec,
                              const struct spec_role *role, struct error *err)
{
    static enum status (*const checks[ROW_ROLES])(const struct checked_role *, struct error *) = {
        [ROLE_SAMPLE_WEIGHT] = check_weights,
        [ROLE_LABEL_UPPER] = check_upper_bounds,
        [ROLE_GROUP] = check_groups,
    };
    const uint32_t column = spec_role_column(spec, role->role);
    const struct checked_role checked = {spool, column, &spool->summaries[column],
                                         row_role_columns[role->role], role->name};

    if (role_is_number(role->role) && spool->types[column] != SPOOL_REAL)
        return fail(err, STATUS_CORRUPT, "the spool's %s has no numbers", checked.kind);
    return checks[role->role](&checked, err);
}

/* Each row has one, of which an exposure is above 0. */
static enum status check_offset(const struct spool *spool, uint32_t column,
                                const struct input_spec *input, struct error *err)
{
    const struct spool_column_summary *summary = &spool->summaries[column];
    const char *kind = offset_columns[input->offset];

    if (summary->nulls > 0) {
        refuse_rows(input->name, kind, "NULL", summary->nulls, spool->rows, err);
        return error_hint(err, "COALESCE(%s, %d) AS %s in the SELECT gives such rows one.",
                          SQL_NAME(input->name), input->offset == OFFSET_EXPOSURE,
                          SQL_NAME(input->name));
    }
    TRY(check_finite(spool, column, input->name, kind, err));
    if (!offset_is_bad(input->offset, summary->least))
        return STATUS_OK;
    fail(err, STATUS_INVALID, "%s \"%.*s\" has the number %g, and exposures are above 0", kind,
         SLICE_FORMAT(input->name), summary->least);
    return error_hint(err, "Leave such rows out of the SELECT, or replace the values.");
}

enum status dataset_check(const struct spool *spool, const struct jobspec *spec, const char *what,
                          struct error *err)
{
    if (spool->column_count != spec_columns(spec))
        return fail(err, STATUS_CORRUPT, "the spool has %u columns, and the job spec %u",
                    spool->column_count, spec_columns(spec));
    if (spool->rows == 0)
        return fail(err, STATUS_INVALID, "%s returned no rows", what),
               error_hint(err, "Run it alone: its WHERE or a join of it leaves no row.");
    TRY(check_types(spool, spec, err));
    if (task_has_label(spec->task))
        TRY(check_label(spool, spec, err));
    for (size_t i = 0; i < spec->role_count; i++)
        TRY(check_role(spool, spec, &spec->roles[i], err));
    for (uint32_t i = 0; i < spec->input_count; i++)
        TRY(spec->inputs[i].offset ? check_offset(spool, i, &spec->inputs[i], err)
                                   : check_finite(spool, i, spec->inputs[i].name, "column", err));
    return STATUS_OK;
}
