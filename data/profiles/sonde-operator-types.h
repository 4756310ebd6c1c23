/* SPDX-License-Identifier: Apache-2.0
 * The operators of a profile by their type, and the calls of one of them. */
#pragma once

#include "data/profiles/sonde-profile.h"

G_BEGIN_DECLS

/**
 * SondeOperatorType:
 * @sum: node, facts and step_self_ns NULL; calls, times and share are sums over its operators, the
 *   quantiles those of all their calls; the rates are sums of cost by sums of time, NaN unless the
 *   cost of all is known; the class is that of the greatest part of the time
 * @n_operators: how many of the profile are of the type
 */
typedef struct
{
  SondeProfileOperator sum;
  guint n_operators;
} SondeOperatorType;

/* SondeOperatorType, the greatest mean self time first. (transfer full) */
GArray *sonde_operator_types_new (const SondeProfile *profile);

/**
 * sonde_operator_list_calls:
 * @op: of @profile, or a SondeOperatorType.sum made of it
 *
 * Returns: (transfer full) guint32: the spans of its calls, the longest first; empty of samples
 */
GArray *sonde_operator_list_calls (const SondeProfile *profile, const SondeProfileOperator *op);

G_END_DECLS
