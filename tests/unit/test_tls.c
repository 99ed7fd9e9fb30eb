/*
 * Two ends of a TLS connection over TCP, and which peers are accepted.
 */
#include "tests/check.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <event2/event.h>

#include "runtime/net/authority.h"
#include "runtime/net/connection.h"
#include "runtime/net/message.h"

#define DAY ((int64_t)24 * 3600)

struct end {
    struct connection *connection;
    bool is_closed;
    uint64_t frames, bytes, hash;
    struct error reason;
};

static bool on_frame(void *context, struct connection *connection, struct slice frame)
{
    struct end *end = context;
    (void)connection;

    end->frames++;
    end->bytes += frame.size;
    for (size_t i = 0; i < frame.size; i++)
        end->hash = end->hash * 31 + (unsigned char)frame.data[i];
    return true;
}

static void on_closed(void *context, struct connection *connection, const struct error *reason)
{
    struct end *end = context;

    end->is_closed = true;
    end->reason = *reason;
    connection_free(connection);
    end->connection = NULL;
}

/* A role's credentials. */
static struct tls *issue(const struct authority *authority, uint64_t job, enum identity_role role,
                         uint32_t index, int64_t now_s)
{
    struct identity who = {job, role, index};
    struct credentials credentials;
    struct tls *tls = NULL;
    struct error err;

    credentials_init(&credentials);
    CHECK_OK(authority_issue(authority, &who, now_s, &credentials, &err));
    CHECK_OK(tls_new(&credentials, &tls, &err));
    credentials_deinit(&credentials);
    return tls;
}

static struct authority *new_authority(void)
{
    struct authority *authority;
    struct error err;

    CHECK_OK(authority_new(17, time(NULL), &authority, &err));
    return authority;
}

struct meeting {
    struct event_base *base;
    struct end server, client;
};

static void meet(struct meeting *meeting, struct tls *server, struct tls *client,
                 enum identity_role expected, const char *address)
{
    struct tls_demand accepts = {server, IDENTITY_WORKER}, connects = {client, expected};
    struct connection_owner owner = {&meeting->server, on_frame, on_closed};
    char bound[ADDRESS_TEXT_MAX + 1];
    struct error err;
    int listener, fd;

    memset(meeting, 0, sizeof *meeting);
    meeting->base = event_base_new();
    CHECK_OK(address_listen(address, &listener, bound, sizeof bound, &err));
    owner.context = &meeting->client;
    CHECK_OK(
        connection_dial(meeting->base, bound, &connects, owner, &meeting->client.connection, &err));
    while ((fd = address_accept(listener)) < 0)
        event_base_loop(meeting->base, EVLOOP_NONBLOCK);
    close(listener);
    owner.context = &meeting->server;
    CHECK_OK(connection_new(meeting->base, fd, &accepts, owner, &meeting->server.connection, &err));
}

static void part(struct meeting *meeting)
{
    connection_free(meeting->server.connection);
    connection_free(meeting->client.connection);
    event_base_free(meeting->base);
}

static void say(struct end *end, size_t size)
{
    struct message message = {.type = MESSAGE_STATE, .job = 17};
    struct text frame;
    struct error err;
    char *bytes = malloc(size + 1);

    for (size_t i = 0; i < size; i++)
        bytes[i] = (char)(i * i >> 7);
    text_init(&frame, 1 << 26);
    message.state = (struct message_state){1, size, 0, {bytes, size}};
    CHECK_OK(message_write(&message, &frame, &err));
    connection_send(end->connection, text_slice(&frame));
    text_deinit(&frame);
    free(bytes);
}

static void speak(struct tls *master, struct tls *worker, const char *address)
{
    struct meeting meeting;
    const struct identity *peer;

    meet(&meeting, master, worker, IDENTITY_MASTER, address);
    say(&meeting.client, (size_t)20 << 20); /* far more than any socket holds */
    say(&meeting.client, 0);
    say(&meeting.server, 1000);
    while (meeting.server.frames < 2 || meeting.client.frames < 1)
        event_base_loop(meeting.base, EVLOOP_ONCE);
    peer = connection_peer(meeting.server.connection);
    CHECK(peer && peer->role == IDENTITY_WORKER && peer->index == 3 && peer->job == 17);
    peer = connection_peer(meeting.client.connection);
    CHECK(peer && peer->role == IDENTITY_MASTER);
    connection_free(meeting.client.connection);
    meeting.client.connection = NULL;
    while (!meeting.server.is_closed)
        event_base_loop(meeting.base, EVLOOP_ONCE);
    CHECK_INT(meeting.server.reason.status, STATUS_CONNECTION);
    part(&meeting);
}

static void workers_and_parameter_servers_speak_with_each_other(void **state)
{
    struct authority *authority = new_authority();
    struct tls *worker = issue(authority, 17, IDENTITY_WORKER, 3, time(NULL));
    struct tls *parameters = issue(authority, 17, IDENTITY_SERVER, 1, time(NULL));
    struct meeting meeting;
    const struct identity *peer;
    (void)state;

    meet(&meeting, parameters, worker, IDENTITY_WORKER, "tcp:127.0.0.1:0");
    say(&meeting.client, 10);
    say(&meeting.server, 10);
    while (meeting.server.frames < 1 || meeting.client.frames < 1)
        event_base_loop(meeting.base, EVLOOP_ONCE);
    peer = connection_peer(meeting.client.connection);
    CHECK(peer && peer->role == IDENTITY_SERVER && peer->index == 1);
    part(&meeting);
    tls_free(worker);
    tls_free(parameters);
    authority_free(authority);
}

static void roles_of_a_job_speak_over_both_kinds_of_addresses(void **state)
{
    struct authority *authority = new_authority();
    struct tls *master = issue(authority, 17, IDENTITY_MASTER, 0, time(NULL));
    struct tls *worker = issue(authority, 17, IDENTITY_WORKER, 3, time(NULL));
    (void)state;

    speak(master, worker, "tcp:127.0.0.1:0");
    if (access("/proc/net/if_inet6", R_OK) == 0)
        speak(master, worker, "tcp:[::1]:0");
    tls_free(master);
    tls_free(worker);
    authority_free(authority);
}

/* One of the two ends says why; nothing was said before. */
static void check_refused(struct tls *server, struct tls *client, enum identity_role expected,
                          const char *server_says, const char *client_says)
{
    struct meeting meeting;

    meet(&meeting, server, client, expected, "tcp:127.0.0.1:0");
    say(&meeting.client, 10);
    say(&meeting.server, 10);
    while (!meeting.server.is_closed || !meeting.client.is_closed)
        event_base_loop(meeting.base, EVLOOP_ONCE);
    CHECK_INT(meeting.server.frames, 0);
    CHECK_INT(meeting.client.frames, 0);
    if (!strstr(meeting.server.reason.message, server_says))
        check_failed("the server said: %s", meeting.server.reason.message);
    if (!strstr(meeting.client.reason.message, client_says))
        check_failed("the client said: %s", meeting.client.reason.message);
    part(&meeting);
}

static void who_is_not_of_the_job_or_not_of_the_role_is_refused(void **state)
{
    struct authority *ours = new_authority(), *theirs = new_authority();
    int64_t now_s = time(NULL), long_ago = now_s - AUTHORITY_VALID_S - DAY;
    struct tls *master = issue(ours, 17, IDENTITY_MASTER, 0, now_s);
    struct tls *worker = issue(ours, 17, IDENTITY_WORKER, 3, now_s);
    struct tls *parameters = issue(ours, 17, IDENTITY_SERVER, 1, now_s);
    struct tls *stranger = issue(theirs, 17, IDENTITY_WORKER, 3, now_s);
    struct tls *foreign = issue(ours, 18, IDENTITY_WORKER, 3, now_s);
    struct tls *expired = issue(ours, 17, IDENTITY_WORKER, 3, long_ago);
    struct tls *early = issue(ours, 17, IDENTITY_WORKER, 3, now_s + AUTHORITY_SKEW_S + DAY);
    (void)state;

    check_refused(master, stranger, IDENTITY_MASTER, "", "its certificate is refused");
    check_refused(stranger, worker, IDENTITY_WORKER, "", "its certificate is refused");
    check_refused(master, foreign, IDENTITY_MASTER, "", "of the master of job 17");
    check_refused(foreign, worker, IDENTITY_WORKER, "", "of worker 3 of job 18");
    check_refused(master, expired, IDENTITY_MASTER, "has expired", "");
    check_refused(master, early, IDENTITY_MASTER, "not yet valid", "");
    /* A worker where the master is expected, and the master where a worker is. */
    check_refused(worker, worker, IDENTITY_MASTER, "",
                  "is of worker 3 of job 17, expected a certificate of the master of job 17");
    check_refused(parameters, worker, IDENTITY_MASTER, "",
                  "is of server 1 of job 17, expected a certificate of the master of job 17");
    check_refused(worker, master, IDENTITY_WORKER, "its certificate is", "");
    tls_free(parameters);
    tls_free(early);
    tls_free(expired);
    tls_free(foreign);
    tls_free(stranger);
    tls_free(worker);
    tls_free(master);
    authority_free(theirs);
    authority_free(ours);
}

static void clocks_may_differ_by_the_allowed_skew(void **state)
{
    struct authority *authority = new_authority();
    int64_t now_s = time(NULL);
    struct tls *master = issue(authority, 17, IDENTITY_MASTER, 0, now_s);
    struct tls *fast = issue(authority, 17, IDENTITY_WORKER, 3, now_s + AUTHORITY_SKEW_S - 600);
    struct tls *slow = issue(authority, 17, IDENTITY_WORKER, 3, now_s - AUTHORITY_VALID_S + 600);
    (void)state;

    speak(master, fast, "tcp:127.0.0.1:0");
    speak(master, slow, "tcp:127.0.0.1:0");
    tls_free(slow);
    tls_free(fast);
    tls_free(master);
    authority_free(authority);
}

static void a_name_is_looked_up_and_an_unknown_one_is_said_so(void **state)
{
    struct authority *authority = new_authority();
    struct tls *worker = issue(authority, 17, IDENTITY_WORKER, 3, time(NULL));
    struct tls_demand demand = {worker, IDENTITY_MASTER};
    struct end end = {.frames = 0};
    struct connection_owner owner = {&end, on_frame, on_closed};
    struct event_base *base = event_base_new();
    struct error err;
    (void)state;

    CHECK_OK(connection_dial(base, "tcp:name.invalid:1", &demand, owner, &end.connection, &err));
    while (!end.is_closed)
        event_base_loop(base, EVLOOP_ONCE);
    CHECK_INT(end.reason.status, STATUS_CONNECTION);
    CHECK(strstr(end.reason.message, "cannot find \"name.invalid\""));
    /* No thread waits for a lookup that is no longer wanted. */
    CHECK_OK(connection_dial(base, "tcp:name.invalid:1", &demand, owner, &end.connection, &err));
    connection_free(end.connection);
    event_base_free(base);
    tls_free(worker);
    authority_free(authority);
}

static void credentials_come_back_from_their_folder_and_an_open_key_is_refused(void **state)
{
    char folder[] = "/tmp/totrain-test.XXXXXX", inner[64], key[80];
    struct authority *authority = new_authority();
    struct identity who = {17, IDENTITY_WORKER, 3};
    struct credentials credentials;
    struct tls *tls = NULL;
    struct stat file;
    struct error err;
    (void)state;

    assert_non_null(mkdtemp(folder));
    snprintf(inner, sizeof inner, "%s/tls", folder);
    snprintf(key, sizeof key, "%s/tls.key", inner);
    credentials_init(&credentials);
    CHECK_OK(authority_issue(authority, &who, time(NULL), &credentials, &err));
    CHECK_OK(credentials_save(&credentials, inner, &err));
    CHECK_INT(stat(inner, &file), 0);
    CHECK_INT(file.st_mode & 07777, 0700);
    CHECK_INT(stat(key, &file), 0);
    CHECK_INT(file.st_mode & 07777, 0600);
    CHECK_OK(tls_open(inner, &tls, &err));
    CHECK(identity_equal(tls_identity(tls), &who));
    tls_free(tls);
    CHECK_INT(chmod(key, 0604), 0);
    CHECK_FAILS(tls_open(inner, &tls, &err), STATUS_PERMISSION, "all users may read");
    /* An authority that is none. */
    struct text authority_text = credentials.authority;
    credentials.authority = credentials.certificate;
    CHECK_FAILS(tls_new(&credentials, &tls, &err), STATUS_INVALID, "may not sign certificates");
    credentials.authority = authority_text;
    /* Another key than the certificate's. */
    CHECK_INT(chmod(key, 0600), 0);
    text_clear(&credentials.authority);
    text_clear(&credentials.key);
    struct text certificate = credentials.certificate;
    text_init(&credentials.certificate, CREDENTIALS_BYTES_MAX);
    CHECK_OK(authority_issue(authority, &who, time(NULL), &credentials, &err));
    text_deinit(&credentials.certificate);
    credentials.certificate = certificate;
    CHECK_FAILS(tls_new(&credentials, &tls, &err), STATUS_INVALID,
                "does not belong to the certificate");
    credentials_deinit(&credentials);
    CHECK_INT(unlink(key), 0);
    CHECK_FAILS(tls_open(inner, &tls, &err), STATUS_IO, "tls.key");
    snprintf(key, sizeof key, "%s/tls.crt", inner);
    CHECK_INT(unlink(key), 0);
    snprintf(key, sizeof key, "%s/ca.crt", inner);
    CHECK_INT(unlink(key), 0);
    CHECK_INT(rmdir(inner), 0);
    CHECK_INT(rmdir(folder), 0);
    authority_free(authority);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roles_of_a_job_speak_over_both_kinds_of_addresses),
        cmocka_unit_test(workers_and_parameter_servers_speak_with_each_other),
        cmocka_unit_test(who_is_not_of_the_job_or_not_of_the_role_is_refused),
        cmocka_unit_test(clocks_may_differ_by_the_allowed_skew),
        cmocka_unit_test(a_name_is_looked_up_and_an_unknown_one_is_said_so),
        cmocka_unit_test(credentials_come_back_from_their_folder_and_an_open_key_is_refused),
    };
    signal(SIGPIPE, SIG_IGN); /* see tls.h */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
