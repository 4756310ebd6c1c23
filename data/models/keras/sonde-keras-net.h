/* SPDX-License-Identifier: Apache-2.0
 * The layers of a configuration and how they call each other, in the dialects of Keras 2 and 3. What
 * does not live here: what a layer means. */
#pragma once

#include "data/models/keras/sonde-keras-file.h"

G_BEGIN_DECLS

typedef struct _SondeKerasNet SondeKerasNet;

/**
 * SondeKerasRef: what a call of a layer gave
 * @layer: its name, lent by the JSON
 * @call: @tensor: which of its calls; which of the call's tensors
 */
typedef struct
{
  const char *layer;
  guint call, tensor;
} SondeKerasRef;

/**
 * SondeKerasLayer:
 * @config: never NULL
 * @wrapped: of a layer in another one (Bidirectional, TimeDistributed), which is not in the net
 * @nested: (nullable): of a layer that is a model
 * @place: where its weights lie, below those of the net: "layers/dense_1"
 * @calls: (element-type SondeKerasCall)
 */
typedef struct
{
  const char *class_name, *name;
  JsonObject *json, *config;
  SondeKerasNet *nested;
  char *place;
  GPtrArray *calls;
} SondeKerasLayer;

/**
 * SondeKerasCall:
 * @args: (element-type JsonNode): by position; tensors in them are refs, see sonde_keras_net_read_ref()
 * @kwargs: (nullable): by name
 * @refs: (element-type SondeKerasRef): all tensors that are read; the first @n_inputs are data, the
 *   others masks
 */
typedef struct
{
  SondeKerasLayer *layer;
  guint index;
  GPtrArray *args;
  JsonObject *kwargs;
  GArray *refs;
  guint n_inputs;
} SondeKerasCall;

/**
 * SondeKerasNet:
 * @is_sequence: Sequential: each layer is called once, with what the one before gave
 * @layers: (element-type SondeKerasLayer)
 * @calls: (element-type SondeKerasCall): each behind those that it reads
 * @inputs: @outputs: (element-type SondeKerasRef)
 */
struct _SondeKerasNet
{
  const char *name;
  gboolean is_sequence;
  GPtrArray *layers, *calls;
  GHashTable *by_name;
  GArray *inputs, *outputs;
};

/**
 * sonde_keras_net_new:
 * @json: {"class_name", "config"}: Sequential, Functional or Model
 * @path: of the file, for messages
 *
 * Errors: DAMAGED (a tensor of a layer or call that is not there, a circle, two layers of a name),
 * UNSUPPORTED (a class of the user's own, whose code alone knows the layers).
 */
SondeKerasNet *sonde_keras_net_new (JsonObject *json, const char *path, GError **error);
void sonde_keras_net_free (SondeKerasNet *net); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeKerasNet, sonde_keras_net_free)

/* A layer that stands in another one's configuration; its place is empty. (transfer full) */
SondeKerasLayer *sonde_keras_layer_new (JsonObject *json, const char *path, GError **error);
void sonde_keras_layer_free (SondeKerasLayer *layer); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeKerasLayer, sonde_keras_layer_free)

/* Whether @node stands for a tensor: {"class_name": "__keras_tensor__", …} or ["name", 0, 0, …]. */
gboolean sonde_keras_net_read_ref (JsonNode *node, SondeKerasRef *ref);

/* (transfer full): "conv2d_transpose" of "Conv2DTranspose" */
char *sonde_keras_snake_case (const char *class_name);

G_END_DECLS
