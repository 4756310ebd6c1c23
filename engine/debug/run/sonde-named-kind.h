/* SPDX-License-Identifier: Apache-2.0
 * Kinds of values, as `kind:NAME` means them in watches, breakpoints' conditions and expressions:
 * one table for all. */
#pragma once

#include "data/graph/sonde-graph.h"

G_BEGIN_DECLS

typedef struct
{
  /* weight (or parameter), gradient, activation, update, state, input, output, tensor */
  const char *name;
  gboolean (*is) (const SondeGraph *graph, const SondeGraphValue *value);
} SondeNamedKind;

/* (nullable) */
const SondeNamedKind *sonde_named_kind_find (const char *name);

G_END_DECLS
