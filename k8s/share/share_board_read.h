/*
 * share_board_read.h - objects of the API as a board has them.
 */
#pragma once

#include "k8s/share/share_board_parts.h"

uint64_t board_hash(struct slice text);

/* They take what an object says; false: it is none of ours, or says nothing of use. */
bool board_read_job(const cJSON *object, struct board_job *job);
void board_read_pod(const cJSON *object, int64_t now_ms, struct board_pod *pod);
bool board_read_node(const cJSON *object, struct board_node *node);
bool board_read_quota(const cJSON *object, struct board_quota *quota);
