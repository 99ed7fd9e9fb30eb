/*
 * look_alikes.h - the notice on two words, or classes, that look alike (inputs/cells/alike.h):
 * which characters they differ by, and the SQL of both databases that makes one of them into the
 * other.
 */
#pragma once

#include "base/text.h"

struct notice_list;

struct looking {
    struct slice word;
    uint64_t rows;
};

/* Adds the notice of a column in which so many words look like others, of which two are given. */
void look_alikes_note(const struct looking words[2], struct slice name, bool are_classes,
                      size_t spellings, struct notice_list *notices);
