/*
 * attribute_document.h - docs/attributes.md, printed from the tables of attributes.
 */
#pragma once

#include "base/error.h"

/* The whole of docs/attributes.md. */
void attributes_print_document(struct text *out);
