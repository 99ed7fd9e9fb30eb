#include "jobspec/jobspec_fingerprint.h"

#include "jobspec/job_attributes.h"
#include "jobspec/jobspec_sections.h"

static void put_table(const struct attribute_table *table, const void *members, struct text *out)
{
    for (size_t i = 0; i < table->count; i++)
        if (table->rows[i].member && !table->rows[i].same_bits)
            attribute_put(&table->rows[i], members, out);
}

void jobspec_put_settings(const struct jobspec *spec, struct text *out)
{
    put_table(&job_attributes, spec, out);
    put_table(kind_of(spec)->attributes, spec->params.bytes, out);
}
