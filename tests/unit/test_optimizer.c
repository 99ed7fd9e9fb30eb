#include "tests/check.h"

#include <math.h>

#include "base/sums/words.h"
#include "runtime/learn/optimizer/optimizer.h"
#include "runtime/learn/optimizer/pairs.h"
#include "runtime/learn/optimizer/schedule.h"

#define STEPS 10
#define COUNT 5

/* Printed by tests/quality/optimizers.py. */
static const struct {
    enum optimizer_kind kind;
    enum schedule schedule;
    double weights[COUNT];
} expected[] = {
    {OPTIMIZER_SGD,
     SCHEDULE_CONSTANT,
     {-0.741628767, -0.371714956, -0.201188097, -0.043321946, 0.318623770}},
    {OPTIMIZER_SGD,
     SCHEDULE_LINEAR,
     {-0.567967363, -0.301427328, -0.135797203, 0.060087268, 0.425650621}},
    {OPTIMIZER_SGD,
     SCHEDULE_COSINE,
     {-0.570320360, -0.290069918, -0.138140526, 0.050538121, 0.442068438}},
    {OPTIMIZER_SGD,
     SCHEDULE_TRAPEZOIDAL,
     {-0.685973618, -0.365625953, -0.164712353, -0.056752408, 0.337490713}},
    {OPTIMIZER_SGD,
     SCHEDULE_EXPONENTIAL,
     {-0.558747945, -0.306342404, -0.134458454, 0.082390540, 0.420443680}},
    {OPTIMIZER_SGD,
     SCHEDULE_STEP,
     {-0.627631249, -0.299268464, -0.171318789, 0.044613106, 0.371956178}},
    {OPTIMIZER_SGD,
     SCHEDULE_POLYNOMIAL,
     {-0.504280046, -0.303051545, -0.115615726, 0.141931937, 0.426609602}},
    {OPTIMIZER_MOMENTUM,
     SCHEDULE_CONSTANT,
     {-1.140231060, -0.631872211, -0.929223909, -1.128338808, -0.068817808}},
    {OPTIMIZER_MOMENTUM,
     SCHEDULE_LINEAR,
     {-0.606524812, -0.414458413, -0.503179472, -0.353287529, 0.276182086}},
    {OPTIMIZER_MOMENTUM,
     SCHEDULE_COSINE,
     {-0.560022127, -0.404984062, -0.502655612, -0.324564284, 0.305526038}},
    {OPTIMIZER_MOMENTUM,
     SCHEDULE_TRAPEZOIDAL,
     {-0.996767493, -0.551148935, -0.848987964, -0.985544246, 0.034298025}},
    {OPTIMIZER_NESTEROV,
     SCHEDULE_CONSTANT,
     {-1.316041321, -0.711635492, -1.025117849, -1.252459044, -0.184468460}},
    {OPTIMIZER_NESTEROV,
     SCHEDULE_LINEAR,
     {-0.665203793, -0.448037940, -0.584682921, -0.466882013, 0.225964131}},
    {OPTIMIZER_NESTEROV,
     SCHEDULE_COSINE,
     {-0.625837384, -0.428156080, -0.586789025, -0.454460338, 0.268671127}},
    {OPTIMIZER_NESTEROV,
     SCHEDULE_TRAPEZOIDAL,
     {-1.132402842, -0.633530130, -0.918264501, -1.140916956, -0.076066809}},
    {OPTIMIZER_ADAGRAD,
     SCHEDULE_CONSTANT,
     {-0.606208021, -0.374113739, -0.155224356, 0.026701965, 0.367998985}},
    {OPTIMIZER_ADAGRAD,
     SCHEDULE_LINEAR,
     {-0.506944559, -0.333446529, -0.116508158, 0.100205927, 0.425193250}},
    {OPTIMIZER_ADAGRAD,
     SCHEDULE_COSINE,
     {-0.511551142, -0.328826391, -0.118477361, 0.088020074, 0.435051985}},
    {OPTIMIZER_ADAGRAD,
     SCHEDULE_TRAPEZOIDAL,
     {-0.578976779, -0.370773375, -0.136137432, 0.021218540, 0.377641829}},
    {OPTIMIZER_ADAM,
     SCHEDULE_CONSTANT,
     {-0.544900531, -0.525549519, -0.411544716, -0.168441450, 0.247128677}},
    {OPTIMIZER_ADAM,
     SCHEDULE_LINEAR,
     {-0.403883626, -0.457231644, -0.272135398, 0.077477695, 0.343351114}},
    {OPTIMIZER_ADAM,
     SCHEDULE_COSINE,
     {-0.387623562, -0.460839993, -0.278060711, 0.074317475, 0.348870062}},
    {OPTIMIZER_ADAM,
     SCHEDULE_TRAPEZOIDAL,
     {-0.509735975, -0.504525498, -0.390061720, -0.131542178, 0.273437453}},
    {OPTIMIZER_ADAM,
     SCHEDULE_EXPONENTIAL,
     {-0.407023784, -0.453323329, -0.256352341, 0.099510649, 0.342730899}},
    {OPTIMIZER_ADAM,
     SCHEDULE_STEP,
     {-0.420697746, -0.470721151, -0.313270048, 0.021993441, 0.314775158}},
    {OPTIMIZER_ADAM,
     SCHEDULE_POLYNOMIAL,
     {-0.385912581, -0.431059966, -0.198800381, 0.188032205, 0.360588299}},
    {OPTIMIZER_ADADELTA,
     SCHEDULE_CONSTANT,
     {-0.500071549, -0.250063595, -0.000051923, 0.249897810, 0.499944819}},
    {OPTIMIZER_ADAMAX,
     SCHEDULE_CONSTANT,
     {-0.474536813, -0.465975369, -0.305231612, 0.040834896, 0.303914203}},
    {OPTIMIZER_NADAM,
     SCHEDULE_CONSTANT,
     {-0.714715586, -0.511578667, -0.254970724, -0.058287217, 0.269229872}},
    {OPTIMIZER_AMSGRAD,
     SCHEDULE_CONSTANT,
     {-0.544900531, -0.525548113, -0.411536976, -0.168441450, 0.247130724}},
    {OPTIMIZER_ADAMW,
     SCHEDULE_CONSTANT,
     {-0.525487853, -0.504662531, -0.400224814, -0.174134768, 0.229300147}},
};

/* The same of what some optimizers have settings for. */
static const struct {
    enum optimizer_kind kind;
    double momentum, rate_power;
    bool centered;
    uint64_t warmup_steps;
    double weights[COUNT];
} variants[] = {
    {OPTIMIZER_RMSPROP, .momentum = 0, .centered = false,
     .weights = {-0.844234698, -0.719239329, -0.416021964, -0.179032872, 0.127720981}},
    {OPTIMIZER_RMSPROP, .momentum = 0, .centered = true,
     .weights = {-0.875447099, -0.794535654, -0.485019188, -0.281941409, 0.073679837}},
    {OPTIMIZER_RMSPROP, .momentum = 0.9, .centered = false,
     .weights = {-1.172475211, -2.554945441, -1.940366498, -1.656485116, -0.824661935}},
    {OPTIMIZER_RMSPROP, .momentum = 0.9, .centered = true,
     .weights = {-1.192406029, -2.950741202, -2.273443637, -2.052181297, -1.062057538}},
    {OPTIMIZER_FTRL, .rate_power = -0.5,
     .weights = {-0.604467830, -0.361035843, -0.119588549, 0.038821173, 0.376523409}},
    {OPTIMIZER_FTRL, .rate_power = -0.8,
     .weights = {-0.553327450, -0.375783507, -0.102675298, 0.067150307, 0.389326586}},
    {OPTIMIZER_FTRL, .rate_power = 0,
     .weights = {-0.723790172, -0.362752564, -0.159124594, 0.000000000, 0.331982364}},
    {OPTIMIZER_ADAM, .momentum = 0.9, .warmup_steps = 3,
     .weights = {-0.636397989, -0.433211910, -0.334647625, -0.212514336, 0.314369431}},
};

static struct optimizer optimizer_for(enum optimizer_kind kind, enum schedule schedule)
{
    const struct descent_settings settings = {
        .optimizer = kind,
        .schedule = schedule,
        .learning_rate = 0.1,
        .momentum = 0.9,
        .beta1 = 0.9,
        .beta2 = 0.999,
        .rho = 0.8,
        .epsilon = 1e-8,
        .initial_accumulator = 0.1,
        .weight_decay = 0.05,
        .rate_power = -0.5,
        .ftrl_l1 = 0.3,
        .ftrl_l2 = 0.4,
        .decay_steps = schedule >= SCHEDULE_EXPONENTIAL ? 4 : 0,
        .decay_rate = 0.5,
        .power = 1.5,
        .end_rate = 0.02,
    };

    return optimizer_of(&settings, STEPS);
}

/* gradient() of the script. */
static float gradient_at(int i, int t)
{
    return (float)((7 * i + 5 * t) % 16 - 6) / 8;
}

static uint32_t sum_slots(uint32_t slots, float *const kept[OPTIMIZER_SLOTS_MAX], int count)
{
    uint32_t sum = 0;

    for (uint32_t s = 0; s < slots; s++)
        sum += words_sum(kept[s], (size_t)count);
    return sum;
}

/* And what it says of the memory is what is there. */
static void train_with(const struct optimizer *optimizer, float l1, float l2, int copies, float *w)
{
    float gradient[COUNT * 20], kept[OPTIMIZER_SLOTS_MAX][COUNT * 20];
    float *const slots[OPTIMIZER_SLOTS_MAX] = {kept[0], kept[1], kept[2]};
    const int count = COUNT * copies;

    for (int i = 0; i < count; i++)
        w[i] = (float)(i % COUNT - 2) / 4;
    optimizer_start(optimizer, false, (size_t)count, w, slots);
    for (int t = 0; t < STEPS; t++) {
        const struct optimizer_step step = optimizer_step_at(optimizer, (uint64_t)t);
        const uint32_t slot_count = optimizer_slots_of(&optimizer->settings);
        struct optimizer_sums before = {0}, after = {0};
        const uint32_t old = words_sum(w, (size_t)count),
                       old_slots = sum_slots(slot_count, slots, count);

        for (int i = 0; i < count; i++)
            gradient[i] = gradient_at(i % COUNT, t);
        optimizer_update(
            &(struct optimizer_update){
                &step, l1, l2, (size_t)count, gradient, w, {slots[0], slots[1], slots[2]}},
            &before, &after);
        CHECK_INT(before.parameters, old);
        CHECK_INT(before.slots, old_slots);
        CHECK_INT(after.parameters, words_sum(w, (size_t)count));
        CHECK_INT(after.mixed, words_mix(w, (size_t)count));
        CHECK_INT(after.slots, sum_slots(slot_count, slots, count));
    }
}

static void train(const struct optimizer *optimizer, int copies, float *w)
{
    train_with(optimizer, 0.01f, 0.02f, copies, w);
}

/* Weights of PyTorch 2.15, without penalties: printed by tests/quality/optimizers.py --peers. */
static const struct {
    enum optimizer_kind kind;
    double weights[COUNT];
} of_pytorch[] = {
    {OPTIMIZER_SGD, {-0.762500000, -0.387500000, -0.212500000, -0.037500000, 0.337500000}},
    {OPTIMIZER_MOMENTUM, {-1.220320274, -0.701871209, -0.988436903, -1.125430299, 0.004089587}},
    {OPTIMIZER_NESTEROV, {-1.410788246, -0.794184089, -1.102093213, -1.275387269, -0.108819372}},
    {OPTIMIZER_ADAGRAD, {-0.617483589, -0.387208731, -0.161943337, 0.035476233, 0.379284826}},
    {OPTIMIZER_ADAM, {-0.566294750, -0.552079011, -0.427177896, -0.156655533, 0.272518828}},
    {OPTIMIZER_ADAMW, {-0.546344056, -0.530552242, -0.415552464, -0.162714132, 0.254010856}},
    {OPTIMIZER_AMSGRAD, {-0.566294750, -0.552074988, -0.427168169, -0.156655533, 0.272520302}},
    {OPTIMIZER_ADAMAX, {-0.486514505, -0.482703491, -0.315197298, 0.049423915, 0.321317194}},
    {OPTIMIZER_NADAM, {-0.734096521, -0.530742054, -0.267710876, -0.051734150, 0.288391688}},
    {OPTIMIZER_ADADELTA, {-0.500076948, -0.250068134, -0.000054380, 0.249901764, 0.499950003}},
    {OPTIMIZER_RMSPROP, {-1.258918461, -3.199687299, -2.460239797, -2.056751246, -1.045540318}},
};

/* FTRL, which PyTorch has not, is Keras' (--peers). */
static void every_optimizer_is_that_of_pytorch(void **state)
{
    bool is_there[32] = {false};
    (void)state;

    is_there[OPTIMIZER_FTRL] = true;
    for (size_t k = 0; k < sizeof of_pytorch / sizeof *of_pytorch; k++) {
        struct optimizer optimizer = optimizer_for(of_pytorch[k].kind, SCHEDULE_CONSTANT);
        float w[COUNT];

        optimizer.settings.centered = true; /* RMSprop's */
        is_there[of_pytorch[k].kind] = true;
        train_with(&optimizer, 0, 0, 1, w);
        for (int i = 0; i < COUNT; i++)
            if (fabs((double)w[i] - of_pytorch[k].weights[i]) > 2e-6)
                check_failed("%s, weight %d: %.9g, not %.9g", optimizer_words[of_pytorch[k].kind],
                             i, (double)w[i], of_pytorch[k].weights[i]);
    }
    for (int kind = 0; optimizer_words[kind]; kind++)
        if (!is_there[kind])
            check_failed("no weights of PyTorch for %s", optimizer_words[kind]);
}

static void check_weights(size_t row, const struct optimizer *optimizer, const double right[COUNT])
{
    float w[COUNT];

    train(optimizer, 1, w);
    for (int i = 0; i < COUNT; i++)
        if (fabs((double)w[i] - right[i]) > 2e-6)
            check_failed("row %zu, weight %d: %.9g, not %.9g", row, i, (double)w[i], right[i]);
}

/* An optimizer or schedule that is added needs its numbers. */
static void every_optimizer_and_schedule_has_reference_numbers(void **state)
{
    bool has_optimizer[32] = {false}, has_schedule[32] = {false};
    (void)state;

    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++)
        has_optimizer[expected[k].kind] = has_schedule[expected[k].schedule] = true;
    for (size_t k = 0; k < sizeof variants / sizeof *variants; k++)
        has_optimizer[variants[k].kind] = true;
    for (int kind = 0; optimizer_words[kind]; kind++)
        if (!has_optimizer[kind])
            check_failed("%s is not in tests/quality/optimizers.py", optimizer_words[kind]);
    for (int schedule = 0; schedule_words[schedule]; schedule++)
        if (!has_schedule[schedule])
            check_failed("%s is not in tests/quality/optimizers.py", schedule_words[schedule]);
}

static void every_optimizer_follows_its_formula(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        const struct optimizer optimizer = optimizer_for(expected[k].kind, expected[k].schedule);

        check_weights(k, &optimizer, expected[k].weights);
    }
    for (size_t k = 0; k < sizeof variants / sizeof *variants; k++) {
        struct optimizer optimizer = optimizer_for(variants[k].kind, SCHEDULE_CONSTANT);

        optimizer.settings.momentum = variants[k].momentum;
        optimizer.settings.centered = variants[k].centered;
        optimizer.settings.rate_power = variants[k].rate_power;
        optimizer.settings.warmup_steps = variants[k].warmup_steps;
        check_weights(k, &optimizer, variants[k].weights);
    }
}

static void an_element_does_not_depend_on_its_neighbours(void **state)
{
    (void)state;
    for (int kind = 0; optimizer_words[kind]; kind++) {
        const struct optimizer optimizer =
            optimizer_for((enum optimizer_kind)kind, SCHEDULE_CONSTANT);
        float w[COUNT * 20];

        train(&optimizer, 20, w);
        for (int i = COUNT; i < COUNT * 20; i++)
            assert_memory_equal(&w[i], &w[i % COUNT], sizeof *w);
    }
}

static void a_penalty_leaves_zero_where_it_is(void **state)
{
    const struct optimizer optimizer = optimizer_for(OPTIMIZER_SGD, SCHEDULE_CONSTANT);
    const struct optimizer_step step = optimizer_step_at(&optimizer, 0);
    const float gradient[3] = {0};
    float w[3] = {0, 0.5f, -0.5f};
    struct optimizer_sums before = {0}, after = {0};
    (void)state;

    optimizer_update(&(struct optimizer_update){&step, 0.5f, 0, 3, gradient, w, {NULL}}, &before,
                     &after);
    CHECK(w[0] == 0);
    CHECK(fabsf(w[1] - 0.45f) < 1e-6f && fabsf(w[2] + 0.45f) < 1e-6f);
}

static void schedules_end_near_zero(void **state)
{
    struct optimizer linear = optimizer_for(OPTIMIZER_SGD, SCHEDULE_LINEAR);
    struct optimizer cosine = optimizer_for(OPTIMIZER_SGD, SCHEDULE_COSINE);

    (void)state;
    linear.steps = cosine.steps = 1000;
    CHECK(optimizer_schedule(&linear, 0) == 1 && optimizer_schedule(&cosine, 0) == 1);
    CHECK(fabs(optimizer_schedule(&linear, 500) - 0.5) < 1e-12);
    CHECK(fabs(optimizer_schedule(&cosine, 500) - 0.5) < 1e-12);
    CHECK(optimizer_schedule(&linear, 999) > 0 && optimizer_schedule(&linear, 999) < 0.0011);
    CHECK(optimizer_schedule(&cosine, 999) > 0 && optimizer_schedule(&cosine, 999) < 1e-5);
}

static void a_trapezoidal_schedule_holds_for_three_quarters_and_then_falls(void **state)
{
    struct optimizer optimizer = optimizer_for(OPTIMIZER_SGD, SCHEDULE_TRAPEZOIDAL);

    (void)state;
    optimizer.steps = 1000;
    CHECK(optimizer_schedule(&optimizer, 0) == 1 && optimizer_schedule(&optimizer, 750) == 1);
    CHECK(fabs(optimizer_schedule(&optimizer, 875) - 0.5) < 1e-12);
    CHECK(fabs(optimizer_schedule(&optimizer, 999) - 0.004) < 1e-12);
}

static bool is_near(double value, double right)
{
    return fabs(value - right) <= fabs(right) * 0x1p-52;
}

/* Any C library and any processor gives these bits. They are as near as the library's, so that a
 * result that is rounded to float is the same. */
static void power_and_cosine_do_not_come_from_the_c_library(void **state)
{
    const double pi = 0x1.921fb54442d18p+1;
    const double bases[] = {0.9, 0.999, 0.5, 1, 0};

    (void)state;
    CHECK(pairs_power(0.999, 1000) == 0x1.788526411ed72p-2);
    CHECK(pairs_power(0.9, 7) == 0x1.e9c6a99d1cdbfp-2);
    CHECK(pairs_power(0.999, 123456) == 0x1.be31a294758a6p-179);
    CHECK(pairs_power(0.999, UINT64_MAX) == 0 && pairs_power(1, UINT64_MAX) == 1);
    CHECK(pairs_cosine(1) == 0x1.14a280fb5068cp-1);
    CHECK(pairs_cosine(0) == 1 && pairs_cosine(pi) == -1);
    CHECK(pairs_cosine(pi / 2) == 0x1.1a62633145c07p-54);
    for (size_t b = 0; b < sizeof bases / sizeof *bases; b++)
        for (uint64_t t = 1; t < 5000; t += 1 + t / 50)
            CHECK(is_near(pairs_power(bases[b], t), pow(bases[b], (double)t)));
    for (int i = 0; i < 1000; i++) {
        const double angle = pi * i / 1000;
        const double own = pairs_cosine(angle), library = cos(angle);

        CHECK(is_near(own, library) && (float)((1 + own) / 2) == (float)((1 + library) / 2));
    }
}

static void a_cool_down_leads_to_zero_from_where_it_begins(void **state)
{
    struct optimizer optimizer = optimizer_for(OPTIMIZER_SGD, SCHEDULE_TRAPEZOIDAL);

    (void)state;
    optimizer.steps = 400;
    optimizer.cool_from = 300;
    CHECK(optimizer_schedule(&optimizer, 299) == 1 && optimizer_schedule(&optimizer, 300) == 1);
    CHECK(fabs(optimizer_schedule(&optimizer, 350) - 0.5) < 1e-12);
    CHECK(fabs(optimizer_schedule(&optimizer, 399) - 0.01) < 1e-12);
}

/* The way of a row over steps of which only the first has a gradient, by the dense rule. */
static float moved_by_dense_steps(const struct optimizer *optimizer, uint64_t t)
{
    float w = 0, first = 0, second = 0;

    optimizer_start(optimizer, false, 1, &w, (float *[]){&first, &second, NULL});
    for (uint64_t i = 0; i < 400; i++) {
        const struct optimizer_step step = optimizer_step_at(optimizer, t + i);
        const float gradient = i == 0 ? 0.25f : 0;
        struct optimizer_sums before = {0}, after = {0};

        optimizer_update(
            &(struct optimizer_update){&step, 0, 0, 1, &gradient, &w, {&first, &second}}, &before,
            &after);
    }
    return w;
}

/* A table of one row, and what it takes to move it. */
struct one_row {
    struct optimizer_step step;
    struct optimizer_powers powers;
    uint32_t row, last;
    struct optimizer_row_sums known;
};

static void know_row(struct one_row *table, const struct optimizer_rows *move)
{
    table->known =
        (struct optimizer_row_sums){words_sum(move->parameters, move->width), table->last};
    if (table->step.kind == OPTIMIZER_ADAGRAD || table->step.kind == OPTIMIZER_FTRL ||
        move->linear > 0)
        table->known.slots += words_sum(move->first, move->width);
    if (table->step.kind == OPTIMIZER_ADAM || table->step.kind == OPTIMIZER_FTRL)
        table->known.slots += words_sum(move->second, move->width);
}

/* Checks the sums on the way. */
static void move_row(struct one_row *table, struct optimizer_rows move)
{
    struct optimizer_rows_change change = {.before = {0}};
    const uint32_t mixed = words_mix(move.parameters, move.width);

    move.step = &table->step;
    move.powers = &table->powers;
    move.count = 1;
    move.rows = &table->row;
    move.row_steps = &table->last;
    move.known = &table->known;
    know_row(table, &move);
    optimizer_update_rows(&move, &change);
    CHECK(change.before.parameters == change.known.parameters);
    CHECK(change.before.slots == change.known.slots);
    CHECK_INT(table->last, move.now);
    CHECK(table->known.parameters == change.after.parameters);
    CHECK(table->known.slots == change.after.slots);
    know_row(table, &move);
    CHECK(table->known.parameters == change.after.parameters);
    CHECK(table->known.slots == change.after.slots);
    CHECK(change.after.mixed == words_mix(move.parameters, move.width) - mixed);
}

static struct one_row one_row_of(const struct optimizer *optimizer, uint64_t t)
{
    const struct optimizer_step dense = optimizer_step_at(optimizer, t);
    struct one_row table = {.step = optimizer_row_step_at(optimizer, t, &dense)};

    optimizer_powers_init(&table.powers, optimizer->settings.beta2);
    return table;
}

static float moved_by_row_step(const struct optimizer *optimizer, uint64_t t)
{
    struct one_row table = one_row_of(optimizer, t);
    const float gradient = 0.25f;
    float w = 0, first = 0, second = 0;

    optimizer_start(optimizer, false, 1, &w, (float *[]){&first, &second, NULL});
    move_row(&table, (struct optimizer_rows){.now = 1,
                                             .width = 1,
                                             .gradient = &gradient,
                                             .parameters = &w,
                                             .first = &first,
                                             .second = &second});
    return w;
}

static void a_row_moves_at_once_as_far_as_it_would_in_the_steps_that_follow(void **state)
{
    (void)state;
    for (int kind = OPTIMIZER_SGD; kind <= OPTIMIZER_ADAM; kind++) {
        struct optimizer optimizer = optimizer_for((enum optimizer_kind)kind, SCHEDULE_CONSTANT);
        float dense, row;

        optimizer.steps = 100000;
        dense = moved_by_dense_steps(&optimizer, 20000);
        row = moved_by_row_step(&optimizer, 20000);
        if (!(dense < 0) || fabsf(row - dense) > 0.01f * fabsf(dense))
            check_failed("optimizer %d moves a row by %g, dense by %g", kind, (double)row,
                         (double)dense);
    }
}

/* Five weights of a row, of which the first two are moved by another optimizer. */
static void parts_of_a_row_move_as_rows_of_their_own(void **state)
{
    const struct optimizer adam = optimizer_for(OPTIMIZER_ADAM, SCHEDULE_CONSTANT);
    const enum optimizer_kind kinds[] = {OPTIMIZER_FTRL, OPTIMIZER_ADAGRAD, OPTIMIZER_SGD};
    const float gradient[5] = {0.5f, -1, 0.25f, 2, -3};
    (void)state;

    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const struct optimizer other = optimizer_for(kinds[k], SCHEDULE_CONSTANT);
        const struct optimizer_step dense = optimizer_step_at(&other, 6);
        const struct optimizer_step linear = optimizer_row_step_at(&other, 6, &dense);
        struct one_row table = one_row_of(&adam, 6), first = one_row_of(&other, 6);
        struct one_row rest = one_row_of(&adam, 6);
        float w[5] = {1, -2, 3, 0.5f, -1}, s[5] = {1, 2}, v[5] = {0.5f, -1, 3, 1, 2};
        float w_apart[5], s_apart[5], v_apart[5];
        struct optimizer_rows move = {.now = 7, .width = 5, .gradient = gradient};

        if (kinds[k] != OPTIMIZER_FTRL)
            v[0] = v[1] = 0; /* which it does not keep */
        if (kinds[k] == OPTIMIZER_SGD)
            s[0] = s[1] = 0;
        memcpy(w_apart, w, sizeof w);
        memcpy(s_apart, s, sizeof s);
        memcpy(v_apart, v, sizeof v);
        move.parameters = w, move.first = s, move.second = v;
        move.linear = 2, move.linear_step = &linear;
        move.l2 = 0.5f;
        table.last = first.last = rest.last = 3;
        move_row(&table, move);
        move.parameters = w_apart, move.first = s_apart, move.second = v_apart;
        move.linear = 0, move.l2 = 0, move.width = 2;
        move_row(&first, move);
        move.parameters += 2, move.first += 2, move.second += 2, move.gradient += 2;
        move.width = 3, move.l2 = 0.5f;
        move_row(&rest, move);
        assert_memory_equal(w, w_apart, sizeof w);
        assert_memory_equal(s, s_apart, sizeof s);
        assert_memory_equal(v, v_apart, sizeof v);
    }
}

static void a_row_that_is_moved_in_each_step_has_the_dense_penalty(void **state)
{
    const struct optimizer optimizer = optimizer_for(OPTIMIZER_ADAGRAD, SCHEDULE_CONSTANT);
    const struct optimizer_step step = optimizer_step_at(&optimizer, 3);
    struct one_row table = one_row_of(&optimizer, 3);
    const float gradient[3] = {0.5f, -1, 0};
    float dense[3] = {1, -2, 0}, row[3] = {1, -2, 0};
    float squares[3] = {1, 2, 3}, row_squares[3] = {1, 2, 3};
    struct optimizer_sums before = {0}, after = {0};
    (void)state;

    optimizer_update(&(struct optimizer_update){&step, 0.1f, 0.2f, 3, gradient, dense, {squares}},
                     &before, &after);
    table.last = 3;
    move_row(&table, (struct optimizer_rows){.l1 = 0.1f,
                                             .l2 = 0.2f,
                                             .now = 4,
                                             .width = 3,
                                             .gradient = gradient,
                                             .parameters = row,
                                             .first = row_squares});
    assert_memory_equal(dense, row, sizeof dense);
    assert_memory_equal(squares, row_squares, sizeof squares);
}

static void the_penalty_of_many_steps_takes_no_weight_beyond_0(void **state)
{
    const enum optimizer_kind kinds[] = {OPTIMIZER_SGD, OPTIMIZER_MOMENTUM, OPTIMIZER_NESTEROV};
    (void)state;

    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const struct optimizer optimizer = optimizer_for(kinds[k], SCHEDULE_CONSTANT);
        struct one_row table = one_row_of(&optimizer, 0);
        const float none[3] = {0}, rate = table.step.rate;
        float w[3] = {2, -0.5f, 0};
        struct optimizer_rows move = {
            .l2 = 0.01f, .now = 2, .width = 3, .gradient = none, .parameters = w};

        move_row(&table, move);
        CHECK(fabsf(w[0] - 2 * (1 - rate * 0.01f) * (1 - rate * 0.01f)) < 1e-6f);
        CHECK(fabsf(w[1] + 0.5f * (1 - rate * 0.01f) * (1 - rate * 0.01f)) < 1e-6f);
        move.l1 = 0.3f;
        move.now = 1000002;
        move_row(&table, move);
        CHECK(fabsf(w[0]) < 1e-6f && fabsf(w[1]) < 1e-6f && w[2] == 0);
    }
}

/* Adam and Adagrad: as far as steps go that have no other gradient, whose slots change slowly.
 */
static void the_penalty_of_the_steps_between_is_that_of_dense_steps(void **state)
{
    const enum optimizer_kind kinds[] = {OPTIMIZER_ADAM, OPTIMIZER_ADAGRAD};
    (void)state;

    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct optimizer optimizer = optimizer_for(kinds[k], SCHEDULE_CONSTANT);
        const float none = 0;
        float dense = 0.5f, row = 0.5f, mean = 0, square = 40, row_square = 40;
        struct optimizer_sums before = {0}, after = {0};
        struct one_row table;

        optimizer.steps = 100000;
        optimizer.settings.learning_rate = 0.001;
        optimizer.settings.beta1 = 0;
        for (uint64_t t = 20000; t < 20020; t++) {
            const struct optimizer_step step = optimizer_step_at(&optimizer, t);
            float *first = kinds[k] == OPTIMIZER_ADAM ? &mean : &square;

            optimizer_update(
                &(struct optimizer_update){&step, 0.1f, 0.2f, 1, &none, &dense, {first, &square}},
                &before, &after);
        }
        table = one_row_of(&optimizer, 20019);
        move_row(&table, (struct optimizer_rows){.l1 = 0.1f,
                                                 .l2 = 0.2f,
                                                 .now = 20,
                                                 .width = 1,
                                                 .gradient = &none,
                                                 .parameters = &row,
                                                 .first = &row_square,
                                                 .second = &row_square});
        CHECK(dense < 0.4995f);
        if (fabsf(row - dense) > 0.02f * (0.5f - dense) ||
            fabsf(row_square - square) > 0.01f * square)
            check_failed("optimizer %d: %g and slot %g, dense %g and %g", (int)kinds[k],
                         (double)row, (double)row_square, (double)dense, (double)square);
    }
}

static void slots_of_adam_decay_by_the_steps_between(void **state)
{
    const uint32_t steps[] = {1, 2, 3, 256, 257, 5000, 65536, 70000, UINT32_MAX};
    const struct optimizer optimizer = optimizer_for(OPTIMIZER_ADAM, SCHEDULE_CONSTANT);
    (void)state;

    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct one_row table = one_row_of(&optimizer, 9);
        const float none[2] = {0};
        float w[2] = {1, 2}, first[2] = {0}, second[2] = {3, 0.5f};
        const double factor = pow(0.999, steps[i] < 65536 ? steps[i] : 65536);

        move_row(&table, (struct optimizer_rows){.now = steps[i],
                                                 .width = 2,
                                                 .gradient = none,
                                                 .parameters = w,
                                                 .first = first,
                                                 .second = second});
        CHECK(w[0] == 1 && w[1] == 2 && first[0] == 0 && first[1] == 0);
        CHECK(fabs((double)second[0] - 3 * factor) <= 1e-6 * 3 * factor);
        CHECK(fabs((double)second[1] - 0.5 * factor) <= 1e-6 * 0.5 * factor);
    }
}

/* Whatever the power is: what a step does not touch does not change. */
static void rows_of_ftrl_move_as_dense_ones_and_stay_at_exactly_0(void **state)
{
    static const float gradient[4] = {0.5f, -1, 0.01f, 0};
    (void)state;

    for (int p = 0; p < 2; p++) {
        struct optimizer optimizer = optimizer_for(OPTIMIZER_FTRL, SCHEDULE_CONSTANT);
        float dense[4] = {0}, row[4] = {0}, kept[4][4];
        struct optimizer_sums before = {0}, after = {0};
        struct optimizer_step step;
        struct one_row table;

        optimizer.settings.rate_power = p == 0 ? -0.5 : -0.7;
        step = optimizer_step_at(&optimizer, 0);
        optimizer_start(&optimizer, false, 4, dense, (float *[]){kept[0], kept[1], NULL});
        optimizer_start(&optimizer, false, 4, row, (float *[]){kept[2], kept[3], NULL});
        for (uint32_t t = 0; t < 5; t++) {
            table = one_row_of(&optimizer, 10 * t);
            table.last = 10 * t;
            optimizer_update(
                &(struct optimizer_update){&step, 0, 0, 4, gradient, dense, {kept[0], kept[1]}},
                &before, &after);
            move_row(&table, (struct optimizer_rows){.now = 10 * (t + 1),
                                                     .width = 4,
                                                     .gradient = gradient,
                                                     .parameters = row,
                                                     .first = kept[2],
                                                     .second = kept[3]});
        }
        assert_memory_equal(dense, row, sizeof dense);
        assert_memory_equal(kept[0], kept[2], 2 * sizeof kept[0]);
        CHECK(row[0] < 0 && row[1] > 0 && row[2] == 0 && row[3] == 0);
    }
}

/* From its start on: a weight without a gradient stays, to rounding. */
static void weights_of_ftrl_start_where_they_are(void **state)
{
    const struct optimizer optimizer = optimizer_for(OPTIMIZER_FTRL, SCHEDULE_CONSTANT);
    const struct optimizer_step step = optimizer_step_at(&optimizer, 0);
    const struct optimizer_step biases = optimizer_step_of_biases(step);
    (void)state;

    for (int is_bias = 0; is_bias < 2; is_bias++) {
        const float none[3] = {0};
        float w[3] = {1.5f, -0.25f, 0}, kept[2][3];
        struct optimizer_sums before = {0}, after = {0};

        optimizer_start(&optimizer, is_bias, 3, w, (float *[]){kept[0], kept[1], NULL});
        optimizer_update(
            &(struct optimizer_update){
                is_bias ? &biases : &step, 0, 0, 3, none, w, {kept[0], kept[1]}},
            &before, &after);
        CHECK(fabsf(w[0] - 1.5f) < 1e-6f && fabsf(w[1] + 0.25f) < 1e-6f && w[2] == 0);
    }
}

static void only_some_optimizers_move_rows(void **state)
{
    (void)state;
    for (int kind = OPTIMIZER_SGD; kind <= OPTIMIZER_ADAM; kind++)
        CHECK(optimizer_moves_rows((enum optimizer_kind)kind, true));
    CHECK(optimizer_moves_rows(OPTIMIZER_FTRL, false));
    CHECK(!optimizer_moves_rows(OPTIMIZER_FTRL, true));
    CHECK(!optimizer_moves_rows(OPTIMIZER_ADAMW, false));
}

static double rate_at(struct descent_settings settings, uint64_t t)
{
    settings.learning_rate = 0.1;
    return schedule_factor(&settings, 1000, 0, t);
}

/* The formulas of schedule.h, past their ends, too. */
static void schedules_follow_their_formulas(void **state)
{
    const struct descent_settings exponential = {
        .schedule = SCHEDULE_EXPONENTIAL, .decay_steps = 40, .decay_rate = 0.96};
    const struct descent_settings step = {
        .schedule = SCHEDULE_STEP, .decay_steps = 40, .decay_rate = 0.5};
    const struct descent_settings polynomial = {.schedule = SCHEDULE_POLYNOMIAL,
                                                .decay_steps = 200,
                                                .power = 0.5,
                                                .end_rate = 0.01,
                                                .warmup_steps = 10};
    const struct descent_settings cosine = {.schedule = SCHEDULE_COSINE, .decay_steps = 100};
    (void)state;

    for (uint64_t t = 0; t < 1000; t += 7)
        CHECK(fabs(rate_at(exponential, t) - pow(0.96, (double)t / 40)) < 1e-14);
    CHECK(rate_at(step, 39) == 1 && rate_at(step, 40) == 0.5 && rate_at(step, 121) == 0.125);
    CHECK(fabs(rate_at(polynomial, 50) - (0.9 * sqrt(0.75) + 0.1)) < 1e-14);
    CHECK(fabs(rate_at(polynomial, 200) - 0.1) < 1e-14 &&
          rate_at(polynomial, 900) == rate_at(polynomial, 200));
    CHECK(fabs(rate_at(polynomial, 4) - (0.9 * sqrt(0.98) + 0.1) / 2) < 1e-14);
    CHECK(fabs(rate_at(cosine, 50) - 0.5) < 1e-14 && rate_at(cosine, 500) == 0);
}

/* Some rows of a table, of any width: each as it moves alone. */
static void rows_move_wherever_they_lie(void **state)
{
    enum { ROWS = 9, WIDEST = 21 };
    static const uint32_t rows[] = {7, 0, 3, 8, 5}, widths[] = {1, 3, 16, WIDEST};
    (void)state;

    for (int kind = OPTIMIZER_SGD; kind <= OPTIMIZER_ADAM; kind++)
        for (size_t n = 0; n < sizeof widths / sizeof *widths; n++) {
            const struct optimizer optimizer =
                optimizer_for((enum optimizer_kind)kind, SCHEDULE_CONSTANT);
            const uint32_t width = widths[n];
            struct one_row one = one_row_of(&optimizer, 5);
            float w[ROWS * WIDEST], alone[ROWS * WIDEST], gradient[ROWS * WIDEST];
            float slots[ROWS * WIDEST], own[ROWS * WIDEST];
            uint32_t last[ROWS] = {0};
            struct optimizer_row_sums known[ROWS] = {{0, 0}};
            struct optimizer_rows_change change = {.before = {0}};
            struct optimizer_rows move = {.step = &one.step,
                                          .powers = &one.powers,
                                          .l1 = 0.01f,
                                          .l2 = 0.02f,
                                          .now = 6,
                                          .count = 5,
                                          .width = width,
                                          .rows = rows,
                                          .gradient = gradient,
                                          .parameters = w,
                                          .first = slots,
                                          .second = slots,
                                          .row_steps = last,
                                          .known = known};

            for (uint32_t i = 0; i < ROWS * width; i++) {
                alone[i] = w[i] = (float)i * 0.125f - 1;
                own[i] = slots[i] = (float)(i % 7) * 0.5f;
                gradient[i] = (float)(i % 5) - 2;
            }
            optimizer_update_rows(&move, &change);
            for (uint32_t i = 0; i < 5; i++) {
                one.last = 0;
                move_row(&one, (struct optimizer_rows){.l1 = 0.01f,
                                                       .l2 = 0.02f,
                                                       .now = 6,
                                                       .width = width,
                                                       .gradient = gradient + i * width,
                                                       .parameters = alone + rows[i] * width,
                                                       .first = own + rows[i] * width,
                                                       .second = own + rows[i] * width});
                CHECK_INT(last[rows[i]], 6);
                CHECK(known[rows[i]].parameters == one.known.parameters);
                CHECK(known[rows[i]].slots == one.known.slots);
            }
            CHECK_INT(last[1], 0);
            assert_memory_equal(w, alone, ROWS * width * sizeof *w);
            assert_memory_equal(slots, own, ROWS * width * sizeof *slots);
        }
}

/* Rows of few weights, more than are moved at a time: each weight as in a row of its own. */
static void weights_of_narrow_rows_move_as_if_they_were_alone(void **state)
{
    enum { ROWS = 200, WIDEST = 15 };
    const struct optimizer optimizer = optimizer_for(OPTIMIZER_ADAM, SCHEDULE_CONSTANT);
    struct one_row one = one_row_of(&optimizer, 40);
    (void)state;

    for (uint32_t of = 0; of < 2 * WIDEST; of++) {
        static float w[ROWS * WIDEST], v[ROWS * WIDEST], alone[ROWS * WIDEST], own[ROWS * WIDEST],
            gradient[ROWS * WIDEST];
        const bool has_l1 = of % 2 > 0;
        const uint32_t width = 1 + of / 2, weights = ROWS * width;
        uint32_t rows[ROWS], last[ROWS];
        struct optimizer_row_sums known[ROWS] = {{0, 0}};
        struct optimizer_rows_change change = {.before = {0}};
        struct optimizer_rows move = {.step = &one.step,
                                      .powers = &one.powers,
                                      .l1 = has_l1 ? 0.01f : 0,
                                      .l2 = 0.02f,
                                      .now = 41,
                                      .count = ROWS,
                                      .width = width,
                                      .rows = rows,
                                      .gradient = gradient,
                                      .parameters = w,
                                      .first = NULL,
                                      .second = v,
                                      .row_steps = last,
                                      .known = known};
        uint32_t mixed;

        for (uint32_t i = 0; i < weights; i++) {
            alone[i] = w[i] = (float)(i % 31) * 0.125f - 1;
            own[i] = v[i] = (float)(i % 7) * 0.5f;
            gradient[i] = (float)(i % 5) - 2;
        }
        for (uint32_t i = 0; i < ROWS; i++) {
            rows[i] = ROWS - 1 - i;
            last[i] = i % 41;
        }
        mixed = words_mix(w, weights);
        optimizer_update_rows(&move, &change);
        for (uint32_t i = 0; i < weights; i++) {
            const uint32_t row = i / width;

            one.last = row % 41;
            move_row(&one, (struct optimizer_rows){.l1 = move.l1,
                                                   .l2 = move.l2,
                                                   .now = 41,
                                                   .width = 1,
                                                   .gradient = gradient + (ROWS - 1 - row) * width +
                                                               i % width,
                                                   .parameters = alone + i,
                                                   .second = own + i});
        }
        assert_memory_equal(w, alone, weights * sizeof *w);
        assert_memory_equal(v, own, weights * sizeof *v);
        CHECK(change.after.mixed == words_mix(w, weights) - mixed);
        for (uint32_t i = 0; i < ROWS; i++)
            CHECK(last[i] == 41 && known[i].parameters == words_sum(w + i * width, width));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_optimizer_is_that_of_pytorch),
        cmocka_unit_test(every_optimizer_follows_its_formula),
        cmocka_unit_test(every_optimizer_and_schedule_has_reference_numbers),
        cmocka_unit_test(an_element_does_not_depend_on_its_neighbours),
        cmocka_unit_test(a_penalty_leaves_zero_where_it_is),
        cmocka_unit_test(power_and_cosine_do_not_come_from_the_c_library),
        cmocka_unit_test(a_row_moves_at_once_as_far_as_it_would_in_the_steps_that_follow),
        cmocka_unit_test(parts_of_a_row_move_as_rows_of_their_own),
        cmocka_unit_test(a_row_that_is_moved_in_each_step_has_the_dense_penalty),
        cmocka_unit_test(the_penalty_of_many_steps_takes_no_weight_beyond_0),
        cmocka_unit_test(the_penalty_of_the_steps_between_is_that_of_dense_steps),
        cmocka_unit_test(slots_of_adam_decay_by_the_steps_between),
        cmocka_unit_test(rows_move_wherever_they_lie),
        cmocka_unit_test(weights_of_narrow_rows_move_as_if_they_were_alone),
        cmocka_unit_test(rows_of_ftrl_move_as_dense_ones_and_stay_at_exactly_0),
        cmocka_unit_test(weights_of_ftrl_start_where_they_are),
        cmocka_unit_test(only_some_optimizers_move_rows),
        cmocka_unit_test(schedules_follow_their_formulas),
        cmocka_unit_test(schedules_end_near_zero),
        cmocka_unit_test(a_cool_down_leads_to_zero_from_where_it_begins),
        cmocka_unit_test(a_trapezoidal_schedule_holds_for_three_quarters_and_then_falls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
