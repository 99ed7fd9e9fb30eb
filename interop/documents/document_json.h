/*
 * document_json.h - JSON as a tree of values.
 */
#pragma once

#include "base/stop.h"
#include "interop/documents/document.h"

/* INTERRUPTED; CORRUPT with the byte where it ends to make sense. NaN, Infinity and -Infinity,
 * which XGBoost writes, are numbers. */
enum status document_read_json(struct slice bytes, const struct stop *stop, struct arena *arena,
                               struct value *document, struct error *err);
