/*
 * scan DB SQL: what reading costs. One thread steps through the statement and
 * asks for every column as a double, or as a text where the column is declared
 * TEXT: nothing that reads the same rows through one connection of SQLite can
 * take less. Prints JSON: the seconds from sqlite3_prepare to the last row,
 * rows and columns, and their sum (so that no compiler leaves the reading out).
 */
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COLUMNS_MAX 2000 /* SQLite's own limit */

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void check(sqlite3 *db, int code)
{
    if (code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE)
        return;
    fprintf(stderr, "scan: %s\n", sqlite3_errmsg(db));
    exit(1);
}

struct scanned {
    long long rows;
    int columns;
    double sum;
};

/* Reads a text and looks at its first byte. */
static double read_text(sqlite3_stmt *statement, int column)
{
    const unsigned char *text = sqlite3_column_text(statement, column);

    return text ? sqlite3_column_bytes(statement, column) + text[0] : 0;
}

static bool is_text(sqlite3_stmt *statement, int column)
{
    const char *type = sqlite3_column_decltype(statement, column);

    return type && strcmp(type, "TEXT") == 0;
}

static struct scanned scan(sqlite3 *db, const char *sql)
{
    struct scanned scanned = {0};
    bool is_texts[COLUMNS_MAX] = {false};
    sqlite3_stmt *statement;
    int code;

    check(db, sqlite3_prepare_v2(db, sql, -1, &statement, NULL));
    scanned.columns = sqlite3_column_count(statement);
    for (int i = 0; i < scanned.columns; i++)
        is_texts[i] = is_text(statement, i);
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        for (int i = 0; i < scanned.columns; i++)
            scanned.sum +=
                is_texts[i] ? read_text(statement, i) : sqlite3_column_double(statement, i);
        scanned.rows++;
    }
    check(db, code);
    sqlite3_finalize(statement);
    return scanned;
}

int main(int count, char **arguments)
{
    struct scanned scanned;
    double started, seconds;
    sqlite3 *db;

    if (count != 3) {
        fprintf(stderr, "usage: scan DB SQL\n");
        return 2;
    }
    check(NULL, sqlite3_open_v2(arguments[1], &db, SQLITE_OPEN_READWRITE, NULL));
    started = seconds_now();
    scanned = scan(db, arguments[2]);
    seconds = seconds_now() - started;
    printf("{\"seconds\": %.6f, \"rows\": %lld, \"columns\": %d, \"sum\": %.17g}\n", seconds,
           scanned.rows, scanned.columns, scanned.sum);
    sqlite3_close(db);
    return 0;
}
