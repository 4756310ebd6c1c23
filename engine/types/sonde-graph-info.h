/* SPDX-License-Identifier: Apache-2.0
 * Steps and values of what runs, as lists show them. */
#pragma once

#include "data/graph/sonde-graph.h"

G_BEGIN_DECLS

/**
 * SondeStepInfo: one step of the plan
 * @origin: (nullable): "gradient of conv1, input 0", "inserted", …
 * @nodes: (array zero-terminated=1): names of the executed nodes it stands for; several when fused
 * @originals: (array zero-terminated=1): names of the nodes of the original graph
 * @outputs, @inputs: (array zero-terminated=1): names of values
 * @types: (array zero-terminated=1): of the outputs, as SondeValueInfo.type
 * @implementation: "jit:avx512_core", "reference", …
 * @functions: (nullable) (array zero-terminated=1): of a program that is not ours: what it calls the operator
 * @last_ns: what its last execution took, in ns; 0: not known, or it has not run
 */
typedef struct
{
  char *name;
  char *op;
  SondePhase phase;
  char *scope; /* (nullable) */
  char *origin;
  char **nodes;
  char **originals;
  char **inputs;
  char **outputs;
  char **types;
  char *implementation;
  char **functions;
  guint64 last_ns;
} SondeStepInfo;

void sonde_step_info_free (SondeStepInfo *step);

/**
 * SondeValueInfo: one value of the executed graph
 * @type: "float32 N×6×28×28" as sonde_type_to_string()
 * @producer: (nullable): node that makes it
 * @available: it can be read at the present position
 */
typedef struct
{
  char *name;
  char *type;
  SondeValueRole role;
  char *producer;
  gboolean available;
} SondeValueInfo;

void sonde_value_info_free (SondeValueInfo *value);

G_END_DECLS
