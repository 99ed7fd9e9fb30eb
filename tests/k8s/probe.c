/*
 * The API client as a program that tests can talk to.
 *
 *     k8s_probe KUBECONFIG get|create|adopt|delete|patch|list KIND [NAME] [JSON]
 *     k8s_probe KUBECONFIG log POD [follow]
 *     k8s_probe KUBECONFIG watch KIND SELECTOR     until standard input closes
 *
 * One JSON object a line on standard output. KUBECONFIG "pod:FOLDER:HOST:PORT"
 * is a pod's own access.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "k8s/client/api_answer.h"
#include "k8s/client/http_exchange.h"
#include "k8s/client/kubeconfig.h"
#include "k8s/client/kubeconfig_choose.h"
#include "k8s/loop/client.h"
#include "k8s/loop/watch.h"
#include "runtime/loop/loop_watch.h"

#define TRIES 5

static void print(cJSON *line)
{
    struct text text;
    struct error err;

    text_init(&text, TEXT_MAXIMUM);
    if (json_print(line, false, &text, &err) != STATUS_OK)
        exit(99);
    printf("%s\n", text_string(&text));
    fflush(stdout);
    text_deinit(&text);
    cJSON_Delete(line);
}

static int print_answer(enum status status, struct api_answer *answer, const struct error *err)
{
    cJSON *line = cJSON_CreateObject();

    json_add_string(line, "status", slice_of(status_name(status)));
    if (status == STATUS_OK && answer->object)
        json_add(line, "object", cJSON_Duplicate(answer->object, true));
    if (status != STATUS_OK) {
        json_add_string(line, "message", slice_of(err->message));
        json_add_string(line, "hint", slice_of(err->hint));
        json_add_string(line, "reason", slice_of(answer->reason));
        json_add_integer(line, "code", answer->code);
    }
    print(line);
    api_answer_deinit(answer);
    return 0;
}

static enum status open_access(char *name, struct arena *arena, struct kube_access *access,
                               struct error *err)
{
    struct kubeconfig_choice choice = {.allows_exec = true,
                                       .allows_insecure = getenv("PROBE_INSECURE") != NULL};
    struct kubeconfig config = {.clusters = NULL};
    char *parts[3] = {NULL, NULL, NULL}, *rest = name + 4;

    if (strncmp(name, "pod:", 4) == 0) {
        for (int i = 0; i < 3; i++)
            parts[i] = strsep(&rest, ":");
        return access_in_cluster(parts[0], parts[1], parts[2], arena, access, err);
    }
    TRY(kubeconfig_load(name, arena, &config, err));
    return kubeconfig_choose(&config, &choice, arena, access, err);
}

static enum api_kind kind_of(const char *plural)
{
    for (int kind = 0; kind < API_KIND_COUNT; kind++)
        if (strcmp(api_names((enum api_kind)kind)->plural, plural) == 0)
            return (enum api_kind)kind;
    fprintf(stderr, "no kind %s\n", plural);
    exit(98);
}

static cJSON *read_json(const char *text)
{
    struct error err;
    cJSON *json;

    if (json_parse(slice_of(text), API_BODY_BYTES_MAX, &json, &err) != STATUS_OK)
        exit(97);
    return json;
}

static enum status fill(const char *verb, const struct api_target *target, const cJSON *body,
                        struct http_request *request, struct error *err)
{
    struct api_deletion deletion = {
        .propagation = "Background", .uid = API_TEXT(body, "uid"), .grace_s = -1};

    if (strcmp(verb, "get") == 0)
        return api_get(request, target, err);
    if (strcmp(verb, "list") == 0)
        return api_list(request, target, SLICE(""), SLICE(""), err);
    if (strcmp(verb, "create") == 0)
        return api_create(request, target, body, err);
    if (strcmp(verb, "delete") == 0)
        return api_delete(request, target, &deletion, err);
    return api_patch(request, target, API_PATCH_MERGE, body, err);
}

static int exchange(struct http *http, const char *verb, struct api_target *target, cJSON *body)
{
    struct http_request request;
    struct api_answer answer = {.retry_after_ms = -1};
    struct error err;
    enum status status;

    error_clear(&err);
    http_request_init(&request);
    if (strcmp(verb, "adopt") == 0) {
        status = http_create_or_adopt(http, target, body, TRIES, &answer, &err);
    } else {
        status = fill(verb, target, body, &request, &err);
        if (status == STATUS_OK)
            status = http_exchange_again(http, &request, verb, TRIES, &answer, &err);
    }
    http_request_deinit(&request);
    cJSON_Delete(body);
    return print_answer(status, &answer, &err);
}

static void on_log_head(void *context, int code, int64_t retry_after_ms)
{
    (void)context;
    (void)retry_after_ms;
    fprintf(stderr, "code %d\n", code);
}

static bool on_log_bytes(void *context, struct slice bytes)
{
    (void)context;
    return fwrite(bytes.data, 1, bytes.size, stdout) == bytes.size && fflush(stdout) == 0;
}

static void on_log_end(void *context, enum status status, const struct error *err)
{
    (void)context;
    fprintf(stderr, "%s %s\n", status_name(status), err->message);
}

static int show_log(struct http *http, const struct api_target *pod, bool follows)
{
    struct http_sink sink = {NULL, on_log_head, on_log_bytes, on_log_end};
    struct api_log log = {.follows = follows, .tail_lines = -1};
    struct http_request request;
    struct http_call *call;
    struct error err;

    http_request_init(&request);
    if (api_pod_log(&request, pod, &log, &err) != STATUS_OK ||
        http_start(http, &request, &sink, &call, &err) != STATUS_OK)
        return 1;
    http_request_deinit(&request);
    return http_run(http, -1, &err) == STATUS_OK ? 0 : 1;
}

static void on_change(void *context, enum watcher_change change, struct slice name,
                      struct slice uid, const cJSON *object)
{
    static const char *const names[] = {"added", "changed", "deleted"};
    cJSON *line = cJSON_CreateObject();
    (void)context;

    json_add_string(line, "change", slice_of(names[change]));
    json_add_string(line, "name", name);
    json_add_string(line, "uid", uid);
    json_add_string(line, "version", API_TEXT(object, "metadata", "resourceVersion"));
    print(line);
}

static void on_synced(void *context)
{
    cJSON *line = cJSON_CreateObject();
    (void)context;

    json_add_string(line, "change", SLICE("synced"));
    print(line);
}

static const struct watch *the_watch;
static bool had_problem;

static void on_tick(void *context, int64_t now_ms)
{
    const struct error *problem = watcher_problem(watch_watcher(the_watch));
    cJSON *line;
    (void)context;
    (void)now_ms;

    if (!problem == !had_problem)
        return;
    had_problem = problem != NULL;
    line = cJSON_CreateObject();
    json_add_string(line, "change", slice_of(problem ? "problem" : "well"));
    json_add_string(line, "message", slice_of(problem ? problem->message : ""));
    print(line);
}

static void on_line(void *context, struct slice line)
{
    (void)context;
    (void)line;
}

static void on_input_end(void *context)
{
    loop_stop(context, STATUS_OK, NULL);
}

static int follow(const struct kube_access *access, const struct api_target *target,
                  const char *selector)
{
    struct watcher_reader reader = {.on_change = on_change, .on_synced = on_synced};
    struct loop *loop;
    struct client *client;
    struct watch *watch;
    struct loop_lines *lines;
    struct error err;

    if (loop_new(10, &loop, &err) != STATUS_OK ||
        client_open(loop, access, &client, &err) != STATUS_OK ||
        watch_open(loop, client, target, slice_of(selector), 1, &reader, &watch, &err) !=
            STATUS_OK ||
        loop_read_lines(
            loop, dup(STDIN_FILENO),
            (struct line_reader){.context = loop, .on_line = on_line, .on_end = on_input_end},
            &lines, &err) != STATUS_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    the_watch = watch;
    loop_on_tick(loop, on_tick, NULL);
    loop_run(loop, &err);
    watch_close(watch);
    client_close(client);
    loop_free(loop);
    return 0;
}

static int run(const struct kube_access *access, int argc, char **argv)
{
    struct api_target target = {.kube_namespace = access->kube_namespace};
    const char *verb = argv[2];
    struct http *http;
    struct error err;
    int code;

    target.kind = strcmp(verb, "log") == 0 ? API_PODS : kind_of(argv[3]);
    if (strcmp(verb, "watch") == 0)
        return follow(access, &target, argv[4]);
    if (http_new(access, NULL, &http, &err) != STATUS_OK)
        return 1;
    if (strcmp(verb, "log") == 0) {
        target.name = slice_of(argv[3]);
        code = show_log(http, &target, argc > 4);
    } else {
        cJSON *body = argc > 5 ? read_json(argv[5]) : NULL;

        if (strcmp(verb, "create") != 0 && strcmp(verb, "adopt") != 0)
            target.name = slice_of(argc > 4 ? argv[4] : "");
        code = exchange(http, verb, &target, body);
    }
    http_free(http);
    return code;
}

int main(int argc, char **argv)
{
    struct kube_access access;
    struct api_answer answer = {.retry_after_ms = -1};
    struct arena arena;
    struct error err;
    int code;

    if (argc < 4)
        return 2;
    arena_init(&arena, ARENA_MAXIMUM);
    if (open_access(argv[1], &arena, &access, &err) == STATUS_OK)
        code = run(&access, argc, argv);
    else
        code = print_answer(err.status, &answer, &err);
    arena_deinit(&arena);
    return code;
}
