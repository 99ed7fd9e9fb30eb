#include "interop/formulas/formula_dates.h"

#include "inputs/cells/characters.h"
#include "inputs/cells/date_names.h"

#define LETTERS_END 0x460 /* behind all letters of names */

bool date_capitals_find(uint32_t first, struct capital_run *run)
{
    run->last = first < 0x80 ? 0x80 - 1 : first - 1;
    do {
        if (!capital_run_find(run->last + 1, run) || run->first >= LETTERS_END)
            return false;
    } while (!date_name_has(run->first));
    return true;
}

void date_letters_append(struct text *out)
{
    for (uint32_t point = 0x80; point < LETTERS_END; point++)
        if (date_name_has(point) && character_small(point) == point) {
            char bytes[CHARACTER_BYTES];

            text_append(out, (struct slice){bytes, character_write(point, bytes)});
        }
}

void date_months_append(struct text *out)
{
    struct date_name name;

    for (size_t i = 0; date_name_at(i, &name); i++)
        if (name.month > 0)
            text_printf(out, "|%.*s=%03d", (int)name.text.size, name.text.data,
                        name.month + (name.is_short ? 100 : 0) + (name.is_english ? 200 : 0));
    text_append_char(out, '|');
}

void date_weekdays_append(struct text *out)
{
    struct date_name name;

    for (size_t i = 0; date_name_at(i, &name); i++)
        if (name.month == 0)
            text_printf(out, "|%.*s", (int)name.text.size, name.text.data);
    text_append_char(out, '|');
}
