/*
 * build.h - which build of the program this is.
 *
 * Another build may compute other bits from the same rows. Workers send theirs in HELLO, and only
 * those of one build are members of a group (master_damage.c).
 */
#pragma once

#include <stdint.h>

/* A hash of the program's own file, as it runs; 0 where that cannot be read. */
uint64_t build_id(void);
