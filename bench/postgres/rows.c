/*
 * rows SQL: what fetching costs. One client of libpq asks for the rows in the
 * binary format, one at a time, and decodes no value: nothing that reads the
 * same rows through one connection of libpq can take less. PGHOST and its
 * sisters say where. Prints JSON: the seconds from sending the statement to its
 * end, rows, and bytes of values (so that no compiler leaves the reading out).
 */
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void check(PGconn *connection, int ok)
{
    if (ok)
        return;
    fprintf(stderr, "rows: %s", PQerrorMessage(connection));
    exit(1);
}

struct fetched {
    long long rows, bytes;
};

static void fetch_row(const PGresult *result, struct fetched *fetched)
{
    for (int i = 0; i < PQnfields(result); i++)
        fetched->bytes += PQgetlength(result, 0, i);
    fetched->rows++;
}

static struct fetched fetch(PGconn *connection, const char *sql)
{
    struct fetched fetched = {0};
    PGresult *result;

    check(connection, PQsendQueryParams(connection, sql, 0, NULL, NULL, NULL, NULL, 1));
    check(connection, PQsetSingleRowMode(connection));
    while ((result = PQgetResult(connection)) != NULL) {
        ExecStatusType status = PQresultStatus(result);

        if (status == PGRES_SINGLE_TUPLE)
            fetch_row(result, &fetched);
        else
            check(connection, status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK);
        PQclear(result);
    }
    return fetched;
}

int main(int count, char **arguments)
{
    struct fetched fetched;
    PGconn *connection;
    double started, seconds;

    if (count != 2) {
        fprintf(stderr, "usage: rows SQL\n");
        return 2;
    }
    connection = PQconnectdb("");
    check(connection, PQstatus(connection) == CONNECTION_OK);
    started = seconds_now();
    fetched = fetch(connection, arguments[1]);
    seconds = seconds_now() - started;
    printf("{\"seconds\": %.6f, \"rows\": %lld, \"bytes\": %lld}\n", seconds, fetched.rows,
           fetched.bytes);
    PQfinish(connection);
    return 0;
}
