/*
 * network_optimizer.h - which attributes of optimizer.* belong to which optimizer and schedule, and
 * what they are where a statement does not say it.
 */
#pragma once

#include "kinds/network/network_attributes.h"

/* Like network_uses() and network_settle(): INVALID for an attribute that the optimizer or the
 * schedule has no use for. */
bool network_optimizer_uses(const struct network_params *network,
                            const struct attribute *attribute);
enum status network_optimizer_settle(struct network_params *network,
                                     const struct kind_settings *settings, struct error *err);

/* The value of optimizer.learning_rate = 'auto'. No units: a linear model. */
double network_automatic_rate(enum optimizer_kind optimizer, const struct counts *hidden_units);

/* Floats that the optimizer keeps for each parameter. */
uint32_t network_optimizer_slots(const struct network_params *network);
