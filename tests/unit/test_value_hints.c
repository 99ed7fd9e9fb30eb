#include "planner/attributes/value_hints.h"
#include "planner/training/metrics_address.h"
#include "tests/check.h"

static const char *const one_word[] = {"balanced", NULL};
static const char *const two_words[] = {"macro", "micro", NULL};
static const char *const no_word[] = {NULL};

static const struct attribute list = {.type = ATTRIBUTE_INTEGERS, .least = 1, .most = 100};
static const struct attribute integer = {.type = ATTRIBUTE_INTEGER, .least = 1, .most = 100};
static const struct attribute share = {.type = ATTRIBUTE_REAL, .least = 0, .most = 1};
static const struct attribute half = {.type = ATTRIBUTE_REAL, .least = 0.1, .most = 0.5};
static const struct attribute rate = {.type = ATTRIBUTE_REAL, .least = 0, .most = 1000};
static const struct attribute tiny = {.type = ATTRIBUTE_REAL, .least = 0, .most = 0.1};
static const struct attribute boolean = {.type = ATTRIBUTE_BOOLEAN};
static const struct attribute only = {.type = ATTRIBUTE_WORD, .words = one_word};
static const struct attribute several = {.type = ATTRIBUTE_WORD, .words = two_words};
static const struct attribute none = {.type = ATTRIBUTE_WORD, .words = no_word};
static const struct attribute elsewhere = {.type = ATTRIBUTE_WORD};
static const struct attribute text = {.type = ATTRIBUTE_TEXT};

#define STRING(words)                                                                              \
    {                                                                                              \
        .kind = VALUE_STRING, .text = SLICE(words)                                                 \
    }
#define WORD(words)                                                                                \
    {                                                                                              \
        .kind = VALUE_WORD, .text = SLICE(words)                                                   \
    }
#define NUMBER(value)                                                                              \
    {                                                                                              \
        .kind = VALUE_NUMBER, .number = value, .text = SLICE(#value)                               \
    }
#define TRUTH(value)                                                                               \
    {                                                                                              \
        .kind = VALUE_BOOLEAN, .boolean = value                                                    \
    }

#define WRITE_A_LIST "A list is written in brackets, without quotes: [64, 32]."

static void a_hint_says_what_to_write(void **state)
{
    const struct {
        const struct attribute *attribute;
        struct value value;
        const char *hint;
    } cases[] = {
        {&list, STRING("(64, 32)"), "Write [64, 32]: a list in brackets, without quotes."},
        {&list, STRING("7"), "Write [7]: a list in brackets, without quotes."},
        {&list, STRING("64,0"), WRITE_A_LIST},
        {&list, STRING("64,101"), WRITE_A_LIST},
        {&list, STRING("99999999999999999999"), WRITE_A_LIST},
        {&list, STRING("64x"), WRITE_A_LIST},
        {&list, STRING("64:"), WRITE_A_LIST},
        {&list, STRING(" , "), WRITE_A_LIST},
        {&list, STRING("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20"), WRITE_A_LIST},
        {&list, NUMBER(64), ""},
        {&integer, STRING(" 5 "), "Write 5, without quotes."},
        {&integer, WORD("0"), ""},
        {&integer, STRING("101"), ""},
        {&integer, STRING("five"), ""},
        {&integer, NUMBER(200), ""},
        {&share, NUMBER(20), "It is a share, not a percentage: 20 of 100 is 0.2."},
        {&share, NUMBER(200), ""},
        {&share, NUMBER(-20), ""},
        {&share, TRUTH(true), ""},
        {&half, NUMBER(20), "It is a share, not a percentage: 20 of 100 is 0.2."},
        {&half, NUMBER(5), ""},
        {&half, NUMBER(60), ""},
        {&half, NUMBER(0.7), ""},
        {&rate, NUMBER(2000), ""},
        {&tiny, NUMBER(5), ""},
        {&boolean, STRING("Yes"), "Write true, without quotes."},
        {&boolean, WORD("off"), "Write false, without quotes."},
        {&boolean, STRING("maybe"), ""},
        {&boolean, NUMBER(1), ""},
        {&only, TRUTH(true), "Write 'balanced'."},
        {&only, TRUTH(false), "Leave it out, or write 'balanced'."},
        {&only, WORD("other"), ""},
        {&several, TRUTH(true), ""},
        {&none, TRUTH(true), ""},
        {&elsewhere, TRUTH(true), ""},
        {&text, NUMBER(1), ""},
    };
    struct error err;
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fail(&err, STATUS_INVALID, "not that");
        CHECK_INT(value_hint(cases[i].attribute, &cases[i].value, &err), STATUS_INVALID);
        if (strcmp(err.hint, cases[i].hint) != 0)
            check_failed("case %zu: \"%s\" is not \"%s\"", i, err.hint, cases[i].hint);
    }
}

static void an_address_is_a_port_or_an_ip_and_a_port(void **state)
{
    static const struct {
        const char *text, *host;
        uint32_t port;
    } cases[] = {
        {"9090", "127.0.0.1", 9090},     {"0", "127.0.0.1", 0},       {"65535", "127.0.0.1", 65535},
        {"0.0.0.0:80", "0.0.0.0", 80},   {"[::1]:9090", "::1", 9090}, {"::1:9090", "::1", 9090},
        {"[10.0.0.1]:1", "10.0.0.1", 1},
    };
    struct slice host;
    uint32_t port;
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (!metrics_address_read(slice_of(cases[i].text), &host, &port))
            check_failed("%s is no address", cases[i].text);
        CHECK_SLICE(host, cases[i].host);
        CHECK_INT(port, cases[i].port);
    }
}

static void what_is_no_ip_or_no_port_is_no_address(void **state)
{
    static const char *const cases[] = {
        "",
        "65536",
        "99999999999999999999",
        "-1",
        "1e3",
        "9090x",
        ":9090",
        "127.0.0.1:",
        "[]:9090",
        "[:9090",
        "x]:9090",
        "[::1:9090",
        "localhost:9090",
        "1.2.3:9090",
        "1.2.3.4:+5",
        "0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:9090",
    };
    static const char with_nul[] = "127.0.0.1\0:9090";
    struct slice host;
    uint32_t port;
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (metrics_address_read(slice_of(cases[i]), &host, &port))
            check_failed("%s is an address", cases[i]);
    assert_false(metrics_address_read((struct slice){with_nul, sizeof with_nul - 1}, &host, &port));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hint_says_what_to_write),
        cmocka_unit_test(an_address_is_a_port_or_an_ip_and_a_port),
        cmocka_unit_test(what_is_no_ip_or_no_port_is_no_address),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
