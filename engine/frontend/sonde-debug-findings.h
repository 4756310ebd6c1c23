/* SPDX-License-Identifier: Apache-2.0
 * What the searches of a session found of single nodes, to be shown where the nodes are: their own and inherited
 * error, and which of them need float32. The last comparison and the last precision search count. */
#pragma once

#include "engine/types/sonde-search-results.h"

G_BEGIN_DECLS

/* As of SondeDivergedValue; of several outputs of a node that whose own error is farthest over its tolerance */
typedef struct
{
  double own, inherited, tolerance;
} SondeNodeError;

/**
 * SondeDebugFindings:
 * @errors: (nullable): SondeNodeError by the name of the node; NULL: nothing was compared
 * @kept: (nullable): names of the nodes that stay float32; NULL: nothing was searched
 * @precision: of the other nodes
 */
typedef struct
{
  GHashTable *errors, *kept;
  SondeDtype precision;
} SondeDebugFindings;

void sonde_debug_findings_clear (SondeDebugFindings *findings); /* there are none */

void sonde_debug_findings_take_divergence (SondeDebugFindings *findings,
                                           const SondeDivergence *divergence);
void sonde_debug_findings_take_precision (SondeDebugFindings *findings,
                                          const SondePrecisionFound *found);

/* An error in tolerances: from 1 on it is over. NaN: cannot be said. Without a tolerance: infinite, or 0 of no
 * error */
double sonde_debug_findings_scale (double error, double tolerance);

G_END_DECLS
