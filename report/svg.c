#include "report/svg.h"

bool theme_find(struct slice name, enum theme *theme)
{
    static const char *const names[] = {"auto", "light", "dark"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (slice_is(name, names[i])) {
            *theme = (enum theme)i;
            return true;
        }
    }
    return false;
}

static const char *const class_names[] = {"totrain-auto", "totrain-light", "totrain-dark"};

/* Several drawings may stand in one page: a rule reaches those of its theme alone. */
static void append_rules(struct text *svg, enum theme theme, bool is_dark)
{
    const char *name = class_names[theme];
    const char *ink = is_dark ? "#e6e6e6" : "#222222", *grid = is_dark ? "#4a4a4a" : "#dddddd";
    const char *back = is_dark ? "#1b1b1b" : "#ffffff";
    const char *a = is_dark ? "#56b4e9" : "#0072b2", *b = is_dark ? "#e69f00" : "#d55e00";

    text_printf(svg, ".%s text{fill:%s;font:12px system-ui,sans-serif}", name, ink);
    text_printf(svg, ".%s .head{font-size:14px;font-weight:600}", name);
    text_printf(svg, ".%s .back{fill:%s}.%s .grid{stroke:%s;stroke-width:1}", name, back, name,
                grid);
    text_printf(svg, ".%s .ink{stroke:%s;stroke-width:1;fill:none}", name, ink);
    text_printf(svg, ".%s .rule{stroke:%s;stroke-width:1;stroke-dasharray:2 3}", name, ink);
    text_printf(svg, ".%s path.a{stroke:%s;stroke-width:2;fill:none}", name, a);
    text_printf(svg, ".%s path.b{stroke:%s;stroke-width:2;fill:none;stroke-dasharray:6 3}", name,
                b);
    text_printf(svg, ".%s line.a,.%s line.b{stroke-width:2}", name, name);
    text_printf(svg, ".%s line.a{stroke:%s}.%s line.b{stroke:%s;stroke-dasharray:6 3}", name, a,
                name, b);
    text_printf(svg, ".%s rect.a,.%s circle.a{fill:%s}", name, name, a);
    text_printf(svg, ".%s text.over{fill:%s}", name, back);
    text_printf(svg, ".%s .low,.%s .middle,.%s .high{stroke-width:4;fill:none}", name, name, name);
    text_printf(svg, ".%s .low{stroke:%s;stroke-linecap:round}", name, a);
    text_printf(svg, ".%s .middle{stroke:%s;stroke-linecap:round}", name,
                is_dark ? "#9a9a9a" : "#8a8a8a");
    text_printf(svg, ".%s .high{stroke:%s;stroke-linecap:square}", name, b);
}

void markup_append(struct text *out, struct slice words, bool keeps_lines)
{
    for (size_t i = 0; i < words.size; i++) {
        const unsigned char c = (unsigned char)words.data[i];

        if (c == '<')
            text_append_string(out, "&lt;");
        else if (c == '>')
            text_append_string(out, "&gt;");
        else if (c == '&')
            text_append_string(out, "&amp;");
        else if (c == '"')
            text_append_string(out, "&quot;");
        else if (keeps_lines && (c == '\n' || c == '\t'))
            text_append_char(out, (char)c);
        else
            text_append_char(out, c < ' ' || c == 0x7f ? '?' : (char)c);
    }
}

void svg_begin(struct text *svg, double width, double height, enum theme theme, struct slice title)
{
    text_printf(svg,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"%s\" width=\"%.0f\" "
                "height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"",
                class_names[theme], width, height, width, height);
    markup_append(svg, title, false);
    text_append_string(svg, "\">\n<style>");
    append_rules(svg, theme, theme == THEME_DARK);
    if (theme == THEME_AUTO) {
        text_append_string(svg, "@media screen and (prefers-color-scheme:dark){");
        append_rules(svg, theme, true);
        text_append_char(svg, '}');
    }
    text_append_string(svg, "</style>\n");
    svg_box(svg, (struct svg_point){0, 0}, width, height, 1, "back");
}

void svg_end(struct text *svg)
{
    text_append_string(svg, "</svg>\n");
}

void svg_words(struct text *svg, double x, double y, enum svg_anchor anchor, const char *class,
               struct slice words)
{
    static const char *const anchors[] = {"start", "middle", "end"};

    text_printf(svg, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" class=\"%s\">", x, y,
                anchors[anchor], class);
    markup_append(svg, words, false);
    text_append_string(svg, "</text>\n");
}

void svg_line(struct text *svg, struct svg_point from, struct svg_point to, const char *class)
{
    text_printf(svg, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"%s\"/>\n",
                from.x, from.y, to.x, to.y, class);
}

void svg_path(struct text *svg, const struct svg_point *points, size_t count, const char *class)
{
    text_printf(svg, "<path class=\"%s\" d=\"", class);
    for (size_t i = 0; i < count; i++)
        text_printf(svg, "%s%.1f,%.1f", i ? " L" : "M", points[i].x, points[i].y);
    text_append_string(svg, "\"/>\n");
}

void svg_dot(struct text *svg, struct svg_point at, double radius, const char *class)
{
    text_printf(svg, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" class=\"%s\"/>\n", at.x, at.y,
                radius, class);
}

void svg_box(struct text *svg, struct svg_point at, double width, double height, double strength,
             const char *class)
{
    text_printf(svg,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
                "fill-opacity=\"%.3f\" class=\"%s\"/>\n",
                at.x, at.y, width, height, strength, class);
}

void svg_dots(struct text *svg, const struct svg_point *points, size_t count, const char *class)
{
    if (count == 0)
        return;
    text_printf(svg, "<path class=\"%s\" d=\"", class);
    for (size_t i = 0; i < count; i++)
        text_printf(svg, "M%.1f,%.1fh0", points[i].x, points[i].y);
    text_append_string(svg, "\"/>\n");
}

void svg_describe(struct text *svg, struct slice words)
{
    text_append_string(svg, "<desc>");
    markup_append(svg, words, false);
    text_append_string(svg, "</desc>\n");
}
