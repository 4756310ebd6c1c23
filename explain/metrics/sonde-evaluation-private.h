/* SPDX-License-Identifier: Apache-2.0
 * Shared by the files of the evaluation. */
#pragma once

#include "explain/metrics/sonde-evaluation.h"
#include "explain/sonde-image-key.h"

/**
 * Checked: a map whose randomisation is to be checked
 * @key: "LABEL/TARGET"; @spec: lent; @other: second class of a pair
 */
typedef struct
{
  char *key;
  const SondeAttributionSpec *spec;
  guint sample;
  gint64 label, target, other;
} SondeEvaluationChecked;

struct _SondeEvaluation
{
  SondeExplainer *explainer;
  SondeDataset *dataset;
  guint64 seed;
  const SondeMapMetric **metrics;
  double *weights;
  guint n_metrics;
  SondeScorecard *scorecard;
  GHashTable *controlled; /* (element-type utf8): "SAMPLE/TARGET" whose controls are done */
  GPtrArray *checked;     /* (element-type SondeEvaluationChecked) */
  SondeLogitMemo *memo;   /* maps of one image share its changed images */
};

/* Maps of the spec for images float32 [n, C, H, W], as the method gives them; random numbers are
 * those of @samples.
 * @others: second classes of pairs. */
SondeTensor *sonde_evaluation_compute (SondeExplainer *explainer, const SondeAttributionSpec *spec,
                                       guint64 seed, const guint64 *samples, SondeTensor *images,
                                       const gint64 *targets, const gint64 *others, GError **error);
/* float32 [1, C, H, W]; NULL with @error set. */
SondeTensor *sonde_evaluation_load (SondeEvaluation *evaluation, guint sample, GError **error);
