/*
 * tables.h - tables that our statements write: may they, and the writing itself.
 */
#pragma once

#include "extension/sqlite/host/sqlite_host.h"

enum status host_check_target(void *self, const struct table_target *target, struct error *err);
/* The function of host_marks: the mark is a comment in the table's text. */
bool host_has_mark(void *self, struct slice schema, struct slice table, struct slice mark);
/* Drop what has the target's name, where the target may replace it. */
enum status drop_replaced(struct sqlite_host *host, const struct table_target *target,
                          struct error *err);
/* The host's CREATE TABLE for a target, with the marks by which later statements know it. */
enum status create_marked(struct sqlite_host *host, const struct table_target *target,
                          struct slice create, struct error *err);
/* Functions of struct sql_variant. */
enum status sqlite_choose_schema(struct sql_host *host, struct slice *schema,
                                 char buffer[SQL_NAME_BYTES], struct error *err);
enum status sqlite_check_replaced(struct sql_host *host, const struct sql_located *located,
                                  const struct table_target *target, struct error *err);
enum status sqlite_keep_stage(struct sql_host *host, struct slice select, struct error *err);
enum status sqlite_replace_by_select(struct sql_host *host, struct fill *fill, bool is_staged,
                                     struct error *err);
enum status sqlite_replace(struct sql_host *host, const struct table_target *target,
                           sql_maker *make, void *context, struct error *err);
enum status sqlite_create(struct sql_host *host, const struct sql_new_table *new,
                          const char *columns, struct error *err);
