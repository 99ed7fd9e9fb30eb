#include "runtime/learn/optimizer/optimizer.h"

#include "runtime/learn/optimizer/optimizer_loops.h"
#include "runtime/learn/optimizer/pairs.h"
#include "runtime/learn/optimizer/schedule.h"

struct optimizer optimizer_of(const struct descent_settings *settings, uint64_t steps)
{
    return (struct optimizer){.settings = *settings, .steps = steps};
}

uint32_t optimizer_slots_of(const struct descent_settings *settings)
{
    return optimizer_slots(settings->optimizer, settings->momentum > 0, settings->centered);
}

static void fill(float *values, size_t count, float value)
{
    for (size_t i = 0; i < count; i++)
        values[i] = value;
}

/* Sets the z of which FTRL makes w. */
static void start_ftrl(const struct optimizer_step *step, double squares, size_t count,
                       const float *w, float *z)
{
    const double root = step->power == 0.5 ? sqrt(squares) : power_of_squares(step, squares);
    const double scale = root / (double)step->rate + 2 * (double)step->ftrl_l2;

    for (size_t i = 0; i < count; i++) {
        const double size = (double)fabsf(w[i]) * scale + (double)step->ftrl_l1;

        z[i] = w[i] == 0 ? 0 : copysignf((float)size, -w[i]);
    }
}

void optimizer_start(const struct optimizer *optimizer, bool is_bias, size_t count, const float *w,
                     float *const slots[OPTIMIZER_SLOTS_MAX])
{
    const struct descent_settings *settings = &optimizer->settings;
    const bool is_ftrl = settings->optimizer == OPTIMIZER_FTRL;
    struct optimizer_step step = optimizer_step_at(optimizer, 0);

    for (uint32_t s = 0; s < optimizer_slots_of(settings); s++)
        fill(slots[s], count, 0);
    if (settings->optimizer == OPTIMIZER_ADAGRAD || is_ftrl)
        fill(slots[0], count, (float)settings->initial_accumulator);
    if (is_bias)
        step = optimizer_step_of_biases(step);
    if (is_ftrl)
        start_ftrl(&step, settings->initial_accumulator, count, w, slots[1]);
}

double optimizer_schedule(const struct optimizer *optimizer, uint64_t t)
{
    return schedule_factor(&optimizer->settings, optimizer->steps, optimizer->cool_from, t);
}

/* ---- the numbers of a step ---- */

static bool is_adam(enum optimizer_kind kind)
{
    return kind == OPTIMIZER_ADAM || kind == OPTIMIZER_AMSGRAD || kind == OPTIMIZER_ADAMW ||
           kind == OPTIMIZER_ADAMAX;
}

#define NADAM_LEAST 0x1p-60 /* a product that a double does not see beside 1 */

/* Both rates of Nadam, of which it makes its step: c(t) and C(t) are multiplied from the first step
 * on, by whoever computes a step, until C(t) is nothing. */
static void set_nadam_rates(const struct descent_settings *settings, double rate, uint64_t t,
                            struct optimizer_step *step)
{
    const double fading = 0x1.ffea9969757dbp-1; /* 0.96^0.004 */
    double fade = fading, product = 1, now, next;

    for (uint64_t i = 0; i < t && product > NADAM_LEAST; i++, fade *= fading)
        product *= settings->beta1 * (1 - fade / 2);
    fade = pairs_power(fading, t + 1);
    now = settings->beta1 * (1 - fade / 2);
    next = settings->beta1 * (1 - fade * fading / 2);
    product = product > NADAM_LEAST ? product * now : 0;
    step->gradient_rate = (float)(rate * (1 - now) / (1 - product));
    step->rate = (float)(rate * next / (1 - product * next));
}

struct optimizer_step optimizer_step_at(const struct optimizer *optimizer, uint64_t t)
{
    const struct descent_settings *settings = &optimizer->settings;
    const enum optimizer_kind kind = settings->optimizer;
    const bool by_rho = kind == OPTIMIZER_ADADELTA || kind == OPTIMIZER_RMSPROP;
    const double beta2 = by_rho ? settings->rho : settings->beta2;
    const double rate = settings->learning_rate * optimizer_schedule(optimizer, t);
    struct optimizer_step step = {
        .kind = kind,
        .rate = (float)rate,
        .momentum = (float)settings->momentum,
        .beta1 = (float)settings->beta1,
        .beta2 = (float)beta2,
        .rest1 = (float)(1 - settings->beta1),
        .rest2 = (float)(1 - beta2),
        .epsilon = (float)settings->epsilon,
        .correction = 1,
        .decay = (float)(rate * settings->weight_decay),
        .ftrl_l1 = (float)settings->ftrl_l1,
        .ftrl_l2 = (float)settings->ftrl_l2,
        .power = -settings->rate_power,
        .centered = settings->centered,
    };

    if (is_adam(kind))
        step.rate = (float)(rate / (1 - pairs_power(settings->beta1, t + 1)));
    if (is_adam(kind) || kind == OPTIMIZER_NADAM)
        step.correction = (float)sqrt(1 - pairs_power(settings->beta2, t + 1));
    if (kind == OPTIMIZER_NADAM)
        set_nadam_rates(settings, rate, t, &step);
    return step;
}

struct optimizer_step optimizer_step_of_biases(struct optimizer_step step)
{
    step.decay = step.ftrl_l1 = step.ftrl_l2 = 0;
    return step;
}

/* ---- all weights ---- */

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
        return momentum(step, u->l1, u->l2, u->count, u->gradient, u->parameters, u->slots[0]);
    case OPTIMIZER_NESTEROV:
        return nesterov(step, u->l1, u->l2, u->count, u->gradient, u->parameters, u->slots[0]);
    case OPTIMIZER_ADAGRAD:
        return adagrad(step, u->l1, u->l2, u->count, u->gradient, u->parameters, u->slots[0]);
    case OPTIMIZER_ADAM:
        return adam(step, u->l1, u->l2, u->count, u->gradient, u->parameters, u->slots[0],
                    u->slots[1]);
    default:
        return optimizer_loop(u);
    }
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

bool optimizer_moves_rows(enum optimizer_kind kind, bool has_penalty)
{
    return kind <= OPTIMIZER_ADAM || (kind == OPTIMIZER_FTRL && !has_penalty);
}

struct optimizer_step optimizer_row_step_at(const struct optimizer *optimizer, uint64_t t,
                                            const struct optimizer_step *dense)
{
    const struct descent_settings *settings = &optimizer->settings;
    const double rate = settings->learning_rate * optimizer_schedule(optimizer, t);
    struct optimizer_step step = *dense;

    switch (settings->optimizer) {
    case OPTIMIZER_MOMENTUM:
    case OPTIMIZER_NESTEROV:
        step.kind = OPTIMIZER_SGD;
        step.rate = (float)(rate / (1 - settings->momentum));
        break;
    case OPTIMIZER_ADAM:
        step.rate = (float)rate;
        step.beta1 = 0;
        step.rest1 = 1;
        break;
    default:
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

/* A move of some weights of a row: the numbers that these have in common. */
struct row_move {
    const struct optimizer_step *step;
    size_t first; /* the first weight's place in the row */
    float rate, beta2, rest2, epsilon;
    float unbiased; /* Adam: 1 / sqrt(1 - b2^t) */
    float l1, l2;
    float between; /* steps since it was moved, without this one */
    float decay;   /* b2^between */
    size_t width;
};

/* The weight w after a penalty `by`, which takes no weight beyond 0. */
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

/* The sign costs as much as the rest. */
VECTORS_PART float row_penalty(const struct row_move *move, bool has_l1, float w)
{
    return has_l1 ? with_penalty(0, w, move->l1, move->l2) : move->l2 * w;
}

/* A weight and what Adam keeps of it. */
struct adam_weight {
    float w, v;
};

VECTORS_PART struct adam_weight rule_adam_row(const struct row_move *move, bool has_l1,
                                              float between, float decay, float gradient,
                                              struct adam_weight now)
{
    const float p = row_penalty(move, has_l1, now.w);
    const float then = now.v * decay + p * p * (1 - decay);
    const float by = move->rate * p / (sqrtf(then) * move->unbiased + move->epsilon);
    const float kept = penalised(now.w, between * by);
    const float g = gradient + row_penalty(move, has_l1, kept);
    const float next = move->beta2 * then + move->rest2 * (g * g);

    return (struct adam_weight){
        kept - move->rate * g / (sqrtf(next) * move->unbiased + move->epsilon), next};
}

/* has_l1: a constant to the compiler, which makes two loops of this one. */
VECTORS_PART struct tally move_by_adam(const struct row_move *move, bool has_l1,
                                       const float *restrict gradient, float *restrict w,
                                       float *restrict v)
{
    uint32_t read = 0, written = 0, mixed = 0, slots_read = 0, slots_written = 0;

    for (size_t i = 0; i < move->width; i++) {
        const struct adam_weight now = {w[i], v[i]};
        const struct adam_weight next =
            rule_adam_row(move, has_l1, move->between, move->decay, gradient[i], now);

        v[i] = next.v;
        w[i] = next.w;
        mixed -= words_mix_one(word_of(now.w));
        TALLY_SLOT(now.v, next.v);
        TALLY_PARAMETER(now.w, next.w);
    }
    return (struct tally){read, written, mixed, slots_read, slots_written};
}

/* Nothing is done to it between two steps that touch it. */
VECTORS_PART struct tally move_by_ftrl(const struct optimizer_step *step, size_t width,
                                       const float *restrict gradient, float *restrict w,
                                       float *restrict s, float *restrict z)
{
    uint32_t read = 0, written = 0, mixed = 0, slots_read = 0, slots_written = 0;

    for (size_t i = 0; i < width; i++) {
        const struct element now = {w[i], {s[i], z[i]}};
        const struct element next = step->power == 0.5 ? rule_ftrl(step, gradient[i], now)
                                                       : rule_ftrl_power(step, gradient[i], now);

        w[i] = next.w;
        s[i] = next.slots[0];
        z[i] = next.slots[1];
        mixed -= words_mix_one(word_of(now.w));
        TALLY_PARAMETER(now.w, next.w);
        TALLY_SLOT(now.slots[0], next.slots[0]);
        TALLY_SLOT(now.slots[1], next.slots[1]);
    }
    return (struct tally){read, written, mixed, slots_read, slots_written};
}

/* Adam's mean is not kept, and not read here. */
VECTORS_PART struct tally move_row(const struct optimizer_rows *update, const struct row_move *move,
                                   uint32_t i)
{
    const size_t at = (size_t)update->rows[i] * update->width + move->first;
    const float *gradient = update->gradient + (size_t)i * update->width + move->first;
    float *w = update->parameters + at;

    switch (move->step->kind) {
    case OPTIMIZER_ADAM:
        return move->l1 > 0 ? move_by_adam(move, true, gradient, w, update->second + at)
                            : move_by_adam(move, false, gradient, w, update->second + at);
    case OPTIMIZER_ADAGRAD:
        return move_by_adagrad(move, gradient, update->parameters + at, update->first + at);
    case OPTIMIZER_FTRL:
        return move_by_ftrl(move->step, move->width, gradient, update->parameters + at,
                            update->first + at, update->second + at);
    default:
        return move_by_sgd(move, gradient, update->parameters + at);
    }
}

#define ROWS_AHEAD 4 /* distance from the row that is moved to the one that is asked for */
#define LINE_BYTES 64

/* Rows lie anywhere in memory. */
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
    /* Rows do not begin where lines do. */
    __builtin_prefetch(&update->parameters[at + update->width - 1], 1);
    if (slots)
        __builtin_prefetch(&slots[at + update->width - 1], 1);
}

/* The row was moved, and has these sums now. */
VECTORS_PART void note_moved(const struct optimizer_rows *update, uint32_t row, uint32_t written,
                             uint32_t slots_written, struct optimizer_rows_change *change)
{
    struct optimizer_row_sums *known = &update->known[row];

    change->before.slots += update->row_steps[row];
    change->after.parameters += written;
    change->after.slots += slots_written + update->now;
    change->known.parameters += known->parameters;
    change->known.slots += known->slots;
    *known = (struct optimizer_row_sums){written, slots_written + update->now};
    update->row_steps[row] = update->now;
}

/* Both parts of a row, one after the other. */
VECTORS_PART struct tally move_parts(const struct optimizer_rows *update,
                                     const struct row_move *linear, const struct row_move *others,
                                     uint32_t i)
{
    struct tally tally = move_row(update, linear, i);
    const struct tally more = move_row(update, others, i);

    tally.read += more.read;
    tally.written += more.written;
    tally.mixed += more.mixed;
    tally.slots_read += more.slots_read;
    tally.slots_written += more.slots_written;
    return tally;
}

WIDE_VECTORS
static void update_parts_of_rows(const struct optimizer_rows *update, struct row_move linear,
                                 struct row_move others, struct optimizer_rows_change *change)
{
    for (uint32_t i = 0; i < update->count; i++) {
        const uint32_t row = update->rows[i], steps = update->now - update->row_steps[row];
        struct tally tally;

        if (i + ROWS_AHEAD < update->count)
            expect_row(update, i + ROWS_AHEAD);
        linear.between = others.between = (float)(steps - 1);
        linear.decay = others.decay = decay_of(update->powers, steps);
        tally = move_parts(update, &linear, &others, i);
        change->before.parameters += tally.read;
        change->before.slots += tally.slots_read;
        change->after.mixed += tally.mixed;
        note_moved(update, row, tally.written, tally.slots_written, change);
    }
}

VECTORS_PART void update_rows(const struct optimizer_rows *update, struct row_move move,
                              struct optimizer_rows_change *change)
{
    for (uint32_t i = 0; i < update->count; i++) {
        const uint32_t row = update->rows[i], steps = update->now - update->row_steps[row];
        struct tally tally;

        if (i + ROWS_AHEAD < update->count)
            expect_row(update, i + ROWS_AHEAD);
        move.between = (float)(steps - 1);
        move.decay = decay_of(update->powers, steps);
        tally = move_row(update, &move, i);
        change->before.parameters += tally.read;
        change->before.slots += tally.slots_read;
        change->after.mixed += tally.mixed;
        note_moved(update, row, tally.written, tally.slots_written, change);
    }
}

/* ---- rows of few weights, one behind the other: a vector has weights of several ---- */

#define NARROW_MOST   15  /* weights of such a row */
#define GATHERED_MOST 256 /* weights at a time */

struct gathered {
    float w[GATHERED_MOST], v[GATHERED_MOST];
    float between[GATHERED_MOST], decay[GATHERED_MOST]; /* those of a weight's row */
    uint32_t written[GATHERED_MOST], slots_written[GATHERED_MOST];
};

VECTORS_PART void gather_rows(const struct optimizer_rows *update, size_t width, uint32_t first,
                              uint32_t count, struct gathered *to)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t row = update->rows[first + i], steps = update->now - update->row_steps[row];
        const float between = (float)(steps - 1), decay = decay_of(update->powers, steps);

        /* Those that are gathered next are fetched while these move. */
        if (first + i + count < update->count)
            expect_row(update, first + i + count);
        for (size_t u = 0; u < width; u++) {
            to->w[i * width + u] = update->parameters[row * width + u];
            to->v[i * width + u] = update->second[row * width + u];
            to->between[i * width + u] = between;
            to->decay[i * width + u] = decay;
        }
    }
}

/* has_l1: as in move_by_adam. */
VECTORS_PART void move_gathered(const struct row_move *move, bool has_l1,
                                const float *restrict gradient, size_t count,
                                struct gathered *restrict of, struct optimizer_rows_change *change)
{
    uint32_t read = 0, mixed = 0, slots_read = 0;

    for (size_t i = 0; i < count; i++) {
        const struct adam_weight now = {of->w[i], of->v[i]};
        const struct adam_weight next =
            rule_adam_row(move, has_l1, of->between[i], of->decay[i], gradient[i], now);

        of->w[i] = next.w;
        of->v[i] = next.v;
        of->written[i] = word_of(next.w);
        of->slots_written[i] = word_of(next.v);
        read += word_of(now.w);
        slots_read += word_of(now.v);
        mixed += words_mix_one(word_of(next.w)) - words_mix_one(word_of(now.w));
    }
    change->before.parameters += read;
    change->before.slots += slots_read;
    change->after.mixed += mixed;
}

VECTORS_PART void scatter_rows(const struct optimizer_rows *update, size_t width, uint32_t first,
                               uint32_t count, const struct gathered *from,
                               struct optimizer_rows_change *change)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t row = update->rows[first + i];
        uint32_t written = 0, slots_written = 0;

        for (size_t u = 0; u < width; u++) {
            update->parameters[row * width + u] = from->w[i * width + u];
            update->second[row * width + u] = from->v[i * width + u];
            written += from->written[i * width + u];
            slots_written += from->slots_written[i * width + u];
        }
        note_moved(update, row, written, slots_written, change);
    }
}

VECTORS_PART void update_gathered(const struct optimizer_rows *update, size_t width,
                                  const struct row_move *move, struct optimizer_rows_change *change)
{
    const uint32_t most = (uint32_t)(GATHERED_MOST / width);
    struct gathered gathered;

    for (uint32_t first = 0; first < update->count; first += most) {
        const uint32_t left = update->count - first, count = left < most ? left : most;
        const float *gradient = update->gradient + (size_t)first * width;
        const size_t weights = (size_t)count * width;

        gather_rows(update, width, first, count, &gathered);
        if (move->l1 > 0)
            move_gathered(move, true, gradient, weights, &gathered, change);
        else
            move_gathered(move, false, gradient, weights, &gathered, change);
        scatter_rows(update, width, first, count, &gathered, change);
    }
}

/* Rows of embeddings of 4 or 8, with a weight of a linear part or without, are most frequent: the
 * compiler knows their width, without which each copy of a row is a call. */
WIDE_VECTORS
static void update_narrow_rows(const struct optimizer_rows *update, const struct row_move *move,
                               struct optimizer_rows_change *change)
{
    switch (update->width) {
    case 4:
        update_gathered(update, 4, move, change);
        break;
    case 5:
        update_gathered(update, 5, move, change);
        break;
    case 8:
        update_gathered(update, 8, move, change);
        break;
    case 9:
        update_gathered(update, 9, move, change);
        break;
    default:
        update_gathered(update, update->width, move, change);
    }
}

WIDE_VECTORS
static void update_wide_rows(const struct optimizer_rows *update, const struct row_move *move,
                             struct optimizer_rows_change *change)
{
    update_rows(update, *move, change);
}

static struct row_move move_of(const struct optimizer_step *step, float l1, float l2, size_t first,
                               size_t width)
{
    return (struct row_move){
        .step = step,
        .first = first,
        .rate = step->rate,
        .beta2 = step->beta2,
        .rest2 = step->rest2,
        .epsilon = step->epsilon,
        .unbiased = 1 / step->correction,
        .l1 = l1,
        .l2 = l2,
        .width = width,
    };
}

void optimizer_update_rows(const struct optimizer_rows *update,
                           struct optimizer_rows_change *change)
{
    const struct optimizer_step *step = update->step;
    const uint32_t linear = update->linear;
    struct row_move move = move_of(step, update->l1, update->l2, linear, update->width - linear);

    if (linear > 0) {
        update_parts_of_rows(
            update, move_of(update->linear_step, update->linear_l1, update->linear_l2, 0, linear),
            move, change);
    } else if (step->kind == OPTIMIZER_ADAM && update->width > 1 && update->width <= NARROW_MOST) {
        update_narrow_rows(update, &move, change);
    } else if (update->width > 1) {
        update_wide_rows(update, &move, change);
    } else {
        move.width = 1; /* for the compiler, which then makes no loop of it */
        update_rows(update, move, change);
    }
}
