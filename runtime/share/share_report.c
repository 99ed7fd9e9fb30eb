#include "runtime/share/share_report.h"

#include <math.h>
#include <stdlib.h>

#include "base/json.h"

#define MILLIS_MAX INT32_MAX
#define BYTES_MAX  ((int64_t)1 << 50)
#define TERM_MAX   ((int64_t)1 << 53)
/* Programs before the measuring of workers refuse a report with more, and its job takes no part
 * where one of them decides: they get the nearest that they know, and "curve" has all of it. */
#define KNOWN_FIXED_MAX      .2
#define KNOWN_PER_WORKER_MAX .01

/* ----- a job's report ----- */

static void add_size(cJSON *json, const char *name, struct share_size size)
{
    cJSON *pair = json_add_array(json, name);

    json_append(pair, json_integer(size.millis));
    json_append(pair, json_integer(size.bytes));
}

static void add_curve(cJSON *json, const struct share_curve *curve)
{
    const double both[] = {curve->fixed, curve->per_worker};

    json_add_real(json, "fixed", fmin(curve->fixed, KNOWN_FIXED_MAX));
    json_add_real(json, "per_worker", fmin(curve->per_worker, KNOWN_PER_WORKER_MAX));
    if (curve->fixed > KNOWN_FIXED_MAX || curve->per_worker > KNOWN_PER_WORKER_MAX)
        json_add_reals(json, "curve", both, 2);
}

enum status share_report_write(const struct share_job *job, struct text *out, struct error *err)
{
    cJSON *json = cJSON_CreateObject();
    enum status status;

    json_add_integer(json, "band", job->band);
    json_add_integer(json, "least", job->least);
    json_add_integer(json, "most", job->most);
    json_add_integer(json, "has", job->has);
    json_add_integer(json, "pinned", job->pinned);
    json_add_integer(json, "cap", job->cap);
    json_add_integer(json, "lanes", job->curve.lanes);
    add_curve(json, &job->curve);
    add_size(json, "worker", job->worker);
    add_size(json, "rest", job->rest);
    json_add_integer(json, "rest_count", job->rest_count);
    if (job->seconds_left >= 0)
        json_add_real(json, "seconds_left", job->seconds_left);
    status = json_print(json, false, out, err);
    cJSON_Delete(json);
    return status;
}

static enum status read_uint(const cJSON *json, const char *name, uint32_t least, uint32_t most,
                             uint32_t *value, struct error *err)
{
    int64_t number;

    TRY(json_get_integer(json, name, least, most, &number, err));
    *value = (uint32_t)number;
    return STATUS_OK;
}

static enum status read_part(const cJSON *json, const char *name, double most, double *value,
                             struct error *err)
{
    TRY(json_get_real(json, name, value, err));
    if (*value >= 0 && *value <= most)
        return STATUS_OK;
    return fail(err, STATUS_CORRUPT, "%s: expected a number from 0 to %g", name, most);
}

static enum status read_curve(const cJSON *json, struct share_curve *curve, struct error *err)
{
    double both[2];

    TRY(read_part(json, "fixed", SHARE_FIXED_MAX, &curve->fixed, err));
    TRY(read_part(json, "per_worker", SHARE_PER_WORKER_MAX, &curve->per_worker, err));
    if (!json_has(json, "curve"))
        return STATUS_OK;
    TRY(json_get_reals(json, "curve", 2, both, err));
    if (!(both[0] >= 0 && both[0] <= SHARE_FIXED_MAX && both[1] >= 0 &&
          both[1] <= SHARE_PER_WORKER_MAX))
        return fail(err, STATUS_CORRUPT, "curve: expected what jobs can have");
    curve->fixed = both[0];
    curve->per_worker = both[1];
    return STATUS_OK;
}

static enum status read_size(const cJSON *json, const char *name, int64_t least,
                             struct share_size *size, struct error *err)
{
    double pair[2];

    TRY(json_get_reals(json, name, 2, pair, err));
    if (pair[0] < (double)least || pair[0] > MILLIS_MAX || pair[1] < 0 ||
        pair[1] > (double)BYTES_MAX || pair[0] != floor(pair[0]) || pair[1] != floor(pair[1]))
        return fail(err, STATUS_CORRUPT, "%s: expected millis of a processor, and bytes", name);
    *size = (struct share_size){(int64_t)pair[0], (int64_t)pair[1]};
    return STATUS_OK;
}

static enum status read_job(const cJSON *json, struct share_job *job, struct error *err)
{
    int64_t band;

    TRY(json_get_integer(json, "band", INT32_MIN, INT32_MAX, &band, err));
    job->band = (int32_t)band;
    TRY(read_uint(json, "least", 1, SHARE_WORKERS_MAX, &job->least, err));
    TRY(read_uint(json, "most", job->least, SHARE_WORKERS_MAX, &job->most, err));
    TRY(read_uint(json, "has", 0, SHARE_WORKERS_MAX, &job->has, err));
    TRY(read_uint(json, "pinned", 0, SHARE_WORKERS_MAX, &job->pinned, err));
    TRY(read_uint(json, "cap", 0, SHARE_WORKERS_MAX, &job->cap, err));
    TRY(read_uint(json, "lanes", 0, UINT16_MAX, &job->curve.lanes, err));
    TRY(read_curve(json, &job->curve, err));
    TRY(read_size(json, "worker", 1, &job->worker, err));
    TRY(read_size(json, "rest", 0, &job->rest, err));
    TRY(read_uint(json, "rest_count", 0, SHARE_WORKERS_MAX, &job->rest_count, err));
    job->seconds_left = -1;
    if (json_has(json, "seconds_left"))
        TRY(read_part(json, "seconds_left", 1e12, &job->seconds_left, err));
    return STATUS_OK;
}

enum status share_report_read(struct slice bytes, struct share_job *job, struct error *err)
{
    struct share_job read = {.least = 0};
    enum status status;
    cJSON *json;

    TRY(json_parse(bytes, SHARE_REPORT_BYTES_MAX, &json, err));
    status = read_job(json, &read, err);
    cJSON_Delete(json);
    if (status == STATUS_OK)
        *job = read;
    return status;
}

/* ----- the decision ----- */

enum status share_decision_write(const struct share_decision *decision, struct text *out,
                                 struct error *err)
{
    cJSON *json = cJSON_CreateObject(), *jobs;
    enum status status;

    json_add_integer(json, "term", decision->term);
    jobs = json_add_object(json, "jobs");
    for (size_t i = 0; i < decision->count; i++) {
        cJSON *pair = json_add_array(jobs, decision->jobs[i].uid);

        json_append(pair, json_integer(decision->jobs[i].workers));
        json_append(pair, json_integer(decision->jobs[i].seconds));
    }
    status = json_print(json, false, out, err);
    cJSON_Delete(json);
    return status;
}

static enum status read_decided(const cJSON *item, struct share_decided *decided, struct error *err)
{
    const cJSON *workers = cJSON_GetArrayItem(item, 0), *seconds = cJSON_GetArrayItem(item, 1);
    const size_t size = item->string ? strlen(item->string) : 0;

    if (size == 0 || size >= SHARE_UID_MAX)
        return fail(err, STATUS_CORRUPT, "jobs: a name of %zu bytes is no uid", size);
    if (!cJSON_IsNumber(workers) || !cJSON_IsNumber(seconds) || cJSON_GetArraySize(item) != 2 ||
        !(workers->valuedouble >= 0 && workers->valuedouble <= SHARE_WORKERS_MAX) ||
        !(seconds->valuedouble >= 0 && seconds->valuedouble <= UINT32_MAX))
        return fail(err, STATUS_CORRUPT, "jobs: %s: expected workers and seconds", item->string);
    memcpy(decided->uid, item->string, size + 1);
    decided->workers = (uint32_t)workers->valuedouble;
    decided->seconds = (uint32_t)seconds->valuedouble;
    return STATUS_OK;
}

static enum status read_decision(const cJSON *json, struct share_decision *decision,
                                 struct error *err)
{
    const cJSON *jobs, *item;
    int count;

    TRY(json_get_integer(json, "term", 0, TERM_MAX, &decision->term, err));
    TRY(json_get_object(json, "jobs", &jobs, err));
    count = cJSON_GetArraySize(jobs);
    if (count > SHARE_JOBS_MAX)
        return fail(err, STATUS_LIMIT, "%d jobs, at most %d can share", count, SHARE_JOBS_MAX);
    decision->jobs = calloc((size_t)count + 1, sizeof *decision->jobs);
    if (!decision->jobs)
        return fail_no_memory(err);
    cJSON_ArrayForEach(item, jobs) TRY(read_decided(item, &decision->jobs[decision->count++], err));
    return STATUS_OK;
}

enum status share_decision_read(struct slice bytes, struct share_decision *decision,
                                struct error *err)
{
    enum status status;
    cJSON *json;

    *decision = (struct share_decision){.count = 0};
    TRY(json_parse(bytes, SHARE_DECISION_BYTES_MAX, &json, err));
    status = read_decision(json, decision, err);
    cJSON_Delete(json);
    if (status != STATUS_OK)
        decision->count = 0;
    return status;
}

void share_decision_free(struct share_decision *decision)
{
    free(decision->jobs);
    *decision = (struct share_decision){.count = 0};
}

const struct share_decided *share_decision_find(const struct share_decision *decision,
                                                const char *uid)
{
    for (size_t i = 0; i < decision->count; i++)
        if (strcmp(decision->jobs[i].uid, uid) == 0)
            return &decision->jobs[i];
    return NULL;
}
