#include <string.h>

#include "postgres_libpq/libpq.h"

/* 'value', with what must be escaped in a conninfo string. */
static void append_word(struct text *address, const char *keyword, struct slice value)
{
    text_printf(address, "%s%s='", address->size > 0 ? " " : "", keyword);
    for (size_t i = 0; i < value.size; i++) {
        if (value.data[i] == '\'' || value.data[i] == '\\')
            text_append_char(address, '\\');
        text_append_char(address, value.data[i]);
    }
    text_append_char(address, '\'');
}

/* -c search_path="schema": the server splits at blanks and reads backslashes, too. */
static void append_schema(struct text *address, struct slice schema)
{
    struct text name, option;

    text_init(&name, TEXT_MAXIMUM);
    text_init(&option, TEXT_MAXIMUM);
    text_append_identifier(&name, schema);
    text_append_string(&option, "-csearch_path=");
    for (size_t i = 0; i < name.size; i++) {
        if (name.data[i] == ' ' || name.data[i] == '\\')
            text_append_char(&option, '\\');
        text_append_char(&option, name.data[i]);
    }
    append_word(address, "options", text_slice(&option));
    address->failed = address->failed || name.failed || option.failed;
    text_deinit(&name);
    text_deinit(&option);
}

enum status libpq_address(const struct libpq *libpq, struct slice schema, struct text *address,
                          struct error *err)
{
    PQconninfoOption *options = PQconninfo(libpq->connection);

    if (!options)
        return fail_no_memory(err);
    for (PQconninfoOption *option = options; option->keyword; option++) {
        bool is_secret = option->dispchar[0] == '*';
        bool is_ours = strcmp(option->keyword, "options") == 0 ||
                       strcmp(option->keyword, "client_encoding") == 0 ||
                       strcmp(option->keyword, "fallback_application_name") == 0;
        if (!is_secret && !is_ours && option->val && option->val[0])
            append_word(address, option->keyword, slice_of(option->val));
    }
    PQconninfoFree(options);
    append_schema(address, schema);
    return address->failed ? fail_no_memory(err) : STATUS_OK;
}

/* A temporary table is gone when its session is. */
static struct slice find_address(void *self, struct slice schema)
{
    struct postgres_host *host = self;
    struct libpq *libpq = host->database->self;
    struct error ignored;
    char buffer[64];

    text_clear(&libpq->delivery);
    if (slice_is(schema, "pg_temp") ||
        postgres_target_schema(host, &schema, buffer, &ignored) != STATUS_OK ||
        libpq_address(libpq, schema, &libpq->delivery, &ignored) != STATUS_OK)
        return SLICE("");
    return text_slice(&libpq->delivery);
}

void libpq_host_init(struct postgres_host *host, struct libpq *libpq, const char *program)
{
    postgres_host_init(host, &libpq->database, program, NULL);
    host->host.catalog.find_file = find_address;
    host->host.scan = libpq_scan;
}
