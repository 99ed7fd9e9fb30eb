/*
 * definition.h - a model of a user's own: its name, its arguments with their defaults, its text.
 *
 *     DEFINE MODEL zoo/tower (dim = 16, hidden = [64, 32]) AS '
 *       h = embedding(user_id, dim);
 *       for n in hidden { h = relu(dense(h, n)) }
 *       return dense(h, outputs)
 *     '
 *
 * A definition is stored as this statement, so that what is shown can be run again, and reading
 * what is stored takes nothing but the parser of statements. Those that come with the product
 * (zoo.h) are such statements, too.
 *
 * Errors of the text have two forms: its line and column, and the place in the statement that has
 * it, or in the one that trains by it.
 */
#pragma once

#include "definition/compile.h"

#define DEFINITION_FOLDER        "zoo/"
#define DEFINITION_NAME_MAX      60 /* bytes, without the schema and with the folder */
#define DEFINITION_ARGUMENTS_MAX 64
#define DEFINITION_DIGEST_DIGITS 64
#define DEFINITION_STATEMENT_MAX ((size_t)256 << 10) /* bytes of one that is stored */

enum definition_type { DEFINITION_NUMBER, DEFINITION_TEXT, DEFINITION_LIST };

struct definition_argument {
    struct slice name;
    int place; /* in the statement */
    enum definition_type type;
    const struct value *value; /* the default */
};

/* schema.zoo/name in its parts; schema.size 0: none was written. */
struct definition_name {
    struct slice schema, name;
};

/* All of it lives in the arena that it was read into. */
struct definition {
    struct definition_name name;
    struct definition_argument *arguments; /* (argument_count) */
    size_t argument_count;
    struct slice text;
    struct step *steps;
    struct slice statement;                    /* DEFINE MODEL ..., as it is stored */
    char digest[DEFINITION_DIGEST_DIGITS + 1]; /* SHA-256 of the statement */
};

/* Does the name stand for a definition: has it the form [schema.]zoo/..., or is it that
 * of a model of SQLFlow's (zoo_namesake)? */
bool definition_is_name(struct slice name);
/* INVALID at the name's place. Names are written in small letters, whatever was typed. */
enum status definition_name_read(const struct name *name, struct arena *arena,
                                 struct definition_name *read, struct error *err);

/* Reads a DEFINE MODEL, `program` being the text that its positions mean: checked as far as it can
 * be without a SELECT. Errors are placed in the program. */
enum status definition_of_statement(const struct statement *statement, struct slice program,
                                    struct arena *arena, struct definition *definition,
                                    struct error *err);
/* Reads a file of a DEFINE MODEL, whose name becomes another one. INVALID with the file's line. */
enum status definition_of_file(struct slice text, struct slice name, struct arena *arena,
                               struct definition *definition, struct error *err);
/* Reads a statement that was stored. CORRUPT where it is none, or of another name. */
enum status definition_of_stored(struct slice stored, struct slice name, struct arena *arena,
                                 struct definition *definition, struct error *err);

/* Do its steps say loss = ...? Then its models learn without a label. */
bool definition_has_loss(const struct definition *definition);

/* "integer", "number", "text", "list". */
const char *definition_type_name(enum definition_type type);
/* Has the value the argument's type? INVALID at the value, with what was expected. */
enum status definition_check_value(const struct definition_argument *argument,
                                   const struct value *value, struct error *err);

/* "message" becomes "zoo/tower, line 2, column 5: message", placed at `position` of the statement
 * that uses the definition. */
enum status definition_name_place(const struct definition *definition, int position,
                                  struct error *err);
