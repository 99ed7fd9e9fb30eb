#include "extension/postgres/sql/kinds.h"

#include <string.h>

/* OIDs of pg_type that are part of the protocol: no server gives them another meaning. */
enum pg_kind pg_kind_of(uint32_t type)
{
    static const struct {
        uint32_t type;
        enum pg_kind kind;
    } kinds[] = {
        {16, PG_BOOLEAN},     {17, PG_BYTES},       {18, PG_TEXT},      {19, PG_TEXT},
        {20, PG_INTEGER},     {21, PG_INTEGER},     {23, PG_INTEGER},   {25, PG_TEXT},
        {26, PG_OID},         {700, PG_REAL},       {701, PG_REAL},     {1042, PG_TEXT},
        {1005, PG_VECTOR},    {1007, PG_VECTOR},    {1016, PG_VECTOR},  {1021, PG_VECTOR},
        {1022, PG_VECTOR},    {1231, PG_VECTOR},    {1043, PG_TEXT},    {1082, PG_DATE},
        {1114, PG_TIMESTAMP}, {1184, PG_TIMESTAMP}, {1700, PG_NUMERIC}, {2950, PG_UUID},
    };

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].type == type)
            return kinds[i].kind;
    return PG_OTHER;
}

/* The first that fits: single codes stand before their class. */
enum status pg_status_of(const char sqlstate[5])
{
    static const struct {
        const char *code; /* a whole SQLSTATE, or its class */
        enum status status;
    } states[] = {
        {"42501", STATUS_PERMISSION},
        {"25006", STATUS_PERMISSION},
        {"28", STATUS_PERMISSION},
        {"57014", STATUS_INTERRUPTED},
        {"55P03", STATUS_BUSY},
        {"55006", STATUS_BUSY},
        {"40", STATUS_BUSY},
        {"57", STATUS_CONNECTION},
        {"08P01", STATUS_DATABASE},
        {"08", STATUS_CONNECTION},
        {"53200", STATUS_NO_MEMORY},
        {"53100", STATUS_IO},
        {"53", STATUS_LIMIT},
        {"54", STATUS_LIMIT},
        {"58", STATUS_IO},
        {"42601", STATUS_SYNTAX},
        {"XX001", STATUS_IO},
        {"XX002", STATUS_IO}, /* CORRUPT is what is no model */
    };

    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (strncmp(sqlstate, states[i].code, strlen(states[i].code)) == 0)
            return states[i].status;
    return STATUS_DATABASE;
}
