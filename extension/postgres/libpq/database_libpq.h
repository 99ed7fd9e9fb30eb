/*
 * database_libpq.h - the seam to the database over a connection of libpq.
 */
#pragma once

#include "extension/postgres/libpq/libpq.h"

/* postgres://..., postgresql://..., or words of a conninfo string (dbname=...)? */
bool libpq_is_address(const char *text);

/* `password` is NULL where libpq is to find it. CONNECTION, with libpq's reason. To be closed even
 * when this fails. The struct must not move afterwards. */
enum status libpq_open(struct libpq *libpq, const char *address, const char *password,
                       struct error *err);
/* True where the server refused because it wants a password and libpq found none. An interactive
 * caller may ask the user for it, and closes and opens the connection again. */
bool libpq_needs_password(const struct libpq *libpq);
/* One more connection as the same user to the same database. */
enum status libpq_open_again(struct libpq *libpq, const struct libpq *first, struct error *err);
void libpq_close(struct libpq *libpq);
/* Takes over a connection that another module has made. */
enum status libpq_adopt(struct libpq *libpq, PGconn *connection, struct error *err);
