#include "planner/training/constraints.h"

#include "planner/plan/query.h"
#include "planner/plan/settings.h"

#define SHOWN_MAX 20 /* bytes of a value in a message */

/* The text of one setting, from front to end. */
struct reader {
    const struct planning *planning;
    const struct setting *setting;
    struct slice text;
    size_t at;
};

/* The inputs that one column of the SELECT has become. */
struct input_span {
    size_t first, end;
};

/* ---- signs and names ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The next byte that is not blank; 0 at the end. */
static char peek(struct reader *reader)
{
    while (reader->at < reader->text.size && is_blank(reader->text.data[reader->at]))
        reader->at++;
    return reader->at < reader->text.size ? reader->text.data[reader->at] : '\0';
}

static bool accept(struct reader *reader, char sign)
{
    if (peek(reader) != sign)
        return false;
    reader->at++;
    return true;
}

static int place_of(const struct reader *reader, size_t at)
{
    return setting_place(reader->setting, (int)at);
}

static enum status refuse(struct reader *reader, const char *expected, const char *hint)
{
    const bool is_end = peek(reader) == '\0';
    struct slice rest = {reader->text.data + reader->at, reader->text.size - reader->at};
    struct error *err = reader->planning->err;

    rest.size = rest.size < SHOWN_MAX ? rest.size : SHOWN_MAX;
    if (is_end)
        fail_at(err, STATUS_INVALID, place_of(reader, reader->at), "%.*s ends, and %s was expected",
                SLICE_FORMAT(reader->setting->name.text), expected);
    else
        fail_at(err, STATUS_INVALID, place_of(reader, reader->at),
                "%.*s: expected %s near \"%.*s\"", SLICE_FORMAT(reader->setting->name.text),
                expected, SLICE_FORMAT(rest));
    return error_hint(err, "%s", hint);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Digits of a column's number or a direction; what is larger than any of these stays large. */
static bool accept_number(struct reader *reader, uint32_t *number)
{
    if (!is_digit(peek(reader)))
        return false;
    for (*number = 0; reader->at < reader->text.size && is_digit(reader->text.data[reader->at]);
         reader->at++)
        if (*number < 1000000)
            *number = *number * 10 + (uint32_t)(reader->text.data[reader->at] - '0');
    return true;
}

static bool ends_word(char c)
{
    return is_blank(c) || c == ',' || c == ':' || c == ']' || c == '}' || c == ')' || c == '[' ||
           c == '{' || c == '(' || c == '"' || c == '\'';
}

/* "age" or 'age', where a backslash lets the next byte be of the name, or the word alone. */
static enum status read_name(struct reader *reader, struct slice *name)
{
    const char quote = peek(reader);
    const struct slice text = reader->text;
    size_t size = 0;
    char *bytes;

    if (quote != '"' && quote != '\'') {
        const size_t first = reader->at;

        while (reader->at < text.size && !ends_word(text.data[reader->at]))
            reader->at++;
        *name = (struct slice){text.data + first, reader->at - first};
        return STATUS_OK;
    }
    bytes = arena_alloc(reader->planning->arena, text.size - reader->at);
    if (!bytes)
        return fail_no_memory(reader->planning->err);
    for (reader->at++; reader->at < text.size && text.data[reader->at] != quote; reader->at++) {
        if (text.data[reader->at] == '\\' && reader->at + 1 < text.size)
            reader->at++;
        bytes[size++] = text.data[reader->at];
    }
    if (reader->at == text.size)
        return refuse(reader, "the end of a name in quotes",
                      "Names are closed as they are opened.");
    reader->at++;
    *name = (struct slice){bytes, size};
    return STATUS_OK;
}

/* ---- columns ---- */

static size_t span_end(const struct plan *plan, size_t first)
{
    const struct plan_input *input = &plan->inputs[first];
    size_t end = first + 1;

    while (input_shares(&input->spec) && end < plan->input_count &&
           input_shares(&plan->inputs[end].spec) &&
           slice_equal(plan->inputs[end].spec.source, input->spec.source))
        end++;
    return end;
}

static enum status find_number(const struct reader *reader, uint32_t number, size_t place,
                               struct input_span *span)
{
    const struct plan *plan = reader->planning->plan;
    struct error *err = reader->planning->err;
    uint32_t count = 0;

    for (size_t first = 0; first < plan->input_count; first = span_end(plan, first)) {
        if (plan->inputs[first].spec.offset)
            continue;
        if (count++ < number)
            continue;
        *span = (struct input_span){first, span_end(plan, first)};
        return STATUS_OK;
    }
    fail_at(err, STATUS_INVALID, place_of(reader, place),
            "%.*s: there is no column %u among the %u that the model learns from",
            SLICE_FORMAT(reader->setting->name.text), number, count);
    return error_hint(err,
                      "Columns are counted from 0, without the label; they can be named, too.");
}

static bool is_named(const struct plan_input *input, struct slice name,
                     bool (*same)(struct slice, struct slice))
{
    return same(input->spec.name, name) ||
           (input_shares(&input->spec) && same(input->spec.source, name));
}

static enum status find_name(const struct reader *reader, struct slice name, size_t place,
                             struct input_span *span)
{
    bool (*const ways[])(struct slice, struct slice) = {slice_equal, slice_equal_fold};
    const struct plan *plan = reader->planning->plan;
    struct error *err = reader->planning->err;
    int column;

    for (size_t way = 0; way < sizeof ways / sizeof *ways; way++)
        for (size_t i = 0; i < plan->input_count; i++) {
            if (plan->inputs[i].spec.offset || !is_named(&plan->inputs[i], name, ways[way]))
                continue;
            *span = (struct input_span){
                i, ways[way](plan->inputs[i].spec.name, name) ? i + 1 : span_end(plan, i)};
            return STATUS_OK;
        }
    TRY(query_resolve(&plan->query, "", name, place_of(reader, place), &column, err));
    fail_at(err, STATUS_INVALID, place_of(reader, place),
            "%.*s: the model does not learn from column \"%.*s\"",
            SLICE_FORMAT(reader->setting->name.text), SLICE_FORMAT(name));
    return error_hint(err, "Only columns that it learns from are constrained.");
}

/* ---- directions ---- */

#define DIRECTION_HINT                                                                             \
    "1: the prediction may not fall where the column rises; -1: not rise; 0: either."

static enum status read_direction(struct reader *reader, int *direction)
{
    const bool is_falling = accept(reader, '-');
    uint32_t number;

    if (!is_falling)
        accept(reader, '+');
    if (!accept_number(reader, &number) || number > 1)
        return refuse(reader, "1, 0 or -1", DIRECTION_HINT);
    *direction = is_falling ? -(int)number : (int)number;
    return STATUS_OK;
}

static enum status direct(const struct reader *reader, struct input_span span, int direction,
                          size_t place)
{
    struct plan_input *input = &reader->planning->plan->inputs[span.first];
    struct error *err = reader->planning->err;

    if (direction == 0)
        return STATUS_OK;
    if (span.end > span.first + 1) {
        fail_at(err, STATUS_INVALID, place_of(reader, place), "%.*s: column \"%.*s\" is a %s",
                SLICE_FORMAT(reader->setting->name.text), SLICE_FORMAT(input->spec.source),
                input->spec.part ? "date of several parts" : "list of several numbers");
        return error_hint(err, "Name one of them, such as {\"%.*s\": %d}.",
                          SLICE_FORMAT(input->spec.name), direction);
    }
    if (input->spec.type != INPUT_NUMERIC) {
        fail_at(err, STATUS_INVALID, place_of(reader, place),
                "%.*s: column \"%.*s\" is a %s, which has no order",
                SLICE_FORMAT(reader->setting->name.text), SLICE_FORMAT(input->spec.name),
                input_type_words[input->spec.type]);
        return error_hint(err, "Only numbers have a direction.");
    }
    input->spec.direction = (int8_t)direction;
    return STATUS_OK;
}

static enum status read_named_directions(struct reader *reader)
{
    struct input_span span;
    struct slice name;
    size_t place;
    int direction;

    do {
        peek(reader);
        place = reader->at;
        TRY(read_name(reader, &name));
        if (name.size == 0 || !accept(reader, ':'))
            return refuse(reader, name.size == 0 ? "a column's name" : "a colon",
                          "A list of names is written as {\"age\": 1, \"debt\": -1}.");
        TRY(read_direction(reader, &direction));
        TRY(find_name(reader, name, place, &span));
        TRY(direct(reader, span, direction, place));
    } while (accept(reader, ','));
    return accept(reader, '}') ? STATUS_OK : refuse(reader, "a comma or }", DIRECTION_HINT);
}

static enum status read_numbered_directions(struct reader *reader)
{
    const char close = accept(reader, '(') ? ')' : accept(reader, '[') ? ']' : '\0';
    struct input_span span;
    uint32_t number = 0;
    size_t place;
    int direction;

    do {
        peek(reader);
        place = reader->at;
        TRY(read_direction(reader, &direction));
        TRY(find_number(reader, number++, place, &span));
        TRY(direct(reader, span, direction, place));
    } while (accept(reader, ','));
    return close == '\0' || accept(reader, close)
               ? STATUS_OK
               : refuse(reader, close == ')' ? "a comma or )" : "a comma or ]", DIRECTION_HINT);
}

/* ---- groups ---- */

#define GROUPS_HINT                                                                                \
    "Groups of columns that may be on one way to a leaf: [[\"age\", \"debt\"], [\"plan\"]], or "   \
    "[[0, 1], [2]]."

/* One column of a group, by its number or by its name. */
static enum status read_member(struct reader *reader, uint32_t group)
{
    struct plan *plan = reader->planning->plan;
    struct input_span span;
    struct slice name;
    uint32_t number;
    size_t place;

    peek(reader);
    place = reader->at;
    if (accept_number(reader, &number)) {
        TRY(find_number(reader, number, place, &span));
    } else {
        TRY(read_name(reader, &name));
        if (name.size == 0)
            return refuse(reader, "a column", GROUPS_HINT);
        TRY(find_name(reader, name, place, &span));
    }
    for (size_t i = span.first; i < span.end; i++)
        plan->inputs[i].spec.groups |= (uint64_t)1 << group;
    return STATUS_OK;
}

static enum status read_group(struct reader *reader, uint32_t group)
{
    struct error *err = reader->planning->err;

    if (group == INTERACTION_GROUPS_MAX) {
        fail_at(err, STATUS_LIMIT, place_of(reader, reader->at), "%.*s: at most %d groups",
                SLICE_FORMAT(reader->setting->name.text), INTERACTION_GROUPS_MAX);
        return error_hint(err, "Leave out groups that others contain.");
    }
    if (!accept(reader, '['))
        return refuse(reader, "a group of columns in brackets", GROUPS_HINT);
    do
        TRY(read_member(reader, group));
    while (accept(reader, ','));
    return accept(reader, ']') ? STATUS_OK : refuse(reader, "a comma or ]", GROUPS_HINT);
}

/* Is there a bracket around all groups: two before the first column? */
static bool has_outer(struct reader *reader)
{
    const size_t first = reader->at;
    const bool has_two = accept(reader, '[') && peek(reader) == '[';

    if (!has_two)
        reader->at = first;
    return has_two;
}

static enum status read_groups(struct reader *reader)
{
    const bool is_in_brackets = has_outer(reader);
    uint32_t group = 0;

    do
        TRY(read_group(reader, group++));
    while (accept(reader, ','));
    return !is_in_brackets || accept(reader, ']') ? STATUS_OK
                                                  : refuse(reader, "a comma or ]", GROUPS_HINT);
}

/* ---- settings ---- */

static enum status read_directions(struct reader *reader)
{
    return accept(reader, '{') ? read_named_directions(reader) : read_numbered_directions(reader);
}

static enum status read_setting(struct planning *planning, const char *attribute,
                                enum status (*read)(struct reader *reader))
{
    const struct setting *setting = settings_find(planning, attribute);
    struct reader reader = {planning, setting, .at = 0};

    if (!setting)
        return STATUS_OK;
    reader.text = setting->value.text;
    TRY(read(&reader));
    return peek(&reader) == '\0' ? STATUS_OK
                                 : refuse(&reader, "the end", "Nothing follows what is complete.");
}

enum status constraints_plan(struct planning *planning)
{
    TRY(read_setting(planning, "monotone_constraints", read_directions));
    return read_setting(planning, "interaction_constraints", read_groups);
}
