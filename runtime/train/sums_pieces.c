#include "runtime/train/sums_pieces.h"

#include "runtime/train/sums_rows.h"

/* A run of elements and one of rows behind them. */
struct cut {
    uint32_t first, elements;
    uint32_t row_first, rows, rows_left;
    struct slice integers;
};

static struct slice integers_of(const struct sums *sums)
{
    return (struct slice){(const char *)sums->integers, sums->integer_count * sizeof(int64_t)};
}

static struct sums_pieces pieces_of(const struct sums *sums, uint32_t owner, bool has_integers,
                                    const struct touched_rows *rows)
{
    const struct share share = sums_row_share(sums, owner);

    return (struct sums_pieces){
        .segment = sums_segment(sums, owner),
        .row_next = share.count > 0 ? touched_rows_below(rows, share.first) : 0,
        .rows_end = share.count > 0 ? touched_rows_below(rows, share.first + share.count) : 0,
        .has_integers = has_integers,
    };
}

/* The most elements of so many bytes that a piece may have. */
static uint32_t most_of(const struct sums *sums, size_t bytes)
{
    const size_t most = sums->piece_bytes / bytes;

    return most > 0 ? (uint32_t)most : 1;
}

/* Rows follow where the piece has room for them, or has nothing else. */
static struct cut next_cut(const struct sums *sums, struct sums_pieces *pieces,
                           size_t element_bytes, size_t value_bytes)
{
    const uint32_t most = most_of(sums, element_bytes);
    const uint32_t left = pieces->segment.count - pieces->done;
    const uint32_t rows_left = pieces->rows_end - pieces->row_next;
    const size_t row = sums->table.width * value_bytes + sizeof(uint32_t);
    struct cut cut = {.first = pieces->segment.first + pieces->done,
                      .elements = left < most ? left : most,
                      .row_first = pieces->row_next};

    if (cut.elements == left && rows_left > 0) {
        const size_t taken = cut.elements * element_bytes;
        const size_t room = sums->piece_bytes > taken ? (sums->piece_bytes - taken) / row : 0;

        cut.rows = room > rows_left ? rows_left : (uint32_t)room;
        if (cut.rows == 0 && cut.elements == 0)
            cut.rows = 1;
    }
    cut.rows_left = rows_left - cut.rows;
    if (pieces->has_integers)
        cut.integers = integers_of(sums);
    pieces->done += cut.elements;
    pieces->row_next += cut.rows;
    pieces->has_integers = false;
    pieces->is_at_end = pieces->done == pieces->segment.count && cut.rows_left == 0;
    return cut;
}

struct sums_pieces sums_partial_pieces(struct sums *sums, uint32_t to)
{
    touched_rows_sort(&sums->touched);
    return pieces_of(sums, to, to == 0, &sums->touched);
}

void sums_next_partial(const struct sums *sums, struct sums_pieces *pieces,
                       struct message_partial *partial)
{
    const struct cut cut = next_cut(sums, pieces, sizeof(int64_t), sizeof(int64_t));

    partial->first = cut.first;
    partial->integers = cut.integers;
    if (cut.elements > 0)
        partial->fixed = (struct slice){(const char *)(sums->elements + cut.first),
                                        cut.elements * sizeof(int64_t)};
    partial->rows_left = cut.rows_left;
    if (cut.rows > 0) {
        partial->rows = sums_rows_listed(&sums->touched, cut.row_first, cut.rows);
        partial->row_sums = sums_rows_gather_sums(sums, cut.row_first, cut.rows);
    }
}

struct sums_pieces sums_total_pieces(struct sums *sums)
{
    touched_rows_sort(&sums->totals);
    return pieces_of(sums, sums->rank, sums->rank == 0, &sums->totals);
}

void sums_next_total(const struct sums *sums, struct sums_pieces *pieces, struct message_sum *sum)
{
    const size_t bytes = sums->owned_count > 0 ? sizeof(int64_t) : sizeof(float); /* a total's */
    const struct cut cut = next_cut(sums, pieces, bytes, sizeof(float));

    sum->first = cut.first;
    sum->integers = cut.integers;
    if (cut.elements > 0)
        sum->reals = sums_total_bytes(sums, cut.first, cut.elements);
    sum->rows_left = cut.rows_left;
    if (cut.rows > 0) {
        sum->rows = sums_rows_listed(&sums->totals, cut.row_first, cut.rows);
        sum->row_totals = sums_rows_gather_totals(sums, cut.row_first, cut.rows);
    }
}
