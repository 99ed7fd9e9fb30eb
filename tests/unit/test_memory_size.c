#include "base/memory_size.h"
#include "tests/check.h"

static void amounts_are_read_as_kubernetes_reads_them(void **state)
{
    static const struct {
        const char *text;
        double bytes;
    } cases[] = {{"0", 0},        {"1073741824", 0x1p30}, {"1k", 1e3},    {"2M", 2e6},
                 {"2G", 2e9},     {"3T", 3e12},           {"1Ki", 1024},  {"512Mi", 0x1p29},
                 {"4Gi", 0x1p32}, {"1.5Gi", 0x1.8p30},    {"1Ti", 0x1p40}};
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double bytes = -1;

        if (!memory_size_read(slice_of(cases[i].text), &bytes) || bytes != cases[i].bytes)
            check_failed("%s: %.17g bytes", cases[i].text, bytes);
    }
}

static void what_is_no_amount_is_refused_with_what_was_meant(void **state)
{
    static const struct {
        const char *text, *meant; /* NULL: nothing is like it */
    } cases[] = {{"512MB", "512M"},
                 {"512mb", "512M"},
                 {"4GiB", "4Gi"},
                 {"4gib", "4Gi"},
                 {" 4 Gi ", "4Gi"},
                 {"4g", "4G"},
                 {"1.5 t", "1.5T"},
                 {"100K", "100k"},
                 {"7 b", "7"},
                 {"", NULL},
                 {"lots", NULL},
                 {"Gi", NULL},
                 {"-1Gi", NULL},
                 {"1e9", NULL},
                 {"1.2.3Gi", NULL},
                 {"4 gigabytes", NULL},
                 {"12345678901234567890", NULL}};
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char meant[MEMORY_SIZE_BYTES_MAX] = "";
        double bytes;
        const bool is_meant = memory_size_suggest(slice_of(cases[i].text), meant);

        CHECK(!memory_size_read(slice_of(cases[i].text), &bytes));
        if (is_meant != (cases[i].meant != NULL) || (is_meant && strcmp(meant, cases[i].meant)))
            check_failed("\"%s\": \"%s\" was meant", cases[i].text, meant);
    }
}

static void bytes_are_written_with_the_largest_unit_that_divides_them(void **state)
{
    static const struct {
        uint64_t bytes;
        const char *text;
    } cases[] = {{0, "0"},
                 {1000, "1000"},
                 {1024, "1Ki"},
                 {1536, "1536"},
                 {(uint64_t)1 << 29, "512Mi"},
                 {(uint64_t)3 << 30, "3Gi"},
                 {(uint64_t)1 << 50, "1024Ti"}};
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text out;

        text_init(&out, 64);
        memory_size_append(&out, cases[i].bytes);
        CHECK_SLICE(text_slice(&out), cases[i].text);
        text_deinit(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(amounts_are_read_as_kubernetes_reads_them),
        cmocka_unit_test(what_is_no_amount_is_refused_with_what_was_meant),
        cmocka_unit_test(bytes_are_written_with_the_largest_unit_that_divides_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
