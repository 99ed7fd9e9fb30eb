#include "inputs/encoders.h"

static const struct encoder *const encoders[] = {
#define X(name) &name##_encoder,
    ENCODER_MAP(X)
#undef X
};

const struct encoder *encoder_of(const struct input_spec *spec)
{
    for (size_t i = 0; i < sizeof encoders / sizeof *encoders; i++)
        if (encoders[i]->is_of(spec))
            return encoders[i];
    return NULL;
}

const struct encoder *encoder_find(struct slice name)
{
    for (size_t i = 0; i < sizeof encoders / sizeof *encoders; i++)
        if (encoders[i]->is_named && slice_is(name, encoders[i]->name))
            return encoders[i];
    return NULL;
}
