#include "extension/engine/score/explain/text_bars.h"

#include <math.h>

#include "base/cell_values.h"
#include "base/text.h"

#define EIGHTHS 8

static enum status keep(struct text *text, struct arena *arena, struct cell *cell,
                        struct error *err)
{
    const struct slice copy =
        text->failed ? (struct slice){NULL, 0} : arena_copy(arena, text_slice(text));

    text_deinit(text);
    *cell = cell_text(copy);
    return copy.data ? STATUS_OK : fail_no_memory(err);
}

enum status text_bar(double share, struct arena *arena, struct cell *cell, struct error *err)
{
    static const char *const parts[EIGHTHS] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const int eighths = share > 0 ? (int)lround(fmin(share, 1) * TEXT_BAR_WIDTH * EIGHTHS) : 0;
    struct text text;

    text_init(&text, TEXT_MAXIMUM);
    for (int i = 0; i < eighths / EIGHTHS; i++)
        text_append_string(&text, "█");
    text_append_string(&text, parts[eighths % EIGHTHS]);
    return keep(&text, arena, cell, err);
}

enum status text_histogram(const uint32_t *bins, struct arena *arena, struct cell *cell,
                           struct error *err)
{
    static const char *const heights[EIGHTHS + 1] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    uint32_t most = 1;
    struct text text;

    for (int i = 0; i < TEXT_BAR_WIDTH; i++)
        most = bins[i] > most ? bins[i] : most;
    text_init(&text, TEXT_MAXIMUM);
    for (int i = 0; i < TEXT_BAR_WIDTH; i++) {
        const uint32_t height =
            bins[i] == 0 ? 0 : 1 + (uint32_t)((uint64_t)bins[i] * (EIGHTHS - 1) / most);

        text_append_string(&text, heights[height]);
    }
    return keep(&text, arena, cell, err);
}
