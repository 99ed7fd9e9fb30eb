#include <arpa/inet.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "k8s/client/api_answer.h"
#include "k8s/client/http_collect.h"
#include "tests/check.h"

#define ANSWERS_MAX 4
#define HEAD_MAX    4096

/* Answers one request for each of its texts, closes after each, and keeps the heads. */
struct server {
    int listener;
    uint16_t port;
    const char *answers[ANSWERS_MAX];
    size_t answer_count;
    char heads[ANSWERS_MAX][HEAD_MAX];
    size_t head_count;
    pthread_t thread;
};

static void take_head(int peer, char *head)
{
    size_t size = 0;
    ssize_t got;

    while (!strstr(head, "\r\n\r\n") && (got = read(peer, head + size, HEAD_MAX - 1 - size)) > 0)
        size += (size_t)got;
}

static void *serve(void *context)
{
    struct server *server = context;

    for (size_t i = 0; i < server->answer_count; i++) {
        int peer = accept(server->listener, NULL, NULL);
        size_t size = strlen(server->answers[i]);

        if (peer < 0)
            break;
        take_head(peer, server->heads[server->head_count++]);
        for (size_t at = 0; at < size; at++) /* in pieces */
            if (send(peer, server->answers[i] + at, 1, MSG_NOSIGNAL) != 1)
                break;
        close(peer);
    }
    return NULL;
}

struct fixture {
    struct server server;
    struct kube_access access;
    char url[64];
    char folder[32];
    char script[512];
    struct slice arguments[2];
    struct access_exec exec;
    struct http *http;
    struct http_request request;
    struct http_collect collect;
    int answers;
    enum status status;
    int code;
    struct error err;
    char text[64]; /* "text" of the object */
};

static void on_answer(void *context, enum status status, struct api_answer *answer,
                      const struct error *err)
{
    struct fixture *f = context;

    f->answers++;
    f->status = status;
    f->err = *err;
    f->code = answer->code;
    snprintf(f->text, sizeof f->text, "%.*s", SLICE_FORMAT(API_TEXT(answer->object, "text")));
    api_answer_deinit(answer);
}

static void listen_anywhere(struct server *server)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;

    server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK_INT(bind(server->listener, (struct sockaddr *)&address, size), 0);
    CHECK_INT(getsockname(server->listener, (struct sockaddr *)&address, &size), 0);
    CHECK_INT(listen(server->listener, ANSWERS_MAX), 0);
    server->port = ntohs(address.sin_port);
}

/* A program that gives token-1, then token-2, ... */
static void use_program(struct fixture *f)
{
    snprintf(f->folder, sizeof f->folder, "/tmp/totrain-collect.XXXXXX");
    CHECK(mkdtemp(f->folder) != NULL);
    snprintf(f->script, sizeof f->script,
             "echo >> %s/runs; printf '{\"apiVersion\":\"client.authentication.k8s.io/v1\","
             "\"kind\":\"ExecCredential\",\"status\":{\"token\":\"token-%%d\"}}' "
             "$(wc -l < %s/runs)",
             f->folder, f->folder);
    f->arguments[0] = SLICE("-c");
    f->arguments[1] = slice_of(f->script);
    f->exec = (struct access_exec){.command = SLICE("sh"),
                                   .version = SLICE("client.authentication.k8s.io/v1"),
                                   .arguments = f->arguments,
                                   .argument_count = 2};
    f->access.exec = &f->exec;
}

static void begin(struct fixture *f, const char *first, const char *second, bool has_program)
{
    struct api_target target = {
        .kind = API_PODS, .kube_namespace = SLICE("training"), .name = SLICE("a")};
    struct error err;

    memset(f, 0, sizeof *f);
    listen_anywhere(&f->server);
    f->server.answers[0] = first;
    f->server.answers[1] = second;
    f->server.answer_count = second ? 2 : 1;
    snprintf(f->url, sizeof f->url, "http://127.0.0.1:%u", f->server.port);
    f->access.server = slice_of(f->url);
    if (has_program)
        use_program(f);
    else
        f->access.token = SLICE("fixed");
    CHECK_OK(http_new(&f->access, NULL, &f->http, &err));
    http_request_init(&f->request);
    CHECK_OK(api_get(&f->request, &target, &err));
    f->collect = (struct http_collect){.http = f->http,
                                       .request = &f->request,
                                       .what = "ask",
                                       .bytes_max = 1000,
                                       .context = f,
                                       .on_answer = on_answer};
    CHECK_INT(pthread_create(&f->server.thread, NULL, serve, &f->server), 0);
    CHECK_OK(http_collect_start(&f->collect, &err));
}

static void end(struct fixture *f)
{
    char path[64];

    http_request_deinit(&f->request);
    http_free(f->http);
    shutdown(f->server.listener, SHUT_RDWR); /* the server that is not asked waits no longer */
    pthread_join(f->server.thread, NULL);
    close(f->server.listener);
    if (!f->folder[0])
        return;
    snprintf(path, sizeof path, "%s/runs", f->folder);
    unlink(path);
    rmdir(f->folder);
}

static void run(struct fixture *f, const char *first, const char *second, bool has_program)
{
    struct error err;

    begin(f, first, second, has_program);
    CHECK_OK(http_run(f->http, -1, &err));
    CHECK_INT(f->answers, 1);
    CHECK(!f->collect.call);
    end(f);
}

#define YES     "HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n{\"text\":\"hello\"}"
#define EXPIRED "HTTP/1.1 401 Unauthorized\r\nContent-Length: 18\r\n\r\n{\"message\":\"late\"}"

static void an_answer_in_pieces_comes_whole(void **state)
{
    struct fixture f;
    (void)state;

    run(&f, YES, NULL, false);
    CHECK_INT(f.status, STATUS_OK);
    CHECK_INT(f.code, 200);
    assert_string_equal(f.text, "hello");
}

static void a_refusal_has_its_code_and_words(void **state)
{
    struct fixture f;
    (void)state;

    run(&f,
        "HTTP/1.1 429 Slow\r\nRetry-After: 3\r\nContent-Length: 18\r\n\r\n{\"message\":\"slow\"}",
        NULL, false);
    CHECK_INT(f.status, STATUS_BUSY);
    CHECK_INT(f.code, 429);
    assert_string_equal(f.err.message, "slow");
}

static void an_answer_that_is_cut_is_none(void **state)
{
    struct fixture f;
    (void)state;

    run(&f, "HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n{\"text\":\"he", NULL, false);
    CHECK_INT(f.status, STATUS_CONNECTION);
    CHECK_INT(f.code, 0);
}

static void an_answer_beyond_its_limit_is_refused(void **state)
{
    char answer[2048] = "HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n";
    struct fixture f;
    (void)state;

    memset(answer + strlen(answer), ' ', 1001);
    run(&f, answer, NULL, false);
    CHECK_INT(f.status, STATUS_LIMIT);
}

static void a_program_is_asked_again_when_its_token_has_expired(void **state)
{
    struct fixture f;
    (void)state;

    run(&f, EXPIRED, YES, true);
    CHECK_INT(f.status, STATUS_OK);
    assert_string_equal(f.text, "hello");
    CHECK(strstr(f.server.heads[0], "Bearer token-1\r\n"));
    CHECK(strstr(f.server.heads[1], "Bearer token-2\r\n"));
}

static void it_is_asked_once_more_and_not_for_ever(void **state)
{
    struct fixture f;
    (void)state;

    run(&f, EXPIRED, EXPIRED, true);
    CHECK_INT(f.status, STATUS_PERMISSION);
    assert_string_equal(f.err.message, "late");
    CHECK_INT(f.server.head_count, 2);
}

static void a_token_that_stays_the_same_is_not_tried_again(void **state)
{
    struct fixture f;
    (void)state;

    run(&f, EXPIRED, YES, false);
    CHECK_INT(f.status, STATUS_PERMISSION);
    CHECK_INT(f.server.head_count, 1);
}

static void what_was_cancelled_says_nothing(void **state)
{
    struct fixture f;
    struct error err;
    (void)state;

    begin(&f, YES, NULL, false);
    http_collect_cancel(&f.collect);
    http_collect_cancel(&f.collect);
    CHECK_OK(http_run(f.http, -1, &err));
    CHECK_INT(f.answers, 0);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_in_pieces_comes_whole),
        cmocka_unit_test(a_refusal_has_its_code_and_words),
        cmocka_unit_test(an_answer_that_is_cut_is_none),
        cmocka_unit_test(an_answer_beyond_its_limit_is_refused),
        cmocka_unit_test(a_program_is_asked_again_when_its_token_has_expired),
        cmocka_unit_test(it_is_asked_once_more_and_not_for_ever),
        cmocka_unit_test(a_token_that_stays_the_same_is_not_tried_again),
        cmocka_unit_test(what_was_cancelled_says_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
