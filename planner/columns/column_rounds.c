#include "planner/columns/column_rounds.h"

#include <math.h>

/* The number high + low, of which high is the nearest double. */
struct pair {
    double high, low;
};

static const struct pair e = {0x1.5bf0a8b145769p+1, 0x1.4d57ee2b1013ap-53};
static const struct pair root_of_e = {0x1.a61298e1e069cp+0, -0x1.b4690082a4906p-55};

static struct pair multiply(struct pair a, struct pair b)
{
    const double high = a.high * b.high;
    const double low = fma(a.high, b.high, -high) + (a.high * b.low + a.low * b.high);
    const double sum = high + low;

    return (struct pair){sum, low - (sum - high)};
}

/* One step of Newton's: what is left of the number is divided by twice the root. */
static struct pair root(double number)
{
    const double high = sqrt(number);

    return (struct pair){high, fma(-high, high, number) / (2 * high)};
}

/* The least double that goes to the whole number above, of a bound between `below` and it. */
static double bound_at(struct pair number, uint32_t below)
{
    const bool goes_down = number.low == 0 && below % 2 == 0;

    return number.low > 0 || goes_down ? nextafter(number.high, INFINITY) : number.high;
}

void round_bounds(double *bounds, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        bounds[i] = bound_at((struct pair){i + 0.5, 0}, i);
}

bool log_round_bounds(double base, double *bounds, uint32_t count)
{
    const struct pair factor = base > 0 ? (struct pair){base, 0} : e;
    struct pair number = base > 0 ? root(base) : root_of_e;

    for (uint32_t i = 0; i < count; i++) {
        bounds[i] = bound_at(number, i);
        if (!isfinite(bounds[i]) || !isfinite(number.low))
            return false;
        number = multiply(number, factor);
    }
    return true;
}
