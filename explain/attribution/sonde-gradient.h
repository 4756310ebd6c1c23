/* SPDX-License-Identifier: Apache-2.0
 * The gradient family: what one or several backward passes give. Formulas and sources:
 * docs/explain.md. */
#pragma once

#include "explain/attribution/sonde-attribution.h"
#include "explain/sonde-explainer-layer.h"

G_BEGIN_DECLS

extern const SondeAttribution sonde_attribution_saliency;
extern const SondeAttribution sonde_attribution_input_x_gradient;
extern const SondeAttribution sonde_attribution_contrast_gradient;
extern const SondeAttribution sonde_attribution_integrated_gradients;
extern const SondeAttribution sonde_attribution_expected_gradients;
extern const SondeAttribution sonde_attribution_smoothgrad;
extern const SondeAttribution sonde_attribution_smoothgrad_sq;
extern const SondeAttribution sonde_attribution_vargrad;
extern const SondeAttribution sonde_attribution_guided_backprop;
extern const SondeAttribution sonde_attribution_deconvolution;
extern const SondeAttribution sonde_attribution_deeplift;
extern const SondeAttribution sonde_attribution_lrp;

/* ---- what its files share ------------------------------------------------ */

/* float32 [n, classes]: the factor of each class in what is explained: 1 at the target of each row,
 * of pairs −1 at the second; or the sum that SPEC names. Errors: of the explainer; INVALID for a
 * class that is not there. */
SondeTensor *sonde_gradient_make_seeds (SondeExplainer *explainer,
                                        const SondeAttributionRequest *request, GError **error);

/* float32 [n]: @scores [n, classes] times @seeds. */
SondeTensor *sonde_gradient_take_scores (SondeTensor *scores, SondeTensor *seeds);

/* to = a · b, all of one shape; @to may be one of them. */
void sonde_gradient_multiply (SondeTensor *a, SondeTensor *b, SondeTensor *to);

/* One backward pass with @how, its layer and score taken from SPEC: fills maps and scores. @values:
 * (out) (optional): what was differentiated with respect to. */
gboolean sonde_gradient_compute (SondeExplainer *explainer, const SondeAttributionRequest *request,
                                 const SondeExplainerBackward *how, SondeAttributionResult *result,
                                 SondeTensor **values, GError **error);

/**
 * SondeGradientPlace: where a path or noise is laid: at the images, or at SPEC's layer, of whose
 * values a request is made
 * @layer: (nullable) lent
 * @state: (nullable): of the layer, for each sample; what passes by the layer stays as the images
 * make it
 * @batch: of the part behind the layer
 * @request: whose inputs are the images or the layer's values
 */
typedef struct
{
  SondeExplainer *explainer;
  SondeExplainerLayer *layer;
  GPtrArray *state;
  gint64 batch;
  SondeAttributionRequest request;
} SondeGradientPlace;

/* Runs the network up to the layer. Errors: as sonde_explainer_layer_new(), of the engine. */
gboolean sonde_gradient_place_init (SondeGradientPlace *place, SondeExplainer *explainer,
                                    const SondeAttributionRequest *request, GError **error);
void sonde_gradient_place_clear (SondeGradientPlace *place);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SondeGradientPlace, sonde_gradient_place_clear)

/* The place's values for other images [n, C, H, W]. (transfer full) */
SondeTensor *sonde_gradient_place_move (SondeGradientPlace *place, SondeTensor *images,
                                        GError **error);
/* Points that are best run at once. */
gint64 sonde_gradient_place_get_batch (SondeGradientPlace *place);

/* Scores of all classes [n, classes] where sample rows[i] has values[i] at the place. (transfer
 * full) */
SondeTensor *sonde_gradient_place_forward (SondeGradientPlace *place, const gint64 *rows,
                                           SondeTensor *values, SondeScore score, GError **error);
/* d(Σ seeds · scores)/d(values). (transfer full) */
SondeTensor *sonde_gradient_place_backward (SondeGradientPlace *place, const gint64 *rows,
                                            SondeTensor *values, SondeTensor *seeds,
                                            SondeScore score, GError **error);

/* float32 [n]: the samples' own scores. (transfer full) */
SondeTensor *sonde_gradient_score (SondeGradientPlace *place, SondeTensor *seeds, SondeScore score,
                                   GError **error);
/* The same where each has the values of @baseline, of one row or one a sample, as double (array
 * length=n) (transfer full). */
double *sonde_gradient_score_baseline (SondeGradientPlace *place, SondeTensor *baseline,
                                       SondeTensor *seeds, SondeScore score, GError **error);

/* Σ over classes of seeds[row] · scores[at], in double. */
double sonde_gradient_combine (SondeTensor *scores, gint64 at, SondeTensor *seeds, gint64 row);

/* Of attributions [n, …]: Σ of each less (score − base). (transfer full) */
double *sonde_gradient_make_gaps (SondeTensor *maps, SondeTensor *scores, const double *bases);

/**
 * SondeGradientSamples: gradients at many points for each sample
 * @n_points: for each
 * @pending: (nullable) (array length=n_pending): which samples; NULL: all
 * @fill: makes the point @s of sample @i: @n numbers from its values @x at the place
 * @take: is given the gradient there, of each sample in the order of the points, so that a sum does
 * not depend on the batch
 */
typedef struct
{
  SondeScore score;
  gint64 n_points;
  const gint64 *pending;
  gint64 n_pending;
  void (*fill) (gint64 i, gint64 s, const float *x, float *to, gsize n, gpointer data);
  void (*take) (gint64 i, gint64 s, const float *gradient, gsize n, gpointer data);
  gpointer data;
} SondeGradientSamples;
gboolean sonde_gradient_sample (SondeGradientPlace *place, SondeTensor *seeds,
                                const SondeGradientSamples *samples, GError **error);

G_END_DECLS
