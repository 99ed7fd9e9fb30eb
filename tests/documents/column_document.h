/*
 * column_document.h - docs/columns.md, printed from the table of functions of COLUMN.
 */
#ifndef TESTS_DOCUMENTS_COLUMN_DOCUMENT_H
#define TESTS_DOCUMENTS_COLUMN_DOCUMENT_H

#include "base/text.h"

/* The whole of docs/columns.md. */
void column_functions_document(struct text *out);

#endif
