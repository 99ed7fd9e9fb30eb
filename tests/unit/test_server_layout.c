#include "tests/check.h"

#include "runtime/ps/server/server_layout.h"

static void equal_parts_are_dealt_without_a_gap(void **state)
{
    (void)state;

    for (uint32_t serving = 1; serving <= 64; serving++) {
        const struct server_layout layout = {.serving = serving};
        uint32_t next = 0;

        for (uint32_t s = 0; s <= serving; s++) {
            const struct bucket_set buckets = buckets_of_server(&layout, s);
            const uint32_t count = bucket_set_count(&buckets);

            if (s < serving)
                CHECK(count >= BUCKETS_PER_TABLE / serving &&
                      count <= BUCKETS_PER_TABLE / serving + 1);
            CHECK_INT(bucket_set_next(&buckets, 0), s < serving ? next : BUCKETS_PER_TABLE);
            for (uint32_t b = next; b < next + count; b++)
                CHECK(bucket_set_has(&buckets, b) && server_of_bucket(&layout, b) == s);
            next += count;
        }
        CHECK_INT(next, BUCKETS_PER_TABLE);
    }
}

/* The first rows of layers are asked for by each batch. */
static void rows_of_one_id_are_of_many_servers(void **state)
{
    const struct server_layout layout = {.serving = 4};
    (void)state;

    for (uint64_t id = 0; id < 64; id++) {
        uint32_t rows[4] = {0};

        for (uint32_t t = 0; t < 12; t++)
            rows[server_of_row(&layout, t, id)]++;
        for (uint32_t s = 0; s < 4; s++)
            CHECK(rows[s] >= 2 && rows[s] <= 4);
    }
}

/* A layout with so many servers, in which every nth bucket is given away. */
static struct server_layout mixed(uint32_t serving, uint32_t nth)
{
    struct server_layout layout = {.id = 7, .serving = serving};

    server_layout_make_map(&layout);
    for (uint32_t b = 0; b < BUCKETS_PER_TABLE; b += nth)
        layout.servers[b] = (uint16_t)((layout.servers[b] + 1) % serving);
    return layout;
}

static void a_map_is_read_as_it_was_written(void **state)
{
    (void)state;

    for (uint32_t nth = 1; nth < BUCKETS_PER_TABLE; nth += 3) {
        const struct server_layout layout = mixed(5, nth);
        struct server_layout read;
        struct layout_runs runs;
        struct error err;

        CHECK_OK(server_layout_read(&read, 7, 5, server_layout_runs(&layout, &runs), &err));
        CHECK(read.id == 7 && read.serving == 5 && read.has_map);
        CHECK(memcmp(read.servers, layout.servers, sizeof read.servers) == 0);
        for (uint32_t s = 0; s < 5; s++) {
            const struct bucket_set buckets = buckets_of_server(&read, s);

            for (uint32_t b = 0; b < BUCKETS_PER_TABLE; b++)
                CHECK(bucket_set_has(&buckets, b) == (layout.servers[b] == s));
        }
    }
}

static void equal_parts_have_no_runs(void **state)
{
    const struct server_layout layout = {.id = 3, .serving = 4};
    struct server_layout read;
    struct layout_runs runs;
    struct error err;
    (void)state;

    CHECK_INT(server_layout_runs(&layout, &runs).size, 0);
    CHECK_OK(server_layout_read(&read, 3, 4, (struct slice){"", 0}, &err));
    CHECK(!read.has_map && read.serving == 4 && read.id == 3);
    CHECK_INT(server_of_bucket(&read, 1023), 3);
}

#define RUN(first, server) ((uint32_t)(first) << 16 | (server))

static void what_is_no_map_is_refused(void **state)
{
    static const struct {
        uint32_t runs[4], count;
        const char *why;
    } cases[] = {
        {{RUN(1, 0), RUN(5, 1)}, 2, "out of order"},                 /* a gap before */
        {{RUN(0, 0), RUN(5, 1), RUN(5, 0)}, 3, "out of order"},      /* an empty run */
        {{RUN(0, 0), RUN(9, 1), RUN(5, 0)}, 3, "out of order"},      /* backwards */
        {{RUN(0, 0), RUN(1024, 1)}, 2, "out of order"},              /* beyond the last */
        {{RUN(0, 0), RUN(5, 2)}, 2, "of another server"},            /* beyond the last */
        {{RUN(0, 1), RUN(5, 1), RUN(6, 0)}, 3, "of another server"}, /* one run in two */
        {{RUN(0, 1)}, 1, "a server without buckets"},                /* 0 has none */
        {{RUN(0, 0), RUN(1025, 1)}, 2, "out of order"},
    };
    static const uint32_t many[BUCKETS_PER_TABLE + 1];
    struct server_layout layout;
    struct error err;
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct slice runs = {(const char *)cases[i].runs, cases[i].count * sizeof(uint32_t)};

        CHECK_FAILS(server_layout_read(&layout, 1, 2, runs, &err), STATUS_PROTOCOL, cases[i].why);
    }
    CHECK_FAILS(server_layout_read(&layout, 1, 2, (struct slice){"abcde", 5}, &err),
                STATUS_PROTOCOL, "more runs");
    CHECK_FAILS(
        server_layout_read(&layout, 1, 2, (struct slice){(const char *)many, sizeof many}, &err),
        STATUS_PROTOCOL, "more runs");
    CHECK_FAILS(server_layout_read(&layout, 1, 0, (struct slice){"", 0}, &err), STATUS_PROTOCOL,
                "0 parameter servers");
    CHECK_FAILS(server_layout_read(&layout, 1, 1025, (struct slice){"", 0}, &err), STATUS_PROTOCOL,
                "1025 parameter servers");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_parts_are_dealt_without_a_gap),
        cmocka_unit_test(rows_of_one_id_are_of_many_servers),
        cmocka_unit_test(a_map_is_read_as_it_was_written),
        cmocka_unit_test(equal_parts_have_no_runs),
        cmocka_unit_test(what_is_no_map_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
