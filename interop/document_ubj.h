/*
 * document_ubj.h - UBJSON as a tree of values.
 */
#ifndef INTEROP_DOCUMENT_UBJ_H
#define INTEROP_DOCUMENT_UBJ_H

#include "interop/document.h"
#include "interop/exchange_stop.h"

/* UBJSON draft 12, without high-precision numbers and objects that give their size. INTERRUPTED;
 * CORRUPT with the byte where it ends to make sense. */
enum status document_read_ubj(struct slice bytes, const struct exchange_stop *stop,
                              struct arena *arena, struct value *document, struct error *err);

#endif
