/*
 * reserve.h - arrays that grow by doubling.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Room for `count` elements of so many bytes each in an array from malloc (NULL: none yet), which
 * may move; *room: for how many there is some. NO_MEMORY: both are as they were. */
enum status reserve_array(void **array, uint32_t *room, uint32_t count, size_t bytes,
                          struct error *err);
