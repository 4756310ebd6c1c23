/* SPDX-License-Identifier: Apache-2.0
 * What kind of work a node does, for colours and grouping: the same on every page and in every
 * layer. */
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

/* By phase (backward, optimiser), else by operator. */
SondeFamily sonde_node_get_family (const SondeNode *node);

/* The family of an operator name of ONNX or of ours ("Conv", "Gemm", "Relu", "SgdUpdate"); OTHER if
 * it is unknown. */
SondeFamily sonde_family_of_operator (const char *op);

/* "Convolution", … for legends, which translate it; (transfer none). */
const char *sonde_family_name (SondeFamily family);

G_END_DECLS
