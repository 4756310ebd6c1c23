/* SPDX-License-Identifier: Apache-2.0
 * What a model is made of, layer by layer, as a table: name, operator, output shape, parameters,
 * FLOPs. */
#pragma once

#include "engine/passes/sonde-passes.h"

G_BEGIN_DECLS

/**
 * SondeModelRow: a node, or a scope with the sums of what lies in it; a scope that is left and
 * entered again has a row each time
 * @name: without what is around it
 * @op: (nullable): NULL of a scope
 * @shape: (nullable): of the first output; NULL of a scope
 * @depth: scopes around it
 * @parameters: what is trained and what is state (running statistics); one that several nodes read
 * belongs to the first
 * @flops: of one pass forward at the bound sizes; multiply and add are two
 */
typedef struct
{
  char *name, *op, *shape;
  guint depth;
  gboolean is_scope;
  guint64 parameters;
  double flops;
} SondeModelRow;

/**
 * SondeModelSummary:
 * @rows: (element-type SondeModelRow), in the order of execution, scopes before what lies in them
 * @trainable: of @parameters, those that train (not frozen, not state)
 */
typedef struct
{
  GArray *rows;
  guint64 parameters, trainable;
  double flops;
} SondeModelSummary;

/* @model: may lack values of parameters (sonde_zoo_outline()). @bindings: (nullable): types of the
 * inputs; sizes that are not known then are 1. Errors: SHAPE, UNSUPPORTED, those of the passes */
SondeModelSummary *sonde_model_summary_new (SondeGraph *model, const SondeBinding *bindings,
                                            guint n_bindings, GError **error);
void sonde_model_summary_free (SondeModelSummary *summary);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeModelSummary, sonde_model_summary_free)

/* A table of aligned columns, one line a row, totals below. Returns: (transfer full) */
char *sonde_model_summary_to_text (const SondeModelSummary *summary);

G_END_DECLS
