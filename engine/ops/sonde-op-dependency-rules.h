/* SPDX-License-Identifier: Apache-2.0
 * Dependency rules, which rows of engine/ops name as their @reach: helpers, and the rules that
 * several operators share. A rule of one operator stands beside its row. */
#pragma once

#include "engine/ops/sonde-op-dependency.h"

G_BEGIN_DECLS

/**
 * SondeReachContext: one question
 * @index: of the element; @mask: of the row's rule: which inputs, or how many dimensions
 */
struct _SondeReachContext
{
  const SondeNode *node;
  guint n_inputs;
  SondeTensor *const *inputs;
  guint output;
  const SondeShape *shape;
  gint64 element;
  gint64 index[SONDE_MAX_RANK];
  guint mask;
  GArray *reach;
};

/* ---- helpers ------------------------------------------------------------- */

/* Input @k when it is there and holds numbers that flow; NULL else. */
const SondeTensor *sonde_reach_input (const SondeReachContext *context, guint k);
/* All of input @k, as a box to be narrowed. */
SondeReach sonde_reach_whole (const SondeTensor *tensor, guint k);
/* Narrowed to positions @begin to before @end of a dimension, cut to what there is. FALSE: nothing
 * is left. */
gboolean sonde_reach_range (SondeReach *reach, int dimension, gint64 begin, gint64 end);
void sonde_reach_at (SondeReach *reach, int dimension, gint64 position);
/* Adds the box, unless input @reach->input does not flow or the box is empty. */
void sonde_reach_add (SondeReachContext *context, const SondeReach *reach);
void sonde_reach_add_whole (SondeReachContext *context, guint k);
/* The one element of input @k (row-major number). */
void sonde_reach_add_element (SondeReachContext *context, guint k, gint64 element);
/* The one element of input @k that the output's element is made with by NumPy's broadcasting; all
 * when it does not fit. */
void sonde_reach_add_broadcast (SondeReachContext *context, guint k);
/* The attribute "axis" as a dimension of @rank. */
int sonde_reach_axis (const SondeReachContext *context, int rank, gint64 fallback);
/* Integers of an attribute, or of input @k. (transfer full) (nullable) */
gint64 *sonde_reach_ints (const SondeReachContext *context, const char *attribute, guint k,
                          gsize *n);

/* Narrowed to the output's index in all dimensions but @axis (-1: none), which the output may
 * lack. */
void sonde_reach_narrow_but (const SondeReachContext *context, SondeReach *reach, int axis);

/* ---- the rules ----------------------------------------------------------- */

/* All elements of all inputs; none; those at the same place after broadcasting; that of the same
 * number; those with the same first @mask indices. */
SondeReachRule sonde_reach_everything, sonde_reach_nothing, sonde_reach_elementwise,
    sonde_reach_same, sonde_reach_leading;
/* tensor/sonde-dependency-move.c; mask: inputs that are moved */
SondeReachRule sonde_reach_moved, sonde_reach_scatter, sonde_reach_moved_back;
/* reduction/sonde-dependency-axes.c */
SondeReachRule sonde_reach_reduced, sonde_reach_line, sonde_reach_prefix, sonde_reach_unreduced,
    sonde_reach_to_shape, sonde_reach_extreme;
/* nn/sonde-dependency-normalisation.c */
SondeReachRule sonde_reach_batch_norm, sonde_reach_batch_norm_grad, sonde_reach_layer_norm,
    sonde_reach_layer_norm_grad, sonde_reach_channel_norm, sonde_reach_group_norm, sonde_reach_lrn,
    sonde_reach_scores;
/* nn/sonde-dependency-window.c */
SondeReachRule sonde_reach_conv, sonde_reach_conv_transposed, sonde_reach_conv_input,
    sonde_reach_conv_weight, sonde_reach_pool, sonde_reach_pool_back;

G_END_DECLS
