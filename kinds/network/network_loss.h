/*
 * network_loss.h - what a network or linear model minimises, and which attributes of model.* belong
 * to which loss.
 */
#pragma once

#include "kinds/network/network_attributes.h"

/* Whether an attribute of a loss has a use, like network_uses(); true for all others. */
bool network_loss_uses(const struct network_params *network, const struct attribute *attribute);

/* Chooses the task's own loss where it is automatic. INVALID for one of another task, and for an
 * attribute that the loss has no use for. */
enum status network_loss_settle(struct network_params *network,
                                const struct kind_settings *settings, struct error *err);
