#include "parser/build.h"

#include <math.h>
#include <string.h>

static void parse_fail_no_memory(struct parse *parse)
{
    if (parse->status == STATUS_OK)
        parse->status = fail(parse->err, STATUS_NO_MEMORY,
                             "the statement needs more memory than one statement may use");
}

static void parse_fail_limit(struct parse *parse, int position, int limit, const char *what)
{
    if (parse->status == STATUS_OK)
        parse->status = fail_at(parse->err, STATUS_LIMIT, position, "a statement has at most %d %s",
                                limit, what);
}

/* Room for one more of `count` items: the capacity is 4, 8, 16, ... and so
 * follows from the count. NULL when memory ran out. */
static void *grow(struct parse *parse, void *items, size_t count, size_t size)
{
    void *more;

    if (count != 0 && (count < 4 || (count & (count - 1)) != 0))
        return items;
    more = arena_alloc_array(parse->arena, count ? count * 2 : 4, size);
    if (!more)
        parse_fail_no_memory(parse);
    else if (count)
        memcpy(more, items, count * size);
    return more;
}

static struct slice keep(struct parse *parse, struct slice bytes)
{
    struct slice copy = arena_copy(parse->arena, bytes);

    if (!copy.data)
        parse_fail_no_memory(parse);
    return copy;
}

struct span span_of(const struct token *first, const struct token *last)
{
    return (struct span){first->position, token_end(last)};
}

static struct slice source_of(const struct parse *parse, struct span span)
{
    return (struct slice){parse->text.data + span.start, (size_t)(span.end - span.start)};
}

void build_verb(struct parse *parse, enum statement_kind kind, const struct token *verb)
{
    parse->statement->kind = kind;
    parse->statement->verb_position = verb->position;
}

void build_query(struct parse *parse, const struct token *query)
{
    parse->statement->select = keep(parse, query->text);
    parse->statement->select_position = query->position;
}

/* The bytes between the quotes, doubled quotes made single. */
static struct slice unquote(struct parse *parse, struct slice written, char quote)
{
    char *bytes = arena_alloc(parse->arena, written.size);
    size_t size = 0;

    if (!bytes) {
        parse_fail_no_memory(parse);
        return (struct slice){NULL, 0};
    }
    for (size_t i = 1; i + 1 < written.size; i++) {
        bytes[size++] = written.data[i];
        if (written.data[i] == quote && written.data[i + 1] == quote && i + 2 < written.size)
            i++;
    }
    return (struct slice){bytes, size};
}

struct name build_name(struct parse *parse, const struct token *token)
{
    struct name name = {.position = token->position};
    char first = token->text.data[0];

    name.quoted = first == '"' || first == '`' || first == '[';
    if (name.quoted)
        name.text = unquote(parse, token->text, first == '[' ? ']' : first);
    else
        name.text = keep(parse, token->text);
    if (name.text.size == 0 && parse->status == STATUS_OK)
        parse->status =
            fail_at(parse->err, STATUS_SYNTAX, token->position, "a name cannot be empty");
    return name;
}

struct name build_string_name(struct parse *parse, const struct token *token)
{
    struct name name = {build_string(parse, token), token->position, true};

    if (name.text.size == 0 && parse->status == STATUS_OK)
        parse->status =
            fail_at(parse->err, STATUS_SYNTAX, token->position, "a name cannot be empty");
    return name;
}

/* The character that a backslash and this letter stand for; 0: the backslash stays as it is. */
static char escaped(char letter)
{
    switch (letter) {
    case 'n':
        return '\n';
    case 't':
        return '\t';
    case 'r':
        return '\r';
    case '\\':
    case '\'':
    case '"':
        return letter;
    default:
        return 0;
    }
}

struct slice build_string(struct parse *parse, const struct token *token)
{
    struct slice written = token->text;
    char *bytes = arena_alloc(parse->arena, written.size);
    char quote = written.data[0];
    size_t size = 0;

    if (!bytes) {
        parse_fail_no_memory(parse);
        return (struct slice){NULL, 0};
    }
    for (size_t i = 1; i + 1 < written.size; i++) {
        char c = written.data[i], next = written.data[i + 1];
        if (c == '\\' && escaped(next)) {
            bytes[size++] = escaped(next);
            i++;
        } else {
            bytes[size++] = c;
            i += c == quote;
        }
    }
    return (struct slice){bytes, size};
}

/* $tag$...$tag$: nothing in it is escaped. */
static struct slice dollar_quoted(struct parse *parse, struct slice written)
{
    const size_t tag =
        (size_t)((const char *)memchr(written.data + 1, '$', written.size - 1) - written.data) + 1;

    return keep(parse, (struct slice){written.data + tag, written.size - 2 * tag});
}

void build_definition(struct parse *parse, const struct token *token)
{
    struct statement *statement = parse->statement;

    statement->definition =
        token->text.data[0] == '$' ? dollar_quoted(parse, token->text) : build_string(parse, token);
    statement->definition_written = keep(parse, token->text);
    statement->definition_position = token->position;
}

struct dotted build_dotted(struct parse *parse, const struct name *name, const struct token *token)
{
    (void)parse;
    return (struct dotted){*name, 1, token_end(token)};
}

struct dotted build_dotted_more(struct parse *parse, const struct dotted *dotted, char separator,
                                const struct dotted *more)
{
    struct dotted result = *dotted;

    if (dotted->parts >= STATEMENT_NAME_PARTS_MAX) {
        if (parse->status == STATUS_OK)
            parse->status = fail_at(parse->err, STATUS_LIMIT, more->name.position,
                                    "a dotted name has at most %d parts", STATEMENT_NAME_PARTS_MAX);
        return result;
    }
    result.name.text = arena_printf(parse->arena, "%.*s%c%.*s", SLICE_FORMAT(dotted->name.text),
                                    separator, SLICE_FORMAT(more->name.text));
    if (!result.name.text.data)
        parse_fail_no_memory(parse);
    result.name.quoted |= more->name.quoted;
    result.parts++;
    result.end = more->end;
    return result;
}

struct path build_path(const struct name *a, const struct name *b, const struct name *c)
{
    struct path path = {.parts = {*a}, .count = 1};

    if (b)
        path.parts[path.count++] = *b;
    if (c)
        path.parts[path.count++] = *c;
    return path;
}

struct value build_number(struct parse *parse, const struct token *sign, const struct token *number)
{
    struct value value = {.kind = VALUE_NUMBER, .span = span_of(sign ? sign : number, number)};
    bool negative = sign && sign->text.data[0] == '-';

    value.text =
        arena_printf(parse->arena, "%s%.*s", negative ? "-" : "", SLICE_FORMAT(number->text));
    if (!value.text.data) {
        parse_fail_no_memory(parse);
        return value;
    }
    value.is_integer = slice_to_integer(value.text, &value.integer);
    if ((!slice_to_real(value.text, &value.number) || !isfinite(value.number)) &&
        parse->status == STATUS_OK)
        parse->status =
            fail_at(parse->err, STATUS_SYNTAX, value.span.start,
                    "the number %.*s is too large: the largest is about 1.8e308",
                    (int)(value.text.size > 40 ? 40 : value.text.size), value.text.data);
    return value;
}

struct value build_text(struct parse *parse, const struct token *token)
{
    return (struct value){
        .kind = VALUE_STRING, .span = span_of(token, token), .text = build_string(parse, token)};
}

struct value build_word(const struct dotted *word)
{
    struct value value = {
        .kind = VALUE_WORD, .span = {word->name.position, word->end}, .text = word->name.text};

    if (word->name.quoted)
        return value;
    value.boolean = slice_is_fold(value.text, "true");
    if (value.boolean || slice_is_fold(value.text, "false"))
        value.kind = VALUE_BOOLEAN;
    return value;
}

struct value build_list(const struct token *open, const struct value_list *list,
                        const struct token *close)
{
    return (struct value){.kind = VALUE_LIST,
                          .span = span_of(open, close),
                          .items = list ? list->items : NULL,
                          .count = list ? list->count : 0};
}

struct value build_range(struct parse *parse, const struct token *function,
                         const struct value_list *list, const struct token *close)
{
    if (!slice_is_fold(function->text, "RANGE") && parse->status == STATUS_OK) {
        parse->status = fail_at(parse->err, STATUS_SYNTAX, function->position,
                                "unknown function \"%.*s\"", SLICE_FORMAT(function->text));
        error_hint(parse->err, "The only function of a value is RANGE(least, most), which "
                               "tune.trials draws from.");
    }
    return (struct value){.kind = VALUE_RANGE,
                          .span = span_of(function, close),
                          .items = list->items,
                          .count = list->count};
}

static bool count_value(struct parse *parse, int position)
{
    if (parse->value_count++ < STATEMENT_VALUES_MAX)
        return true;
    parse_fail_limit(parse, position, STATEMENT_VALUES_MAX, "list elements and arguments");
    return false;
}

void build_value(struct parse *parse, struct value_list *list, const struct value *value)
{
    if (!count_value(parse, value->span.start))
        return;
    list->items = grow(parse, list->items, list->count, sizeof *list->items);
    if (list->items)
        list->items[list->count++] = *value;
}

void build_setting(struct parse *parse, const struct dotted *name, const struct value *value)
{
    struct statement *statement = parse->statement;

    for (size_t i = 0; i < statement->setting_count; i++) {
        if (!slice_equal_fold(statement->settings[i].name.text, name->name.text))
            continue;
        if (parse->status == STATUS_OK)
            parse->status =
                fail_at(parse->err, STATUS_SYNTAX, name->name.position,
                        "attribute \"%.*s\" is given twice", SLICE_FORMAT(name->name.text));
        error_hint(parse->err, "Leave one of the two out.");
        return;
    }
    if (statement->setting_count == STATEMENT_ATTRIBUTES_MAX) {
        parse_fail_limit(parse, name->name.position, STATEMENT_ATTRIBUTES_MAX, "attributes");
        return;
    }
    statement->settings =
        grow(parse, statement->settings, statement->setting_count, sizeof *statement->settings);
    if (statement->settings)
        statement->settings[statement->setting_count++] = (struct setting){name->name, *value};
}

struct column build_column_name(struct parse *parse, const struct token *token)
{
    struct column column = {.kind = COLUMN_NAME, .span = span_of(token, token)};

    column.name = build_name(parse, token);
    if (token->text.data[0] == '"')
        column.pattern = build_string(parse, token);
    column.value =
        (struct value){.kind = VALUE_WORD, .span = column.span, .text = column.name.text};
    return column;
}

struct column build_column_pattern(struct parse *parse, const struct token *token)
{
    return (struct column){.kind = COLUMN_PATTERN,
                           .span = span_of(token, token),
                           .pattern = build_string(parse, token)};
}

struct column build_column_like(struct parse *parse, const struct token *like,
                                const struct token *string)
{
    return (struct column){
        .kind = COLUMN_LIKE, .span = span_of(like, string), .pattern = build_string(parse, string)};
}

struct column build_column_all(const struct token *star, const struct column_list *except, int end)
{
    struct column column = {.kind = COLUMN_ALL, .span = span_of(star, star)};

    if (!except)
        return column;
    column.span.end = end;
    column.items = except->items;
    column.count = except->count;
    return column;
}

struct column build_column_value(const struct value *value)
{
    return (struct column){.kind = COLUMN_VALUE, .span = value->span, .value = *value};
}

struct column build_column_list(const struct token *open, const struct column_list *list,
                                const struct token *close)
{
    return (struct column){.kind = COLUMN_LIST,
                           .span = span_of(open, close),
                           .items = list ? list->items : NULL,
                           .count = list ? list->count : 0};
}

struct column build_column_named(const struct column *column, const struct name *alias)
{
    struct column named = *column;

    named.alias = *alias;
    return named;
}

struct column build_argument_named(struct parse *parse, const struct token *parameter,
                                   const struct column *argument)
{
    struct column named = *argument;

    named.parameter = build_name(parse, parameter);
    return named;
}

/* A function's first argument stands in a column's place: a string there is a
 * regular expression, also inside CROSS(['a', 'b'], 10). */
static void argument_is_column(struct column *argument)
{
    if (argument->kind == COLUMN_VALUE && argument->value.kind == VALUE_STRING) {
        argument->kind = COLUMN_PATTERN;
        argument->pattern = argument->value.text;
        argument->value = (struct value){.kind = VALUE_NUMBER};
    } else if (argument->kind == COLUMN_LIST) {
        for (size_t i = 0; i < argument->count; i++)
            argument_is_column(&argument->items[i]);
    }
}

/* The later arguments are values: there "," is text in double quotes. */
static void argument_is_value(struct column *argument)
{
    if (argument->kind == COLUMN_NAME && argument->pattern.data) {
        argument->kind = COLUMN_VALUE;
        argument->value.kind = VALUE_STRING;
        argument->value.text = argument->pattern;
        argument->name = (struct name){.position = -1};
        argument->pattern = (struct slice){NULL, 0};
    } else if (argument->kind == COLUMN_LIST) {
        for (size_t i = 0; i < argument->count; i++)
            argument_is_value(&argument->items[i]);
    }
}

struct column build_call(struct parse *parse, const struct token *function,
                         const struct column_list *arguments, const struct token *close)
{
    struct column call = {.kind = COLUMN_CALL, .span = span_of(function, close)};

    call.name = build_name(parse, function);
    if (!arguments)
        return call;
    call.items = arguments->items;
    call.count = arguments->count;
    for (size_t i = 0; i < call.count; i++) {
        if (i == 0)
            argument_is_column(&call.items[i]);
        else
            argument_is_value(&call.items[i]);
    }
    return call;
}

static void push_column(struct parse *parse, struct column_list *list, const struct column *column)
{
    list->items = grow(parse, list->items, list->count, sizeof *list->items);
    if (list->items)
        list->items[list->count++] = *column;
}

void build_argument(struct parse *parse, struct column_list *list, const struct column *argument)
{
    if (count_value(parse, argument->span.start))
        push_column(parse, list, argument);
}

void build_column(struct parse *parse, struct column_list *list, const struct column *column)
{
    if (list->count == STATEMENT_COLUMNS_MAX)
        parse_fail_limit(parse, column->span.start, STATEMENT_COLUMNS_MAX,
                         "columns in one COLUMN clause");
    else
        push_column(parse, list, column);
}

void build_columns(struct parse *parse, const struct token *word, const struct column_list *list,
                   const struct name *part)
{
    struct statement *statement = parse->statement;
    struct column_clause clause = {list->items, list->count, {.position = -1}, word->position};

    if (part)
        clause.part = *part;
    if (!part && statement->column_clause_count > 0 && parse->status == STATUS_OK) {
        parse->status = fail_at(parse->err, STATUS_SYNTAX, word->position,
                                "a second COLUMN clause needs FOR and the part of the model");
        error_hint(parse->err, "Write COLUMN ... FOR linear_feature_columns, or put all columns "
                               "into one COLUMN clause, separated by commas.");
        return;
    }
    if (statement->column_clause_count == STATEMENT_CLAUSES_MAX) {
        parse_fail_limit(parse, word->position, STATEMENT_CLAUSES_MAX, "COLUMN clauses");
        return;
    }
    statement->columns =
        grow(parse, statement->columns, statement->column_clause_count, sizeof *statement->columns);
    if (statement->columns)
        statement->columns[statement->column_clause_count++] = clause;
}

void build_word_of_command(struct parse *parse, const struct token *string)
{
    struct statement *statement = parse->statement;

    if (statement->argument_count == STATEMENT_ARGUMENTS_MAX) {
        parse_fail_limit(parse, string->position, STATEMENT_ARGUMENTS_MAX, "words after CMD");
        return;
    }
    statement->arguments =
        grow(parse, statement->arguments, statement->argument_count, sizeof *statement->arguments);
    if (statement->arguments)
        statement->arguments[statement->argument_count++] = build_string(parse, string);
}

void build_other(struct parse *parse, const struct path *model)
{
    struct statement *statement = parse->statement;

    if (statement->other_count + 1 == STATEMENT_MODELS_MAX) {
        parse_fail_limit(parse, model->parts[0].position, STATEMENT_MODELS_MAX,
                         "models after EVALUATE");
        return;
    }
    statement->others =
        grow(parse, statement->others, statement->other_count, sizeof *statement->others);
    if (statement->others)
        statement->others[statement->other_count++] = *model;
}

void build_label(struct parse *parse, const struct name *label)
{
    struct statement *statement = parse->statement;

    if (statement->other_label_count + 1 == STATEMENT_LABELS_MAX) {
        parse_fail_limit(parse, label->position, STATEMENT_LABELS_MAX, "columns after LABEL");
        return;
    }
    statement->other_labels = grow(parse, statement->other_labels, statement->other_label_count,
                                   sizeof *statement->other_labels);
    if (statement->other_labels)
        statement->other_labels[statement->other_label_count++] = *label;
}

void build_label_string(struct parse *parse, const struct token *string)
{
    const struct name label = build_string_name(parse, string);

    build_label(parse, &label);
}

void build_output(struct parse *parse, const struct path *output)
{
    struct statement *statement = parse->statement;

    if (statement->output_count == STATEMENT_OUTPUTS_MAX) {
        parse_fail_limit(parse, output->parts[0].position, STATEMENT_OUTPUTS_MAX,
                         "tables after INTO");
        return;
    }
    statement->outputs =
        grow(parse, statement->outputs, statement->output_count, sizeof *statement->outputs);
    if (statement->outputs)
        statement->outputs[statement->output_count++] = *output;
}

void build_objective(struct parse *parse, bool maximize, const struct span *expression)
{
    parse->statement->maximize = maximize;
    parse->statement->objective = *expression;
    parse->statement->objective_text = keep(parse, source_of(parse, *expression));
}

void build_constraint(struct parse *parse, const struct span *expression,
                      const struct name *group_by)
{
    struct statement *statement = parse->statement;
    struct constraint constraint = {.expression = *expression, .group_by = {.position = -1}};

    if (group_by)
        constraint.group_by = *group_by;
    constraint.text = keep(parse, source_of(parse, *expression));
    if (statement->constraint_count == STATEMENT_CONSTRAINTS_MAX) {
        parse_fail_limit(parse, expression->start, STATEMENT_CONSTRAINTS_MAX, "constraints");
        return;
    }
    statement->constraints = grow(parse, statement->constraints, statement->constraint_count,
                                  sizeof *statement->constraints);
    if (statement->constraints)
        statement->constraints[statement->constraint_count++] = constraint;
}
