#include "extension/sqlite/host/row_guess.h"

#include "extension/engine/rows/plain_scan.h"
#include "extension/sql/sql.h"
#include "extension/sqlite/host/models.h"

/* Both ends of a rowid table are found without looking at what is in between. A table that has
 * taken the name for a column, or has no rowid, is not guessed at. */
uint64_t host_guess_rows(void *self, struct slice select)
{
    struct plain_scan plain;
    struct sql_located located;
    struct sql_table table;
    struct error ignored;
    int64_t rows = 0;

    if (!plain_scan_recognise(select, &plain))
        return 0;
    table = (struct sql_table){plain.schema, plain.table};
    if (sqlite_locate(self, &table, &located, &ignored) != STATUS_OK || !located.is_table)
        return 0;
    table.schema = slice_of(located.schema);
    if (sql_integer(self, "SELECT (SELECT max(_rowid_) FROM @) - (SELECT min(_rowid_) FROM @) + 1",
                    &table, NULL, 0, &rows, &ignored) != STATUS_OK)
        return 0;
    return rows > 0 ? (uint64_t)rows : 0;
}
