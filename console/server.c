#include "console/server.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "console/files.h"
#include "console/job_desk.h"
#include "console/json_rows.h"
#include "console/model_desk.h"
#include "console/request.h"
#include "report/svg.h"

#define STREAMS_MAX      16
#define HEADER_BYTES_MAX 16384
#define SILENT_S         60 /* until a client that says nothing is let go */
#define HEARTBEAT_S      10
#define PAGE_BYTES_MAX   ((size_t)16 << 20)
#define ADDRESS_MAX      128

#define OWN_PAGE                                                                                   \
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "                    \
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
/* Reports and pictures have styles in them, and nothing else that a browser would do. */
#define DOCUMENT "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"

struct server {
    const struct console *console;
    struct console_secrets secrets;
    struct event_base *base;
    struct evhttp *http;
    struct event *answered, *beat, *interrupted, *terminated;
    int bell; /* an eventfd: desks ring it */
    struct job_desk *jobs;
    struct desk *job_thread, *model_thread;
    struct evhttp_request *streams[STREAMS_MAX];
    size_t stream_count;
    uint64_t told; /* the version of the list that streams know */
};

/* ----- answers ----- */

static void add_headers(struct evhttp_request *request, const char *type, const char *policy)
{
    static const char *const headers[][2] = {
        {"Cache-Control", "no-store"},
        {"X-Content-Type-Options", "nosniff"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
    };
    struct evkeyvalq *out = evhttp_request_get_output_headers(request);

    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        evhttp_add_header(out, headers[i][0], headers[i][1]);
    evhttp_add_header(out, "Content-Type", type);
    evhttp_add_header(out, "Content-Security-Policy", policy);
}

static void reply(struct evhttp_request *request, int code, const char *type, const char *policy,
                  struct slice body)
{
    add_headers(request, type, policy);
    if (evbuffer_add(evhttp_request_get_output_buffer(request), body.data, body.size) != 0)
        code = HTTP_INTERNAL;
    evhttp_send_reply(request, code, code == HTTP_OK ? "OK" : "Error", NULL);
}

static void refuse(struct evhttp_request *request, int code)
{
    static const struct {
        int code;
        const char *why;
    } reasons[] = {
        {400, "The arguments of this address are not those that it takes.\n"},
        {403, "This console is for its own page, at the address that totrain console printed.\n"},
        {404, "There is nothing here. The address that totrain console printed has a token.\n"},
        {405, "This address takes another method.\n"},
        {503, "The console is busy.\n"},
    };
    const char *why = "The console failed.\n";

    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (reasons[i].code == code)
            why = reasons[i].why;
    reply(request, code, "text/plain; charset=utf-8", OWN_PAGE, slice_of(why));
}

static void reply_text(struct evhttp_request *request, const char *type, const struct text *text)
{
    if (text->failed)
        refuse(request, HTTP_INTERNAL);
    else
        reply(request, HTTP_OK, type, OWN_PAGE, text_slice(text));
}

static void reply_file(struct evhttp_request *request, const char *type, const unsigned char *bytes,
                       size_t size)
{
    reply(request, HTTP_OK, type, OWN_PAGE, (struct slice){(const char *)bytes, size});
}

/* The page names the token, that of changes, and the database. */
static void reply_page(const struct server *server, struct evhttp_request *request)
{
    struct slice rest = {(const char *)console_page, console_page_size};
    const struct {
        const char *mark;
        struct slice value;
    } marks[] = {{"{{TOKEN}}", slice_of(server->secrets.token)},
                 {"{{CSRF}}", slice_of(server->secrets.csrf)},
                 {"{{DATABASE}}", slice_of(server->console->database)}};
    struct text page;

    text_init(&page, PAGE_BYTES_MAX);
    while (rest.size > 0) {
        size_t size = 1;
        bool is_mark = false;

        for (size_t i = 0; i < sizeof marks / sizeof *marks && !is_mark; i++) {
            is_mark = rest.size >= strlen(marks[i].mark) &&
                      memcmp(rest.data, marks[i].mark, strlen(marks[i].mark)) == 0;
            if (is_mark) {
                markup_append(&page, marks[i].value, false);
                size = strlen(marks[i].mark);
            }
        }
        if (!is_mark)
            text_append_char(&page, rest.data[0]);
        rest = (struct slice){rest.data + size, rest.size - size};
    }
    reply_text(request, "text/html; charset=utf-8", &page);
    text_deinit(&page);
}

static void reply_jobs(const struct server *server, struct evhttp_request *request, uint64_t since)
{
    struct text list;

    text_init(&list, PAGE_BYTES_MAX);
    job_desk_print(server->jobs, since, &list);
    reply_text(request, "application/json", &list);
    text_deinit(&list);
}

/* ----- streams ----- */

static void want_ticks(struct server *server)
{
    desk_want_ticks(server->job_thread, server->stream_count > 0);
}

/* Those whose browser has gone: libevent has taken the connection from the request. */
static void forget_gone_streams(struct server *server)
{
    size_t kept = 0;

    for (size_t i = 0; i < server->stream_count; i++) {
        if (evhttp_request_get_connection(server->streams[i]))
            server->streams[kept++] = server->streams[i];
        else
            evhttp_send_reply_end(server->streams[i]); /* frees it */
    }
    if (kept < server->stream_count) {
        server->stream_count = kept;
        if (kept == 0)
            want_ticks(server);
    }
}

static struct bufferevent *client_of(struct evhttp_request *stream)
{
    return evhttp_connection_get_bufferevent(evhttp_request_get_connection(stream));
}

static void send_event(struct evhttp_request *stream, const char *event)
{
    struct evbuffer *buffer = evbuffer_new();

    if (!buffer)
        return;
    if (evbuffer_add(buffer, event, strlen(event)) == 0)
        evhttp_send_reply_chunk(stream, buffer);
    evbuffer_free(buffer);
}

static void send_all(struct server *server, const char *event)
{
    forget_gone_streams(server);
    /* A slow browser has a tick that waits, by which its page asks for all that is new. */
    for (size_t i = 0; i < server->stream_count; i++)
        if (evbuffer_get_length(bufferevent_get_output(client_of(server->streams[i]))) == 0)
            send_event(server->streams[i], event);
}

static void print_tick(const struct server *server, char event[64])
{
    snprintf(event, 64, "event: tick\ndata: %" PRIu64 "\n\n", server->told);
}

static void begin_stream(struct server *server, struct evhttp_request *request)
{
    const struct timeval patience = {SILENT_S, 0};
    struct bufferevent *client;
    char event[64];

    forget_gone_streams(server);
    if (server->stream_count == STREAMS_MAX) {
        refuse(request, HTTP_SERVUNAVAIL);
        return;
    }
    add_headers(request, "text/event-stream", OWN_PAGE);
    evhttp_send_reply_start(request, HTTP_OK, "OK");
    client = client_of(request);
    bufferevent_set_timeouts(client, NULL, &patience); /* it has nothing to say */
    bufferevent_enable(client, EV_READ);               /* so that its end is seen */
    server->streams[server->stream_count++] = request;
    server->told = job_desk_version(server->jobs);
    print_tick(server, event);
    send_event(request, event);
    want_ticks(server);
}

static void on_beat(evutil_socket_t none, short what, void *context)
{
    (void)none;
    (void)what;
    send_all(context, ": here\n\n");
}

/* ----- requests ----- */

static struct slice header(struct evhttp_request *request, const char *name)
{
    return slice_of(evhttp_find_header(evhttp_request_get_input_headers(request), name));
}

static bool is_for_models(enum console_call call)
{
    return call == CONSOLE_MODELS || call == CONSOLE_MODEL || call == CONSOLE_PICTURE ||
           call == CONSOLE_REPORT;
}

static void give_to_desk(struct server *server, struct evhttp_request *request,
                         const struct console_request *read)
{
    struct desk_task *task = desk_task_new(read, request);

    if (task &&
        desk_put(is_for_models(read->call) ? server->model_thread : server->job_thread, task))
        return;
    desk_task_free(task);
    refuse(request, HTTP_SERVUNAVAIL);
}

static void answer(struct server *server, struct evhttp_request *request,
                   const struct console_request *read)
{
    switch (read->call) {
    case CONSOLE_PAGE:
        reply_page(server, request);
        return;
    case CONSOLE_SCRIPT:
        reply_file(request, "text/javascript; charset=utf-8", console_script, console_script_size);
        return;
    case CONSOLE_SHEET:
        reply_file(request, "text/css; charset=utf-8", console_sheet, console_sheet_size);
        return;
    case CONSOLE_ICON:
        reply_file(request, "image/svg+xml", console_icon, console_icon_size);
        return;
    case CONSOLE_STREAM:
        begin_stream(server, request);
        return;
    case CONSOLE_JOBS:
        reply_jobs(server, request, read->since);
        return;
    default:
        give_to_desk(server, request, read);
    }
}

static void on_request(struct evhttp_request *request, void *context)
{
    struct evbuffer *input = evhttp_request_get_input_buffer(request);
    struct server *server = context;
    const size_t body_size = evbuffer_get_length(input);
    const struct console_given given = {
        .is_post = evhttp_request_get_command(request) == EVHTTP_REQ_POST,
        .target = slice_of(evhttp_request_get_uri(request)),
        .host = header(request, "Host"),
        .origin = header(request, "Origin"),
        .csrf = header(request, CONSOLE_CSRF_HEADER),
        .body = {(const char *)evbuffer_pullup(input, -1), body_size},
    };
    struct console_request read;
    const int code = console_request_read(&given, &server->secrets, &read);

    if (code == HTTP_OK)
        answer(server, request, &read);
    else
        refuse(request, code);
}

/* ----- desks ----- */

static void ring(void *context)
{
    const struct server *server = context;
    const uint64_t one = 1;

    if (write(server->bell, &one, sizeof one) < 0)
        return; /* it rings already */
}

static int tick_jobs(void *context)
{
    struct server *server = context;
    const uint64_t before = job_desk_version(server->jobs);
    const int ms = job_desk_tick(server->jobs);

    if (job_desk_version(server->jobs) != before)
        ring(server);
    return ms;
}

static void work_on_job(void *context, struct desk_task *task)
{
    job_desk_work(((struct server *)context)->jobs, task);
}

static void work_on_model(void *context, struct desk_task *task)
{
    model_desk_work(((struct server *)context)->console->models, task);
}

static void reply_task(struct desk_task *task)
{
    const bool is_document =
        task->request.call == CONSOLE_REPORT || task->request.call == CONSOLE_PICTURE;

    if (task->reply.failed)
        refuse(task->ticket, HTTP_INTERNAL);
    else
        reply(task->ticket, task->code, task->type, is_document ? DOCUMENT : OWN_PAGE,
              text_slice(&task->reply));
    desk_task_free(task);
}

static void on_bell(evutil_socket_t bell, short what, void *context)
{
    struct server *server = context;
    struct desk_task *task;
    uint64_t rung, version;
    char event[64];

    (void)what;
    if (read(bell, &rung, sizeof rung) < 0)
        return;
    while ((task = desk_take(server->job_thread)) || (task = desk_take(server->model_thread)))
        reply_task(task);
    version = job_desk_version(server->jobs);
    if (version == server->told)
        return;
    server->told = version;
    print_tick(server, event);
    send_all(server, event);
}

/* ----- beginning and end ----- */

static enum status make_secret(char secret[CONSOLE_TOKEN_BYTES + 1], struct error *err)
{
    unsigned char bytes[CONSOLE_TOKEN_BYTES / 2];

    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return fail_errno(err, STATUS_IO, "no random numbers");
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(secret + 2 * i, 3, "%02x", bytes[i]);
    return STATUS_OK;
}

static void on_signal(evutil_socket_t number, short what, void *context)
{
    (void)number;
    (void)what;
    event_base_loopbreak(((struct server *)context)->base);
}

static enum status add_event(struct event *event, const struct timeval *every, struct error *err)
{
    return event && event_add(event, every) == 0 ? STATUS_OK : fail_no_memory(err);
}

static enum status make_events(struct server *server, struct error *err)
{
    const struct timeval beat = {HEARTBEAT_S, 0};

    server->base = event_base_new();
    if (!server->base)
        return fail_no_memory(err);
    server->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (server->bell < 0)
        return fail_errno(err, STATUS_IO, "eventfd");
    server->answered = event_new(server->base, server->bell, EV_READ | EV_PERSIST, on_bell, server);
    server->beat = event_new(server->base, -1, EV_PERSIST, on_beat, server);
    server->interrupted = evsignal_new(server->base, SIGINT, on_signal, server);
    server->terminated = evsignal_new(server->base, SIGTERM, on_signal, server);
    TRY(add_event(server->answered, NULL, err));
    TRY(add_event(server->beat, &beat, err));
    TRY(add_event(server->interrupted, NULL, err));
    return add_event(server->terminated, NULL, err);
}

static enum status listen_at(struct server *server, char address[ADDRESS_MAX], struct error *err)
{
    struct evhttp_bound_socket *bound;
    struct sockaddr_in where;
    socklen_t size = sizeof where;

    server->http = evhttp_new(server->base);
    if (!server->http)
        return fail_no_memory(err);
    evhttp_set_allowed_methods(server->http, EVHTTP_REQ_GET | EVHTTP_REQ_POST);
    evhttp_set_max_headers_size(server->http, HEADER_BYTES_MAX);
    evhttp_set_max_body_size(server->http, CONSOLE_BODY_MAX);
    evhttp_set_timeout(server->http, SILENT_S);
    evhttp_set_gencb(server->http, on_request, server);
    bound = evhttp_bind_socket_with_handle(server->http, "127.0.0.1", server->console->port);
    if (!bound || getsockname(evhttp_bound_socket_get_fd(bound), (struct sockaddr *)&where, &size))
        return fail_errno(err, STATUS_CONNECTION, "127.0.0.1 port %u", server->console->port);
    snprintf(address, ADDRESS_MAX, "http://127.0.0.1:%u/%s/", ntohs(where.sin_port),
             server->secrets.token);
    return STATUS_OK;
}

static enum status start_desks(struct server *server, struct error *err)
{
    const struct desk_calls jobs = {server, work_on_job, tick_jobs, ring};
    const struct desk_calls models = {server, work_on_model, NULL, ring};

    TRY(job_desk_new(server->console->jobs, &server->jobs, err));
    server->job_thread = desk_start(&jobs);
    server->model_thread = desk_start(&models);
    return server->job_thread && server->model_thread ? STATUS_OK : fail_no_memory(err);
}

static void stop(struct server *server)
{
    struct event *const events[] = {server->answered, server->beat, server->interrupted,
                                    server->terminated};

    server->console->interrupt();
    if (server->job_thread)
        forget_gone_streams(server); /* those that are here go with their connections */
    desk_stop(server->model_thread);
    desk_stop(server->job_thread);
    job_desk_free(server->jobs);
    if (server->http)
        evhttp_free(server->http);
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        if (events[i])
            event_free(events[i]);
    if (server->base)
        event_base_free(server->base);
    if (server->bell >= 0)
        close(server->bell);
}

enum status console_serve(const struct console *console, struct error *err)
{
    struct server server = {.console = console, .bell = -1};
    char address[ADDRESS_MAX];
    enum status status;

    TRY_OR(done, status, make_secret(server.secrets.token, err));
    TRY_OR(done, status, make_secret(server.secrets.csrf, err));
    TRY_OR(done, status, make_events(&server, err));
    TRY_OR(done, status, start_desks(&server, err));
    TRY_OR(done, status, listen_at(&server, address, err));
    console->ready(address);
    status = event_base_dispatch(server.base) < 0 ? fail(err, STATUS_IO, "the event loop failed")
                                                  : STATUS_OK;
done:
    stop(&server);
    return status;
}
