/*
 * document_ubj.h - UBJSON as a tree of values.
 */
#ifndef INTEROP_DOCUMENT_UBJ_H
#define INTEROP_DOCUMENT_UBJ_H

#include "interop/document.h"

/* UBJSON draft 12, without high-precision numbers and objects that give their size. CORRUPT with
 * the byte where it ends to make sense. */
enum status document_read_ubj(struct slice bytes, struct arena *arena, struct value *document,
                              struct error *err);

#endif
