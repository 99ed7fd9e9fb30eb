#include "scoring/label_names.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "inputs/cells/cells.h"
#include "inputs/cells/dates.h"

#define DAY_SECONDS 86400.0
#define DAYS_LEAST  (-719162) /* 0001-01-01 */
#define DAYS_MOST   2932896   /* 9999-12-31 */

_Static_assert(TRANSFORM_WORD_BUFFER >= sizeof "2024-03-31 22:30:00.000001+00",
               "a time and its zone fit");

enum label_spelling label_spelling_of(struct slice declared)
{
    static const struct {
        const char *type;
        enum label_spelling spelling;
    } types[] = {{"pg_catalog.bool", LABEL_AS_BOOLEAN},
                 {"pg_catalog.date", LABEL_AS_DATE},
                 {"pg_catalog.\"timestamp\"", LABEL_AS_TIME},
                 {"pg_catalog.timestamptz", LABEL_AS_INSTANT}};

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (slice_is(declared, types[i].type))
            return types[i].spelling;
    return LABEL_AS_NUMBER;
}

/* False for a number that the spelling has no text for: infinity, years beyond 9999. */
static bool spell(enum label_spelling spelling, const struct cell *class, char *buffer)
{
    const double number = class->type == CELL_INTEGER ? (double)class->integer : class->real;
    const double days = spelling == LABEL_AS_DATE ? number : floor(number / DAY_SECONDS);
    struct date date;

    if (spelling == LABEL_AS_BOOLEAN && (number == 0 || number == 1)) {
        snprintf(buffer, TRANSFORM_WORD_BUFFER, "%s", number == 1 ? "true" : "false");
        return true;
    }
    if (spelling == LABEL_AS_BOOLEAN || !(days >= DAYS_LEAST && days <= DAYS_MOST))
        return false;
    date.day = (int64_t)days;
    date.microsecond =
        spelling == LABEL_AS_DATE ? 0 : (int64_t)round((number - days * DAY_SECONDS) * 1e6);
    date_print(&date, buffer);
    if (spelling == LABEL_AS_INSTANT)
        memcpy(buffer + strlen(buffer), "+00", sizeof "+00");
    return true;
}

struct slice label_name(const struct labels *labels, uint32_t class,
                        char buffer[TRANSFORM_WORD_BUFFER])
{
    const struct cell *value = &labels->values[class];
    struct slice word = {0};
    struct error ignored;
    bool is_null;

    if (labels->spelling != LABEL_AS_NUMBER && value->type != CELL_TEXT &&
        spell(labels->spelling, value, buffer))
        return slice_of(buffer);
    cell_to_word(value, SLICE(""), buffer, &word, &is_null, &ignored);
    return word;
}

enum status label_names(const struct labels *labels, struct arena *arena, struct slice **names,
                        struct error *err)
{
    *names = ARENA_NEW(arena, struct slice, labels->count + 1u);
    if (!*names)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < labels->count; i++) {
        char buffer[TRANSFORM_WORD_BUFFER];

        (*names)[i] = arena_copy(arena, label_name(labels, i, buffer));
        if (!(*names)[i].data)
            return fail_no_memory(err);
    }
    return STATUS_OK;
}
