/* SPDX-License-Identifier: Apache-2.0
 * The folder that `sonde explain --output` writes: where the files of a sample are, its tables, and
 * a reader that lists everything in it. Maps and images are left on disk.
 *
 *   settings.json             sonde-explanation-settings.h
 *   predictions.tsv           file true predicted p_true p_predicted margin reason
 *   triage.tsv                errors: reason, evidence, neighbours, influences
 *   label-errors.tsv          labelled samples, the most suspect first
 *   metrics.json              explain/report/sonde-explanation-metrics.h; nothing reads it back
 *   maps/LABEL/TARGET/CLASS/NAME.npy   float32 [H, W]; TARGET: predicted, true, class, contrast
 *   hoc/GOAL/CLASS/NAME.json           sonde-counterfactual.h */
#pragma once

#include "data/explanations/sonde-explanation-sample.h"
#include "data/explanations/sonde-explanation-settings.h"

G_BEGIN_DECLS

/* ---- writing ------------------------------------------------------------- */

/* "CLASS/NAME" of a sample: characters of @class_name that a file name may lack become "_", @name
 * loses folder and ending. @class_name: (nullable): the true class. (transfer full) */
char *sonde_explanation_dup_place (const char *class_name, const char *name);
/* FOLDER/INSIDE/CLASS/NAME with @ending, its folder made. (transfer full). Errors: of the folder. */
char *sonde_explanation_make_path (const char *folder, const char *inside, const char *class_name,
                                   const char *name, const char *ending, GError **error);

/* FOLDER/predictions.tsv. @results: (element-type SondeSampleResult); @classes: (array
 * length=n_classes): names; classes beyond are written as numbers, as in all tables */
gboolean sonde_explanation_write_predictions (const char *folder, GPtrArray *results,
                                              char **classes, guint n_classes, GError **error);

/* Another sample and how near it is, or how much it influences. */
typedef struct
{
  const char *name;
  double value;
} SondeRelatedSample;

/**
 * SondeTriageEntry: an error and what is known of it; lent
 * @signed_margin: p_label less the largest other one; @entropy: over ln K; @energy: −ln Σ e^z
 * @distance: 1 − mean cosine of the neighbours
 * @border, @box: share of the map's positive part in the outer tenth, and in the object's box
 * @neighbours, @proponents, @opponents: (element-type SondeRelatedSample)
 */
typedef struct
{
  const SondeSampleResult *result;
  double signed_margin, entropy, energy, distance, border, box;
  GArray *neighbours, *proponents, *opponents;
} SondeTriageEntry;

/* FOLDER/triage.tsv. @entries: (element-type SondeTriageEntry) */
gboolean sonde_explanation_write_triage (const char *folder, GPtrArray *entries, char **classes,
                                         guint n_classes, GError **error);

/* A label and how far it can be trusted; lent. @score: by which they are ordered */
typedef struct
{
  const char *name;
  gint64 given, suggested;
  gboolean is_suspect;
  double self_confidence, normalised_margin, weighted_entropy, score;
} SondeLabelErrorEntry;

/* FOLDER/NAME.tsv. @entries: (element-type SondeLabelErrorEntry) */
gboolean sonde_explanation_write_label_errors (const char *folder, const char *name,
                                               GArray *entries, char **classes, guint n_classes,
                                               GError **error);

/* ---- reading ------------------------------------------------------------- */

/**
 * SondeExplanationFolder:
 * @settings: as far as settings.json can be read, paths absolute; @missing: (nullable): why there
 *   can be no session with them, as a sentence
 * @target: (nullable): name of the class that maps of "class" explain
 * @images: (nullable): the folder that names of samples are relative to
 * @samples: (element-type SondeExplanationSample): one of each row of predictions.tsv, in their order,
 *   with reason and files; classes are numbered in the order in which their names occur, also as
 *   targets of counterfactuals; maps name their paths; an image is the name as written
 * @faults: (element-type utf8): what was left out,
 *   sentences in the user's language
 */
typedef struct
{
  SondeExplanationSettings *settings;
  char *missing, *target, *images;
  GPtrArray *samples, *faults;
} SondeExplanationFolder;

/* By how its predictions.tsv begins. */
gboolean sonde_explanation_folder_is (const char *folder);

/* Any thread. Errors: of predictions.tsv; LIMIT */
SondeExplanationFolder *sonde_explanation_folder_read (const char *folder, GError **error);
void sonde_explanation_folder_free (SondeExplanationFolder *folder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeExplanationFolder, sonde_explanation_folder_free)

G_END_DECLS
