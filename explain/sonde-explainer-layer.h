/* SPDX-License-Identifier: Apache-2.0
 * A classifier cut at one of its values: the part before it, and the part after it, forward and
 * backward. What runs after the cut never runs what lies before it.
 * What does not live here: what is made of activations and gradients (attribution/sonde-cam.c). */
#pragma once

#include "explain/sonde-explainer.h"

G_BEGIN_DECLS

typedef struct _SondeExplainerLayer SondeExplainerLayer;

/**
 * sonde_explainer_layer_new:
 * @explainer: must live longer
 * @name: (nullable): of a value; of a node: its first output; of the input: the images
 *   themselves. NULL: the last value with spatial extent that the logits are made from
 * @inputs: float32 [n, C, H, W]: images of the size that will be explained
 *
 * The value must be float32 [n, K, h, w], made from the input, and the logits made from it.
 * Errors: NOT_FOUND, naming the last values there are; SHAPE naming its type; UNSUPPORTED for
 * control flow after the cut.
 */
SondeExplainerLayer *sonde_explainer_layer_new (SondeExplainer *explainer, const char *name,
                                                SondeTensor *inputs, GError **error);
void sonde_explainer_layer_free (SondeExplainerLayer *layer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeExplainerLayer, sonde_explainer_layer_free)

/* The same, lent: made once for the explainer, with what it has planned. It is the explainer's
 * until some other layers were asked for. */
SondeExplainerLayer *sonde_explainer_find_layer (SondeExplainer *explainer, const char *name,
                                                 SondeTensor *inputs, GError **error);

const char *sonde_explainer_layer_get_name (const SondeExplainerLayer *layer);
/* K, h, w; of a network of series h is 1 for a layer [N, K, l]. FALSE of a layer without places. */
gboolean sonde_explainer_layer_get_size (const SondeExplainerLayer *layer, gint64 *channels,
                                         gint64 *height, gint64 *width);
/* Its sizes, for messages. (transfer full) */
char *sonde_explainer_layer_dup_form (const SondeExplainerLayer *layer);

/**
 * sonde_explainer_layer_run:
 * @inputs: float32 [n, C, H, W]
 *
 * The part before the cut.
 * Returns: (transfer full) (element-type SondeTensor): what the part after it reads, [n, …] each:
 *   first the layer's activation [n, K, h, w], then values that pass by it.
 */
GPtrArray *sonde_explainer_layer_run (SondeExplainerLayer *layer, SondeTensor *inputs,
                                      GError **error);

/* Rows @rows of every tensor: entry i of the result is entry rows[i]. Returns: (transfer full) */
GPtrArray *sonde_explainer_layer_gather (GPtrArray *state, const gint64 *rows, gint64 n);

/* The part after the cut. Returns: (transfer full): logits float32 [n, classes] */
SondeTensor *sonde_explainer_layer_finish (SondeExplainerLayer *layer, GPtrArray *state,
                                           GError **error);

/**
 * sonde_explainer_layer_gradient:
 * @state: as sonde_explainer_layer_run() gives it
 * @seeds: float32 [n, classes]: d(target)/d(logits)
 * @logits: (out) (optional) (transfer full)
 *
 * The part after the cut, and back to it: of all uses of the value together.
 * Returns: (transfer full): d(target)/d(activation), float32 [n, K, h, w]. Errors: UNSUPPORTED
 * naming the operator without gradient.
 */
SondeTensor *sonde_explainer_layer_gradient (SondeExplainerLayer *layer, GPtrArray *state,
                                             SondeTensor *seeds, SondeTensor **logits,
                                             GError **error);

/* Rows of the part after the cut that are best run at once: as many as keep its activations in the
 * processor's caches, at least 1. -1 with @error set. */
gint64 sonde_explainer_layer_get_batch (SondeExplainerLayer *layer, GPtrArray *state,
                                        GError **error);

G_END_DECLS
