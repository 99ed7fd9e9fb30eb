/*
 * totrain.new_name(schema, name): what a table is called while it is made, before it gets that
 * name. Always the same one for the same role, as each other one would be another statement to
 * pg_stat_statements; and one that no other role can know, as whoever may create in the schema
 * could make a table of that name, and keep this one from being made.
 */
#include "extension/postgres/server/session/compat.h"

#include <access/xlog.h>
#include <catalog/pg_control.h>
#include <common/cryptohash.h>
#include <common/sha2.h>
#include <miscadmin.h>
#include <utils/builtins.h>

SQL_FUNCTION(totrain_sql_new_name);

#define DIGEST_SHOWN 16 /* bytes: 32 digits */

/* The secret is the server's own, which stands in for passwords of roles that do not exist. */
static bool digest_of(const char *schema, const char *name, uint8 digest[PG_SHA256_DIGEST_LENGTH])
{
    const Oid ids[] = {MyDatabaseId, GetUserId()};
    pg_cryptohash_ctx *hash = pg_cryptohash_create(PG_SHA256);
    const bool is_made =
        hash && pg_cryptohash_init(hash) == 0 &&
        pg_cryptohash_update(hash, (const uint8 *)"totrain.new_name", 17) == 0 &&
        pg_cryptohash_update(hash, (const uint8 *)GetMockAuthenticationNonce(),
                             MOCK_AUTH_NONCE_LEN) == 0 &&
        pg_cryptohash_update(hash, (const uint8 *)ids, sizeof ids) == 0 &&
        pg_cryptohash_update(hash, (const uint8 *)schema, strlen(schema) + 1) == 0 &&
        pg_cryptohash_update(hash, (const uint8 *)name, strlen(name) + 1) == 0 &&
        pg_cryptohash_final(hash, digest, PG_SHA256_DIGEST_LENGTH) == 0;

    pg_cryptohash_free(hash);
    return is_made;
}

Datum totrain_sql_new_name(PG_FUNCTION_ARGS)
{
    const char *schema = text_to_cstring(PG_GETARG_TEXT_PP(0));
    const char *name = text_to_cstring(PG_GETARG_TEXT_PP(1));
    uint8 digest[PG_SHA256_DIGEST_LENGTH];
    char digits[2 * DIGEST_SHOWN + 1];

    if (!digest_of(schema, name, digest))
        ereport(ERROR, (errmsg("no name for a new table can be made")));
    for (int i = 0; i < DIGEST_SHOWN; i++)
        snprintf(digits + 2 * i, 3, "%02x", digest[i]);
    PG_RETURN_TEXT_P(cstring_to_text(psprintf("totrain_new_%s", digits)));
}
