#include "k8s/client/access.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/whole_file.h"

#define URL_BYTES_MAX 2048

static bool starts_with(struct slice text, const char *start)
{
    size_t size = strlen(start);

    return text.size >= size && memcmp(text.data, start, size) == 0;
}

static bool is_visible(struct slice text)
{
    for (size_t i = 0; i < text.size; i++)
        if (text.data[i] <= ' ' || text.data[i] > '~')
            return false;
    return text.size > 0;
}

enum status access_check_server(struct slice url, bool allows_insecure, struct error *err)
{
    bool is_plain = starts_with(url, "http://");
    struct slice rest = url;

    if (!is_visible(url) || url.size > URL_BYTES_MAX ||
        (!is_plain && !starts_with(url, "https://")))
        return fail(err, STATUS_CORRUPT, "expected an https:// URL");
    rest.data += is_plain ? 7 : 8;
    rest.size -= is_plain ? 7 : 8;
    if (rest.size == 0 || rest.data[0] == '/' || rest.data[0] == ':')
        return fail(err, STATUS_CORRUPT, "the URL has no host");
    for (size_t i = 0; i < rest.size; i++)
        if (strchr("@?#\\\"<>^`{}|", rest.data[i]))
            return fail(err, STATUS_CORRUPT, "a URL of a server has no '%c'", rest.data[i]);
    if (is_plain && !allows_insecure)
        return fail(err, STATUS_PERMISSION, "http:// would send the credentials unencrypted");
    return STATUS_OK;
}

enum status access_check_token(struct slice token, struct error *err)
{
    if (token.size > ACCESS_TOKEN_BYTES_MAX)
        return fail(err, STATUS_CORRUPT, "a token of more than %zu bytes", ACCESS_TOKEN_BYTES_MAX);
    if (!is_visible(token)) /* it becomes a line of an HTTP head */
        return fail(err, STATUS_CORRUPT, "a token has visible ASCII characters only");
    return STATUS_OK;
}

enum status access_check_pem(struct slice bytes, const char *what, struct error *err)
{
    if (bytes.size > ACCESS_PEM_BYTES_MAX)
        return fail(err, STATUS_CORRUPT, "a %s of more than %zu bytes", what, ACCESS_PEM_BYTES_MAX);
    if (bytes.size == 0 || !memmem(bytes.data, bytes.size, "-----BEGIN ", 11))
        return fail(err, STATUS_CORRUPT, "no PEM %s in it", what);
    return STATUS_OK;
}

enum status access_check_namespace(struct slice name, struct error *err)
{
    bool is_label =
        name.size > 0 && name.size <= 63 && name.data[0] != '-' && name.data[name.size - 1] != '-';

    for (size_t i = 0; i < name.size; i++) {
        char c = name.data[i];

        is_label = is_label && ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-');
    }
    if (!is_label)
        return fail(err, STATUS_CORRUPT,
                    "expected a namespace: at most 63 of a-z, 0-9 and - between them");
    return STATUS_OK;
}

static enum status read_file(const char *path, size_t bytes_max, struct arena *arena,
                             struct slice *bytes, struct error *err)
{
    struct text text;
    enum status status;

    text_init(&text, bytes_max);
    status = whole_file_read(path, &text, err);
    if (status == STATUS_OK) {
        *bytes = arena_copy(arena, text_slice(&text));
        status = bytes->data ? STATUS_OK : fail_no_memory(err);
    }
    text_deinit(&text);
    return status;
}

static enum status at_path(const char *path, struct error *err)
{
    struct error inner = *err;

    return fail(err, inner.status, "%s: %s", path, inner.message);
}

enum status access_read_token(const char *path, struct arena *arena, struct slice *token,
                              struct error *err)
{
    TRY(read_file(path, ACCESS_TOKEN_BYTES_MAX, arena, token, err));
    *token = slice_trim(*token);
    return access_check_token(*token, err) == STATUS_OK ? STATUS_OK : at_path(path, err);
}

static enum status path_in(const char *folder, const char *name, char path[PATH_MAX],
                           struct error *err)
{
    if (snprintf(path, PATH_MAX, "%s/%s", folder, name) >= PATH_MAX)
        return fail(err, STATUS_LIMIT, "the path of %s is too long", folder);
    return STATUS_OK;
}

static enum status build_server(const char *host, const char *port, struct arena *arena,
                                struct kube_access *access, struct error *err)
{
    bool is_v6 = strchr(host, ':') != NULL;
    int64_t number;

    if (!slice_to_integer(slice_of(port), &number) || number < 1 || number > 65535)
        return fail(err, STATUS_CORRUPT, "KUBERNETES_SERVICE_PORT is no port: %s", port);
    access->server = arena_printf(arena, is_v6 ? "https://[%s]:%s" : "https://%s:%s", host, port);
    if (!access->server.data)
        return fail_no_memory(err);
    return access_check_server(access->server, false, err) == STATUS_OK
               ? STATUS_OK
               : at_path("KUBERNETES_SERVICE_HOST", err);
}

static enum status read_token(const char *folder, struct arena *arena, struct kube_access *access,
                              struct error *err)
{
    char path[PATH_MAX];

    TRY(path_in(folder, "token", path, err));
    TRY(access_read_token(path, arena, &access->token, err));
    access->token_file = arena_copy(arena, slice_of(path));
    return access->token_file.data ? STATUS_OK : fail_no_memory(err);
}

static enum status read_rest(const char *folder, struct arena *arena, struct kube_access *access,
                             struct error *err)
{
    char path[PATH_MAX];

    TRY(path_in(folder, "ca.crt", path, err));
    TRY(read_file(path, ACCESS_PEM_BYTES_MAX, arena, &access->authority, err));
    if (access_check_pem(access->authority, "certificate", err) != STATUS_OK)
        return at_path(path, err);
    TRY(path_in(folder, "namespace", path, err));
    TRY(read_file(path, 1024, arena, &access->kube_namespace, err));
    access->kube_namespace = slice_trim(access->kube_namespace);
    return access_check_namespace(access->kube_namespace, err) == STATUS_OK ? STATUS_OK
                                                                            : at_path(path, err);
}

enum status access_in_cluster(const char *folder, const char *host, const char *port,
                              struct arena *arena, struct kube_access *access, struct error *err)
{
    memset(access, 0, sizeof *access);
    if (!host || !*host || !port || !*port)
        return fail(err, STATUS_NOT_FOUND, "this process is not in a pod of a Kubernetes cluster"),
               error_hint(err, "Name a kubeconfig file; pods have KUBERNETES_SERVICE_HOST set.");
    TRY(build_server(host, port, arena, access, err));
    TRY(read_token(folder, arena, access, err));
    return read_rest(folder, arena, access, err);
}
