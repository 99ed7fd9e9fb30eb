/*
 * format_table.h - the aligned table. The first rows are held back until their widths are
 * known; a result that is longer goes on with these widths.
 */
#ifndef CLI_FORMAT_TABLE_H
#define CLI_FORMAT_TABLE_H

#include "base/cell.h"
#include "base/error.h"

struct table;

/* is_rounded: reals have five digits. */
struct table *table_new(const struct slice *names, size_t count, bool is_rounded);
void table_free(struct table *table);
enum status table_add(struct table *table, const struct cell *cells, struct text *out,
                      struct error *err);
enum status table_end(struct table *table, struct text *out, struct error *err);

#endif
