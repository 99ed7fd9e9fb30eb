#include "cli/cluster/k8s_command.h"

#include <string.h>

#include "cli/cluster/k8s_admission.h"
#include "cli/cluster/k8s_check.h"
#include "cli/cluster/share_command.h"
#include "cli/session/options.h"
#include "cli/session/schedule.h"
#include "k8s/client/access_find.h"
#include "k8s/client/api_answer.h"
#include "k8s/client/http.h"
#include "k8s/client/http_exchange.h"
#include "k8s/job/kube_job.h"
#include "k8s/objects/policies.h"
#include "k8s/objects/rights.h"

#define TAKES                                                                                      \
    (OPTIONS_CLUSTER | OPTION_CPU | OPTION_MEMORY | OPTION_PODS | OPTION_IMAGE | OPTION_PULL |     \
     OPTION_PRIORITY | OPTION_RESOURCE | OPTION_DATABASE_SECRET | OPTION_SERVICE_SECRET |          \
     OPTION_COLOUR | OPTION_HELP)
#define TRIES    4
#define PODS_MAX 100000

static const char usage[] =
    "usage: totrain k8s rbac [classes | share | network | disruption | monitor] [OPTION]...\n"
    "       totrain k8s share [even | mixed | soonest] [OPTION]...\n"
    "       totrain k8s check [service=NAME] [OPTION]...\n"
    "\n"
    "rbac prints what an administrator of a cluster applies once for a namespace of\n"
    "training jobs: the namespace with Pod Security \"restricted\", a quota (--pods,\n"
    "--cpu, --memory), and three service accounts with roles of least rights:\n"
    "totrain for the masters of jobs, totrain-submitter for those who submit them, and\n"
    "totrain-schedule for the pods that do so by the clock.\n"
    "\n"
    "    totrain k8s rbac --namespace=training --memory=64Gi | kubectl apply -f -\n"
    "\n"
    "rbac classes prints two PriorityClasses in three bands: for what jobs cannot do\n"
    "without (totrain-first), and for more workers (totrain-more). rbac share prints\n"
    "what totrain k8s share needs, and a Deployment of --image. rbac network prints\n"
    "NetworkPolicies: pods of jobs reach each other, the database (--database) and, where\n"
    "they have a token, the API server. rbac disruption prints a PodDisruptionBudget: a\n"
    "drain leaves at least --pods workers of the namespace. rbac monitor prints a\n"
    "PodMonitor of the sharer's /metrics (share --metrics), and rules for alerts.\n"
    "\n"
    "share decides how many workers each job of the namespaces has (--namespace=a,b),\n"
    "until SIGTERM; without it one of the masters of a namespace does. Half of what is\n"
    "beyond their minimums goes to jobs evenly, half to who ends first (mixed), all\n"
    "evenly, or all to who ends first (soonest).\n"
    "\n"
    "check asks the cluster for each of the submitter's rights whether we have it, and\n"
    "ends with exit code 4 where one is missing. With --image it asks whether the cluster\n"
    "admits the pods of a job (--cpu, --memory, --profile, ...), by a dry run that stores\n"
    "nothing, and says what admission refuses; then a pod runs the image, and with\n"
    "--database-secret tries to reach the database with its login. With --service-secret\n"
    "a pod with the account of schedules asks for its rights, and tries to reach the\n"
    "database by the service (totrain) of the Secret's pg_service.conf.\n"
    "\n"
    "options:\n";

static struct slice or_else(const char *value, const char *otherwise)
{
    return slice_of(value ? value : otherwise);
}

/* ----- rbac ----- */

static struct slice namespace_of(const struct cluster_options *options)
{
    return or_else(options->kube_namespace, "totrain");
}

static enum status read_pods(const struct cluster_options *options, const char *what, int64_t *pods,
                             struct error *err)
{
    if (options->pods &&
        (!slice_to_integer(slice_of(options->pods), pods) || *pods < 1 || *pods > PODS_MAX))
        return fail(err, STATUS_INVALID, "%s has 1 to %d pods, not %s", what, PODS_MAX,
                    options->pods);
    return STATUS_OK;
}

static enum status print_roles(const struct cluster_options *options, struct text *out,
                               struct error *err)
{
    struct rights_limits limits = {.pods = 100,
                                   .cpu = or_else(options->cpu, "32"),
                                   .memory = or_else(options->memory, "128Gi")};
    int64_t ignored;

    TRY(quantity_read_cpu(limits.cpu, &ignored, err));
    TRY(quantity_read_memory(limits.memory, &ignored, err));
    TRY(read_pods(options, "a quota", &limits.pods, err));
    TRY(rights_print(namespace_of(options), &limits, out, err));
    fprintf(stderr, "NOTE:  %s\n", rights_warning);
    return STATUS_OK;
}

static enum status print_classes(const struct cluster_options *options, struct text *out,
                                 struct error *err)
{
    (void)options;
    return rights_print_classes(out, err);
}

static enum status print_share(const struct cluster_options *options, struct text *out,
                               struct error *err)
{
    if (!options->image)
        return fail(err, STATUS_INVALID, "--image is missing");
    return rights_print_share(namespace_of(options), slice_of(options->image), out, err);
}

static enum status print_network(const struct cluster_options *options, struct text *out,
                                 struct error *err)
{
    return policies_print_network(namespace_of(options), or_else(options->database, ""), out, err);
}

static enum status print_disruption(const struct cluster_options *options, struct text *out,
                                    struct error *err)
{
    int64_t workers;

    if (!options->pods)
        return fail(err, STATUS_INVALID, "--pods is missing: the workers that always run");
    TRY(read_pods(options, "a budget", &workers, err));
    return policies_print_disruption(namespace_of(options), workers, out, err);
}

static enum status print_monitor(const struct cluster_options *options, struct text *out,
                                 struct error *err)
{
    return policies_print_monitor(namespace_of(options), out, err);
}

static enum status print_rbac(const struct options *options, struct error *err)
{
    static const struct {
        const char *word;
        enum status (*print)(const struct cluster_options *, struct text *, struct error *);
    } kinds[] = {
        {"", print_roles},          {"classes", print_classes},       {"share", print_share},
        {"network", print_network}, {"disruption", print_disruption}, {"monitor", print_monitor}};
    const char *word = options->word_count == 2 ? options->words[1] : "";
    enum status status = STATUS_NOT_FOUND;
    struct text text;

    text_init(&text, TEXT_MAXIMUM);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(word, kinds[i].word) == 0)
            status = kinds[i].print(&options->cluster, &text, err);
    if (status == STATUS_OK)
        puts(text_string(&text));
    text_deinit(&text);
    if (status != STATUS_NOT_FOUND)
        return status;
    return fail(err, STATUS_INVALID,
                "k8s rbac is followed by nothing, or by classes, share, network, "
                "disruption or monitor, not %s",
                word),
           error_hint(err, "totrain k8s --help shows how it is called.");
}

static enum status ask(struct http *http, struct slice kube_namespace, const struct right *right,
                       struct slice verb, bool *is_allowed, struct error *err)
{
    struct api_target target = {.kind = API_ACCESS_REVIEWS};
    struct api_answer answer = {.retry_after_ms = -1};
    cJSON *review = rights_review(kube_namespace, right, verb);
    struct http_request request;
    enum status status;

    http_request_init(&request);
    TRY_OR(done, status, api_create(&request, &target, review, err));
    TRY_OR(done, status,
           http_exchange_again(http, &request, "an access review", TRIES, &answer, err));
    status = rights_review_read(answer.object, is_allowed, err);
done:
    api_answer_deinit(&answer);
    http_request_deinit(&request);
    cJSON_Delete(review);
    return status;
}

static void show(const struct right *right, struct slice verb, bool is_allowed)
{
    printf("%-4s %.*s %s%s%s\n", is_allowed ? "yes" : "NO", SLICE_FORMAT(verb),
           api_names(right->kind)->plural, right->subresource ? "/" : "",
           right->subresource ? right->subresource : "");
}

static enum status check_right(struct http *http, struct slice kube_namespace,
                               const struct right *right, bool is_shown, unsigned *missing,
                               struct error *err)
{
    const char *words = right->verbs;

    while (*words) {
        struct slice verb = {words, strcspn(words, " ")};
        bool is_allowed;

        TRY(ask(http, kube_namespace, right, verb, &is_allowed, err));
        if (is_shown)
            show(right, verb, is_allowed);
        *missing += !is_allowed;
        words += verb.size + strspn(words + verb.size, " ");
    }
    return STATUS_OK;
}

/* Runs all checks. The cluster shows a single line of the output of a schedule's pod. */
static enum status check_all(struct http *http, struct slice kube_namespace, enum rights_role role,
                             struct error *err)
{
    const bool is_shown = role == RIGHTS_OF_SUBMITTER;
    unsigned missing = 0;
    size_t count;
    const struct right *rights = rights_of(role, &count);

    for (size_t i = 0; i < count; i++)
        TRY(check_right(http, kube_namespace, &rights[i], is_shown, &missing, err));
    if (missing == 0)
        return STATUS_OK;
    return fail(err, STATUS_PERMISSION, "%u right%s missing in the namespace %.*s", missing,
                missing == 1 ? " is" : "s are", SLICE_FORMAT(kube_namespace)),
           error_hint(err, "totrain k8s rbac prints the objects that grant them.");
}

static enum status check_pods(struct http *http, struct slice kube_namespace,
                              const struct options *options, struct error *err)
{
    const struct cluster_options *cluster = &options->cluster;
    const char *service = options->word_count == 2 ? options->words[1] : SCHEDULE_SERVICE;

    if (!cluster->image)
        return cluster->service_secret ? fail(err, STATUS_INVALID, "--image is missing")
                                       : STATUS_OK;
    TRY(k8s_check_admission(http, kube_namespace, cluster, err));
    if (cluster->database_secret || !cluster->service_secret)
        TRY(k8s_check_pod(http, kube_namespace, cluster, err));
    return cluster->service_secret ? k8s_check_schedule(http, kube_namespace, cluster, service, err)
                                   : STATUS_OK;
}

static enum status open_cluster(const struct cluster_options *options, struct arena *arena,
                                struct kube_access *access, struct http **http, struct error *err)
{
    const struct access_choice choice = {.kubeconfig = options->kubeconfig,
                                         .context = options->context,
                                         .kube_namespace = options->kube_namespace,
                                         .allows_exec = true,
                                         .allows_insecure = options->allows_insecure};

    TRY(access_find(&choice, arena, access, err));
    return http_new(access, NULL, http, err);
}

static enum status check_cluster(const struct options *options, enum rights_role role,
                                 struct error *err)
{
    struct kube_access access;
    struct arena arena;
    struct http *http = NULL;
    enum status status;

    arena_init(&arena, ARENA_MAXIMUM);
    status = open_cluster(&options->cluster, &arena, &access, &http, err);
    if (status == STATUS_OK)
        status = check_all(http, access.kube_namespace, role, err);
    if (status == STATUS_OK && role == RIGHTS_OF_SUBMITTER)
        status = check_pods(http, access.kube_namespace, options, err);
    http_free(http);
    arena_deinit(&arena);
    return status;
}

/* In the pod of a check. */
static enum status check_schedule(const struct options *options, struct error *err)
{
    TRY(check_cluster(options, RIGHTS_OF_SCHEDULE, err));
    return k8s_reach_service(options->words[1], err);
}

static enum status run_share(const struct options *options, struct error *err)
{
    const struct cluster_options *cluster = &options->cluster;
    const struct access_choice choice = {.kubeconfig = cluster->kubeconfig,
                                         .context = cluster->context,
                                         .allows_exec = true,
                                         .allows_insecure = cluster->allows_insecure};
    const char *rule = options->word_count == 2 ? options->words[1] : NULL;
    struct kube_access access;
    struct arena arena;
    enum status status;

    arena_init(&arena, ARENA_MAXIMUM);
    status = access_find(&choice, &arena, &access, err);
    if (status == STATUS_OK)
        status = share_command(&access,
                               cluster->kube_namespace ? slice_of(cluster->kube_namespace)
                                                       : access.kube_namespace,
                               rule, cluster->metrics, err);
    arena_deinit(&arena);
    return status;
}

static enum status run_k8s_command(const struct options *options, struct error *err)
{
    const char *what = options->word_count > 0 ? options->words[0] : "";

    if (options->word_count == 2 && strcmp(what, "reach") == 0)
        return k8s_reach(options->words[1], err); /* in the pod of a check */
    if (options->word_count == 2 && strcmp(what, "scheduled") == 0)
        return check_schedule(options, err);
    if (options->word_count <= 2 && strcmp(what, "rbac") == 0)
        return print_rbac(options, err);
    if (options->word_count <= 2 && strcmp(what, "share") == 0)
        return run_share(options, err);
    if (strcmp(what, "check") == 0)
        return check_cluster(options, RIGHTS_OF_SUBMITTER, err);
    return fail(err, STATUS_INVALID, "k8s is followed by rbac or check, or by share"),
           error_hint(err, "totrain k8s --help shows how it is called.");
}

int command_k8s(int argc, char **argv)
{
    struct options options;
    struct error err;

    error_clear(&err);
    if (options_read(argc, argv, TAKES, &options, &err) != STATUS_OK)
        return report(&err, options.colour);
    if (options.wants_help) {
        fputs(usage, stdout);
        options_print(TAKES, stdout);
        return 0;
    }
    return run_k8s_command(&options, &err) == STATUS_OK ? 0 : report(&err, options.colour);
}
