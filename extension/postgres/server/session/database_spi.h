/*
 * database_spi.h - the seam to the database through SPI: the caller's own backend.
 *
 * A statement is prepared, so that its columns are known and that it can be
 * asked whether it only reads, and then run into a receiver that gives each row
 * on as it comes: nothing is kept.
 */
#pragma once

#include "extension/postgres/server/session/session.h"

/* Fills session->database. */
void database_spi_init(struct session *session);
