/*
 * exchange.h - a model to and from the files of other programs: trees, and from ONNX networks
 * (onnx/onnx_import.h).
 *
 *     model  --exchange_export--> bytes      *_write.h say what is written
 *     bytes  --exchange_import--> model      read, built, and checked as a stored model is
 *
 * Features of a file become inputs of their names: numbers, and categories where the file has their
 * words. Its classes are the integers from 0 up. The label is called EXCHANGE_LABEL, since no file
 * says how it was called.
 */
#pragma once

#include "base/stop.h"
#include "scoring/model.h"

#define EXCHANGE_LABEL     "label"
#define EXCHANGE_BYTES_MAX ((size_t)256 << 20) /* bytes of a file */
#define EXCHANGE_NAME_MAX  200                 /* bytes of a feature's name */

/* The names that a statement says; a file that says none is of the one that its name ends with. */
#define EXCHANGE_FORMAT_MAP(X)                                                                     \
    X(EXCHANGE_XGBOOST, "xgboost", ".json")                                                        \
    X(EXCHANGE_XGBOOST_UBJ, "xgboost_ubj", ".ubj")                                                 \
    X(EXCHANGE_LIGHTGBM, "lightgbm", ".txt")

#define EXCHANGE_FORMAT(name, word, ending) name,
enum exchange_format {
    EXCHANGE_FORMAT_MAP(EXCHANGE_FORMAT) EXCHANGE_FORMATS,
    EXCHANGE_ONNX = EXCHANGE_FORMATS /* it is read; formula_print.h writes it */
};
#undef EXCHANGE_FORMAT

/* By name, in any case of letters; empty: by how `file` ends, which is empty where there is none.
 * xgboost is xgboost_ubj for a file that ends so. INVALID with a hint that names all. */
enum status exchange_format_find(struct slice name, struct slice file, enum exchange_format *format,
                                 struct error *err);

/* Do the bytes begin as those of this format? XGBoost's two are one here. */
bool exchange_begins(struct slice bytes, enum exchange_format format);

/* Appended. UNSUPPORTED where the model is none of trees, or the format cannot say what it does;
 * LIMIT where the text is full; INTERRUPTED, where `stop`, which may be NULL, says so within
 * trees. */
enum status exchange_export(const struct model *model, enum exchange_format format,
                            const struct stop *stop, struct text *out, struct error *err);

/* A model of any of the formats: which of them, its first bytes tell. `statement` becomes the
 * model's; `stop` may be NULL. It lives in the arena, and has neither id nor version yet. CORRUPT
 * with the place, UNSUPPORTED naming what is not read yet, INTERRUPTED. */
enum status exchange_import(struct slice bytes, struct slice statement, const struct stop *stop,
                            struct arena *arena, struct model *model, struct error *err);
