#include "parser/table_place.h"

#include "parser/scan.h"

/* Behind these a table is named. */
static bool begins_table(struct slice text, const struct scan *scan)
{
    static const char *const words[] = {"FROM", "JOIN", ",", "."};
    const struct slice word = scan_text(text, scan);

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (slice_is_fold(word, words[i]))
            return true;
    return false;
}

struct slice table_named_at(struct slice select, int position)
{
    bool is_table = false;

    for (struct scan scan = scan_next(select, 0, SCAN_HOST); scan.kind != SCAN_END;
         scan = scan_next(select, scan.end, SCAN_HOST)) {
        if (scan.kind == SCAN_BLANK || scan.kind == SCAN_COMMENT)
            continue;
        if (scan.start == position && scan.kind == SCAN_WORD && is_table)
            return scan_text(select, &scan);
        is_table = begins_table(select, &scan);
    }
    return SLICE("");
}

bool names_no_table(struct slice select)
{
    for (struct scan scan = scan_next(select, 0, SCAN_HOST); scan.kind != SCAN_END;
         scan = scan_next(select, scan.end, SCAN_HOST))
        if (scan.kind == SCAN_WORD && slice_is_fold(scan_text(select, &scan), "FROM"))
            return false;
    return true;
}

bool is_name_without_table(struct slice select, int position)
{
    const size_t place = (size_t)position;

    return position >= 0 && place < select.size && names_no_table(select) &&
           (scan_is_word_byte(select.data[place]) || select.data[place] == '"');
}
