/*
 * job_roles - the roles of a job without the rest of the program, and jobs for
 * them to run.
 *
 *     job_roles make CSV FOLDER WORKERS LEAST EPOCHS [CHECKPOINT_SECONDS [UNITS]]
 *                                                 a job's folder from a CSV
 *     job_roles make_clicks ...                   the same of a network over embeddings
 *     job_roles make_machine ...                  the same with a factorisation machine
 *     job_roles make_clusters CSV FOLDER WORKERS LEAST RUNS [CHECKPOINT_SECONDS]
 *                                                 the same of KMeans, without the CSV's last column
 *     job_roles make_trees CSV FOLDER WORKERS LEAST ROUNDS [CHECKPOINT_SECONDS]
 *                                                 the same of boosted trees
 *     job_roles make_dart ...                     the same of dart with goss
 *     job_roles make_medians ...                  trees with medians of rows that have weights
 *     job_roles make_quantiles ...                trees of three quantiles of such rows
 *     job_roles make_percentages ...              trees by mape, of such rows
 *     job_roles make_rankings ...                 trees of rankings within groups of rows
 *     job_roles make_series CSV FOLDER WORKERS LEAST PHASES [CHECKPOINT_SECONDS]
 *                                                 forecasts of many series, of about so many phases
 *     job_roles make_series_trees ...             the same by trees that they share
 *     job_roles digest FOLDER                     of the finished model
 *     job_roles supervise|master|worker|ps ...    as in totrain
 *     job_roles authority FOLDER JOB DAYS NAME=ROLE ...
 *                                                 FOLDER/NAME: credentials of ROLE, "master", a
 *                                                 worker's index or "server/INDEX", all of one new
 *                                                 authority and issued DAYS ago
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/json.h"
#include "cli/cluster/role_commands.h"
#include "jobspec/jobspec.h"
#include "jobspec/jobspec_write.h"
#include "kinds/kmeans/kmeans_kind.h"
#include "kinds/linear/linear_attributes.h"
#include "kinds/network/network_attributes.h"
#include "kinds/regression/regression_kind.h"
#include "kinds/trees/trees_attributes.h"
#include "runtime/data/store/jobstore.h"
#include "runtime/net/authority.h"
#include "tests/cluster/csv_job.h"

typedef void make_job(struct csv_job *job, const char *csv, const char *folder);

static const struct job_kind {
    const char *command, *family;
    make_job *make;
    void (*make_turns)(struct csv_job *job, const char *csv, const char *folder, uint32_t turns);
} job_kinds[] = {
    {"make", "network", csv_job_make, NULL},
    {"make_clicks", "embedding", csv_job_make_clicks, NULL},
    {"make_machine", "embedding", csv_job_make_machine, NULL},
    {"make_clusters", "kmeans", csv_job_make_clusters, NULL},
    {"make_linear", "linear", csv_job_make_linear, NULL},
    {"make_regression", "regression", csv_job_make_regression, NULL},
    {"make_bayes", "bayes", csv_job_make_bayes, NULL},
    {"make_norms", "network", csv_job_make_norms, NULL},
    {"make_card", "scorecard", csv_job_make_card, NULL},
    {"make_outliers", "one_class", csv_job_make_outliers, NULL},
    {"make_isolation", "isolation", csv_job_make_isolation, NULL},
    {"make_components", "pca", csv_job_make_components, NULL},
    {"make_trees", "trees", csv_job_make_trees, NULL},
    {"make_dart", "trees", csv_job_make_dart, NULL},
    {"make_medians", "trees", csv_job_make_medians, NULL},
    {"make_quantiles", "trees", csv_job_make_quantiles, NULL},
    {"make_percentages", "trees", csv_job_make_percentages, NULL},
    {"make_rankings", "trees", csv_job_make_rankings, NULL},
    {"make_series", "forecast", NULL, csv_job_make_series}, /* has as many series as phases */
    {"make_series_trees", "forecast", NULL, csv_job_make_series_trees},
};

/* NULL: the word is another command. */
static const struct job_kind *find_kind(const char *command)
{
    for (size_t i = 0; i < sizeof job_kinds / sizeof *job_kinds; i++)
        if (strcmp(job_kinds[i].command, command) == 0)
            return &job_kinds[i];
    return NULL;
}

static int make(const struct job_kind *kind, int argc, char **argv)
{
    const bool is_network =
        strcmp(kind->family, "network") == 0 || strcmp(kind->family, "embedding") == 0;
    const bool is_trees = strcmp(kind->family, "trees") == 0;
    struct csv_job job;
    struct text json;
    struct error err;
    char path[4096];
    const uint32_t turns = (uint32_t)strtoul(argv[6], NULL, 10);
    FILE *file;

    if (kind->make)
        kind->make(&job, argv[2], argv[3]);
    else
        kind->make_turns(&job, argv[2], argv[3], turns);
    job.spec.max_workers = (uint32_t)strtoul(argv[4], NULL, 10);
    job.spec.min_workers = (uint32_t)strtoul(argv[5], NULL, 10);
    if (is_network)
        job.spec.epochs = turns;
    else if (strcmp(kind->family, "linear") == 0)
        linear_params(&job.spec.params)->rounds = turns;
    else if (strcmp(kind->family, "regression") == 0)
        regression_params(&job.spec.params)->iterations = turns;
    else if (is_trees)
        trees_params(&job.spec.params)->rounds = turns;
    else if (strcmp(kind->family, "kmeans") == 0)
        kmeans_params(&job.spec.params)->runs = turns;
    job.spec.in_one_process = job.spec.max_workers == 1;
    if (argc > 7)
        job.spec.checkpoint_seconds = strtod(argv[7], NULL);
    if (argc > 8 && is_network)
        network_params(&job.spec.params)->hidden_units.items[0] =
            (uint32_t)strtoul(argv[8], NULL, 10);
    text_init(&json, JOBSPEC_BYTES_MAX);
    error_clear(&err);
    snprintf(path, sizeof path, "%s/job.json", argv[3]);
    file = fopen(path, "w");
    if (!file || jobspec_write(&job.spec, &json, &err) != STATUS_OK ||
        fwrite(json.data, 1, json.size, file) != json.size || fclose(file) != 0) {
        fprintf(stderr, "job_roles: cannot write %s: %s\n", path, err.message);
        return 1;
    }
    text_deinit(&json);
    return 0;
}

static enum status print_digest(void *context, const struct model_row *row, struct error *err)
{
    struct slice digest;
    enum status status;
    cJSON *meta;
    (void)context;

    if (!slice_is(row->part, "meta"))
        return STATUS_OK;
    TRY(json_parse(row->data, JSON_BYTES_MAX, &meta, err));
    status = json_get_string(meta, "digest", &digest, err);
    if (status == STATUS_OK)
        printf("%.*s\n", SLICE_FORMAT(digest));
    cJSON_Delete(meta);
    return status;
}

static int digest(const char *folder)
{
    struct jobstore *store;
    struct error err;
    char path[4096];

    error_clear(&err);
    snprintf(path, sizeof path, "%s/job.db", folder);
    if (jobstore_open(path, true, &store, &err) != STATUS_OK) {
        fprintf(stderr, "job_roles: %s\n", err.message);
        return 1;
    }
    if (jobstore_each_model_row(store, print_digest, NULL, &err) != STATUS_OK)
        fprintf(stderr, "job_roles: %s\n", err.message);
    jobstore_close(store);
    return err.status != STATUS_OK;
}

static void issue(const struct authority *authority, uint64_t job, int64_t now_s, char **argv,
                  int i)
{
    struct credentials credentials;
    struct error err;
    char path[4096], *role = strchr(argv[i], '=');
    struct identity who = {.job = job};

    error_clear(&err);
    credentials_init(&credentials);
    if (role) {
        *role++ = '\0';
        who.role = strcmp(role, "master") == 0        ? IDENTITY_MASTER
                   : strncmp(role, "server/", 7) == 0 ? IDENTITY_SERVER
                                                      : IDENTITY_WORKER;
        if (who.role != IDENTITY_MASTER)
            who.index = (uint32_t)strtoul(who.role == IDENTITY_SERVER ? role + 7 : role, NULL, 10);
    }
    snprintf(path, sizeof path, "%s/%s", argv[2], argv[i]);
    if (!role || authority_issue(authority, &who, now_s, &credentials, &err) != STATUS_OK ||
        credentials_save(&credentials, path, &err) != STATUS_OK) {
        fprintf(stderr, "job_roles: %s: %s\n", argv[i], err.message);
        exit(1);
    }
    credentials_deinit(&credentials);
}

static int make_authority(int argc, char **argv)
{
    uint64_t job = strtoull(argv[3], NULL, 10);
    int64_t now_s = time(NULL) - strtoll(argv[4], NULL, 10) * 24 * 3600;
    struct authority *authority;
    struct error err;

    if (authority_new(job, now_s, &authority, &err) != STATUS_OK) {
        fprintf(stderr, "job_roles: %s\n", err.message);
        return 1;
    }
    for (int i = 5; i < argc; i++)
        issue(authority, job, now_s, argv, i);
    authority_free(authority);
    return 0;
}

int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";
    const struct job_kind *kind = find_kind(word);

    if (kind && argc >= 7 && argc <= 9)
        return make(kind, argc, argv);
    if (strcmp(word, "digest") == 0 && argc == 3)
        return digest(argv[2]);
    if (strcmp(word, "authority") == 0 && argc > 5)
        return make_authority(argc, argv);
    if (strcmp(word, "supervise") == 0)
        return command_supervise(argc - 1, argv + 1);
    if (strcmp(word, "master") == 0)
        return command_master(argc - 1, argv + 1);
    if (strcmp(word, "worker") == 0)
        return command_worker(argc - 1, argv + 1);
    if (strcmp(word, "ps") == 0)
        return command_ps(argc - 1, argv + 1);
    fprintf(stderr, "job_roles make[_KIND]|digest|authority|supervise|master|worker|ps\n");
    return 2;
}
