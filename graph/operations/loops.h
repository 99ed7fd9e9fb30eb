/*
 * loops.h - loops over floats that several operations have.
 */
#pragma once

#include <stddef.h>

void add_to(float *to, const float *from, size_t count);                    /* to += from */
void subtract_from(float *to, const float *from, size_t count);             /* to -= from */
void multiply_by(float *to, const float *by, size_t count);                 /* to *= by */
void add_products(float *to, const float *a, const float *b, size_t count); /* to += a b */
void add_scaled(float *to, const float *from, float scale, size_t count);   /* to += scale from */
void scale_by(float *to, float scale, size_t count);                        /* to *= scale */
