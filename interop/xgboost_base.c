#include "interop/xgboost_base.h"

#include <math.h>

#include "scoring/numbers/elementary.h"

#define PROBABILITY_LEAST 1e-6f /* XGBoost takes none of 0 and 1 */

double xgboost_margin(float base_score, enum trees_link link)
{
    float odds;

    if (link == TREES_LINK_EXP)
        return logarithm_double((double)base_score);
    if (link != TREES_LINK_LOGISTIC)
        return (double)base_score;
    odds = 1 / base_score - 1;
    return -logarithm_double((double)odds);
}

static double between(double value, double least, double most)
{
    return value < least ? least : value > most ? most : value;
}

/* Rounding may have missed it by a few floats. */
static float nearest(float score, double margin, enum trees_link link)
{
    float found = score, tried = score;

    for (int i = 0; i < 3; i++)
        tried = nextafterf(tried, 0);
    for (int i = 0; i < 7; i++, tried = nextafterf(tried, INFINITY))
        if (fabs(xgboost_margin(tried, link) - margin) < fabs(xgboost_margin(found, link) - margin))
            found = tried;
    return found;
}

float xgboost_base_score(double margin, enum trees_link link)
{
    double score;

    if (link == TREES_LINK_EXP)
        return nearest((float)exponential_double(between(margin, -80, 80)), margin, link);
    if (link != TREES_LINK_LOGISTIC)
        return (float)margin;
    score = 1 / (1 + exponential_double(-between(margin, -80, 80)));
    return nearest((float)between(score, (double)PROBABILITY_LEAST, 1 - (double)PROBABILITY_LEAST),
                   margin, link);
}
