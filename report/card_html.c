#include "report/card.h"

#define LONG_BYTES 30 /* a text with more is broken where its column ends */

/* Colours and sizes; THEME_AUTO follows what the reader's system prefers. Printed pages are light.
 */
static const char sheet[] =
    "body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;padding:1.5rem;max-width:60rem}"
    "h1{font-size:1.8rem;margin:0}h2{font-size:1.25rem;margin:2rem 0 .25rem}"
    "p{margin:.5rem 0;max-width:45rem}nav ul{padding:0;list-style:none;display:flex;"
    "flex-wrap:wrap;gap:.25rem 1rem}table{border-collapse:collapse;font-size:.9rem;"
    "margin:.5rem 0}th,td{padding:.2rem .75rem .2rem 0;text-align:left;vertical-align:top;"
    "border-bottom:1px solid "
    "var(--line);overflow-wrap:break-word}td.long{overflow-wrap:anywhere;min-width:12rem}td.number,"
    "th.number{text-align:right;"
    "white-space:nowrap;font-variant-numeric:tabular-nums}code{overflow-wrap:anywhere}pre{white-"
    "space:pre-wrap;overflow-wrap:anywhere;"
    "border:1px solid var(--line);padding:.75rem}.scroll{overflow-x:auto}"
    "figure{margin:0}svg{max-width:100%;height:auto;display:block}.note{border-left:4px solid "
    "var(--mark);"
    "padding-left:.75rem}body{color:var(--ink);background:var(--back)}a{color:var(--mark)}"
    "@media "
    "print{:root{color-scheme:light;--ink:#222;--back:#fff;--line:#ccc;--mark:#0060a0}body{max-"
    "width:none;padding:0}"
    "nav,details:not([open]){display:none}section{break-inside:avoid}"
    ".scroll{overflow:visible}table{font-size:.7rem}th,td{padding-right:.5rem}"
    "th.number{white-space:normal}}";

static const char light[] =
    ":root{color-scheme:light;--ink:#222;--back:#fff;--line:#ccc;--mark:#0060a0}";
static const char dark[] =
    ":root{color-scheme:dark;--ink:#e6e6e6;--back:#1b1b1b;--line:#555;--mark:#6bb8ea}";

static void append_element(struct text *out, const char *name, const char *attributes,
                           struct slice words)
{
    text_printf(out, "<%s%s>", name, attributes);
    markup_append(out, words, true);
    text_printf(out, "</%s>", name);
}

static void append_head(const struct card *card, struct text *out)
{
    text_append_string(out,
                       "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                       "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                       "style-src 'unsafe-inline'\">\n<title>Model card: ");
    markup_append(out, card->model, true);
    text_append_string(out, "</title>\n<style>");
    text_append_string(out, card->theme == THEME_DARK ? dark : light);
    if (card->theme == THEME_AUTO)
        text_printf(out, "@media screen and (prefers-color-scheme:dark){%s}", dark);
    text_append_string(out, sheet);
    text_append_string(out, "</style>\n</head>\n");
}

static void append_lead(const struct card *card, struct text *out)
{
    text_append_string(out, "<header>\n");
    text_append_string(out, "<h1>Model card: ");
    markup_append(out, card->model, true);
    text_append_string(out, "</h1>\n<p>");
    markup_append(out, card->estimator, true);
    if (card->label.size > 0) {
        text_append_string(out, " that predicts <strong>");
        markup_append(out, card->label, true);
        text_append_string(out, "</strong>");
    }
    text_printf(out, " from %zu input%s. Trained on %llu rows, version %lld, ", card->input_count,
                card->input_count == 1 ? "" : "s", (unsigned long long)card->trained_rows,
                (long long)card->version);
    markup_append(out, card->created_at, true);
    text_append_string(out, ".</p>\n<p class=\"note\">");
    markup_append(out, card_measured_words(card), true);
    if (card->measured.size > 0) {
        text_append_string(out, ": ");
        append_element(out, "code", "", card->measured);
    }
    text_append_string(out, "</p>\n</header>\n<nav aria-label=\"Sections\">\n<ul>\n");
    for (size_t i = 0; i < card->section_count; i++)
        text_printf(out, "<li><a href=\"#%s\">%s</a></li>\n", card->sections[i].id,
                    card->sections[i].title);
    text_append_string(out, "</ul>\n</nav>\n<main>\n");
}

/* A column is of numbers where its first cell that is not NULL is one. */
static bool is_of_numbers(const struct picture_table *rows, size_t column)
{
    for (size_t row = 0; row < rows->row_count; row++) {
        const enum cell_type type = rows->cells[row * rows->column_count + column].type;

        if (type != CELL_NULL)
            return type == CELL_INTEGER || type == CELL_REAL;
    }
    return false;
}

/* Long texts break anywhere; others, such as a name or a date, only at a space. */
static const char *cell_attributes(const struct picture_table *rows, size_t column,
                                   const struct text *words)
{
    if (is_of_numbers(rows, column))
        return " class=\"number\"";
    return words->size > LONG_BYTES ? " class=\"long\"" : "";
}

/* The section's title names the region, which is scrolled by keys where it is wide. */
static void append_table(const struct card_section *section, struct text *out)
{
    const struct picture_table *rows = &section->rows;
    const size_t shown = card_rows_shown(section);
    struct text words;

    text_init(&words, CARD_BYTES_MAX);
    text_printf(out,
                "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Table: %s\">\n"
                "<table>\n<thead><tr>",
                section->title);
    for (size_t i = 0; i < rows->column_count; i++) {
        text_clear(&words);
        card_append_heading(&words, rows->names[i]);
        append_element(out, "th",
                       is_of_numbers(rows, i) ? " scope=\"col\" class=\"number\""
                                              : " scope=\"col\"",
                       text_slice(&words));
    }
    text_append_string(out, "</tr></thead>\n<tbody>\n");
    for (size_t place = 0; place < shown; place++) {
        const struct cell *cells = &rows->cells[card_row_at(section, place) * rows->column_count];

        text_append_string(out, "<tr>");
        for (size_t i = 0; i < rows->column_count; i++) {
            text_clear(&words);
            card_append_cell(&words, &cells[i]);
            append_element(out, "td", cell_attributes(rows, i, &words), text_slice(&words));
        }
        text_append_string(out, "</tr>\n");
    }
    text_append_string(out, "</tbody>\n</table>\n</div>\n");
    if (shown < rows->row_count)
        text_printf(out, "<p>%zu of %zu rows, evenly chosen.</p>\n", shown, rows->row_count);
    text_deinit(&words);
}

/* The rows of a picture are there as a table, too: for those who read it aloud, or want numbers. */
static void append_section(const struct card_section *section, struct text *out)
{
    text_printf(out, "<section id=\"%s\" aria-labelledby=\"%s-title\">\n", section->id,
                section->id);
    text_printf(out, "<h2 id=\"%s-title\">%s</h2>\n<p>%s</p>\n", section->id, section->title,
                section->explanation);
    if (section->picture.size > 0) {
        text_append_string(out, "<figure>\n");
        text_append(out, text_slice(&section->picture));
        text_append_string(out, "</figure>\n<details>\n<summary>As a table</summary>\n");
        append_table(section, out);
        text_append_string(out, "</details>\n");
    } else {
        append_table(section, out);
    }
    text_append_string(out, "</section>\n");
}

static void append_notices(const struct card *card, struct text *out)
{
    if (card->notice_count == 0)
        return;
    text_append_string(out, "<section id=\"notices\" aria-labelledby=\"notices-title\">\n"
                            "<h2 id=\"notices-title\">Notices</h2>\n<ul>\n");
    for (size_t i = 0; i < card->notice_count; i++) {
        append_element(out, "li", "", card->notices[i]);
        text_append_char(out, '\n');
    }
    text_append_string(out, "</ul>\n</section>\n");
}

static void append_gaps(const struct card *card, struct text *out)
{
    if (card->gap_count == 0)
        return;
    text_append_string(out, "<section id=\"gaps\" aria-labelledby=\"gaps-title\">\n"
                            "<h2 id=\"gaps-title\">Not in this report</h2>\n<ul>\n");
    for (size_t i = 0; i < card->gap_count; i++) {
        text_printf(out, "<li>%s: ", card->gaps[i].title);
        markup_append(out, card->gaps[i].reason, true);
        text_append_string(out, "</li>\n");
    }
    text_append_string(out, "</ul>\n</section>\n");
}

void card_print_html(const struct card *card, struct text *out)
{
    append_head(card, out);
    text_append_string(out, "<body>\n");
    append_lead(card, out);
    append_notices(card, out);
    for (size_t i = 0; i < card->section_count; i++)
        append_section(&card->sections[i], out);
    append_gaps(card, out);
    text_append_string(out, "<section id=\"origin\" aria-labelledby=\"origin-title\">\n"
                            "<h2 id=\"origin-title\">How it was made</h2>\n");
    append_element(out, "pre", "", card->statement);
    text_append_string(out,
                       "\n<p>The same statement over the same rows gives the same model: digest ");
    append_element(out, "code", "", card->digest);
    text_append_string(out, "</p>\n</section>\n</main>\n</body>\n</html>\n");
}
