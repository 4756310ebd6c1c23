/* SPDX-License-Identifier: Apache-2.0
 * Inside of `sonde explain`: what was asked and what has come of it, shared by the files of the
 * command. */
#pragma once

#include "app/cli/models/sonde-cli-model-options.h"
#include "app/cli/sonde-cli.h"
#include "explain/metrics/sonde-evaluation.h"
#include "explain/report/sonde-explain-report.h"
#include "explain/session/sonde-explain-session.h"

G_BEGIN_DECLS

/* Texts of the command line; @settings: with model, device, threads and seed. */
typedef struct
{
  SondeExplanationSettings settings;
  SondeModelChoice choice;
  char *probabilities;
  char *output, *report, *run, *images, *batch_input, *batch_targets, *hoc, *metrics;
  char **methods, **targets;
  gboolean json, channels, triage, no_cache;
} ExplainOptions;

/**
 * Explain: one call of the command
 * @trial: of preprocessings, of the session
 * @dataset, @triage: of the session; @triage: NULL: not asked for
 * @positions: sample -> position among the explained
 */
typedef struct
{
  const SondeCliCommand *command;
  const char *subject;
  gint64 begun; /* of the monotonic clock, µs */
  ExplainOptions *options;
  SondeExplainSession *session;
  SondeDataset *dataset;
  const SondePreprocessingTrial *trial;
  const SondeTriage *triage;
  SondeExplainReport *report;
  SondeSummaryWriter *writer;
  GHashTable *positions;
  GPtrArray *scores;           /* (element-type SondePointing) */
  SondeEvaluation *evaluation; /* (nullable) */
  GPtrArray *failed;           /* labels of methods that the network or SPEC forbids */
  guint n_methods;
  const SondeAttributionSpec *spec; /* (nullable): of the method that runs */
  SondeProgressLine line;
  guint n_maps, n_unreadable;
} Explain;

/* ---- sonde-cli-explain-files.c: --output DIR ----------------------------- */

/* OUTPUT/INSIDE/CLASS/NAME with @ending, its folder made; CLASS is the true class. */
char *sonde_explain_make_sample_path (Explain *explain, const SondeSampleResult *prediction,
                                      const char *inside, const char *ending, GError **error);
/* DIR/maps/METHOD/TARGET/CLASS/NAME.npy */
gboolean sonde_explain_write_map (Explain *explain, const SondeAttributionMap *map,
                                  const SondeSampleResult *sample, GError **error);
/* Everything needed to repeat the call. */
gboolean sonde_explain_write_settings (Explain *explain, GError **error);

/* ---- sonde-cli-explain-summary.c: for people ----------------------------- */

gboolean sonde_explain_write_report (Explain *explain, GPtrArray *predictions, GError **error);
/* One line a method and metric. (transfer full) */
char *sonde_explain_scores_to_text (SondeEvaluation *evaluation);

G_END_DECLS
