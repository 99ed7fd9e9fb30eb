/*
 * forecast_name.h - the one name that a series has in totrain_forecast: the word of its group as a
 * text, of several columns a JSON array of them, null where it is a total over all of a column.
 */
#pragma once

#include "base/arena.h"
#include "base/error.h"

/* The words (groups) of a name, in the arena; without data for a total. *is_name is false where no
 * series of so many columns has such a name. */
enum status forecast_name_words(uint32_t groups, struct slice name, struct arena *arena,
                                struct slice *words, bool *is_name, struct error *err);
