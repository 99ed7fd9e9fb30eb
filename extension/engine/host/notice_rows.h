/*
 * notice_rows.h - notices (params/notice_list.h) as rows of a result.
 */
#pragma once

#include "extension/engine/host/sink.h"
#include "params/notice_list.h"

#define NOTICE_ROW         "notice" /* the first cell of such a row */
#define NOTICE_COLUMNS_MAX 8

/* A row each: NOTICE_ROW, text and hint in the column `at`, and NULL in the rest of `columns`. The
 * list may be NULL. */
enum status notice_rows(const struct notice_list *list, size_t columns, size_t at,
                        const struct sink *sink, struct error *err);
