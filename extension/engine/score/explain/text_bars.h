/*
 * text_bars.h - pictures that a terminal shows, as cells of text.
 */
#pragma once

#include <stdint.h>

#include "base/arena.h"
#include "base/cell.h"
#include "base/error.h"

#define TEXT_BAR_WIDTH 20 /* characters */

/* A bar of a share of the width, from 0 to 1, to an eighth of a character: "███▌". In the arena. */
enum status text_bar(double share, struct arena *arena, struct cell *cell, struct error *err);
/* How many there are in each of TEXT_BAR_WIDTH bins, as columns of eight heights, of which one is
 * there where there is any: "▁▃█▂ ". In the arena. */
enum status text_histogram(const uint32_t *bins, struct arena *arena, struct cell *cell,
                           struct error *err);
