#include "kinds/scorecard/scorecard_model.h"

#include <math.h>

#include "scoring/numbers/elementary.h"

#define LOG_2 0x1.62e42fefa39efp-1

void scorecard_count_all(struct scorecard_model *card, const struct transform *transform)
{
    const struct transform_input *input = &transform->inputs[0];

    card->all_bad = card->all_good = 0;
    for (uint32_t i = input->first_id; i < input->first_id + input->id_rows; i++) {
        card->all_bad += card->bad[i];
        card->all_good += card->good[i];
    }
}

double scorecard_woe(const struct scorecard_model *card, uint32_t id)
{
    const double share = card->all_bad / (card->all_bad + card->all_good);
    const double bad = card->bad[id] + card->scale.smoothing * share;
    const double good = card->good[id] + card->scale.smoothing * (1 - share);

    if (card->bad[id] + card->good[id] <= 0)
        return 0;
    return logarithm_double(bad / good) - logarithm_double(card->all_bad / card->all_good);
}

static double rounded(double points)
{
    return floor(points + 0.5);
}

/* Points for a summand of the log odds of bad. */
static double points_of(const struct scorecard_model *card, double weight)
{
    return rounded(-card->scale.pdo / LOG_2 * weight);
}

/* The weight towards bad. Stored weights are the second class's. */
static double of_bad(const struct model *model, float weight)
{
    return model_positive(model) == 1 ? (double)weight : -(double)weight;
}

struct scorecard_bin scorecard_bin(const struct model *model, uint32_t input, uint32_t bin)
{
    const struct scorecard_model *card = scorecard_of(model);
    const uint32_t id = model->transform.inputs[input].first_id + bin;
    struct scorecard_bin found = {
        .bad = card->bad[id], .good = card->good[id], .woe = scorecard_woe(card, id)};

    found.iv = (found.bad / card->all_bad - found.good / card->all_good) * found.woe;
    found.weight = of_bad(model, card->weights[id]);
    found.points = points_of(card, found.weight);
    return found;
}

double scorecard_base_points(const struct model *model)
{
    const struct scorecard_model *card = scorecard_of(model);
    const double log_odds = -of_bad(model, *card->bias) - logarithm_double(card->scale.base_odds);

    return rounded(card->scale.base_score + card->scale.pdo / LOG_2 * log_odds);
}

double scorecard_points(const struct model *model, const int32_t *ids)
{
    const struct scorecard_model *card = scorecard_of(model);
    const struct transform *transform = &model->transform;
    double points = scorecard_base_points(model);

    for (uint32_t i = 0; i < transform->input_count; i++) {
        const int32_t id = ids[transform->inputs[i].id_offset];

        if (id >= 0)
            points += points_of(card, of_bad(model, card->weights[id]));
    }
    return points;
}
