#include "extension/engine/host/notice_rows.h"

enum status notice_rows(const struct notice_list *list, size_t columns, size_t at,
                        const struct sink *sink, struct error *err)
{
    enum status status = STATUS_OK;
    struct text line;

    text_init(&line, TEXT_MAXIMUM);
    for (size_t i = 0; list && i < list->count && status == STATUS_OK; i++) {
        struct cell row[NOTICE_COLUMNS_MAX] = {cell_string(NOTICE_ROW)};

        for (size_t j = 1; j < columns && j < NOTICE_COLUMNS_MAX; j++)
            row[j] = cell_null();
        text_clear(&line);
        notice_print(&list->items[i], &line);
        row[at] = cell_text(text_slice(&line));
        status = line.failed ? fail_no_memory(err) : sink_row(sink, row, columns, err);
    }
    text_deinit(&line);
    return status;
}
