/* SPDX-License-Identifier: Apache-2.0
 * One value of two runs, or two values of one, side by side: for diff, rerun and whole branches. */
#pragma once

#include "data/values/sonde-statistics.h"
#include "engine/live/sonde-compare.h"

G_BEGIN_DECLS

/* @node, @op: (nullable). What cannot be compared is told in ->problem. Returns: (transfer full) */
SondeDifference *sonde_difference_new (const char *value, const char *node, const char *op,
                                       SondeTensor *a, SondeTensor *b);

G_END_DECLS
