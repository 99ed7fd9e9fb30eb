#include "jobspec/jobspec_fingerprint.h"

#include "base/bytes.h"
#include "jobspec/job_attributes.h"
#include "jobspec/jobspec_sections.h"
#include "kinds/forecast/holidays.h"

static void put_table(const struct attribute_table *table, const void *members, struct text *out)
{
    for (size_t i = 0; i < table->count; i++)
        if (table->rows[i].member && !table->rows[i].same_bits)
            attribute_put(&table->rows[i], members, out);
}

/* Statements without constraints have the fingerprints that they had before there were any. */
static void put_constraints(const struct jobspec *spec, struct text *out)
{
    for (size_t i = 0; i < spec->input_count; i++) {
        if (spec->inputs[i].direction == 0 && spec->inputs[i].groups == 0)
            continue;
        put_u64(out, i);
        put_u32(out, (uint32_t)spec->inputs[i].direction);
        put_u64(out, spec->inputs[i].groups);
    }
}

/* Likewise without an offset. */
static void put_offset(const struct jobspec *spec, struct text *out)
{
    for (size_t i = 0; i < spec->input_count; i++)
        if (spec->inputs[i].offset) {
            put_u64(out, i);
            put_u32(out, spec->inputs[i].offset);
        }
}

/* Likewise without several labels. */
static void put_labels(const struct jobspec *spec, struct text *out)
{
    for (size_t i = 0; i < spec->input_count; i++)
        if (spec->inputs[i].label) {
            put_u64(out, i);
            put_u32(out, spec->inputs[i].label);
        }
}

void jobspec_put_settings(const struct jobspec *spec, struct text *out)
{
    put_table(&job_attributes, spec, out);
    put_table(kind_of(spec)->attributes, spec->params.bytes, out);
    put_constraints(spec, out);
    put_offset(spec, out);
    put_labels(spec, out);
    /* Statements without roles of columns have the fingerprints of before, too. */
    for (size_t i = 0; i < spec->role_count; i++) {
        put_u32(out, spec->roles[i].role);
        put_sized(out, spec->roles[i].name);
    }
    for (uint32_t i = 0; spec->holidays && i < spec->holidays->count; i++)
        put_u64(out, holiday_hash(&spec->holidays->items[i]));
    text_append(out, spec->old_model);
}
