/*
 * column_document.h - docs/columns.md, printed from the table of functions of COLUMN.
 */
#pragma once

#include "base/text.h"

/* The whole of docs/columns.md. */
void column_functions_document(struct text *out);
