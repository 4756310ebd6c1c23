/* SPDX-License-Identifier: Apache-2.0
 * What a report says beside its maps: the same for `sonde explain` and for the report of a page. */
#pragma once

#include "data/explanations/sonde-explanation-settings.h"
#include "explain/report/sonde-explain-report.h"

G_BEGIN_DECLS

/**
 * SondeReportFacts: all lent
 * @settings: of the session
 * @predictions: (element-type SondeSampleResult): of @dataset
 * @triage, @scorecard: (nullable): live as long as the report
 * @pointing: (nullable) (element-type SondePointing): of the maps
 * @notes: (nullable) (element-type SondeMessage): what was done unasked
 * @warning: (nullable): what makes all of it doubtful
 * @methods: SPECs; @targets: (nullable): "predicted" and "true"; NULL-terminated
 * @explained: which samples, as "errors"
 * @probabilities: (nullable): how logits became those
 * @program: (nullable): name and version
 * @seconds: that it took so far; @n_maps: computed in these
 */
typedef struct
{
  const SondeExplanationSettings *settings;
  SondeDataset *dataset;
  GPtrArray *predictions;
  const SondeTriage *triage;
  SondeScorecard *scorecard;
  GPtrArray *pointing, *notes;
  const SondeMessage *warning;
  const char *const *methods, *const *targets;
  const char *explained, *probabilities, *program;
  double seconds;
  guint n_maps;
} SondeReportFacts;

/* Once, after the maps. */
void sonde_report_facts_add (const SondeReportFacts *facts, SondeExplainReport *report);

G_END_DECLS
