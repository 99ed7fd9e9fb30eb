#include "extension/sqlite/functions/sqlite_connection.h"

#include <pthread.h>
#include <stdlib.h>

#define MESSAGE_BYTES_MAX 8192

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sqlite_connection *connections;

struct sqlite_connection *sqlite_connection_find(sqlite3 *db)
{
    struct sqlite_connection *connection;

    pthread_mutex_lock(&lock);
    for (connection = connections; connection; connection = connection->next)
        if (connection->db == db)
            break;
    pthread_mutex_unlock(&lock);
    return connection;
}

bool sqlite_connection_exists(void)
{
    bool exists;

    pthread_mutex_lock(&lock);
    exists = connections != NULL;
    pthread_mutex_unlock(&lock);
    return exists;
}

struct sqlite_connection *sqlite_connection_add(sqlite3 *db, const char *program)
{
    struct sqlite_connection *connection = calloc(1, sizeof *connection);

    if (!connection)
        return NULL;
    connection->db = db;
    connection->bare_statements = true;
    connection->progress_pipe = -1;
    sqlite_host_init(&connection->host, db, program);
    model_cache_init(&connection->models, &connection->host);
    results_init(&connection->results);
    text_init(&connection->message, MESSAGE_BYTES_MAX);
    pthread_mutex_lock(&lock);
    connection->next = connections;
    connections = connection;
    pthread_mutex_unlock(&lock);
    return connection;
}

void sqlite_connection_remove(struct sqlite_connection *connection)
{
    struct sqlite_connection **at = &connections;

    pthread_mutex_lock(&lock);
    while (*at && *at != connection)
        at = &(*at)->next;
    if (*at)
        *at = connection->next;
    pthread_mutex_unlock(&lock);
    model_cache_deinit(&connection->models);
    results_deinit(&connection->results);
    text_deinit(&connection->message);
    free(connection);
}
