#include "runtime/role/job_facts.h"

void job_facts_fill(const struct job_facts *facts, struct job_row *row)
{
    slice_copy(facts->statement, row->statement, sizeof row->statement);
    slice_copy(facts->model, row->model, sizeof row->model);
    slice_copy(slice_of(facts->started_at), row->started_at, sizeof row->started_at);
    if (facts->metrics)
        slice_copy(slice_of(facts->metrics), row->metrics, sizeof row->metrics);
    row->supervisor = facts->supervisor;
}
