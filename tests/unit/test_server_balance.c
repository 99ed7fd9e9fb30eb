#include "tests/check.h"

#include "runtime/ps/server/server_balance.h"

#define SERVERS_MAX 8

/* Servers of a layout, and the rows that are pulled of each bucket in a round. */
struct stage {
    struct server_balance balance;
    struct server_layout layout;
    uint32_t rows[BUCKETS_PER_TABLE];
    uint64_t ms;
    uint64_t us_per_row[SERVERS_MAX]; /* 0: nobody says how long serving takes */
};

static void begin(struct stage *stage, uint32_t servers)
{
    struct error err;

    *stage = (struct stage){.layout = {.id = 5, .serving = servers}, .ms = 1000};
    CHECK_OK(server_balance_init(&stage->balance, servers, &err));
}

static void finish(struct stage *stage)
{
    server_balance_deinit(&stage->balance);
}

static uint64_t rows_of(const struct stage *stage, const struct server_layout *layout, uint32_t s)
{
    uint64_t rows = 0;

    for (uint32_t b = 0; b < BUCKETS_PER_TABLE; b++)
        rows += server_of_bucket(layout, b) == s ? stage->rows[b] : 0;
    return rows;
}

static void say(struct stage *stage, uint32_t s, uint64_t layout, size_t bytes)
{
    const struct message_load load = {.layout = layout,
                                      .ms = stage->ms,
                                      .busy_us =
                                          rows_of(stage, &stage->layout, s) * stage->us_per_row[s],
                                      .rows = {(const char *)stage->rows, bytes}};

    server_balance_note(&stage->balance, &stage->layout, s, &load);
}

/* All servers say their load, the last one first. */
static void go_round(struct stage *stage, uint32_t rounds)
{
    for (uint32_t r = 0; r < rounds; r++)
        for (uint32_t s = stage->layout.serving; s-- > 0;)
            say(stage, s, stage->layout.id, sizeof stage->rows);
}

static void set_rows(struct stage *stage, uint32_t first, uint32_t end, uint32_t rows)
{
    for (uint32_t b = first; b < end; b++)
        stage->rows[b] = rows;
}

static void a_hot_servers_hottest_buckets_go_to_the_others(void **state)
{
    struct stage stage;
    struct server_layout next;
    struct balance_choice choice;
    uint64_t most = 0;
    (void)state;

    begin(&stage, 4);
    set_rows(&stage, 0, BUCKETS_PER_TABLE, 1);
    set_rows(&stage, 256, 296, 100); /* server 1's */
    go_round(&stage, BALANCE_PATIENCE - 1);
    CHECK(!server_balance_is_due(&stage.balance));
    go_round(&stage, 1);
    CHECK(server_balance_is_due(&stage.balance));
    CHECK(server_balance_choose(&stage.balance, &stage.layout, &next, &choice));
    CHECK(choice.hot == 1 && choice.before > 3 && choice.after < 1.05);
    CHECK_INT(choice.moved, 30); /* 30 of the 40: each server keeps, or gets, ten */
    for (uint32_t b = 0; b < BUCKETS_PER_TABLE; b++)
        CHECK(next.servers[b] == server_of_bucket(&stage.layout, b) || stage.rows[b] == 100);
    for (uint32_t s = 0; s < 4; s++)
        most = rows_of(&stage, &next, s) > most ? rows_of(&stage, &next, s) : most;
    CHECK(most <= 1290); /* all: 4984 */
    stage.layout = next; /* moved buckets stay where they are */
    stage.layout.id = 6;
    server_balance_clear(&stage.balance);
    go_round(&stage, 5);
    CHECK(!server_balance_is_due(&stage.balance));
    finish(&stage);
}

static void an_even_load_and_one_that_nobody_notices_are_left_alone(void **state)
{
    struct stage stage;
    (void)state;

    begin(&stage, 2);
    set_rows(&stage, 0, 512, 109);
    set_rows(&stage, 512, BUCKETS_PER_TABLE, 91);
    go_round(&stage, 5);
    CHECK(!server_balance_is_due(&stage.balance)); /* 1.09 times the mean */
    server_balance_clear(&stage.balance);
    set_rows(&stage, 0, BUCKETS_PER_TABLE, 0);
    set_rows(&stage, 0, 20, 2);
    go_round(&stage, 10);
    CHECK(!server_balance_is_due(&stage.balance)); /* few rows are chance */
    set_rows(&stage, 0, 20, 100);
    stage.us_per_row[0] = stage.us_per_row[1] = 100; /* a fifth of the time */
    set_rows(&stage, 1000, 1001, 1);
    go_round(&stage, 10);
    CHECK(!server_balance_is_due(&stage.balance));
    stage.us_per_row[0] = stage.us_per_row[1] = 150;
    go_round(&stage, 10);
    CHECK(server_balance_is_due(&stage.balance));
    finish(&stage);
}

static void a_load_that_was_hot_once_is_not_hot(void **state)
{
    struct stage stage;
    (void)state;

    begin(&stage, 2);
    for (uint32_t r = 0; r < 10; r++) {
        set_rows(&stage, 0, 512, r % 2 ? 90 : 170);
        set_rows(&stage, 512, BUCKETS_PER_TABLE, r % 2 ? 150 : 100);
        go_round(&stage, 1);
        CHECK(!server_balance_is_due(&stage.balance));
    }
    finish(&stage);
}

static void a_slow_server_gives_buckets_away(void **state)
{
    struct stage stage;
    struct server_layout next;
    struct balance_choice choice;
    (void)state;

    begin(&stage, 2);
    set_rows(&stage, 0, BUCKETS_PER_TABLE, 10);
    stage.us_per_row[0] = 30;
    stage.us_per_row[1] = 120;
    go_round(&stage, BALANCE_PATIENCE);
    CHECK(server_balance_is_due(&stage.balance));
    CHECK(server_balance_choose(&stage.balance, &stage.layout, &next, &choice));
    CHECK_INT(choice.hot, 1);
    CHECK(choice.before > 1.5 && choice.after < 1.2);
    CHECK_INT(choice.moved, 256); /* the most that move at once, out of 307 */
    finish(&stage);
}

static void one_hot_bucket_cannot_be_divided(void **state)
{
    struct stage stage;
    struct server_layout next;
    struct balance_choice choice;
    (void)state;

    begin(&stage, 3);
    set_rows(&stage, 7, 8, 100000);
    set_rows(&stage, 500, 502, 10);
    go_round(&stage, BALANCE_PATIENCE);
    CHECK(server_balance_is_due(&stage.balance));
    CHECK(!server_balance_choose(&stage.balance, &stage.layout, &next, &choice));
    finish(&stage);
}

static void no_server_gives_its_last_bucket_away(void **state)
{
    struct stage stage;
    struct server_layout next;
    struct balance_choice choice;
    (void)state;

    begin(&stage, 2);
    server_layout_make_map(&stage.layout);
    memset(stage.layout.servers, 0, sizeof stage.layout.servers);
    stage.layout.servers[9] = 1;
    set_rows(&stage, 0, BUCKETS_PER_TABLE, 1);
    stage.rows[9] = 4000;
    go_round(&stage, BALANCE_PATIENCE);
    CHECK(!server_balance_choose(&stage.balance, &stage.layout, &next, &choice));
    CHECK_INT(next.servers[9], 1);
    finish(&stage);
}

static void what_is_of_no_round_counts_as_nothing(void **state)
{
    struct stage stage;
    (void)state;

    begin(&stage, 2);
    set_rows(&stage, 0, 512, 100);
    set_rows(&stage, 512, BUCKETS_PER_TABLE, 10);
    for (int i = 0; i < 5; i++) {
        say(&stage, 0, 5, sizeof stage.rows);
        say(&stage, 0, 5, sizeof stage.rows);     /* again: server 1 is missing */
        say(&stage, 1, 4, sizeof stage.rows);     /* a load of another layout */
        say(&stage, 1, 5, sizeof stage.rows - 4); /* not all buckets */
        say(&stage, 2, 5, sizeof stage.rows);     /* none of them */
    }
    CHECK(!server_balance_is_due(&stage.balance));
    CHECK_INT(stage.balance.said, 1);
    finish(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hot_servers_hottest_buckets_go_to_the_others),
        cmocka_unit_test(an_even_load_and_one_that_nobody_notices_are_left_alone),
        cmocka_unit_test(a_load_that_was_hot_once_is_not_hot),
        cmocka_unit_test(a_slow_server_gives_buckets_away),
        cmocka_unit_test(one_hot_bucket_cannot_be_divided),
        cmocka_unit_test(no_server_gives_its_last_bucket_away),
        cmocka_unit_test(what_is_of_no_round_counts_as_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
