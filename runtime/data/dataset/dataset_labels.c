#include "runtime/data/dataset/dataset_labels.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/data/spool/spool_reader.h"

static struct slice label_word(const struct spool_column_view *column, uint32_t row)
{
    if (column->type == SPOOL_TEXT)
        return spool_cell(column, row).text;
    return (struct slice){(const char *)&column->numbers[(size_t)row * column->stride],
                          sizeof *column->numbers};
}

int32_t class_of(const struct class_index *index, const struct spool_column_view *column,
                 uint32_t row)
{
    const uint32_t count = index->table.count;
    uint32_t entry;

    if (column->type == SPOOL_TEXT || count > FEW_CLASSES) {
        entry = word_table_find(&index->table, label_word(column, row));
        return entry == WORD_TABLE_NONE ? -1 : (int32_t)index->classes[entry];
    }
    for (entry = 0; entry < count; entry++)
        if (index->few[entry] == spool_integer(column, row))
            return (int32_t)index->classes[entry];
    return -1;
}

void class_index_deinit(struct class_index *index)
{
    word_table_deinit(&index->table);
}
