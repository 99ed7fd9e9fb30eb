#include "runtime/learn/optimizer/optimizer_loops.h"

/* `rule` and `slots` are constants where this is inlined. */
VECTORS_PART struct tally step_each(const struct optimizer_update *update, optimizer_rule *rule,
                                    uint32_t slots)
{
    const struct optimizer_step step = *update->step;
    const float l1 = update->l1, l2 = update->l2;
    const float *restrict gradient = update->gradient;
    float *restrict w = update->parameters, *restrict first = update->slots[0];
    float *restrict second = update->slots[1], *restrict third = update->slots[2];
    uint32_t read = 0, written = 0, mixed = 0, slots_read = 0, slots_written = 0;

    for (size_t i = 0; i < update->count; i++) {
        const struct element now = {
            w[i], {first[i], slots > 1 ? second[i] : 0, slots > 2 ? third[i] : 0}};
        const struct element next = rule(&step, with_penalty(gradient[i], now.w, l1, l2), now);

        w[i] = next.w;
        first[i] = next.slots[0];
        if (slots > 1)
            second[i] = next.slots[1];
        if (slots > 2)
            third[i] = next.slots[2];
        TALLY_PARAMETER(now.w, next.w);
        TALLY_SLOT(now.slots[0], next.slots[0]);
        TALLY_SLOT(now.slots[1], slots > 1 ? next.slots[1] : 0);
        TALLY_SLOT(now.slots[2], slots > 2 ? next.slots[2] : 0);
    }
    return (struct tally){read, written, mixed, slots_read, slots_written};
}

#define LOOP(name, slots)                                                                          \
    WIDE_VECTORS                                                                                   \
    static struct tally name(const struct optimizer_update *update)                                \
    {                                                                                              \
        return step_each(update, rule_##name, slots);                                              \
    }

LOOP(adadelta, 2)
LOOP(rmsprop, 1)
LOOP(rmsprop_momentum, 2)
LOOP(rmsprop_centered, 2)
LOOP(rmsprop_both, 3)
LOOP(adamax, 2)
LOOP(nadam, 2)
LOOP(amsgrad, 3)
LOOP(adamw, 2)
LOOP(ftrl, 2)

static struct tally ftrl_power(const struct optimizer_update *update)
{
    return step_each(update, rule_ftrl_power, 2);
}

static struct tally rmsprop_by_settings(const struct optimizer_update *update)
{
    if (update->step->centered)
        return update->step->momentum > 0 ? rmsprop_both(update) : rmsprop_centered(update);
    return update->step->momentum > 0 ? rmsprop_momentum(update) : rmsprop(update);
}

struct tally optimizer_loop(const struct optimizer_update *update)
{
    switch (update->step->kind) {
    case OPTIMIZER_ADADELTA:
        return adadelta(update);
    case OPTIMIZER_RMSPROP:
        return rmsprop_by_settings(update);
    case OPTIMIZER_ADAMAX:
        return adamax(update);
    case OPTIMIZER_NADAM:
        return nadam(update);
    case OPTIMIZER_AMSGRAD:
        return amsgrad(update);
    case OPTIMIZER_ADAMW:
        return adamw(update);
    case OPTIMIZER_FTRL:
        return update->step->power == 0.5 ? ftrl(update) : ftrl_power(update);
    default:
        return (struct tally){0, 0, 0, 0, 0};
    }
}
