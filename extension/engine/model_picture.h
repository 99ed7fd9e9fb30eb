/*
 * model_picture.h - a picture of a model in a database.
 */
#pragma once

#include "extension/engine/host/host.h"
#include "report/picture.h"

struct model_picture {
    const char *model; /* its name, as in statements */
    enum picture_kind kind;
    struct slice select; /* its rows; size 0: those of the model's training (model_rows_select) */
    enum theme theme;
};

/* Appends an SVG. */
enum status model_picture_draw(const struct host *host, const struct model_picture *picture,
                               struct text *svg, struct error *err);
