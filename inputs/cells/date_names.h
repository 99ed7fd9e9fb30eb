/*
 * date_names.h - names of months and weekdays in texts that are dates.
 *
 *     März   févr   dic   июля   Ocak        months of eleven languages, and what they are short
 * for Sonntag   lundi   Wed                  weekdays, which a date does not need
 *
 * English, Danish and Norwegian, Dutch, French, German, Italian, Portuguese, Russian, Spanish,
 * Swedish and Turkish: no name of one is another month in another. Languages in which one is are
 * left out: listopada is November in Polish and October in Croatian. Capitals are as small letters,
 * and common spellings without accents, fevrier, are names, too. Names never change their meaning,
 * since models keep columns that were read by them.
 */
#pragma once

#include "base/text.h"

/* 1 to 12; 0: it is no month. *is_short: it is short for a name, and may have a point behind it. */
int date_name_month(struct slice word, bool *is_short);
bool date_name_is_weekday(struct slice word);

/* Bytes of a name that begin the text: letters, also of other alphabets. */
size_t date_name_size(struct slice text);
