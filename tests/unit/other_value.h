/*
 * other_value.h - a value of an attribute that it may have and has not.
 */
#pragma once

#include <string.h>

#include "params/attribute.h"

/* Sets the member, unless the row has none. */
static inline void set_other_value(const struct attribute *attribute, void *members)
{
    void *member = attribute_at(attribute, members);
    struct reals *reals = member;
    unsigned word;

    switch (attribute->store) {
    case STORE_NONE:
        break;
    case STORE_U32:
        attribute_set_integer(attribute, members,
                              *(uint32_t *)member == attribute->least + 7
                                  ? (uint64_t)attribute->least + 3
                                  : (uint64_t)attribute->least + 7);
        break;
    case STORE_U64:
        ++*(uint64_t *)member;
        if (*(uint64_t *)member < attribute->least)
            *(uint64_t *)member = (uint64_t)attribute->least;
        break;
    case STORE_REAL:
        *(double *)member =
            ((*(double *)member > 0 ? *(double *)member : 0) + attribute->most) / 3.25;
        break;
    case STORE_BOOLEAN:
        *(bool *)member = !*(bool *)member;
        break;
    case STORE_ENUM:
        memcpy(&word, member, sizeof word);
        word = attribute->words[word + 1] ? word + 1 : 0;
        memcpy(member, &word, sizeof word);
        break;
    case STORE_COUNTS:
        ((struct counts *)member)->items[0] = ((struct counts *)member)->items[0] % 8 + 1;
        ((struct counts *)member)->count += ((struct counts *)member)->count == 0;
        break;
    case STORE_REALS:
        reals->items[reals->count++] = (attribute->least + attribute->most) / 3;
        break;
    }
}
