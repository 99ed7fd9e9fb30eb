/*
 * generate DB rows28|plain28|clicks|words|missing100|wide1000 ROWS: the tables that speed is
 * measured on, the same rows for the same number of rows everywhere.
 *
 *     rows28   y, x1 ... x28: normal numbers. Whether y is 1 depends on
 *              products of them, so that a linear model cannot learn it all.
 *     plain28  the same columns. y depends on each of some columns by itself,
 *              too, so that no tree's first split is chosen by chance.
 *     clicks   clicked, n1 ... n13: counts with a long tail, some NULL, and
 *              c1 ... c26: words of 3 to 500,000 distinct values, the i-th
 *              most frequent one about 1/i as frequent as the first.
 *     words    y, x1 ... x4: normal numbers, c1: 50,000 words, three rows of
 *              ten with any of them and the others as in clicks.
 *     missing100  y, x1 ... x100: uniform numbers, half of them NULL.
 *     wide1000    y, x1 ... x1000: uniform numbers.
 */
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

#define SEED     20240229
#define ROWS_MAX 1000000000L
#define NUMBERS  28
#define COUNTS   13
#define WORDS    26

enum stream { STREAM_LABEL = 1000, STREAM_NULL = 2000, STREAM_WORD = 3000 };

static const int distinct[WORDS] = {
    3,    4,    10,    15,    27,    105,   305,   583,   633,    1460,   2173,   3194,   5652,
    5683, 9000, 12517, 14992, 20000, 37000, 75000, 93145, 142572, 180000, 286181, 350000, 500000};

static double uniform(long row, int stream)
{
    return random_uniform(SEED, RANDOM_SIMULATION, (uint64_t)row, (uint64_t)stream);
}

/* Box and Muller's, of two streams of its own. */
static double normal(long row, int stream)
{
    const double pi = 0x1.921fb54442d18p+1;

    return sqrt(-2 * log(1 - uniform(row, 2 * stream))) *
           cos(2 * pi * uniform(row, 2 * stream + 1));
}

static int drawn(long row, double logit)
{
    return uniform(row, STREAM_LABEL) < 1 / (1 + exp(-logit));
}

static void check(sqlite3 *db, int code)
{
    if (code == SQLITE_OK || code == SQLITE_DONE)
        return;
    fprintf(stderr, "generate: %s\n", sqlite3_errmsg(db));
    exit(1);
}

static void bind_rows28(sqlite3_stmt *insert, long row)
{
    double x[NUMBERS], logit;

    for (int i = 0; i < NUMBERS; i++) {
        x[i] = normal(row, i);
        sqlite3_bind_double(insert, i + 2, x[i]);
    }
    logit = 1.5 * x[0] * x[1] + x[2] * x[3] - 1.2 * fabs(x[4]) * x[5] + x[6] + 0.5 * x[7] -
            0.5 * x[8] + sin(2 * x[9]) + 0.3 * x[10] * x[11] * x[12];
    sqlite3_bind_int(insert, 1, drawn(row, 1.5 * logit));
}

static void bind_plain28(sqlite3_stmt *insert, long row)
{
    double x[NUMBERS], logit;

    for (int i = 0; i < NUMBERS; i++) {
        x[i] = normal(row, i);
        sqlite3_bind_double(insert, i + 2, x[i]);
    }
    logit = x[0] + 0.7 * x[1] * (x[0] > 0) - fabs(x[2]) + sin(2 * x[3]) +
            0.5 * x[4] * (x[5] > 0.5) + 0.6 * x[6] - 0.4 * x[7] + 0.2 * x[8] * x[8];
    sqlite3_bind_int(insert, 1, drawn(row, logit));
}

/* Uniform numbers, of which `missing` are NULL; ten of them make the label. */
static void bind_uniform(sqlite3_stmt *insert, long row, int columns, double missing)
{
    double logit = -1;

    for (int i = 0; i < columns; i++) {
        const double x = uniform(row, STREAM_WORD + i);

        if (missing > 0 && uniform(row, 2 * STREAM_WORD + i) < missing)
            sqlite3_bind_null(insert, i + 2);
        else
            sqlite3_bind_double(insert, i + 2, x);
        if (i < 10)
            logit += i % 2 ? x * x : x > 0.5 ? 1 : -1;
    }
    sqlite3_bind_int(insert, 1, drawn(row, logit));
}

static void bind_missing100(sqlite3_stmt *insert, long row)
{
    bind_uniform(insert, row, 100, 0.5);
}

static void bind_wide1000(sqlite3_stmt *insert, long row)
{
    bind_uniform(insert, row, 1000, 0);
}

/* Rank i of n with a probability of about 1/i: log-uniform. */
static int skewed(long row, int column)
{
    int rank = (int)exp(uniform(row, STREAM_WORD + column) * log((double)distinct[column] + 1));

    return rank > distinct[column] ? distinct[column] : rank;
}

/* Eight digits that say nothing about the rank, and how much it moves the label. */
static double bind_word(sqlite3_stmt *insert, int at, int column, int rank)
{
    uint64_t bits = random_bits(SEED, RANDOM_INITIAL, (uint64_t)column, (uint64_t)rank);
    char word[9];

    snprintf(word, sizeof word, "%08x", (unsigned)(bits >> 32));
    sqlite3_bind_text(insert, at, word, 8, SQLITE_TRANSIENT);
    return (double)(bits & 0xffff) / 65536 - 0.5;
}

static void bind_clicks(sqlite3_stmt *insert, long row)
{
    double logit = -1.5;

    for (int i = 0; i < COUNTS; i++) {
        double count = floor(exp(1.5 + 1.2 * normal(row, i)));
        if (uniform(row, STREAM_NULL + i) < (i % 3 == 0 ? 0.2 : 0)) {
            sqlite3_bind_null(insert, i + 2);
            continue;
        }
        sqlite3_bind_double(insert, i + 2, count);
        logit += i < 4 ? 0.2 * (log(1 + count) - 1.7) : 0;
    }
    for (int i = 0; i < WORDS; i++)
        logit += 0.8 * bind_word(insert, COUNTS + 2 + i, i, skewed(row, i));
    sqlite3_bind_int(insert, 1, drawn(row, logit));
}

#define WORDS_NUMBERS 4
#define WORDS_COLUMN  25 /* the number of the column `distinct` */
#define WORDS_RANKS   50000

static void bind_words(sqlite3_stmt *insert, long row)
{
    int rank = (int)exp(uniform(row, STREAM_WORD) * log(WORDS_RANKS));
    double logit = 0;

    if (uniform(row, STREAM_WORD + 1) < 0.3)
        rank = (int)(uniform(row, STREAM_WORD + 2) * WORDS_RANKS);
    for (int i = 0; i < WORDS_NUMBERS; i++) {
        const double x = normal(row, i);

        sqlite3_bind_double(insert, i + 2, x);
        logit += i == 0 ? x : 0;
    }
    logit += 3 * bind_word(insert, WORDS_NUMBERS + 2, WORDS_COLUMN, rank);
    sqlite3_bind_int(insert, 1, drawn(row, logit));
}

struct table {
    const char *name, *label;
    int reals, texts;
    const char *real_prefix;
    void (*bind)(sqlite3_stmt *insert, long row);
};

static const struct table tables[] = {
    {"rows28", "y", NUMBERS, 0, "x", bind_rows28},
    {"plain28", "y", NUMBERS, 0, "x", bind_plain28},
    {"clicks", "clicked", COUNTS, WORDS, "n", bind_clicks},
    {"words", "y", WORDS_NUMBERS, 1, "x", bind_words},
    {"missing100", "y", 100, 0, "x", bind_missing100},
    {"wide1000", "y", 1000, 0, "x", bind_wide1000},
};

static void create(sqlite3 *db, const struct table *table)
{
    sqlite3_str *sql = sqlite3_str_new(db);
    char *text;

    sqlite3_str_appendf(sql, "DROP TABLE IF EXISTS %s; CREATE TABLE %s(%s INTEGER", table->name,
                        table->name, table->label);
    for (int i = 1; i <= table->reals; i++)
        sqlite3_str_appendf(sql, ", %s%d REAL", table->real_prefix, i);
    for (int i = 1; i <= table->texts; i++)
        sqlite3_str_appendf(sql, ", c%d TEXT", i);
    sqlite3_str_appendall(sql, ")");
    text = sqlite3_str_finish(sql);
    check(db, sqlite3_exec(db, text, NULL, NULL, NULL));
    sqlite3_free(text);
}

static void prepare_insert(sqlite3 *db, const struct table *table, sqlite3_stmt **insert)
{
    sqlite3_str *sql = sqlite3_str_new(db);
    char *text;

    sqlite3_str_appendf(sql, "INSERT INTO %s VALUES(?", table->name);
    for (int i = 0; i < table->reals + table->texts; i++)
        sqlite3_str_appendall(sql, ",?");
    sqlite3_str_appendall(sql, ")");
    text = sqlite3_str_finish(sql);
    check(db, sqlite3_prepare_v2(db, text, -1, insert, NULL));
    sqlite3_free(text);
}

static void fill(sqlite3 *db, const struct table *table, long rows)
{
    sqlite3_stmt *insert;

    check(db, sqlite3_exec(db, "PRAGMA synchronous = OFF; BEGIN", NULL, NULL, NULL));
    create(db, table);
    prepare_insert(db, table, &insert);
    for (long row = 0; row < rows; row++) {
        table->bind(insert, row);
        check(db, sqlite3_step(insert));
        check(db, sqlite3_reset(insert));
    }
    sqlite3_finalize(insert);
    check(db, sqlite3_exec(db, "COMMIT", NULL, NULL, NULL));
}

int main(int count, char **arguments)
{
    const struct table *table = NULL;
    char *end = NULL;
    long rows = count == 4 ? strtol(arguments[3], &end, 10) : 0;
    sqlite3 *db;

    for (size_t i = 0; count == 4 && i < sizeof tables / sizeof *tables; i++)
        if (strcmp(arguments[2], tables[i].name) == 0)
            table = &tables[i];
    if (!table || *end || rows < 1 || rows > ROWS_MAX) {
        fprintf(stderr,
                "usage: generate DB rows28|plain28|clicks|words|missing100|wide1000 ROWS\n");
        return 2;
    }
    check(NULL, sqlite3_open(arguments[1], &db));
    fill(db, table, rows);
    check(db, sqlite3_close(db));
    return 0;
}
