/*
 * formula_print.h - formulas of a model as programs of others: SQL for SQLite and for PostgreSQL,
 * C, and ONNX.
 *
 * In SQL a view NAME_predictions has the rows of NAME_rows, which is the reader's table or view of
 * the model's columns, and beside them what is predicted. No extension is needed, and in
 * PostgreSQL functions NAME_number, NAME_word and NAME_date, which read cells of any type, are made
 * beside it. In C a function NAME_predict takes cells. A file of ONNX has a tensor for each column
 * and each output; its bytes are no text.
 *
 * The same model and name have the same bytes.
 */
#pragma once

#include "scoring/formulas/formula.h"

/* The names that a statement says. "sql" is the first or the second. */
#define FORMULA_LANGUAGE_MAP(X)                                                                    \
    X(FORMULA_SQLITE, "sqlite")                                                                    \
    X(FORMULA_POSTGRES, "postgres")                                                                \
    X(FORMULA_C, "c")                                                                              \
    X(FORMULA_ONNX, "onnx")

#define X(name, word) name,
enum formula_language { FORMULA_LANGUAGE_MAP(X) FORMULA_LANGUAGES };
#undef X

/* By name, in any case of letters, and where that is empty by how `file` ends, .sql, .c or
 * .onnx.
 * here: the language of the database, which "sql" is. False: it is none of these. */
bool formula_language_find(struct slice name, struct slice file, enum formula_language here,
                           enum formula_language *language);

/* Appended. name: of the model, any text. UNSUPPORTED and LIMIT where there are no formulas
 * (scoring/formulas/formula.h), or SQL has too few columns for them. `arena` holds the formulas. */
enum status formula_export(const struct model *model, struct slice name,
                           enum formula_language language, struct arena *arena, struct text *out,
                           struct error *err);

/* ----- for the printers ----- */

/* Which of the program's variables (variable_count) these outputs need; NULL: no memory. */
bool *formula_needed(const struct formula_program *program, uint32_t first, uint32_t end);
/* Does the program read numbers, or dates, as people write them? Separators are such. */
struct formula_written {
    bool has_numbers, has_dates;
};
bool formula_is_written(const struct formula *formula);
struct formula_written formula_written_of(const struct formula_program *program,
                                          const bool *needed);
/* How FORMULA_READ_TERMS reads a text: until it has `most` different terms (ends_full), or counting
 * those alone. */
struct formula_text {
    uint32_t most, buckets; /* buckets 0: by the words of the formula */
    bool has_pairs, ends_full;
    bool is_counted; /* a term counts as often as it is there */
    enum combiner combiner;
};
struct formula_text formula_text_of(const struct formula *terms);
/* The name's letters, digits and underscores, others as underscores, at most so many bytes. */
void formula_prefix(struct slice name, size_t most, struct text *out);
