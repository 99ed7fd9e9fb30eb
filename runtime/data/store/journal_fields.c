#include "runtime/data/store/journal_fields.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "runtime/data/store/journal.h"

FIELD_TABLE(job_table, struct job_row, JOURNAL_JOB_FIELDS)
FIELD_TABLE(worker_table, struct journal_worker, JOURNAL_WORKER_FIELDS)
FIELD_TABLE(event_table, struct journal_event, JOURNAL_EVENT_FIELDS)
FIELD_TABLE(metric_table, struct journal_metric, JOURNAL_METRIC_FIELDS)
FIELD_TABLE(result_table, struct journal_result, JOURNAL_RESULT_FIELDS)
FIELD_TABLE(model_table, struct journal_model, JOURNAL_MODEL_FIELDS)
FIELD_TABLE(checkpoint_table, struct journal_checkpoint, JOURNAL_CHECKPOINT_FIELDS)
FIELD_TABLE(shard_table, struct journal_shard, JOURNAL_SHARD_FIELDS)

static const struct {
    const char *name, *meaning;
    bool is_urgent;
} kinds[] = {
#define X(name, text, is_urgent, meaning) {text, meaning, is_urgent},
    JOURNAL_KIND_MAP(X)
#undef X
};

struct field_table journal_fields(enum journal_kind kind)
{
    switch (kind) {
    case JOURNAL_JOB:
        return job_table();
    case JOURNAL_WORKER:
        return worker_table();
    case JOURNAL_EVENT:
        return event_table();
    case JOURNAL_METRIC:
        return metric_table();
    case JOURNAL_RESULT:
        return result_table();
    case JOURNAL_MODEL:
        return model_table();
    case JOURNAL_CHECKPOINT:
        return checkpoint_table();
    case JOURNAL_SHARD:
        return shard_table();
    case JOURNAL_SPEC:
    case JOURNAL_INPUT:
    case JOURNAL_CLAIM:
    case JOURNAL_DROP:
    case JOURNAL_REPORT:
    case JOURNAL_KINDS:
        break;
    }
    return (struct field_table){.count = 0};
}

bool journal_kind_is_urgent(enum journal_kind kind)
{
    return kinds[kind].is_urgent;
}

const char *journal_kind_name(enum journal_kind kind)
{
    return kinds[kind].name;
}

enum status journal_kind_of(struct slice name, enum journal_kind *kind, struct error *err)
{
    for (int i = 0; i < JOURNAL_KINDS; i++) {
        if (slice_is(name, kinds[i].name)) {
            *kind = (enum journal_kind)i;
            return STATUS_OK;
        }
    }
    return fail(err, STATUS_CORRUPT, "the job's journal: no kind is named \"%.*s\"",
                (int)(name.size < 40 ? name.size : 40), name.data);
}

/* ----- writing ----- */

void journal_add_fields(cJSON *body, enum journal_kind kind, const void *record)
{
    const struct field_table table = journal_fields(kind);

    for (size_t i = 0; i < table.count; i++) {
        const struct field *field = &table.fields[i];
        const void *member = (const char *)record + field->offset;

        switch (field->type) {
        case FIELD_FLAG:
            json_add_boolean(body, field->name, *(const bool *)member);
            break;
        case FIELD_U32:
            json_add_integer(body, field->name, *(const uint32_t *)member);
            break;
        case FIELD_U64:
        case FIELD_I64:
        case FIELD_INDEX:
            json_add_integer(body, field->name, *(const int64_t *)member);
            break;
        case FIELD_F64:
            json_add_real(body, field->name, *(const double *)member);
            break;
        case FIELD_TEXT:
            json_add_string(body, field->name, *(const struct slice *)member);
            break;
        case FIELD_STRING:
            json_add_string(body, field->name, slice_of(*(const char *const *)member));
            break;
        case FIELD_CHARS:
            json_add_string(body, field->name, slice_of(member));
            break;
        case FIELD_BYTES:
        case FIELD_INT64S:
        case FIELD_U32S:
        case FIELD_FLOATS:
        case FIELD_REALS:
            assert(!"bytes have no form in JSON");
        }
    }
}

/* ----- reading ----- */

static enum status get_string(const cJSON *body, const struct field *field, struct slice *value,
                              struct error *err)
{
    TRY(json_get_string(body, field->name, value, err));
    if (field->limit != FIELD_ANY && value->size >= field->limit)
        return fail(err, STATUS_CORRUPT, "%s has %zu bytes, expected fewer than %zu", field->name,
                    value->size, (size_t)field->limit);
    return STATUS_OK;
}

static enum status get_field(const cJSON *body, const struct field *field, void *member,
                             struct error *err)
{
    struct slice text;
    int64_t integer;

    switch (field->type) {
    case FIELD_FLAG:
        return json_get_boolean(body, field->name, member, err);
    case FIELD_U32:
        TRY(json_get_integer(body, field->name, 0, UINT32_MAX, &integer, err));
        *(uint32_t *)member = (uint32_t)integer;
        return STATUS_OK;
    case FIELD_U64:
        TRY(json_get_integer(body, field->name, 0, INT64_MAX, &integer, err));
        *(uint64_t *)member = (uint64_t)integer;
        return STATUS_OK;
    case FIELD_I64:
        return json_get_integer(body, field->name, INT64_MIN, INT64_MAX, member, err);
    case FIELD_INDEX:
        return json_get_integer(body, field->name, -1, (int64_t)field->limit, member, err);
    case FIELD_F64:
        if (json_get_real(body, field->name, member, NULL) != STATUS_OK)
            *(double *)member = (double)NAN;
        return STATUS_OK;
    case FIELD_TEXT:
        return get_string(body, field, member, err);
    case FIELD_STRING:
        TRY(get_string(body, field, &text, err));
        *(const char **)member = text.data; /* memory of cJSON, and terminated */
        return STATUS_OK;
    case FIELD_CHARS:
        TRY(get_string(body, field, &text, err));
        memcpy(member, text.data, text.size);
        ((char *)member)[text.size] = '\0';
        return STATUS_OK;
    case FIELD_BYTES:
    case FIELD_INT64S:
    case FIELD_U32S:
    case FIELD_FLOATS:
    case FIELD_REALS:
        break;
    }
    assert(!"bytes have no form in JSON");
    return fail(err, STATUS_CORRUPT, "%s is no member of a body", field->name);
}

enum status journal_get_fields(const cJSON *body, enum journal_kind kind, void *record,
                               struct error *err)
{
    const struct field_table table = journal_fields(kind);

    for (size_t i = 0; i < table.count; i++)
        TRY(get_field(body, &table.fields[i], (char *)record + table.fields[i].offset, err));
    return STATUS_OK;
}

/* ----- the document ----- */

void journal_print_document(struct text *out)
{
    text_append_string(
        out,
        "# Entries of a journal\n\n"
        "What a job's journal holds (`runtime/data/store/journal.h`): printed from\n"
        "`runtime/data/store/journal_fields.h`. Each entry has a number, the number of the master "
        "that\n"
        "wrote it (0: the submitter), a kind, a body in JSON and, where it says so, data. Reals\n"
        "that are no numbers are null.\n");
    for (int kind = 0; kind < JOURNAL_KINDS; kind++) {
        text_printf(out, "\n## %s\n\n%s.\n", kinds[kind].name, kinds[kind].meaning);
        if (journal_fields((enum journal_kind)kind).count > 0)
            text_append_char(out, '\n');
        if (kind == JOURNAL_JOB)
            text_append_string(out, "- `state`, text: the name of its state\n");
        fields_print_document(out, journal_fields((enum journal_kind)kind));
    }
}
