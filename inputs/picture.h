/*
 * picture.h - the numbers of a picture in a blob: its raw bytes, or those of a PNG.
 *
 *     IMAGE(c, 28, 28)       784 bytes, one of each pixel, row by row
 *     IMAGE(c, 64, 64, 3)    12,288 bytes, three of each pixel
 *     either                 a PNG of that many pixels: bytes that begin with PNG's signature
 *
 * A PNG is read where nothing of it is lost, however it is stored: 1 channel takes pixels that are
 * grey, 3 take colours, 2 and 4 take transparency, too; of 1 and 3 no pixel is transparent. Grey
 * pixels are colours, and a picture without transparency is opaque. Palettes, interlaced pictures
 * and 1 to 8 bits of a channel are read; 16 bits are not. Colours are the numbers of the file: its
 * gamma and profiles change nothing, so that the numbers are the same on any processor.
 *
 * Files are hostile: nothing is decoded before width and height are the expected ones, what a chunk
 * inflates to is bounded, and the checksum of each chunk is looked at. What a file has compressed
 * behind the last pixel is not inflated.
 */
#pragma once

#include "base/error.h"
#include "inputs/cell_list.h"

/* The numbers (list.size) of a blob, of a list that has bytes. INVALID, naming the column: it is
 * another picture, or a PNG that is damaged. */
enum status picture_read(struct slice blob, const struct cell_list *list, struct slice column,
                         double *numbers, struct error *err);
