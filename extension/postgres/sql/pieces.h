/*
 * pieces.h - the table of pieces of a large model (extension/sql/publish_pieces.h) in PostgreSQL.
 *
 * It is written only while it is the caller's own, with nothing on it that is run with a row
 * (triggers, rules, policies, defaults, constraints, indexes), and with the comment that says how
 * many rows it has. Others may read it as they may read the model's table: for a new model by ALTER
 * DEFAULT PRIVILEGES; where a model is replaced they may not at all.
 */
#pragma once

#include "extension/sql/publish_pieces.h"

/* Rows of pieces, and how many of them differ. */
#define POSTGRES_COUNT_PIECES                                                                      \
    "SELECT pg_catalog.count(*), pg_catalog.count(DISTINCT (p.part, p.name, p.\"position\")) "     \
    "FROM @ p"

/* Functions of struct sql_variant. find: not usable, either, where a publication would carry the
 * pieces away; it is dropped then. */
enum status postgres_find_pieces(struct pieces *pieces, struct error *err);
enum status postgres_begin_pieces(struct pieces *pieces, struct error *err);
enum status postgres_note_piece(struct pieces *pieces, struct error *err);
enum status postgres_name_pieces(struct pieces *pieces, struct error *err);
