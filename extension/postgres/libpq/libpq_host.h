/*
 * libpq_host.h - the host of the program: a connection, and what it offers to statements.
 */
#pragma once

#include "extension/postgres/libpq/libpq.h"

/* The host over this connection, with what libpq adds to it: where a detached job finds
 * the database, and reading in parallel. */
void libpq_host_init(struct sql_host *host, struct libpq *libpq, const char *program);

/* A conninfo string that leads to the same database as the same user, without a
 * password: a process that connects later gets it from where libpq finds it. New tables are
 * made in `schema`, and belong to `role` where it is not empty. */
enum status libpq_address(const struct libpq *libpq, struct slice schema, struct slice role,
                          struct text *address, struct error *err);
