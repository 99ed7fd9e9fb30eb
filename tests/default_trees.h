/*
 * default_trees.h - attributes of trees of which nothing is said.
 */
#pragma once

#include "kinds/trees/trees_attributes.h"

static inline struct trees_params default_trees(void)
{
    struct kind_params params = {{0}};

    for (size_t i = 0; i < trees_attributes.count; i++)
        if (trees_attributes.rows[i].store != STORE_NONE)
            attribute_set_default(&trees_attributes.rows[i], params.bytes);
    return *trees_params(&params);
}
