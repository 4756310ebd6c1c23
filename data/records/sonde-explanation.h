/* SPDX-License-Identifier: Apache-2.0
 * What one event of a MindSpore explain log says: facts of the log, or of one sample. Events with
 * the same sample belong together; whoever shows them joins them. Paths are relative to the run. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A class of a sample with its probability; the last three are NaN unless uncertainty was
 * recorded. */
typedef struct
{
  int label;
  double probability, deviation, low, high; /* standard deviation, 95 % interval */
} SondeExplanationClass;

typedef struct
{
  char *method;
  int label;
  char *heat_map; /* path of an 8-bit grey picture */
} SondeExplanationMap;

/**
 * SondeExplanationScore: how good @method is by @benchmark
 * @label_scores: (array length=n_label_scores): by class
 */
typedef struct
{
  char *benchmark, *method;
  double total;
  double *label_scores;
  gsize n_label_scores;
} SondeExplanationScore;

/* A step of hierarchical occlusion: probability once only @boxes (x, y, width, height) are seen. */
typedef struct
{
  double probability;
  int *boxes;
  gsize n_boxes; /* of four numbers each */
} SondeExplanationLayer;

typedef struct
{
  int label;
  char *mask; /* as recorded: "gaussian:9" */
  SondeExplanationLayer *layers;
  gsize n_layers;
} SondeExplanationOcclusion;

/**
 * SondeExplanation:
 * @has_sample, @sample: number of the sample; 0 is one
 * @image, @status: (nullable)
 * @labels, @methods, @benchmarks: (nullable) (array zero-terminated=1): of the first event of a log
 */
typedef struct
{
  gboolean has_sample;
  gint64 sample;
  char *image, *status;
  SondeExplanationClass *truths, *predictions;
  gsize n_truths, n_predictions;
  SondeExplanationMap *maps;
  gsize n_maps;
  SondeExplanationScore *scores;
  gsize n_scores;
  SondeExplanationOcclusion *occlusions;
  gsize n_occlusions;
  char **labels, **methods, **benchmarks;
} SondeExplanation;

SondeExplanation *sonde_explanation_new (void);
SondeExplanation *sonde_explanation_copy (const SondeExplanation *explanation); /* NULL of NULL */
void sonde_explanation_free (SondeExplanation *explanation);                    /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeExplanation, sonde_explanation_free)

gsize sonde_explanation_n_bytes (const SondeExplanation *explanation);

G_END_DECLS
