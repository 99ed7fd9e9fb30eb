#include "console/request.h"

#include <string.h>

#define OK          200
#define BAD         400
#define FORBIDDEN   403
#define NOT_FOUND   404
#define NOT_ALLOWED 405

#define ARGUMENTS_MAX 8 /* arguments of one request */

/* Calls by their paths. `wants_id`, `wants_name`: without it the request is bad. */
static const struct route {
    const char *path;
    enum console_call call;
    bool is_post, wants_id, wants_name;
} routes[] = {
    {"", CONSOLE_PAGE, false, false, false},
    {"console.js", CONSOLE_SCRIPT, false, false, false},
    {"console.css", CONSOLE_SHEET, false, false, false},
    {"icon.svg", CONSOLE_ICON, false, false, false},
    {"stream", CONSOLE_STREAM, false, false, false},
    {"jobs", CONSOLE_JOBS, false, false, false},
    {"job", CONSOLE_JOB, false, true, false},
    {"log", CONSOLE_LOG, false, true, false},
    {"models", CONSOLE_MODELS, false, false, false},
    {"model", CONSOLE_MODEL, false, false, true},
    {"picture", CONSOLE_PICTURE, false, false, true},
    {"report", CONSOLE_REPORT, false, false, true},
    {"cancel", CONSOLE_CANCEL, true, true, false},
    {"scale", CONSOLE_SCALE, true, true, false},
};

/* ----- who asks ----- */

/* Takes as long for a wrong guess as for the right one. */
static bool is_secret(struct slice given, const char *secret)
{
    const size_t size = strlen(secret);
    unsigned char differs = size == 0 || given.size != size;

    for (size_t i = 0; i < size && given.size == size; i++)
        differs |= (unsigned char)(given.data[i] ^ secret[i]);
    return !differs;
}

/* NAME or NAME:PORT of the loopback. A forwarded port has another number than ours. */
static bool is_loopback(struct slice host)
{
    static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t size = strlen(names[i]);
        size_t at = size;

        if (host.size < size || !slice_is_fold((struct slice){host.data, size}, names[i]))
            continue;
        if (host.size == size)
            return true;
        if (host.data[at++] != ':' || at == host.size)
            continue;
        while (at < host.size && host.data[at] >= '0' && host.data[at] <= '9')
            at++;
        if (at == host.size)
            return true;
    }
    return false;
}

/* http:// and the host that the request was sent to. */
static bool is_own_origin(struct slice origin, struct slice host)
{
    static const struct slice scheme = {"http://", 7};

    return origin.size == scheme.size + host.size &&
           memcmp(origin.data, scheme.data, scheme.size) == 0 &&
           memcmp(origin.data + scheme.size, host.data, host.size) == 0;
}

/* ----- arguments ----- */

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool is_utf8(struct slice bytes)
{
    for (size_t at = 0; at < bytes.size;) {
        const size_t size = utf8_sequence(bytes.data + at, bytes.size - at);

        if (size == 0)
            return false;
        at += size;
    }
    return true;
}

/* %41 and + of a form, into a string of at most `room` bytes with its end. */
static bool decode(struct slice value, char *out, size_t room)
{
    size_t size = 0;

    for (size_t i = 0; i < value.size; i++) {
        char c = value.data[i];

        if (c == '+') {
            c = ' ';
        } else if (c == '%') {
            const int high = i + 2 < value.size ? digit_of(value.data[i + 1]) : -1;
            const int low = i + 2 < value.size ? digit_of(value.data[i + 2]) : -1;

            if (high < 0 || low < 0)
                return false;
            c = (char)(high * 16 + low);
            i += 2;
        }
        if (c == '\0' || size + 1 >= room)
            return false;
        out[size++] = c;
    }
    out[size] = '\0';
    return is_utf8((struct slice){out, size});
}

static bool read_number(struct slice value, int64_t least, int64_t most, int64_t *number)
{
    return slice_to_integer(value, number) && *number >= least && *number <= most;
}

static bool read_count(struct slice value, uint64_t *count)
{
    int64_t number;

    if (!read_number(value, 0, INT64_MAX, &number))
        return false;
    *count = (uint64_t)number;
    return true;
}

/* An argument that no call has is bad: a misspelt one is not to be left out in silence. */
static bool read_argument(struct slice name, struct slice value, struct console_request *request)
{
    if (slice_is(name, "id"))
        return read_number(value, 1, INT64_MAX, &request->id);
    if (slice_is(name, "workers"))
        return read_number(value, 1, CONSOLE_WORKERS_MAX, &request->workers);
    if (slice_is(name, "servers"))
        return read_number(value, 1, CONSOLE_WORKERS_MAX, &request->servers);
    if (slice_is(name, "since"))
        return read_count(value, &request->since);
    if (slice_is(name, "events"))
        return read_count(value, &request->events);
    if (slice_is(name, "metrics"))
        return read_count(value, &request->metrics);
    if (slice_is(name, "from"))
        return read_count(value, &request->from);
    if (slice_is(name, "name"))
        return decode(value, request->name, sizeof request->name);
    if (slice_is(name, "kind"))
        return decode(value, request->kind, sizeof request->kind);
    if (slice_is(name, "theme"))
        return decode(value, request->theme, sizeof request->theme);
    return slice_is(name, "owner") && decode(value, request->owner, sizeof request->owner);
}

/* Cuts what stands before `mark` off the front; all where there is none. */
static struct slice cut(struct slice *rest, char mark)
{
    const char *found = rest->size > 0 ? memchr(rest->data, mark, rest->size) : NULL;
    const size_t size = found ? (size_t)(found - rest->data) : rest->size;
    const struct slice before = {rest->data, size};

    *rest = found ? (struct slice){found + 1, rest->size - size - 1}
                  : (struct slice){rest->data + size, 0};
    return before;
}

static bool read_arguments(struct slice text, struct console_request *request)
{
    for (size_t i = 0; text.size > 0; i++) {
        struct slice value = cut(&text, '&');
        const struct slice name = cut(&value, '=');

        if (i == ARGUMENTS_MAX || !read_argument(name, value, request))
            return false;
    }
    return true;
}

/* ----- the request ----- */

static const struct route *find_route(struct slice path)
{
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++)
        if (slice_is(path, routes[i].path))
            return &routes[i];
    return NULL;
}

static bool is_complete(const struct route *route, const struct console_request *request)
{
    if ((route->wants_id && request->id == 0) || (route->wants_name && !request->name[0]))
        return false;
    return route->call != CONSOLE_SCALE || request->workers > 0 || request->servers > 0;
}

int console_request_read(const struct console_given *given, const struct console_secrets *secrets,
                         struct console_request *request)
{
    struct slice query = given->target, path, token;
    const struct route *route;

    memset(request, 0, sizeof *request);
    if (!is_loopback(given->host))
        return FORBIDDEN;
    if (query.size == 0 || query.size > CONSOLE_TARGET_MAX || query.data[0] != '/' ||
        given->body.size > CONSOLE_BODY_MAX)
        return BAD;
    path = cut(&query, '?');
    (void)cut(&path, '/');
    token = cut(&path, '/');
    if (!is_secret(token, secrets->token))
        return NOT_FOUND;
    route = find_route(path);
    if (!route)
        return NOT_FOUND;
    if (route->is_post != given->is_post)
        return NOT_ALLOWED;
    if (route->is_post &&
        (!is_secret(given->csrf, secrets->csrf) || !is_own_origin(given->origin, given->host)))
        return FORBIDDEN;
    request->call = route->call;
    return read_arguments(route->is_post ? given->body : query, request) &&
                   is_complete(route, request)
               ? OK
               : BAD;
}
