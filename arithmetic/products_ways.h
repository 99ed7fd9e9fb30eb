/*
 * products_ways.h - the ways of products.c to compute a product: one for each
 * instruction set, in files that are compiled for it.
 */
#pragma once

#include "arithmetic/products.h"

extern const struct product_variant product_way_avx2, product_way_avx512;
