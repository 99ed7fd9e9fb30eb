/*
 * attribute_document.h - docs/attributes.md, printed from the tables of attributes.
 */
#ifndef TESTS_DOCUMENTS_ATTRIBUTE_DOCUMENT_H
#define TESTS_DOCUMENTS_ATTRIBUTE_DOCUMENT_H

#include "base/error.h"

/* The whole of docs/attributes.md. */
void attributes_print_document(struct text *out);

#endif
