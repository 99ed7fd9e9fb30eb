/*
 * card.h - what a model is worth, as one page for somebody who has no database.
 *
 *     card_collect (card_collect.h)   statements about the model --> sections: rows, and pictures
 *     card_print                      sections --> HTML (card_html.c) or Markdown (card_markdown.c)
 *
 * A page needs nothing else: no script, no font, no picture of another place. What the model or its
 * kind cannot be asked for is said with the reason.
 */
#pragma once

#include "base/arena.h"
#include "report/picture.h"

#define CARD_SECTIONS_MAX 20
#define CARD_ROWS_MAX     60 /* rows of a table that are shown; of more, evenly chosen ones */
#define CARD_NOTICES_MAX  40
#define CARD_BYTES_MAX    ((size_t)64 << 20)

/* A table with a heading, and perhaps the picture of it. Texts live in the card's arena. */
struct card_section {
    const char *id, *title, *explanation;
    struct picture_table rows;
    struct text picture; /* an SVG; size 0: none */
    size_t rows_max;     /* rows of the table that are shown; 0: CARD_ROWS_MAX */
};

struct card_gap {
    const char *title;
    struct slice reason;
};

struct card {
    struct arena arena;
    enum theme theme;
    struct slice model, estimator, label; /* label: size 0: learned without one */
    struct slice statement;               /* the one that made the model */
    struct slice measured; /* the SELECT whose rows it was measured on; size 0: none */
    bool is_flattered;     /* it was trained on these rows */
    int64_t version;
    uint64_t trained_rows;
    size_t input_count;
    struct slice created_at, digest;
    struct slice notices[CARD_NOTICES_MAX];
    size_t notice_count;
    struct card_section sections[CARD_SECTIONS_MAX];
    size_t section_count;
    struct card_gap gaps[CARD_SECTIONS_MAX];
    size_t gap_count;
};

void card_deinit(struct card *card);

enum card_format { CARD_HTML, CARD_MARKDOWN };

/* The format that a file's ending names: .html, .htm, .md or .markdown; HTML of a name without an
 * ending. INVALID: another one. */
enum status card_format_of(struct slice file, enum card_format *format, struct error *err);
void card_print(const struct card *card, enum card_format format, struct text *out);
void card_print_html(const struct card *card, struct text *out);
void card_print_markdown(const struct card *card, struct text *out);

/* How many rows of the section's table are shown, and which of them stands at a place: the first,
 * the last, and evenly chosen ones between. */
size_t card_rows_shown(const struct card_section *section);
size_t card_row_at(const struct card_section *section, size_t place);
/* The heading of a column: its name, with spaces for underscores, at which a line may break. */
void card_append_heading(struct text *out, struct slice name);
/* The rows that it was measured on, as the beginning of a sentence. */
struct slice card_measured_words(const struct card *card);
/* A cell as people read it: reals of five digits, nothing for NULL. */
void card_append_cell(struct text *out, const struct cell *cell);
