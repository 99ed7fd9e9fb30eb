#include "k8s/client/exec_plugin.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/json.h"
#include "runtime/launch/spawn.h"

struct run {
    pid_t pid;
    int pidfd, out;
    struct text printed;
};

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* The program's environment: ours, then the kubeconfig's, then the protocol's.
 * Where a name is there twice, the first counts, so they stand in reverse. */
static char **environment_of(const struct access_exec *exec, struct arena *arena)
{
    size_t own = 0, count = 0;
    char **variables;

    while (environ[own])
        own++;
    variables = ARENA_NEW(arena, char *, own + exec->variable_count + 2);
    if (!variables)
        return NULL;
    variables[count++] =
        (char *)arena_printf(arena,
                             "KUBERNETES_EXEC_INFO={\"kind\":\"ExecCredential\",\"apiVersion\":"
                             "\"%.*s\",\"spec\":{\"interactive\":false}}",
                             SLICE_FORMAT(exec->version))
            .data;
    if (!variables[0])
        return NULL;
    for (size_t i = exec->variable_count; i-- > 0;)
        variables[count++] = (char *)exec->variables[i].data;
    for (char **ours = environ; *ours; ours++) {
        size_t name = strcspn(*ours, "=") + 1;
        bool is_replaced = false;

        for (size_t i = 0; i <= exec->variable_count && !is_replaced; i++)
            is_replaced = strncmp(variables[i], *ours, name) == 0;
        if (!is_replaced)
            variables[count++] = *ours;
    }
    return variables;
}

static enum status start_plugin(const struct access_exec *exec, struct arena *arena,
                                struct run *run, struct error *err)
{
    char **arguments = ARENA_NEW(arena, char *, exec->argument_count + 2);
    char **environment = environment_of(exec, arena);
    struct spawn spawn = {.program = exec->command.data, .is_in_path = true, .in = -1};
    enum status status;
    int ends[2];

    if (!arguments || !environment)
        return fail_no_memory(err);
    arguments[0] = (char *)exec->command.data;
    for (size_t i = 0; i < exec->argument_count; i++)
        arguments[i + 1] = (char *)exec->arguments[i].data;
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return fail_errno(err, STATUS_IO, "cannot make a pipe");
    /* Only our end does not wait. */
    (void)fcntl(ends[1], F_SETFL, fcntl(ends[1], F_GETFL) & ~O_NONBLOCK);
    spawn.arguments = arguments;
    spawn.environment = environment;
    spawn.out = ends[1];
    status = spawn_process(&spawn, &run->pid, err);
    close(ends[1]);
    run->out = ends[0];
    if (status != STATUS_OK) {
        if (exec->hint.size > 0)
            error_hint(err, "%.*s", (int)(exec->hint.size < 400 ? exec->hint.size : 400),
                       exec->hint.data);
        return status;
    }
    run->pidfd = pidfd_open(run->pid, 0);
    return run->pidfd >= 0 ? STATUS_OK : fail_errno(err, STATUS_IO, "cannot watch a process");
}

/* True while there may be more. */
static bool read_some(struct run *run)
{
    char block[8192];
    ssize_t size;

    while ((size = read(run->out, block, sizeof block)) > 0)
        text_append(&run->printed, (struct slice){block, (size_t)size});
    return size < 0 && (errno == EAGAIN || errno == EINTR);
}

/* Until the program itself ended: what it may have started is not waited for. */
static enum status follow(struct run *run, const char *name, int timeout_ms, struct error *err)
{
    int64_t until = now_ms() + timeout_ms;
    struct pollfd polled[2] = {{.fd = run->pidfd, .events = POLLIN},
                               {.fd = run->out, .events = POLLIN}};

    for (;;) {
        int64_t left = until - now_ms();
        int found = left > 0 ? poll(polled, 2, (int)left) : 0;

        if (found < 0 && errno != EINTR)
            return fail_errno(err, STATUS_IO, "cannot wait for %s", name);
        if (found == 0)
            return fail(err, STATUS_FAILED, "%s gave no credentials in %d ms", name, timeout_ms);
        if (polled[1].fd >= 0 && !read_some(run))
            polled[1].fd = -1; /* closed; it may still work */
        if (run->printed.failed)
            return fail(err, STATUS_LIMIT, "%s printed more than the %zu bytes that are read", name,
                        EXEC_PLUGIN_BYTES_MAX);
        if (found > 0 && polled[0].revents)
            return STATUS_OK;
    }
}

static enum status reap(struct run *run, const char *name, bool is_killed, struct error *err)
{
    int how = 0;

    if (is_killed)
        kill(run->pid, SIGKILL);
    while (waitpid(run->pid, &how, 0) < 0 && errno == EINTR)
        ;
    if (is_killed)
        return err->status;
    if (WIFEXITED(how) && WEXITSTATUS(how) == 0)
        return STATUS_OK;
    if (WIFSIGNALED(how))
        return fail(err, STATUS_FAILED, "%s was ended by signal %d", name, WTERMSIG(how));
    return fail(err, STATUS_FAILED, "%s failed with exit code %d", name, WEXITSTATUS(how));
}

bool exec_plugin_time(struct slice text, int64_t *seconds)
{
    char copy[64];
    struct tm parts;
    const char *rest;
    int hours, minutes, used = 0;
    char sign;

    if (text.size >= sizeof copy || text.size == 0)
        return false;
    memcpy(copy, text.data, text.size);
    copy[text.size] = '\0';
    memset(&parts, 0, sizeof parts);
    rest = strptime(copy, "%Y-%m-%dT%H:%M:%S", &parts);
    if (!rest)
        return false;
    if (*rest == '.')
        rest += 1 + strspn(rest + 1, "0123456789");
    *seconds = timegm(&parts);
    if (strcmp(rest, "Z") == 0)
        return true;
    if (sscanf(rest, "%c%2d:%2d%n", &sign, &hours, &minutes, &used) != 3 || rest[used] != '\0' ||
        (sign != '+' && sign != '-'))
        return false;
    *seconds -= (sign == '+' ? 60 : -60) * (60 * hours + minutes);
    return true;
}

static enum status copy_member(const cJSON *object, const char *name, struct arena *arena,
                               struct slice *value, struct error *err)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    struct slice text;

    *value = (struct slice){NULL, 0};
    if (!item || cJSON_IsNull(item))
        return STATUS_OK;
    TRY(json_get_string(object, name, &text, err));
    *value = arena_copy(arena, text);
    return value->data ? STATUS_OK : fail_no_memory(err);
}

static enum status take_credentials(const cJSON *status_object, struct arena *arena,
                                    struct kube_access *access, struct error *err)
{
    struct slice token, certificate, key;

    TRY(copy_member(status_object, "token", arena, &token, err));
    TRY(copy_member(status_object, "clientCertificateData", arena, &certificate, err));
    TRY(copy_member(status_object, "clientKeyData", arena, &key, err));
    if (token.size > 0)
        TRY(access_check_token(token, err));
    if (!certificate.size != !key.size)
        return fail(err, STATUS_PROTOCOL, "a client certificate and its key come together");
    if (certificate.size > 0) {
        TRY(access_check_pem(certificate, "certificate", err));
        TRY(access_check_pem(key, "key", err));
        access->certificate = certificate;
        access->key = key;
    }
    if (token.size == 0 && certificate.size == 0)
        return fail(err, STATUS_PROTOCOL, "neither a token nor a certificate");
    access->token = token;
    return STATUS_OK;
}

static enum status take_result(const cJSON *json, struct arena *arena, struct kube_access *access,
                               int64_t *expires_at_s, struct error *err)
{
    struct slice kind, version, expires;
    const cJSON *status_object;

    TRY(json_get_string(json, "kind", &kind, err));
    TRY(json_get_string(json, "apiVersion", &version, err));
    if (!slice_is(kind, "ExecCredential") || !slice_equal(version, access->exec->version))
        return fail(err, STATUS_PROTOCOL, "expected an ExecCredential of %.*s",
                    SLICE_FORMAT(access->exec->version));
    TRY(json_get_object(json, "status", &status_object, err));
    TRY(copy_member(status_object, "expirationTimestamp", arena, &expires, err));
    *expires_at_s = EXEC_NEVER_EXPIRES;
    if (expires.size > 0 && !exec_plugin_time(expires, expires_at_s))
        return fail(err, STATUS_PROTOCOL, "expirationTimestamp is no time");
    return take_credentials(status_object, arena, access, err);
}

static enum status read_result(struct slice printed, const char *name, struct arena *arena,
                               struct kube_access *access, int64_t *expires_at_s, struct error *err)
{
    struct error inner;
    cJSON *json;
    enum status status = json_parse(printed, EXEC_PLUGIN_BYTES_MAX, &json, &inner);

    if (status == STATUS_OK)
        status = take_result(json, arena, access, expires_at_s, &inner);
    cJSON_Delete(json);
    if (status == STATUS_OK || status == STATUS_NO_MEMORY)
        return status == STATUS_OK ? STATUS_OK : fail_no_memory(err);
    return fail(err, STATUS_PROTOCOL, "%s printed no credentials: %s", name, inner.message);
}

enum status exec_plugin_run(struct kube_access *access, int timeout_ms, struct arena *arena,
                            int64_t *expires_at_s, struct error *err)
{
    struct run run = {.pid = -1, .pidfd = -1, .out = -1};
    const char *name = access->exec->command.data;
    enum status status;

    text_init(&run.printed, EXEC_PLUGIN_BYTES_MAX);
    status = start_plugin(access->exec, arena, &run, err);
    if (status == STATUS_OK)
        status = follow(&run, name, timeout_ms, err);
    if (run.pid > 0)
        status = reap(&run, name, status != STATUS_OK, err);
    if (status == STATUS_OK)
        status = read_result(text_slice(&run.printed), name, arena, access, expires_at_s, err);
    if (run.pidfd >= 0)
        close(run.pidfd);
    if (run.out >= 0)
        close(run.out);
    if (run.printed.data)
        explicit_bzero(run.printed.data, run.printed.capacity);
    text_deinit(&run.printed);
    return status;
}
