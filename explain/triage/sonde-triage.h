/* SPDX-License-Identifier: Apache-2.0
 * One reason for each error, with its evidence; all that spoke for another is kept. Definitions:
 * docs/explain.md. */
#pragma once

#include "data/explanations/sonde-error-category.h"
#include "explain/sonde-explain-run.h"
#include "explain/triage/sonde-cue.h"
#include "explain/triage/sonde-label-errors.h"
#include "explain/triage/sonde-neighbours.h"

G_BEGIN_DECLS

#define SONDE_TRIAGE_NEIGHBOURS 5
#define SONDE_TRIAGE_INFLUENCES 3

/**
 * SondeTriageRow: what was measured of one prediction; the maps' numbers, neighbours and influences of errors only
 * @signed_margin: p_y − max of the others; @entropy: over ln K; @energy: −ln Σ e^z
 * @distance: 1 − mean cosine of the neighbours; NaN without features
 * @border, @box: share of the map's positive part in the outer tenth, and in the object's box;
 *   @points: whether its largest value is in the box, -1 unknown
 * @cue: index of the cue, -1 none
 * @duplicate: index into @neighbours, -1 none
 * @suspicion: ln of the label's probability plus ln of its share of the neighbours: the least is the
 *   most suspect label
 */
typedef struct
{
  double signed_margin, entropy, energy, distance, border, box;
  int points, cue, duplicate;
  SondeNeighbour neighbours[SONDE_TRIAGE_NEIGHBOURS];
  guint n_neighbours, n_say_predicted, n_say_label;
  SondeNeighbour proponents[SONDE_TRIAGE_INFLUENCES], opponents[SONDE_TRIAGE_INFLUENCES];
  guint n_influences;
  double suspicion;
} SondeTriageRow;

/**
 * SondeTriage:
 * @rows: (array length=n): as the predictions
 * @label_errors: of the predictions; @counts: errors of each category
 * @cues: (element-type SondeCue): those confirmed by painting over
 * @reference: (element-type SondeSampleResult): where neighbours and influences are rows of: the
 *   training data, or else the predictions themselves
 * @energy_limit, @distance_limit: 99th percentiles of the right answers
 * @notes: (element-type SondeMessage): what could not be told, and why
 */
typedef struct
{
  guint n;
  SondeTriageRow *rows;
  SondeLabelErrors *label_errors;
  GArray *cues;
  GPtrArray *reference;
  gboolean has_training;
  guint counts[SONDE_N_CATEGORIES];
  double energy_limit, distance_limit;
  GPtrArray *notes;
} SondeTriage;

/**
 * sonde_triage_new:
 * @predictions: (element-type SondeSampleResult): of @dataset; the errors among them get category,
 *   categories and evidence
 * @training, @training_data: (nullable): the same of training samples, labels as given
 *
 * Errors: of the engine and of reading images.
 */
SondeTriage *sonde_triage_new (SondeExplainer *explainer, SondeDataset *dataset,
                               GPtrArray *predictions, SondeDataset *training_data,
                               GPtrArray *training, GError **error);
/* Maps of @errors by input × gradient of the predicted class, where they are kept or being kept.
 * (transfer full) (element-type SondeTensor): float32 [H, W], in that order */
typedef GPtrArray *(*SondeTriageMaps) (GPtrArray *errors, gpointer data, GError **error);

/* The same; @progress hears of thousandths and may stop it. @maps: (nullable): who makes the
 * errors' maps. */
SondeTriage *sonde_triage_new_watched (SondeExplainer *explainer, SondeDataset *dataset,
                                       GPtrArray *predictions, SondeDataset *training_data,
                                       GPtrArray *training, SondeTriageMaps maps,
                                       SondeExplainProgress progress, gpointer data,
                                       GError **error);
void sonde_triage_free (SondeTriage *triage);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeTriage, sonde_triage_free)

G_END_DECLS
