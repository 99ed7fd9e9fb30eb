#include "tests/check.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/net/address.h"
#include "runtime/net/identity.h"

static void an_address_must_name_its_kind_host_and_port(void **state)
{
    static const char *const bad[] = {
        "tcp:1",        "tcp::1",          "tcp:host:",  "tcp:host:x", "tcp:h:65536", "tcp:h:-1",
        "tcp:h: 1",     "tcp:fd00::7:1",   "tcp:[::1:1", "tcp:[::1]",  "tcp:[::1]1",  "tcp:[]:1",
        "tcp:[name]:1", "tcp:[1.2.3.4]:1", "tcp:a b:1",  "tcp:a/b:1"};
    struct address address;
    struct error err;
    char long_path[200] = "unix:/", long_host[400] = "tcp:";
    (void)state;

    CHECK_FAILS(address_read("host:1", &address, &err), STATUS_INVALID, "expected unix:PATH or");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_FAILS(address_read(bad[i], &address, &err), STATUS_INVALID, "tcp:HOST:PORT");
    memset(long_path + 6, 'a', sizeof long_path - 7);
    CHECK_FAILS(address_read(long_path, &address, &err), STATUS_LIMIT, "longer than 107 bytes");
    memset(long_host + 4, 'a', sizeof long_host - 5);
    CHECK_FAILS(address_read(long_host, &address, &err), STATUS_LIMIT, "longer than 255 bytes");
}

static void an_address_is_written_as_it_is_read(void **state)
{
    static const char *const good[] = {"tcp:127.0.0.1:4711", "tcp:[fd00::7]:1", "tcp:[::]:0",
                                       "unix:/tmp/a"};
    struct address address;
    struct error err;
    char text[ADDRESS_TEXT_MAX + 1];
    (void)state;

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        CHECK_OK(address_read(good[i], &address, &err));
        address_write(&address, text, sizeof text);
        assert_string_equal(text, good[i]);
    }
}

static void a_name_is_left_for_a_lookup_and_cannot_be_listened_on(void **state)
{
    struct address address;
    struct error err;
    char bound[ADDRESS_TEXT_MAX + 1];
    int fd;
    (void)state;

    CHECK_OK(address_read("tcp:totrain-17-master.jobs:4711", &address, &err));
    CHECK_INT(address.size, 0);
    assert_string_equal(address.host, "totrain-17-master.jobs");
    assert_string_equal(address.port, "4711");
    CHECK_FAILS(address_listen("tcp:localhost:0", &fd, bound, sizeof bound, &err), STATUS_INVALID,
                "cannot listen on the name");
}

static void the_wildcard_is_recognised(void **state)
{
    (void)state;
    CHECK(address_is_wildcard("tcp:0.0.0.0:0"));
    CHECK(address_is_wildcard("tcp:[::]:1"));
    CHECK(!address_is_wildcard("tcp:127.0.0.1:0"));
    CHECK(!address_is_wildcard("tcp:[::1]:0"));
    CHECK(!address_is_wildcard("tcp:name:0"));
    CHECK(!address_is_wildcard("unix:/0.0.0.0"));
}

static void a_reserved_port_can_be_listened_on_by_one_after_the_other(void **state)
{
    char bound[ADDRESS_TEXT_MAX + 1], again[ADDRESS_TEXT_MAX + 1];
    struct address where;
    struct error err;
    int reserved, listener, client, accepted, other;
    (void)state;

    CHECK_OK(address_reserve("tcp:127.0.0.1:0", &reserved, bound, sizeof bound, &err));
    for (int incarnation = 0; incarnation < 2; incarnation++) {
        CHECK_OK(address_listen(bound, &listener, again, sizeof again, &err));
        assert_string_equal(again, bound);
        CHECK_FAILS(address_listen(bound, &other, again, sizeof again, &err), STATUS_IO,
                    "cannot listen on");
        CHECK_OK(address_read(bound, &where, &err));
        CHECK_OK(address_connect(&where, &client, &err));
        while ((accepted = address_accept(listener)) < 0)
            continue;
        close(listener); /* ends it: its side closes first */
        close(accepted);
        close(client);
    }
    close(reserved);
}

static void an_identity_is_read_only_as_it_is_written(void **state)
{
    static const char *const bad[] = {"",
                                      "totrain:job/17",
                                      "totrain:job/017/master",
                                      "totrain:job/+17/master",
                                      "totrain:job/ 17/master",
                                      "totrain:job/17/master/",
                                      "totrain:job/17/worker",
                                      "totrain:job/17/worker/",
                                      "totrain:job/17/worker/-1",
                                      "totrain:job/17/worker/4294967296",
                                      "totrain:job/17/server",
                                      "totrain:job/17/server/01",
                                      "totrain:job/17/servers/1",
                                      "totrain:job/18446744073709551616/master",
                                      "totrain:job/17/Master",
                                      "spiffe:job/17/master"};
    struct identity all[] = {{17, IDENTITY_MASTER, 0},
                             {17, IDENTITY_WORKER, 0},
                             {17, IDENTITY_SERVER, 0},
                             {17, IDENTITY_SERVER, 63},
                             {UINT64_MAX, IDENTITY_WORKER, UINT32_MAX}};
    struct identity again;
    char text[IDENTITY_TEXT_MAX];
    (void)state;

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        identity_write(&all[i], text);
        CHECK(identity_read(slice_of(text), &again));
        CHECK(identity_equal(&all[i], &again));
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (identity_read(slice_of(bad[i]), &again))
            check_failed("\"%s\" was read", bad[i]);
    /* A zero byte may hide a part of a certificate's name. */
    CHECK(!identity_read(SLICE("totrain:job/17/master\0"), &again));
    CHECK(!identity_read(SLICE("totrain:job/17\0/master"), &again));
}

static int bound_socket(struct sockaddr_in *where)
{
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    socklen_t size = sizeof *where;

    *where = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    CHECK(fd >= 0 && bind(fd, (struct sockaddr *)where, sizeof *where) == 0);
    CHECK(getsockname(fd, (struct sockaddr *)where, &size) == 0);
    return fd;
}

static void a_socket_that_is_its_own_peer_is_recognised(void **state)
{
    struct sockaddr_in own, other;
    int lonely = bound_socket(&own), listener = bound_socket(&other), client, pair[2];
    (void)state;

    CHECK(connect(lonely, (struct sockaddr *)&own, sizeof own) == 0);
    CHECK(address_is_own_peer(lonely));
    CHECK(listen(listener, 1) == 0);
    client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(connect(client, (struct sockaddr *)&other, sizeof other) == 0);
    CHECK(!address_is_own_peer(client));
    CHECK(!address_is_own_peer(listener)); /* has none */
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    CHECK(!address_is_own_peer(pair[0])); /* both are without a name */
    for (int i = 0; i < 5; i++)
        close((int[]){lonely, listener, client, pair[0], pair[1]}[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_must_name_its_kind_host_and_port),
        cmocka_unit_test(an_address_is_written_as_it_is_read),
        cmocka_unit_test(a_name_is_left_for_a_lookup_and_cannot_be_listened_on),
        cmocka_unit_test(the_wildcard_is_recognised),
        cmocka_unit_test(a_reserved_port_can_be_listened_on_by_one_after_the_other),
        cmocka_unit_test(an_identity_is_read_only_as_it_is_written),
        cmocka_unit_test(a_socket_that_is_its_own_peer_is_recognised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
