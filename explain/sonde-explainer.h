/* SPDX-License-Identifier: Apache-2.0
 * A classifier as explanations see it: forward pass to logits and probabilities, and gradients of
 * any linear combination of the logits with respect to the input or a value inside. Batch sizes are
 * planned once each. What does not live here: which image to explain, files, records. */
#pragma once

#include "engine/plan/sonde-execution.h"

G_BEGIN_DECLS

typedef struct _SondeExplainer SondeExplainer;

/* Return FALSE with @error set to stop. @done of @total samples, passes or maps. */
typedef gboolean (*SondeExplainProgress) (guint done, guint total, gpointer data, GError **error);

/* What a class's score is. */
typedef enum
{
  SONDE_SCORE_LOGIT,
  SONDE_SCORE_PROBABILITY, /* made of the logits as SondeLink says */
} SondeScore;

/* How probabilities are made of the logits. */
typedef enum
{
  SONDE_LINK_SOFTMAX, /* over the classes */
  SONDE_LINK_SIGMOID, /* each class by itself, of a network that ends in a Sigmoid */
} SondeLink;

/* What the network reads; methods see images of all of them (sonde_explainer_take_samples()). */
typedef enum
{
  SONDE_EXPLAINER_IMAGES,  /* float32 [N, C, H, W] */
  SONDE_EXPLAINER_SERIES,  /* float32 [N, C, L]: images [N, C, 1, L] */
  SONDE_EXPLAINER_COLUMNS, /* float32 [N, F]: images [N, 1, 1, F] */
  SONDE_EXPLAINER_TOKENS,  /* int64 or int32 [N, T]: their embeddings [N, D, 1, T] */
} SondeExplainerForm;

/**
 * sonde_explainer_new:
 * @model: forward graph as loaded: one input [N, C, H, W], [N, C, L] or [N, F] float32, or [N, T]
 *   of tokens that one embedding reads; first output [N, classes]. When that is made by a Softmax,
 *   LogSoftmax or Sigmoid, the logits are that node's input
 *
 * Inference mode: batch normalisation frozen, dropout off (as the graph says). Errors: INVALID for
 * another form, naming inputs and outputs; UNSUPPORTED, SHAPE.
 */
SondeExplainer *sonde_explainer_new (SondeGraph *model, const char *device, int threads,
                                     GError **error);
void sonde_explainer_free (SondeExplainer *explainer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeExplainer, sonde_explainer_free)

SondeExplainerForm sonde_explainer_get_form (SondeExplainer *explainer);
/* @samples as the model takes them -> as methods do. (transfer full). Errors: SHAPE for another
 * type or shape, naming both; INVALID for a token that the embedding has not. */
SondeTensor *sonde_explainer_take_samples (SondeExplainer *explainer, SondeTensor *samples,
                                           GError **error);

/* Declared sizes of the input, of images; -1 where the model leaves it open. */
void sonde_explainer_get_input_size (SondeExplainer *explainer, gint64 *channels, gint64 *height,
                                     gint64 *width);

/* Number of classes for inputs of that form; -1 with @error set: SHAPE naming both when the model
 * does not take them. */
gint64 sonde_explainer_get_n_classes (SondeExplainer *explainer, SondeTensor *inputs,
                                      GError **error);
/* Are the logits the input of a Softmax, LogSoftmax or Sigmoid at the model's end? */
gboolean sonde_explainer_ends_in_softmax (SondeExplainer *explainer);
SondeLink sonde_explainer_get_link (SondeExplainer *explainer);
/* Is there a node of that operator of ai.onnx? */
gboolean sonde_explainer_has_op (SondeExplainer *explainer, SondeOpId op);

/* How many samples of that form run best together: by the bytes of their activations, so that these
 * stay in the cache; smaller after a batch that found no memory. At least 1. forward() and
 * gradient() take any number and go by this themselves. */
gint64 sonde_explainer_get_batch (SondeExplainer *explainer, SondeTensor *inputs,
                                  gboolean backward);

/**
 * sonde_explainer_forward:
 * @inputs: float32 [n, C, H, W], as the network takes it
 * Returns: (transfer full): logits float32 [n, classes]
 */
SondeTensor *sonde_explainer_forward (SondeExplainer *explainer, SondeTensor *inputs,
                                      GError **error);

/**
 * sonde_explainer_forward_features:
 * @features: (out) (transfer full) (nullable): penultimate features, float32 [n, F]: what goes into
 *   the matrix product that makes the logits; NULL where the logits come from something else
 * Returns: (transfer full): logits float32 [n, classes]
 */
SondeTensor *sonde_explainer_forward_features (SondeExplainer *explainer, SondeTensor *inputs,
                                               SondeTensor **features, GError **error);

/**
 * sonde_explainer_gradient:
 * @inputs: float32 [n, C, H, W]
 * @seeds: float32 [n, classes]: d(target)/d(logits); one-hot explains one class, e_a − e_b a
 * contrast
 * @logits: (out) (optional) (transfer full)
 * Returns: (transfer full): d(target)/d(input), float32 [n, C, H, W], signed.
 * Errors: UNSUPPORTED naming the operator without gradient.
 */
SondeTensor *sonde_explainer_gradient (SondeExplainer *explainer, SondeTensor *inputs,
                                       SondeTensor *seeds, SondeTensor **logits, GError **error);

/**
 * SondeExplainerBackward: another gradient; zero-initialise
 * @score: of what the seeds are the derivative
 * @layer: (nullable): name of the value to differentiate with respect to, instead of the input
 * @name: (nullable): of the rules: what was planned is found again by it
 * @rules: (nullable) (array length=n_rules): in the place of operators' own
 */
typedef struct
{
  SondeScore score;
  const char *layer;
  const char *name;
  const SondeGradientRule *rules;
  guint n_rules;
} SondeExplainerBackward;

/**
 * sonde_explainer_backward:
 * @seeds: float32 [n, classes]: d(target)/d(scores)
 * @how: (nullable)
 * @scores: (out) (optional) (transfer full): logits or probabilities, float32 [n, classes]
 * @values: (out) (optional) (transfer full): of the layer, or the inputs again
 * Returns: (transfer full): d(target)/d(input or layer). Errors: as sonde_explainer_gradient();
 * NOT_FOUND for a layer that is not there, with the nearest.
 */
SondeTensor *sonde_explainer_backward (SondeExplainer *explainer, SondeTensor *inputs,
                                       SondeTensor *seeds, const SondeExplainerBackward *how,
                                       SondeTensor **scores, SondeTensor **values, GError **error);

G_END_DECLS
