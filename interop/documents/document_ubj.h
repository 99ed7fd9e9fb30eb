/*
 * document_ubj.h - UBJSON as a tree of values.
 */
#pragma once

#include "base/stop.h"
#include "interop/documents/document.h"

/* UBJSON draft 12, without high-precision numbers and objects that give their size. INTERRUPTED;
 * CORRUPT with the byte where it ends to make sense. */
enum status document_read_ubj(struct slice bytes, const struct stop *stop, struct arena *arena,
                              struct value *document, struct error *err);
