#include "runtime/data/pgstore/settle_rows.h"

#include "runtime/data/pgstore/staged_rows.h"
#include "runtime/data/pgstore/take.h"

static enum status part_bytes(void *self, const char *index, uint64_t *bytes, struct error *err)
{
    return pgstore_part_bytes(self, index, bytes, err);
}

static enum status read_file(void *self, const char *name, struct text *bytes, struct error *err)
{
    return pgstore_read_staged(self, name, bytes, err);
}

static enum status open_parts(void *self, const struct sparse_file *parts, size_t count,
                              const char *folder, const struct spool_source **source,
                              struct error *err)
{
    const struct pgstore *store = self;

    return pgstore_take_table(store, store->rows, STAGED_PIECE_BYTES, parts, count, folder, source,
                              err);
}

static enum status store_files(void *self, const struct staged_file *files, size_t count,
                               struct error *err)
{
    return pgstore_stage(self, files, count, err);
}

enum status pgstore_settle(struct pgstore *store, const char *folder,
                           const struct settled_spool *spools, size_t count, struct error *err)
{
    const struct staged_table table = {.self = store,
                                       .part_bytes = part_bytes,
                                       .read = read_file,
                                       .open = open_parts,
                                       .store = store_files};
    bool is_settled;

    TRY(pgstore_has_staged(store, STAGED_SETTLED_NAME, &is_settled, err));
    return is_settled ? STATUS_OK : staged_settle(&table, folder, spools, count, err);
}
