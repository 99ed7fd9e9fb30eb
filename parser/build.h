/*
 * build.h - what the grammar's actions call to put a statement together.
 *
 * The first failure (memory, a limit, a repeated attribute) is stored in
 * parse->status and ends the parse; what actions do after it is never read.
 */
#pragma once

#include "parser/lexer.h"
#include "parser/statement.h"

struct parse {
    struct arena *arena;
    struct slice text; /* the whole source */
    struct statement *statement;
    struct error *err;
    enum status status;
    size_t value_count; /* against STATEMENT_VALUES_MAX */
};

/* Grown as they are read; both live in the arena. */
struct value_list {
    struct value *items;
    size_t count;
};

struct column_list {
    struct column *items;
    size_t count;
};

/* a.b:c - a dotted attribute name or bare word, `end` for the span. */
struct dotted {
    struct name name;
    size_t parts;
    int end;
};

void build_verb(struct parse *parse, enum statement_kind kind, const struct token *verb);
void build_query(struct parse *parse, const struct token *query);

struct name build_name(struct parse *parse, const struct token *token);
struct name build_string_name(struct parse *parse, const struct token *token); /* 'x' as a name */
struct dotted build_dotted(struct parse *parse, const struct name *name, const struct token *token);
struct dotted build_dotted_more(struct parse *parse, const struct dotted *dotted, char separator,
                                const struct dotted *more);
struct path build_path(const struct name *a, const struct name *b, const struct name *c);
struct slice build_string(struct parse *parse, const struct token *token);

/* `sign` is NULL where none was written. */
struct value build_number(struct parse *parse, const struct token *sign,
                          const struct token *number);
struct value build_text(struct parse *parse, const struct token *token);
struct value build_word(const struct dotted *word);
struct value build_list(const struct token *open, const struct value_list *list,
                        const struct token *close);
/* Any other function than RANGE is refused; what stands in the parentheses is the planner's. */
struct value build_range(struct parse *parse, const struct token *function,
                         const struct value_list *list, const struct token *close);
void build_value(struct parse *parse, struct value_list *list, const struct value *value);
void build_setting(struct parse *parse, const struct dotted *name, const struct value *value);

/* A name or a string in a column's place, and as a function's later argument. */
struct column build_column_name(struct parse *parse, const struct token *token);
struct column build_column_pattern(struct parse *parse, const struct token *token);
struct column build_column_like(struct parse *parse, const struct token *like,
                                const struct token *string);
/* * EXCEPT (list), which ends at `end`; `except` is NULL where no EXCEPT was written. */
struct column build_column_all(const struct token *star, const struct column_list *except, int end);
struct column build_column_value(const struct value *value);
struct column build_column_list(const struct token *open, const struct column_list *list,
                                const struct token *close);
/* c AS name; parameter = c */
struct column build_column_named(const struct column *column, const struct name *alias);
struct column build_argument_named(struct parse *parse, const struct token *parameter,
                                   const struct column *argument);
struct column build_call(struct parse *parse, const struct token *function,
                         const struct column_list *arguments, const struct token *close);
void build_argument(struct parse *parse, struct column_list *list, const struct column *argument);
void build_column(struct parse *parse, struct column_list *list, const struct column *column);
void build_columns(struct parse *parse, const struct token *word, const struct column_list *list,
                   const struct name *part);

/* The text of DEFINE MODEL ... AS, in quotes or between dollar quotes. */
void build_definition(struct parse *parse, const struct token *token);
void build_word_of_command(struct parse *parse, const struct token *string);
void build_other(struct parse *parse, const struct path *model);
/* One more behind the first. */
void build_label(struct parse *parse, const struct name *label);
void build_label_string(struct parse *parse, const struct token *string);
void build_output(struct parse *parse, const struct path *output);
void build_objective(struct parse *parse, bool maximize, const struct span *expression);
void build_constraint(struct parse *parse, const struct span *expression,
                      const struct name *group_by);

struct span span_of(const struct token *first, const struct token *last);
