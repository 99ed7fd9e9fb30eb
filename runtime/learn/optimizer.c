#include "runtime/learn/optimizer.h"

#include <math.h>
#include <string.h>

#include "base/vectors.h"
#include "base/words.h"
#include "runtime/learn/pairs.h"

struct optimizer optimizer_of(const struct descent_settings *settings, uint64_t steps)
{
    return (struct optimizer){
        .kind = settings->optimizer,
        .schedule = settings->schedule,
        .learning_rate = settings->learning_rate,
        .momentum = settings->momentum,
        .beta1 = settings->beta1,
        .beta2 = settings->beta2,
        .epsilon = settings->epsilon,
        .initial_accumulator = settings->initial_accumulator,
        .steps = steps,
    };
}

float optimizer_slot_start(const struct optimizer *optimizer)
{
    return optimizer->kind == OPTIMIZER_ADAGRAD ? (float)optimizer->initial_accumulator : 0;
}

double optimizer_schedule(const struct optimizer *optimizer, uint64_t t)
{
    const double pi = 0x1.921fb54442d18p+1;
    const double share = (double)t / (double)optimizer->steps;
    const uint64_t from = optimizer->cool_from;

    if (from > 0 && t >= from)
        return 1 - (double)(t - from) / (double)(optimizer->steps - from);

    switch (optimizer->schedule) {
    case SCHEDULE_CONSTANT:
        return 1;
    case SCHEDULE_LINEAR:
        return 1 - share;
    case SCHEDULE_COSINE:
        return (1 + pairs_cosine(pi * share)) / 2;
    case SCHEDULE_TRAPEZOIDAL: /* full for three quarters, then a line to zero */
        return share <= 0.75 ? 1 : 4 * (1 - share);
    }
    return 1;
}

struct optimizer_step optimizer_step_at(const struct optimizer *optimizer, uint64_t t)
{
    double rate = optimizer->learning_rate * optimizer_schedule(optimizer, t);
    double correction = 1;

    if (optimizer->kind == OPTIMIZER_ADAM) {
        rate /= 1 - pairs_power(optimizer->beta1, t + 1);
        correction = sqrt(1 - pairs_power(optimizer->beta2, t + 1));
    }
    return (struct optimizer_step){
        .kind = optimizer->kind,
        .rate = (float)rate,
        .momentum = (float)optimizer->momentum,
        .beta1 = (float)optimizer->beta1,
        .beta2 = (float)optimizer->beta2,
        .rest1 = (float)(1 - optimizer->beta1),
        .rest2 = (float)(1 - optimizer->beta2),
        .epsilon = (float)optimizer->epsilon,
        .correction = (float)correction,
    };
}

/* The gradient with the penalty's. */
VECTORS_PART float with_penalty(float g, float w, float l1, float l2)
{
    return g + (l2 * w + (w > 0 ? l1 : w < 0 ? -l1 : 0));
}

/* What is read and written is summed on the way. */
struct tally {
    uint32_t read, written, mixed, slots_read, slots_written;
};

static inline uint32_t word_of(float value)
{
    uint32_t word;

    memcpy(&word, &value, sizeof word);
    return word;
}

#define TALLY_PARAMETER(before, after)                                                             \
    (read += word_of(before), written += word_of(after), mixed += words_mix_one(word_of(after)))
#define TALLY_SLOT(before, after) (slots_read += word_of(before), slots_written += word_of(after))

WIDE_VECTORS
static struct tally sgd(struct optimizer_step step, float l1, float l2, size_t count,
                        const float *restrict gradient, float *restrict w)
{
    uint32_t read = 0, written = 0, mixed = 0;

    for (size_t i = 0; i < count; i++) {
        const float now = w[i], next = now - step.rate * with_penalty(gradient[i], now, l1, l2);

        w[i] = next;
        TALLY_PARAMETER(now, next);
    }
    return (struct tally){read, written, mixed, 0, 0};
}

WIDE_VECTORS
static struct tally momentum(struct optimizer_step step, float l1, float l2, size_t count,
                             const float *restrict gradient, float *restrict w, float *restrict v)
{
    uint32_t read = 0, written = 0, mixed = 0, slots_read = 0, slots_written = 0;

    for (size_t i = 0; i < count; i++) {
        const float now = w[i], speed = v[i];
        const float faster = step.momentum * speed + with_penalty(gradient[i], now, l1, l2);
        const float next = now - step.rate * faster;

        v[i] = faster;
        w[i] = next;
        TALLY_SLOT(speed, faster);
        TALLY_PARAMETER(now, next);
    }
    return (struct tally){read, written, mixed, slots_read, slots_written};
}

WIDE_VECTORS
static struct tally nesterov(struct optimizer_step step, float l1, float l2, size_t count,
                             const float *restrict gradient, float *restrict w, float *restrict v)
{
    uint32_t read = 0, written = 0, mixed = 0, slots_read = 0, slots_written = 0;

    for (size_t i = 0; i < count; i++) {
        const float now = w[i], speed = v[i], g = with_penalty(gradient[i], now, l1, l2);
        const float faster = step.momentum * speed + g;
        const float next = now - step.rate * (g + step.momentum * faster);

        v[i] = faster;
        w[i] = next;
        TALLY_SLOT(speed, faster);
        TALLY_PARAMETER(now, next);
    }
    return (struct tally){read, written, mixed, slots_read, slots_written};
}

WIDE_VECTORS
static struct tally adagrad(struct optimizer_step step, float l1, float l2, size_t count,
                            const float *restrict gradient, float *restrict w, float *restrict s)
{
    uint32_t read = 0, written = 0, mixed = 0, slots_read = 0, slots_written = 0;

    for (size_t i = 0; i < count; i++) {
        const float now = w[i], squares = s[i], g = with_penalty(gradient[i], now, l1, l2);
        const float more = squares + g * g;
        const float next = now - step.rate * g / (sqrtf(more) + step.epsilon);

        s[i] = more;
        w[i] = next;
        TALLY_SLOT(squares, more);
        TALLY_PARAMETER(now, next);
    }
    return (struct tally){read, written, mixed, slots_read, slots_written};
}

WIDE_VECTORS
static struct tally adam(struct optimizer_step step, float l1, float l2, size_t count,
                         const float *restrict gradient, float *restrict w, float *restrict m,
                         float *restrict v)
{
    uint32_t read = 0, written = 0, mixed = 0, slots_read = 0, slots_written = 0;

    for (size_t i = 0; i < count; i++) {
        const float now = w[i], mean = m[i], square = v[i];
        const float g = with_penalty(gradient[i], now, l1, l2);
        const float next_mean = step.beta1 * mean + step.rest1 * g;
        const float next_square = step.beta2 * square + step.rest2 * (g * g);
        const float next =
            now - step.rate * next_mean / (sqrtf(next_square) / step.correction + step.epsilon);

        m[i] = next_mean;
        v[i] = next_square;
        w[i] = next;
        TALLY_SLOT(mean, next_mean);
        TALLY_SLOT(square, next_square);
        TALLY_PARAMETER(now, next);
    }
    return (struct tally){read, written, mixed, slots_read, slots_written};
}

static struct tally update_by_kind(const struct optimizer_update *u)
{
    const struct optimizer_step step = *u->step;

    switch (step.kind) {
    case OPTIMIZER_SGD:
        return sgd(step, u->l1, u->l2, u->count, u->gradient, u->parameters);
    case OPTIMIZER_MOMENTUM:
        return momentum(step, u->l1, u->l2, u->count, u->gradient, u->parameters, u->first);
    case OPTIMIZER_NESTEROV:
        return nesterov(step, u->l1, u->l2, u->count, u->gradient, u->parameters, u->first);
    case OPTIMIZER_ADAGRAD:
        return adagrad(step, u->l1, u->l2, u->count, u->gradient, u->parameters, u->first);
    case OPTIMIZER_ADAM:
        return adam(step, u->l1, u->l2, u->count, u->gradient, u->parameters, u->first, u->second);
    }
    return (struct tally){0, 0, 0, 0, 0};
}

void optimizer_update(const struct optimizer_update *update, struct optimizer_sums *before,
                      struct optimizer_sums *after)
{
    const struct tally tally = update_by_kind(update);

    before->parameters += tally.read;
    before->slots += tally.slots_read;
    after->parameters += tally.written;
    after->slots += tally.slots_written;
    after->mixed += tally.mixed;
}

/* ---- rows that are moved in some steps only ---- */

struct optimizer_step optimizer_row_step_at(const struct optimizer *optimizer, uint64_t t,
                                            const struct optimizer_step *dense)
{
    const double rate = optimizer->learning_rate * optimizer_schedule(optimizer, t);
    struct optimizer_step step = *dense;

    switch (optimizer->kind) {
    case OPTIMIZER_SGD:
    case OPTIMIZER_ADAGRAD:
        break;
    case OPTIMIZER_MOMENTUM:
    case OPTIMIZER_NESTEROV:
        step.kind = OPTIMIZER_SGD;
        step.rate = (float)(rate / (1 - optimizer->momentum));
        break;
    case OPTIMIZER_ADAM:
        step.rate = (float)rate;
        step.beta1 = 0;
        step.rest1 = 1;
        break;
    }
    return step;
}

void optimizer_powers_init(struct optimizer_powers *powers, double base)
{
    for (unsigned i = 0; i < 256; i++) {
        powers->low[i] = pairs_power(base, i);
        powers->high[i] = pairs_power(base, (uint64_t)i << 8);
    }
}

/* b2^(steps - 1): what is left of v after the steps without a gradient. */
static float decay_of(const struct optimizer_powers *powers, uint32_t steps)
{
    const uint32_t n = (steps < OPTIMIZER_ROW_STEPS_MAX ? steps : OPTIMIZER_ROW_STEPS_MAX) - 1;

    return (float)(powers->high[n >> 8] * powers->low[n & 255]);
}

/* One row, and what is the same for its weights. */
struct row_move {
    float rate, beta2, rest2, epsilon;
    float unbiased; /* Adam: 1 / sqrt(1 - b2^t) */
    float l1, l2;
    float between; /* steps since it was moved, without this one */
    float decay;   /* b2^between */
    size_t width;
};

/* What the penalty leaves of a weight that it moves by so much: it takes none beyond 0. */
VECTORS_PART float penalised(float w, float by)
{
    return fabsf(by) < fabsf(w) ? w - by : 0;
}

VECTORS_PART struct tally move_by_sgd(const struct row_move *move, const float *restrict gradient,
                                      float *restrict w)
{
    uint32_t read = 0, written = 0, mixed = 0;

    for (size_t i = 0; i < move->width; i++) {
        const float now = w[i], p = with_penalty(0, now, move->l1, move->l2);
        const float kept = penalised(now, move->between * (move->rate * p));
        const float next = kept - move->rate * with_penalty(gradient[i], kept, move->l1, move->l2);

        w[i] = next;
        mixed -= words_mix_one(word_of(now));
        TALLY_PARAMETER(now, next);
    }
    return (struct tally){read, written, mixed, 0, 0};
}

VECTORS_PART struct tally move_by_adagrad(const struct row_move *move,
                                          const float *restrict gradient, float *restrict w,
                                          float *restrict s)
{
    uint32_t read = 0, written = 0, mixed = 0, slots_read = 0, slots_written = 0;

    for (size_t i = 0; i < move->width; i++) {
        const float now = w[i], squares = s[i], p = with_penalty(0, now, move->l1, move->l2);
        const float then = squares + move->between * (p * p);
        const float by = move->rate * p / (sqrtf(then) + move->epsilon);
        const float kept = penalised(now, move->between * by);
        const float g = with_penalty(gradient[i], kept, move->l1, move->l2);
        const float more = then + g * g;
        const float next = kept - move->rate * g / (sqrtf(more) + move->epsilon);

        s[i] = more;
        w[i] = next;
        mixed -= words_mix_one(word_of(now));
        TALLY_SLOT(squares, more);
        TALLY_PARAMETER(now, next);
    }
    return (struct tally){read, written, mixed, slots_read, slots_written};
}

VECTORS_PART struct tally move_by_adam(const struct row_move *move, const float *restrict gradient,
                                       float *restrict w, float *restrict v)
{
    uint32_t read = 0, written = 0, mixed = 0, slots_read = 0, slots_written = 0;

    for (size_t i = 0; i < move->width; i++) {
        const float now = w[i], square = v[i], p = with_penalty(0, now, move->l1, move->l2);
        const float then = square * move->decay + p * p * (1 - move->decay);
        const float by = move->rate * p / (sqrtf(then) * move->unbiased + move->epsilon);
        const float kept = penalised(now, move->between * by);
        const float g = with_penalty(gradient[i], kept, move->l1, move->l2);
        const float next_square = move->beta2 * then + move->rest2 * (g * g);
        const float next =
            kept - move->rate * g / (sqrtf(next_square) * move->unbiased + move->epsilon);

        v[i] = next_square;
        w[i] = next;
        mixed -= words_mix_one(word_of(now));
        TALLY_SLOT(square, next_square);
        TALLY_PARAMETER(now, next);
    }
    return (struct tally){read, written, mixed, slots_read, slots_written};
}

/* Adam's mean is not kept, and not read here. */
VECTORS_PART struct tally move_row(const struct optimizer_rows *update, const struct row_move *move,
                                   uint32_t i)
{
    const size_t at = (size_t)update->rows[i] * move->width;
    const float *gradient = update->gradient + i * move->width;

    switch (update->step->kind) {
    case OPTIMIZER_ADAM:
        return move_by_adam(move, gradient, update->parameters + at, update->second + at);
    case OPTIMIZER_ADAGRAD:
        return move_by_adagrad(move, gradient, update->parameters + at, update->first + at);
    default:
        return move_by_sgd(move, gradient, update->parameters + at);
    }
}

#define ROWS_AHEAD 4 /* of the one that is moved, that are asked for */
#define LINE_BYTES 64

/* They lie anywhere in memory. */
VECTORS_PART void expect_row(const struct optimizer_rows *update, uint32_t i)
{
    const size_t row = update->rows[i], at = row * update->width;
    const float *slots = update->second ? update->second : update->first;

    __builtin_prefetch(&update->row_steps[row], 1);
    __builtin_prefetch(&update->known[row], 1);
    for (size_t u = 0; u < update->width; u += LINE_BYTES / sizeof(float)) {
        __builtin_prefetch(&update->parameters[at + u], 1);
        if (slots)
            __builtin_prefetch(&slots[at + u], 1);
    }
}

VECTORS_PART void update_rows(const struct optimizer_rows *update, struct row_move move,
                              struct optimizer_rows_change *change)
{
    for (uint32_t i = 0; i < update->count; i++) {
        const uint32_t row = update->rows[i], last = update->row_steps[row];
        const uint32_t steps = update->now - last;
        struct optimizer_row_sums *known = &update->known[row];
        struct tally tally;

        if (i + ROWS_AHEAD < update->count)
            expect_row(update, i + ROWS_AHEAD);
        move.between = (float)(steps - 1);
        move.decay = decay_of(update->powers, steps);
        tally = move_row(update, &move, i);
        change->before.parameters += tally.read;
        change->before.slots += tally.slots_read + last;
        change->after.parameters += tally.written;
        change->after.slots += tally.slots_written + update->now;
        change->after.mixed += tally.mixed;
        change->known.parameters += known->parameters;
        change->known.slots += known->slots;
        *known = (struct optimizer_row_sums){tally.written, tally.slots_written + update->now};
        update->row_steps[row] = update->now;
    }
}

WIDE_VECTORS
static void update_wide_rows(const struct optimizer_rows *update, const struct row_move *move,
                             struct optimizer_rows_change *change)
{
    update_rows(update, *move, change);
}

void optimizer_update_rows(const struct optimizer_rows *update,
                           struct optimizer_rows_change *change)
{
    const struct optimizer_step *step = update->step;
    struct row_move move = {
        .rate = step->rate,
        .beta2 = step->beta2,
        .rest2 = step->rest2,
        .epsilon = step->epsilon,
        .unbiased = 1 / step->correction,
        .l1 = update->l1,
        .l2 = update->l2,
        .width = update->width,
    };

    if (update->width > 1) {
        update_wide_rows(update, &move, change);
    } else {
        move.width = 1; /* for the compiler, which then makes no loop of it */
        update_rows(update, move, change);
    }
}
