/* SPDX-License-Identifier: Apache-2.0
 * What kind of work a node does, for colours and grouping: the same on every page and in every layer. */
#pragma once

#include "data/graph/sonde-graph.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_FAMILY_OTHER,
  SONDE_FAMILY_CONVOLUTION,
  SONDE_FAMILY_MATRIX,
  SONDE_FAMILY_NORMALISATION,
  SONDE_FAMILY_ACTIVATION,
  SONDE_FAMILY_SHAPE,
  SONDE_FAMILY_REDUCTION,
  SONDE_FAMILY_DATA,
  SONDE_FAMILY_GRADIENT,
  SONDE_FAMILY_OPTIMISER,
  SONDE_N_FAMILIES
} SondeFamily;

/* By phase (backward, optimiser), else by operator; OTHER for one that is not in the table. */
SondeFamily sonde_node_get_family (const SondeNode *node);

const char *sonde_family_name (SondeFamily family); /* "convolution", … */

G_END_DECLS
