/* SPDX-License-Identifier: Apache-2.0
 * What differs between two profiles of the same thing, and what is noise. */
#pragma once

#include "data/profiles/sonde-profile.h"

G_BEGIN_DECLS

#define SONDE_COMPARISON_MIN_STEPS 5  /* on both sides, for anything to be significant */
#define SONDE_COMPARISON_FEW_STEPS 10 /* fewer are said to be few */

/* @base_ns, @other_ns: medians over the steps, NaN where it has none; @ratio: other / base, NaN where there
 * is none; @p: adjusted for the number of operators that both have. Those that only one has are never
 * significant. */
typedef struct
{
  const SondeProfileOperator *base_op, *other_op; /* NULL where it has none */
  double base_ns, other_ns, ratio, p;
  gboolean significant;
} SondeComparedOperator;

/**
 * SondeProfileComparison:
 * @wall: of the steps themselves, without operators
 * @operators: SondeComparedOperator: those of both, those that are removed, those that are added
 * @common_ratio: median ratio of the operators of both; NaN without any
 * @n_significant: of @operators
 *
 * Significant: p < 0.01, the ratio at least 5 % from 1, SONDE_COMPARISON_MIN_STEPS on both sides.
 */
typedef struct
{
  SondeComparedOperator wall;
  GArray *operators;
  double common_ratio;
  gboolean too_few_steps;
  guint n_significant;
} SondeProfileComparison;

/* Both outlive the comparison. Operators match by node, type and category; what is left over by type,
 * scope and position. */
SondeProfileComparison *sonde_profile_comparison_new (const SondeProfile *base,
                                                      const SondeProfile *other);
void sonde_profile_comparison_free (SondeProfileComparison *comparison); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeProfileComparison, sonde_profile_comparison_free)

G_END_DECLS
