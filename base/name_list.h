/*
 * name_list.h - names in one text, between commas: 'age, plan, "price, net"'.
 *
 * A name in double quotes has commas and blanks of its own, and each double quote in it is written
 * twice. Blanks around names do not count.
 */
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

/* Takes the first name off the front of `rest`, which is not empty; the name borrows from it, or is
 * in the arena. INVALID where a quote is not closed, or something follows it. */
enum status name_list_next(struct slice *rest, struct arena *arena, struct slice *name,
                           struct error *err);
/* Appends a name, behind a comma unless it is the first; in quotes where it needs them. */
void name_list_append(struct text *list, struct slice name);
