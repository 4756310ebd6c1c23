/* SPDX-License-Identifier: Apache-2.0
 * One number for an image: what counterfactual search and metrics ask for again and again. The
 * callback may be a formula; the network's own stands here, with the batches that its memory
 * traffic wants. What does not live here: which images to ask about. */
#pragma once

#include "explain/sonde-explainer.h"
#include "explain/sonde-image-key.h"

G_BEGIN_DECLS

/**
 * SondeScoreFunction:
 * @images: float32 [n, C, H, W], contiguous, in network space; lent
 * @scores: (out) (array length=n); NaN is an answer
 * Returns: FALSE with @error set. The score of an image must not depend on the others of the call.
 */
typedef gboolean (*SondeScoreFunction) (SondeTensor *images, double *scores, gpointer data,
                                        GError **error);

typedef enum
{
  SONDE_NETWORK_PROBABILITY, /* of the target */
  SONDE_NETWORK_LOGIT,       /* logit of the target */
  SONDE_NETWORK_MARGIN,      /* probability of the target less the largest other one */
  SONDE_NETWORK_CONTRAST,    /* logit of the target less the logit of @other */
} SondeNetworkScoreKind;

/**
 * SondeNetworkScore: the data of sonde_network_score(); zero-initialise
 * @target, @other: classes
 * @batch: most images of one pass; 0: as many as keep a pass's intermediate values near the
 * processor
 * @memo: (nullable): of the network: images that it knows are not asked for again
 * @n_rows, @n_calls: counted: images, and passes of the network
 */
typedef struct
{
  SondeExplainer *explainer;
  SondeNetworkScoreKind kind;
  gint64 target, other;
  guint batch;
  SondeLogitMemo *memo;
  guint64 n_rows, n_calls;
} SondeNetworkScore;

/**
 * sonde_network_score:
 * @data: a #SondeNetworkScore
 *
 * A SondeScoreFunction. Passes are as large as @batch, the rest goes in powers of two: no row is
 * computed for nothing, and few sizes are planned. Scores are float32 numbers. Errors: INVALID for
 * a class that the model has not.
 */
gboolean sonde_network_score (SondeTensor *images, double *scores, gpointer data, GError **error);

G_END_DECLS
