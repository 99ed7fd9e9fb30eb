#include "planner/training/row_work.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/bytes.h"
#include "base/sums/hash.h"
#include "planner/plan/parameters.h"

#define BYTES_MAX ((size_t)1 << 16)

static void put_cost(const struct plan *plan, struct text *out)
{
    const struct kind_shape shape = shape_of(plan);
    const struct kind_cost cost = cost_of(plan, &shape);

    put_f64(out, cost.multiplications);
    put_f64(out, cost.parameters);
    put_f64(out, cost.row_bytes);
    put_f64(out, cost.row_learning);
    put_u32(out, cost.slots);
}

static void put_workers(const struct plan *plan, struct text *out)
{
    put_u8(out, plan->cluster.is_wanted);
    put_i64(out, plan->cluster.cpu_m);
    put_u32(out, plan->spec.threads);
    put_u32(out, plan->spec.servers);
    put_u32(out, plan->spec.lanes);
}

bool row_work_print(const struct plan *plan, char digits[ROW_WORK_DIGITS + 1])
{
    struct text bytes;
    bool is_whole;

    text_init(&bytes, BYTES_MAX);
    put_sized(&bytes, plan->into_schema);
    put_sized(&bytes, plan->into_name);
    put_sized(&bytes, slice_of(plan->estimator->name));
    put_u64(&bytes, plan->input_count);
    put_u32(&bytes, plan->spec.batch_size);
    put_workers(plan, &bytes);
    put_cost(plan, &bytes);
    is_whole = !bytes.failed;
    snprintf(digits, ROW_WORK_DIGITS + 1, "%016" PRIx64, bytes_hash(bytes.data, bytes.size, 0));
    text_deinit(&bytes);
    return is_whole;
}
