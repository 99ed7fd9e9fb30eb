#include "k8s/client/kubeconfig_choose.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/whole_file.h"
#include "k8s/client/base64.h"
#include "k8s/client/kubeconfig.h"

/* Writes an error of a field as file:line: field: reason. */
static enum status at_field(const struct kubeconfig_field *field, struct error *err)
{
    struct error inner = *err;

    fail(err, inner.status, "%s:%u: %s: %s", field->file, field->line, field->name, inner.message);
    memcpy(err->hint, inner.hint, sizeof err->hint);
    return err->status;
}

static bool is_set(const struct kubeconfig_field *field)
{
    return field->value.data != NULL;
}

/* File names count from the folder of the kubeconfig they stand in. */
static enum status path_of(const struct kubeconfig_field *field, char path[PATH_MAX],
                           struct error *err)
{
    const char *slash = strrchr(field->file, '/');
    int folder = slash && field->value.data[0] != '/' ? (int)(slash - field->file) + 1 : 0;

    if (snprintf(path, PATH_MAX, "%.*s%.*s", folder, field->file, SLICE_FORMAT(field->value)) >=
        PATH_MAX)
        return fail(err, STATUS_LIMIT, "the path is too long");
    return STATUS_OK;
}

static enum status read_pem(const struct kubeconfig_field *field, struct arena *arena,
                            struct slice *pem, struct error *err)
{
    char path[PATH_MAX];
    struct text text;
    enum status status;

    TRY(path_of(field, path, err));
    text_init(&text, ACCESS_PEM_BYTES_MAX);
    status = whole_file_read(path, &text, err);
    if (status == STATUS_OK) {
        *pem = arena_copy(arena, text_slice(&text));
        status = pem->data ? STATUS_OK : fail_no_memory(err);
    }
    text_deinit(&text);
    return status;
}

/* Data wins over a file, as in kubectl. */
static enum status take_pem(const struct kubeconfig_field *data,
                            const struct kubeconfig_field *file, const char *what,
                            struct arena *arena, struct slice *pem, struct error *err)
{
    const struct kubeconfig_field *field = is_set(data) ? data : file;
    enum status status;

    if (!is_set(field))
        return STATUS_OK;
    status = field == data ? base64_decode(data->value, arena, pem, err)
                           : read_pem(file, arena, pem, err);
    if (status == STATUS_OK)
        status = access_check_pem(*pem, what, err);
    return status == STATUS_OK ? STATUS_OK : at_field(field, err);
}

static enum status check_insecure(const struct kubeconfig_cluster *cluster,
                                  const struct kubeconfig_choice *choice,
                                  struct kube_access *access, struct error *err)
{
    access->is_insecure = slice_is(cluster->insecure.value, "true");
    if (!access->is_insecure)
        return STATUS_OK;
    if (is_set(&cluster->authority_data) || is_set(&cluster->authority_file))
        return fail(err, STATUS_CORRUPT, "a certificate authority is named as well"),
               at_field(&cluster->insecure, err);
    if (choice->allows_insecure)
        return STATUS_OK;
    fail(err, STATUS_PERMISSION, "the server's certificate would not be checked");
    error_hint(err,
               "Put the cluster's certificate authority into the kubeconfig, or add --insecure.");
    return at_field(&cluster->insecure, err);
}

static enum status check_proxy(const struct kubeconfig_field *proxy, struct error *err)
{
    if (!is_set(proxy))
        return STATUS_OK;
    if (access_check_server(proxy->value, true, err) == STATUS_OK)
        return STATUS_OK;
    fail(err, STATUS_CORRUPT, "expected an http:// or https:// URL without a user");
    return at_field(proxy, err);
}

/* It becomes the host of a URL. */
static enum status check_server_name(const struct kubeconfig_field *field, struct error *err)
{
    for (size_t i = 0; i < field->value.size; i++) {
        char c = field->value.data[i];

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '.' || c == '-'))
            return fail(err, STATUS_CORRUPT, "expected the name of a host"), at_field(field, err);
    }
    return STATUS_OK;
}

static enum status take_cluster(const struct kubeconfig_cluster *cluster,
                                const struct kubeconfig_choice *choice, struct arena *arena,
                                struct kube_access *access, struct error *err)
{
    struct slice server = cluster->server.value;

    if (!is_set(&cluster->server))
        return fail(err, STATUS_CORRUPT, "the cluster has no server"),
               at_field(&cluster->name, err);
    if (access_check_server(server, choice->allows_insecure, err) != STATUS_OK)
        return at_field(&cluster->server, err);
    while (server.data[server.size - 1] == '/')
        server.size--;
    access->server = server;
    TRY(check_server_name(&cluster->server_name, err));
    access->server_name = cluster->server_name.value;
    TRY(check_proxy(&cluster->proxy, err));
    access->proxy = cluster->proxy.value;
    TRY(check_insecure(cluster, choice, access, err));
    return take_pem(&cluster->authority_data, &cluster->authority_file, "certificate", arena,
                    &access->authority, err);
}

static enum status take_token(const struct kubeconfig_user *user, struct arena *arena,
                              struct kube_access *access, struct error *err)
{
    char path[PATH_MAX];

    if (is_set(&user->token_file)) {
        if (path_of(&user->token_file, path, err) != STATUS_OK ||
            access_read_token(path, arena, &access->token, err) != STATUS_OK)
            return at_field(&user->token_file, err);
        access->token_file = arena_copy(arena, slice_of(path));
        return access->token_file.data ? STATUS_OK : fail_no_memory(err);
    }
    if (is_set(&user->token) && access_check_token(user->token.value, err) != STATUS_OK)
        return at_field(&user->token, err);
    access->token = user->token.value;
    return STATUS_OK;
}

static enum status take_certificate(const struct kubeconfig_user *user, struct arena *arena,
                                    struct kube_access *access, struct error *err)
{
    TRY(take_pem(&user->certificate_data, &user->certificate_file, "certificate", arena,
                 &access->certificate, err));
    TRY(take_pem(&user->key_data, &user->key_file, "key", arena, &access->key, err));
    if (!access->certificate.data == !access->key.data)
        return STATUS_OK;
    fail(err, STATUS_CORRUPT, "a client certificate and its key come together");
    return at_field(&user->name, err);
}

static enum status take_exec(const struct kubeconfig_user *user,
                             const struct kubeconfig_choice *choice, struct arena *arena,
                             struct kube_access *access, struct error *err)
{
    struct access_exec *exec;

    if (!is_set(&user->exec_place))
        return STATUS_OK;
    if (!choice->allows_exec)
        return fail(err, STATUS_PERMISSION, "a program that gives credentials is not run here"),
               error_hint(err, "Use a kubeconfig with a token or a client certificate."),
               at_field(&user->exec_place, err);
    exec = ARENA_NEW(arena, struct access_exec, 1);
    if (!exec)
        return fail_no_memory(err);
    *exec = user->exec;
    if (memchr(exec->command.data, '/', exec->command.size)) { /* else it is looked for in PATH */
        char path[PATH_MAX];

        TRY(path_of(&user->exec_place, path, err));
        exec->command = arena_copy(arena, slice_of(path));
    }
    access->exec = exec;
    return exec->command.data ? STATUS_OK : fail_no_memory(err);
}

static enum status take_user(const struct kubeconfig_user *user,
                             const struct kubeconfig_choice *choice, struct arena *arena,
                             struct kube_access *access, struct error *err)
{
    if (user->refused.name)
        return fail(err, STATUS_UNSUPPORTED, "users are not known this way here"),
               error_hint(err, "Use a token, a client certificate or exec."),
               at_field(&user->refused, err);
    TRY(take_token(user, arena, access, err));
    TRY(take_certificate(user, arena, access, err));
    return take_exec(user, choice, arena, access, err);
}

static enum status find_context(const struct kubeconfig *config, const char *name,
                                const struct kubeconfig_context **context, struct error *err)
{
    struct slice wanted = name ? slice_of(name) : config->current.value;

    if (!wanted.data)
        return fail(err, STATUS_NOT_FOUND, "the kubeconfig has no current context"),
               error_hint(err, "Say --context NAME, or kubectl config use-context NAME.");
    for (*context = config->contexts; *context; *context = (*context)->next)
        if (slice_equal((*context)->name.value, wanted))
            return STATUS_OK;
    return fail(err, STATUS_NOT_FOUND, "the kubeconfig has no context \"%.*s\"",
                SLICE_FORMAT(wanted));
}

static enum status not_found(const struct kubeconfig_context *context,
                             const struct kubeconfig_field *field, const char *what,
                             struct error *err)
{
    if (!is_set(field))
        return fail(err, STATUS_CORRUPT, "the context names no %s", what),
               at_field(&context->name, err);
    fail(err, STATUS_NOT_FOUND, "there is no %s \"%.*s\"", what, SLICE_FORMAT(field->value));
    return at_field(field, err);
}

static enum status take_namespace(const struct kubeconfig_context *context,
                                  struct kube_access *access, struct error *err)
{
    access->kube_namespace =
        is_set(&context->kube_namespace) ? context->kube_namespace.value : SLICE("default");
    return access_check_namespace(access->kube_namespace, err) == STATUS_OK
               ? STATUS_OK
               : at_field(&context->kube_namespace, err);
}

enum status kubeconfig_choose(const struct kubeconfig *config,
                              const struct kubeconfig_choice *choice, struct arena *arena,
                              struct kube_access *access, struct error *err)
{
    const struct kubeconfig_context *context;
    const struct kubeconfig_cluster *cluster = config->clusters;
    const struct kubeconfig_user *user = config->users;

    memset(access, 0, sizeof *access);
    error_clear(err);
    TRY(find_context(config, choice->context, &context, err));
    while (cluster && !slice_equal(cluster->name.value, context->cluster.value))
        cluster = cluster->next;
    if (!cluster)
        return not_found(context, &context->cluster, "cluster", err);
    TRY(take_cluster(cluster, choice, arena, access, err));
    while (user && !slice_equal(user->name.value, context->user.value))
        user = user->next;
    if (!user)
        return not_found(context, &context->user, "user", err);
    TRY(take_user(user, choice, arena, access, err));
    return take_namespace(context, access, err);
}
