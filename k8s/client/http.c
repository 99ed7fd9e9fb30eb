#include "k8s/client/http.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "k8s/client/access_find.h"
#include "k8s/client/exec_plugin.h"
#include "lazy/curl.h"

#define EXPIRES_EARLY_S  30
#define FRESH_BYTES_MAX  ((size_t)1 << 20)
#define FOUND_BYTES_MAX  ((size_t)16 << 20) /* a kubeconfig of 1 MiB, as it is read */
#define CONNECTIONS_KEPT 8

struct http_call {
    struct http *http;
    CURL *easy;
    struct curl_slist *headers, *connect_to;
    struct http_sink sink;
    int64_t timeout_ms;
    bool has_head, is_cancelled, is_refused;
    char problem[CURL_ERROR_SIZE];
    struct http_call *next;
};

struct http {
    CURLM *multi;
    struct kube_access access;
    struct arena fresh; /* credentials that were read again */
    int64_t expires_at_s;
    bool is_stale; /* the server has refused our credentials */
    struct http_driver driver;
    bool has_driver;
    unsigned depth; /* calls of curl under way: its callbacks must not add or remove */
    struct http_call *calls;
    size_t call_count;
};

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *context, void *of_socket)
{
    const struct http *http = context;
    (void)easy;
    (void)of_socket;

    http->driver.watch(
        http->driver.context, fd,
        (what == CURL_POLL_IN || what == CURL_POLL_INOUT ? HTTP_CAN_READ : 0U) |
            (what == CURL_POLL_OUT || what == CURL_POLL_INOUT ? HTTP_CAN_WRITE : 0U));
    return 0;
}

static int on_timer(CURLM *multi, long ms, void *context)
{
    const struct http *http = context;
    (void)multi;

    http->driver.wake_in(http->driver.context, ms);
    return 0;
}

static void use_driver(struct http *http, const struct http_driver *driver)
{
    if (!driver)
        return;
    http->driver = *driver;
    http->has_driver = true;
    curl_multi_setopt(http->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(http->multi, CURLMOPT_SOCKETDATA, http);
    curl_multi_setopt(http->multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(http->multi, CURLMOPT_TIMERDATA, http);
}

enum status http_new(const struct kube_access *access, const struct http_driver *driver,
                     struct http **out, struct error *err)
{
    struct http *http;

    TRY(lazy_curl_load(err));
    http = calloc(1, sizeof *http);
    if (!http)
        return fail_no_memory(err);
    arena_init(&http->fresh, FRESH_BYTES_MAX);
    http->access = *access;
    http->expires_at_s = access->exec ? 0 : EXEC_NEVER_EXPIRES;
    if (curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK)
        http->multi = curl_multi_init();
    if (!http->multi) {
        free(http);
        return fail_no_memory(err);
    }
    curl_multi_setopt(http->multi, CURLMOPT_MAXCONNECTS, (long)CONNECTIONS_KEPT);
    use_driver(http, driver);
    *out = http;
    return STATUS_OK;
}

static void free_call(struct http_call *call)
{
    struct http_call **at = &call->http->calls;

    while (*at != call)
        at = &(*at)->next;
    *at = call->next;
    call->http->call_count--;
    if (call->easy) {
        curl_multi_remove_handle(call->http->multi, call->easy);
        curl_easy_cleanup(call->easy);
    }
    curl_slist_free_all(call->headers);
    curl_slist_free_all(call->connect_to);
    free(call);
}

void http_free(struct http *http)
{
    if (!http)
        return;
    assert(http->depth == 0);
    while (http->calls)
        free_call(http->calls);
    curl_multi_cleanup(http->multi);
    arena_deinit(&http->fresh);
    free(http);
}

void http_cancel(struct http_call *call)
{
    call->is_cancelled = true;
    if (call->http->depth == 0)
        free_call(call);
}

/* A file that is just being written may not be readable: the credentials of before stay then. */
static enum status find_again(struct http *http, struct error *err)
{
    struct kube_access found;
    struct arena arena;
    enum status status;

    arena_init(&arena, FOUND_BYTES_MAX);
    status = access_find(http->access.choice, &arena, &found, err);
    if (status != STATUS_OK) {
        arena_deinit(&arena);
        return status;
    }
    arena_deinit(&http->fresh);
    http->fresh = arena;
    http->access.token = found.token;
    http->access.certificate = found.certificate;
    http->access.key = found.key;
    http->is_stale = false;
    return STATUS_OK;
}

static enum status read_again(struct http *http, struct error *err)
{
    if (http->access.choice)
        return find_again(http, err);
    arena_deinit(&http->fresh);
    if (http->access.exec)
        return exec_plugin_run(&http->access, EXEC_PLUGIN_MS_MAX, &http->fresh, &http->expires_at_s,
                               err);
    return access_read_token(http->access.token_file.data, &http->fresh, &http->access.token, err);
}

bool http_can_renew(const struct http *http)
{
    return http->access.exec || http->access.token_file.size > 0 || http->access.choice;
}

/* A token that a pod has is replaced before it expires, under the same name. */
static enum status refresh(struct http *http, struct error *err)
{
    bool is_due = http->access.exec ? time(NULL) + EXPIRES_EARLY_S >= http->expires_at_s
                                    : http->access.token_file.size > 0 || http->is_stale;

    return is_due ? read_again(http, err) : STATUS_OK;
}

static void give_head(struct http_call *call)
{
    long code = 0;
    curl_off_t retry_after_s = 0;

    if (call->has_head)
        return;
    call->has_head = true;
    curl_easy_getinfo(call->easy, CURLINFO_RESPONSE_CODE, &code);
    curl_easy_getinfo(call->easy, CURLINFO_RETRY_AFTER, &retry_after_s);
    if (code == 401 && call->http->access.exec)
        call->http->expires_at_s = 0;
    if (code == 401 && call->http->access.choice)
        call->http->is_stale = true;
    call->sink.on_head(call->sink.context, (int)code,
                       retry_after_s > 0 ? (int64_t)retry_after_s * 1000 : -1);
}

static size_t on_bytes(char *data, size_t one, size_t size, void *context)
{
    struct http_call *call = context;
    (void)one;

    if (call->is_cancelled)
        return 0;
    give_head(call);
    if (!call->is_cancelled && !call->sink.on_bytes(call->sink.context, (struct slice){data, size}))
        call->is_refused = true;
    return call->is_cancelled || call->is_refused ? 0 : size;
}

/* The empty line ends a head; that of a 100 Continue is not the last. A watch
 * may then be silent for minutes. */
static size_t on_header(char *data, size_t one, size_t size, void *context)
{
    struct http_call *call = context;
    long code = 0;
    (void)one;

    curl_easy_getinfo(call->easy, CURLINFO_RESPONSE_CODE, &code);
    if (!call->is_cancelled && size == 2 && data[0] == '\r' && code >= 200)
        give_head(call);
    return call->is_cancelled ? 0 : size;
}

/* https://HOST:PORT/PREFIX in three. */
static void split_server(struct slice server, struct slice *scheme, struct slice *authority,
                         struct slice *prefix)
{
    const char *start = (const char *)memmem(server.data, server.size, "://", 3) + 3;
    const char *end = server.data + server.size;
    const char *slash = memchr(start, '/', (size_t)(end - start));

    *scheme = (struct slice){server.data, (size_t)(start - server.data)};
    *authority = (struct slice){start, (size_t)((slash ? slash : end) - start)};
    *prefix = (struct slice){slash ? slash : end, slash ? (size_t)(end - slash) : 0};
}

/* The port of HOST, HOST:PORT, [V6] or [V6]:PORT, with its colon. */
static struct slice port_of(struct slice authority)
{
    const char *bracket = memchr(authority.data, ']', authority.size);
    const char *from = bracket ? bracket : authority.data;
    const char *end = authority.data + authority.size;
    const char *colon = memchr(from, ':', (size_t)(end - from));

    return (struct slice){colon ? colon : end, colon ? (size_t)(end - colon) : 0};
}

static void add_header(struct http_call *call, bool *failed, const char *format, struct slice value)
{
    struct text line;
    struct curl_slist *longer;

    text_init(&line, ACCESS_TOKEN_BYTES_MAX + 64);
    text_printf(&line, format, SLICE_FORMAT(value));
    longer = line.failed ? NULL : curl_slist_append(call->headers, text_string(&line));
    if (longer)
        call->headers = longer;
    else
        *failed = true;
    if (line.data)
        explicit_bzero(line.data, line.capacity);
    text_deinit(&line);
}

/* Where the certificate has another name than the address, curl gets a URL of that name and
 * connects to the address. */
static void set_url(struct http_call *call, const struct http_request *request, bool *failed)
{
    const struct kube_access *access = &call->http->access;
    struct slice scheme, authority, prefix;
    struct text text;

    text_init(&text, API_PATH_BYTES_MAX + 4096);
    split_server(access->server, &scheme, &authority, &prefix);
    if (access->server_name.size > 0) {
        struct slice port = port_of(authority);
        struct slice host = {authority.data, authority.size - port.size};

        text_printf(&text, "::%.*s%.*s", SLICE_FORMAT(host),
                    SLICE_FORMAT(port.size > 0 ? port : SLICE(":")));
        call->connect_to = curl_slist_append(NULL, text_string(&text));
        *failed = *failed || text.failed || !call->connect_to;
        curl_easy_setopt(call->easy, CURLOPT_CONNECT_TO, call->connect_to);
        text_clear(&text);
        text_printf(&text, "%.*s%.*s%.*s", SLICE_FORMAT(scheme), SLICE_FORMAT(access->server_name),
                    SLICE_FORMAT(port));
        add_header(call, failed, "Host: %.*s", authority);
    } else {
        text_printf(&text, "%.*s%.*s", SLICE_FORMAT(scheme), SLICE_FORMAT(authority));
    }
    text_append(&text, prefix);
    text_append(&text, text_slice(&request->path));
    *failed = *failed || text.failed ||
              curl_easy_setopt(call->easy, CURLOPT_URL, text_string(&text)) != CURLE_OK;
    text_deinit(&text);
}

static void set_blob(CURL *easy, CURLoption option, struct slice bytes, bool *failed)
{
    struct curl_blob blob = {
        .data = (void *)(uintptr_t)bytes.data, .len = bytes.size, .flags = CURL_BLOB_COPY};

    if (bytes.size > 0)
        *failed = curl_easy_setopt(easy, option, &blob) != CURLE_OK || *failed;
}

static void set_tls(struct http_call *call, bool *failed)
{
    const struct kube_access *access = &call->http->access;
    CURL *easy = call->easy;

    curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, access->is_insecure ? 0L : 1L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, access->is_insecure ? 0L : 2L);
    set_blob(easy, CURLOPT_CAINFO_BLOB, access->authority, failed);
    set_blob(easy, CURLOPT_SSLCERT_BLOB, access->certificate, failed);
    set_blob(easy, CURLOPT_SSLKEY_BLOB, access->key, failed);
}

static void set_limits(struct http_call *call)
{
    CURL *easy = call->easy;

    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)HTTP_CONNECT_MS_MAX);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)call->timeout_ms);
    /* A watch may be silent for minutes: only so is a dead line noticed. */
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, 10L);
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, 5L);
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(easy, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "https,http"); /* the access was checked */
}

static void set_proxy(struct http_call *call, bool *failed)
{
    struct slice proxy = call->http->access.proxy;
    struct text url;

    text_init(&url, 4096);
    text_append(&url, proxy);
    /* Empty, and not absent: the environment's proxy is not used. */
    *failed = curl_easy_setopt(call->easy, CURLOPT_PROXY, text_string(&url)) != CURLE_OK ||
              url.failed || *failed;
    curl_easy_setopt(call->easy, CURLOPT_NOPROXY, "");
    text_deinit(&url);
}

static void set_headers(struct http_call *call, const struct http_request *request, bool *failed)
{
    struct slice token = call->http->access.token;

    add_header(call, failed, "Accept: %.*s", SLICE("application/json, */*"));
    add_header(call, failed, "Expect:%.*s", SLICE(""));
    if (request->content_type)
        add_header(call, failed, "Content-Type: %.*s", slice_of(request->content_type));
    if (token.size > 0)
        add_header(call, failed, "Authorization: Bearer %.*s", token);
    curl_easy_setopt(call->easy, CURLOPT_HTTPHEADER, call->headers);
}

static enum status prepare(struct http_call *call, const struct http_request *request,
                           struct error *err)
{
    bool failed = request->path.failed || request->body.failed;
    CURL *easy = call->easy;

    set_url(call, request, &failed);
    set_tls(call, &failed);
    set_limits(call);
    set_proxy(call, &failed);
    set_headers(call, request, &failed);
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "totrain/" TOTRAIN_VERSION);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, call->problem);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, call);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_bytes);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, call);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, call);
    curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    if (request->body.size > 0) {
        curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body.size);
        failed = curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, request->body.data) != CURLE_OK ||
                 failed;
    }
    failed = curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request->method) != CURLE_OK || failed;
    return failed ? fail_no_memory(err) : STATUS_OK;
}

enum status http_start(struct http *http, const struct http_request *request,
                       const struct http_sink *sink, struct http_call **out, struct error *err)
{
    struct http_call *call;
    enum status status;

    assert(http->depth == 0);
    if (http->call_count == HTTP_CALLS_MAX)
        return fail(err, STATUS_LIMIT, "%d requests are under way", HTTP_CALLS_MAX);
    TRY(refresh(http, err));
    call = calloc(1, sizeof *call);
    if (!call)
        return fail_no_memory(err);
    *call = (struct http_call){.http = http,
                               .easy = curl_easy_init(),
                               .sink = *sink,
                               .timeout_ms = request->timeout_ms,
                               .next = http->calls};
    http->calls = call;
    http->call_count++;
    status = call->easy ? prepare(call, request, err) : fail_no_memory(err);
    if (status == STATUS_OK) {
        http->depth++;
        if (curl_multi_add_handle(http->multi, call->easy) != CURLM_OK)
            status = fail_no_memory(err);
        http->depth--;
    }
    if (status != STATUS_OK) {
        free_call(call);
        return status;
    }
    *out = call;
    return STATUS_OK;
}

static enum status tls_failed(const struct http_call *call, const char *problem, struct error *err)
{
    fail(err, STATUS_PERMISSION, "the certificate of %.*s is not to be trusted: %s",
         SLICE_FORMAT(call->http->access.server), problem);
    return error_hint(err, "The kubeconfig's certificate authority belongs to another cluster, or "
                           "the connection is intercepted.");
}

static enum status explain(const struct http_call *call, CURLcode code, struct error *err)
{
    const char *problem = *call->problem ? call->problem : curl_easy_strerror(code);
    struct slice server = call->http->access.server;

    switch (code) {
    case CURLE_OK:
        return STATUS_OK;
    case CURLE_OUT_OF_MEMORY:
        return fail_no_memory(err);
    case CURLE_WRITE_ERROR:
        if (call->is_refused)
            return fail(err, STATUS_LIMIT, "the answer of %.*s is longer than the limit",
                        SLICE_FORMAT(server));
        break;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
        return tls_failed(call, problem, err);
    case CURLE_SSL_CERTPROBLEM:
        return fail(err, STATUS_PERMISSION, "the client certificate cannot be used: %s", problem);
    case CURLE_OPERATION_TIMEDOUT:
        return fail(err, STATUS_CONNECTION, "%.*s did not answer in time", SLICE_FORMAT(server));
    default:
        break;
    }
    return fail(err, STATUS_CONNECTION, "%.*s: %s", SLICE_FORMAT(server), problem);
}

static void finish(struct http_call *call, CURLcode code)
{
    struct http_sink sink = call->sink;
    struct error err;
    enum status status;

    error_clear(&err);
    if (call->is_cancelled) {
        free_call(call);
        return;
    }
    status = explain(call, code, &err);
    if (status == STATUS_OK) {
        call->http->depth++; /* nothing may be started from there, ended or not */
        give_head(call);
        call->http->depth--;
    }
    if (call->is_cancelled) {
        free_call(call);
        return;
    }
    free_call(call);
    sink.on_end(sink.context, status, &err);
}

/* Calls that curl has finished. Outside of curl's own callbacks. */
static void settle(struct http *http)
{
    CURLMsg *message;
    int left;

    while ((message = curl_multi_info_read(http->multi, &left)) != NULL) {
        struct http_call *call = NULL;
        CURLcode code = message->data.result;

        if (message->msg != CURLMSG_DONE)
            continue;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&call);
        finish(call, code);
    }
}

void http_on_socket(struct http *http, int fd, unsigned what)
{
    int running;

    http->depth++;
    curl_multi_socket_action(http->multi, fd,
                             (what & HTTP_CAN_READ ? CURL_CSELECT_IN : 0) |
                                 (what & HTTP_CAN_WRITE ? CURL_CSELECT_OUT : 0),
                             &running);
    http->depth--;
    settle(http);
}

void http_on_time(struct http *http)
{
    int running;

    http->depth++;
    curl_multi_socket_action(http->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    http->depth--;
    settle(http);
}

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

enum status http_run(struct http *http, int64_t timeout_ms, struct error *err)
{
    int64_t until = timeout_ms < 0 ? INT64_MAX : now_ms() + timeout_ms;
    int running;

    assert(!http->has_driver);
    for (;;) {
        int64_t left;

        http->depth++;
        curl_multi_perform(http->multi, &running);
        http->depth--;
        settle(http);
        left = until - now_ms();
        if ((http->call_count == 0 && timeout_ms < 0) || left <= 0)
            return STATUS_OK;
        if (curl_multi_poll(http->multi, NULL, 0, (int)(left < 60000 ? left : 60000), NULL) !=
            CURLM_OK)
            return fail_no_memory(err);
    }
}
