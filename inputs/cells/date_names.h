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
/* Is it a month's name in English, in full or short? */
bool date_name_is_english(struct slice word);
bool date_name_is_weekday(struct slice word);

/* May names have this character, small or capital? Latin with accents and Cyrillic, also letters
 * that no name has. */
bool date_name_has(uint32_t point);

/* Bytes of a name that begin the text: letters, also of other alphabets. */
size_t date_name_size(struct slice text);

/* A name in small letters. */
struct date_name {
    struct slice text;
    int month; /* 0: a weekday */
    bool is_short;
    bool is_english; /* a month's alone */
};
/* By their number, from 0 on; false: there are no more. */
bool date_name_at(size_t number, struct date_name *name);
