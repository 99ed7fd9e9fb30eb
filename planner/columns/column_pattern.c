#include "planner/columns/column_pattern.h"

#include <locale.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>

#include "planner/plan/query.h"

#define REPETITIONS_MAX 1000 /* product of a pattern's {m,n}: regcomp writes them all out */

/* A regular expression can cost any amount of memory ((a{999}){999}) or time
 * (back references): refuse these before regcomp sees them. */
static const char *pattern_fault(struct slice pattern)
{
    double repetitions = 1;

    if (pattern.size == 0)
        return "is empty";
    if (pattern.size > PATTERN_BYTES_MAX)
        return "is longer than 200 bytes";
    if (memchr(pattern.data, '\0', pattern.size))
        return "holds a zero byte";
    for (size_t i = 0; i < pattern.size; i++) {
        if (pattern.data[i] == '\\' && i + 1 < pattern.size) {
            i++;
            if (pattern.data[i] >= '1' && pattern.data[i] <= '9')
                return "has a back reference";
        } else if (pattern.data[i] == '{') {
            double least = 0, most = 0;
            for (i++; i < pattern.size && pattern.data[i] >= '0' && pattern.data[i] <= '9'; i++)
                least = least * 10 + (pattern.data[i] - '0');
            if (i < pattern.size && pattern.data[i] == ',')
                for (i++; i < pattern.size && pattern.data[i] >= '0' && pattern.data[i] <= '9'; i++)
                    most = most * 10 + (pattern.data[i] - '0');
            repetitions *= (most > least ? most : least) + 1;
            if (repetitions > REPETITIONS_MAX)
                return "repeats too often";
        }
    }
    return NULL;
}

static enum status pattern_compile(const struct column *column, regex_t *compiled,
                                   struct error *err)
{
    char anchored[PATTERN_BYTES_MAX + 8], reason[128];
    const char *fault = pattern_fault(column->pattern);
    int code;

    if (fault)
        return fail_at(err, STATUS_INVALID, column->span.start, "the pattern %s", fault);
    snprintf(anchored, sizeof anchored, "^(%.*s)$", SLICE_FORMAT(column->pattern));
    code = regcomp(compiled, anchored, REG_EXTENDED | REG_NOSUB);
    if (code == 0)
        return STATUS_OK;
    regerror(code, compiled, reason, sizeof reason);
    return fail_at(err, STATUS_INVALID, column->span.start,
                   "the pattern '%.*s' is not a regular expression: %s",
                   SLICE_FORMAT(column->pattern), reason);
}

bool column_is_quoted_pattern(const struct query *query, const struct column *column)
{
    if (column->kind != COLUMN_NAME || !column->pattern.data ||
        query_find(query, column->name.text) != -1)
        return false;
    for (size_t i = 0; i < column->pattern.size; i++)
        if (strchr(".*+?[](){}|^$\\", column->pattern.data[i]))
            return true;
    return false;
}

static enum status match_names(struct planning *planning, const struct column *column,
                               bool *matched)
{
    const struct query *query = &planning->plan->query;
    regex_t compiled;

    TRY(pattern_compile(column, &compiled, planning->err));
    for (size_t i = 0; i < query->count; i++)
        matched[i] = regexec(&compiled, query->columns[i].name.data, 0, NULL, 0) == 0;
    regfree(&compiled);
    return STATUS_OK;
}

/* [a-z] must mean the same bytes whatever locale the host runs in. */
static enum status match_in_plain_locale(struct planning *planning, const struct column *column,
                                         bool *matched)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t previous;
    enum status status;

    if (!plain)
        return fail_no_memory(planning->err);
    previous = uselocale(plain);
    status = match_names(planning, column, matched);
    uselocale(previous);
    freelocale(plain);
    return status;
}

static char small_letter(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* The bytes of the character at `at`; 1 where they are no UTF-8. */
static size_t character_size(struct slice text, size_t at)
{
    const size_t size = utf8_sequence(text.data + at, text.size - at);

    return size ? size : 1;
}

/* Where a mismatch comes behind a %, that % takes one character more: the last one is enough, so
 * the time is at most the product of both lengths. */
static bool is_like(struct slice name, struct slice pattern)
{
    size_t at = 0, of = 0, behind_percent = 0, taken = 0;
    bool has_percent = false;

    while (at < name.size) {
        const char want = of < pattern.size ? pattern.data[of] : '\0';
        const bool is_escaped = want == '\\' && of + 1 < pattern.size;

        if (want == '%') {
            has_percent = true;
            behind_percent = ++of;
            taken = at;
        } else if (want == '_') {
            at += character_size(name, at);
            of++;
        } else if (of < pattern.size &&
                   small_letter(pattern.data[of + is_escaped]) == small_letter(name.data[at])) {
            at++;
            of += 1 + is_escaped;
        } else if (has_percent) {
            taken += character_size(name, taken);
            at = taken;
            of = behind_percent;
        } else {
            return false;
        }
    }
    while (of < pattern.size && pattern.data[of] == '%')
        of++;
    return of == pattern.size;
}

enum status column_pattern_match(struct planning *planning, const struct column *column,
                                 bool **matched)
{
    const struct query *query = &planning->plan->query;

    *matched = ARENA_NEW(planning->arena, bool, query->count + 1);
    if (!*matched)
        return fail_no_memory(planning->err);
    if (column->kind != COLUMN_LIKE)
        return match_in_plain_locale(planning, column, *matched);
    if (column->pattern.size > PATTERN_BYTES_MAX)
        return fail_at(planning->err, STATUS_INVALID, column->span.start,
                       "the pattern is longer than %d bytes", PATTERN_BYTES_MAX);
    for (size_t i = 0; i < query->count; i++)
        (*matched)[i] = is_like(query->columns[i].name, column->pattern);
    return STATUS_OK;
}
