/* SPDX-License-Identifier: Apache-2.0
 * The recommended set of watches ("preset recommended"), as texts of watches.
 * Source: MindInsight v2.0.0 debugger/conditionmgr/recommender.py: tanh(8.8), sigmoid(±16.2),
 * saturated; Relu, dead. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define SONDE_RECOMMENDED_GRADIENT "preset gradient_vanishing abs_mean_lt=1e-09"
#define SONDE_RECOMMENDED_OVERFLOW "preset tensor_overflow"
#define SONDE_RECOMMENDED_ZERO "preset tensor_all_zero zero_percentage_ge=100"

/* What is recommended where a node of operator @op runs. */
typedef struct
{
  const char *op, *text;
} SondeRecommendedActivation;

/* Row @i; NULL behind the last. */
const SondeRecommendedActivation *sonde_recommended_activation (gsize i);

G_END_DECLS
