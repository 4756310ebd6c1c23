/* SPDX-License-Identifier: Apache-2.0
 * What the files of the layers share: the graph that grows, the scope it grows in, the first
 * problem. */
#pragma once

#include "engine/nn/sonde-layers.h"

G_BEGIN_DECLS

/**
 * SondeLayers:
 * @scopes: (element-type utf8): open ones, outermost first; owned
 * @pending: (nullable): a node whose attributes may still be set by the caller; it is inferred by
 * the next call
 * @opset: what the operators so far need
 * @error: (nullable): the first problem
 */
struct _SondeLayers
{
  SondeGraph *graph;
  guint64 seed;
  SondeDtype dtype;
  gboolean outline;
  GPtrArray *scopes;
  SondeNode *pending;
  int opset;
  GError *error;
};

/* What every layer asks first: nothing went wrong so far, @x is there. @x may be of any type
 * still. */
gboolean sonde_layers_begin (SondeLayers *layers, const char *name, const SondeGraphValue *x);
/* The same, and its rank is known and within both. */
gboolean sonde_layers_begin_rank (SondeLayers *layers, const char *name, const SondeGraphValue *x,
                                  int least, int most);
/* Size @axis of @x, counted from the end when negative; 0 with the problem kept when it is not
 * known. */
gint64 sonde_layers_need_size (SondeLayers *layers, const char *name, const SondeGraphValue *x,
                               int axis);

/* "SCOPE/NAME" of a node. Returns: (transfer full) */
char *sonde_layers_path (SondeLayers *layers, const char *name);

/* Keeps the problem of layer @name, if it is the first. Returns: NULL */
SondeGraphValue *sonde_layers_refuse (SondeLayers *layers, const char *name, int code,
                                      const char *format, ...) G_GNUC_PRINTF (4, 5);

/* A node without types yet; then its attributes are set, then sonde_layers_done() infers it. Both
 * take NULL. */
SondeNode *sonde_layers_add_node (SondeLayers *layers, const char *name, const char *op,
                                  guint n_inputs, SondeGraphValue *const *inputs, guint n_outputs);
SondeGraphValue *sonde_layers_done (SondeLayers *layers, SondeNode *node);

/* Constants "SCOPE/NAME". */
SondeGraphValue *sonde_layers_ints (SondeLayers *layers, const char *name, const gint64 *values,
                                    gsize n);
SondeGraphValue *sonde_layers_scalar (SondeLayers *layers, const char *name, SondeDtype dtype,
                                      double value);

/* x·Wᵀ + b over the last dimension, b NULL for none; W [outputs, inputs]. */
SondeGraphValue *sonde_layers_apply_dense (SondeLayers *layers, const char *name,
                                           SondeGraphValue *x, SondeGraphValue *weight,
                                           SondeGraphValue *bias);

G_END_DECLS
