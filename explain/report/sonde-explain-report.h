/* SPDX-License-Identifier: Apache-2.0
 * The report of an explanation run, as one HTML file that needs nothing else, or as PDF: what was
 * explained, how far its probabilities hold, what is taken for what, why, and the maps. */
#pragma once

#include "explain/metrics/sonde-scorecard.h"
#include "explain/sonde-explain-maps.h"
#include "explain/triage/sonde-triage.h"

G_BEGIN_DECLS

typedef struct _SondeExplainReport SondeExplainReport;

/* @title: of the page; @model: what was explained; @dataset: lent until the report is freed */
SondeExplainReport *sonde_explain_report_new (const char *title, const char *model,
                                              SondeDataset *dataset);
void sonde_explain_report_free (SondeExplainReport *report);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeExplainReport, sonde_explain_report_free)

/* @predictions: (element-type SondeSampleResult): kept */
void sonde_explain_report_set_predictions (SondeExplainReport *report, GPtrArray *predictions);

/* (nullable): what makes all of it doubtful; stands above everything else. */
void sonde_explain_report_set_warning (SondeExplainReport *report, const char *sentence);

/* @triage, @scorecard: (nullable): lent until the report is freed; of the same predictions. */
void sonde_explain_report_set_triage (SondeExplainReport *report, const SondeTriage *triage);
void sonde_explain_report_set_scorecard (SondeExplainReport *report, SondeScorecard *scorecard);

/* One map; maps of one sample stand side by side, on one scale. The first 120 samples are shown
 * (the page says how many there are), all are part of their cell's mean. @map: with label and
 * target_is; @sample: what it is of; lives as long as the report. */
gboolean sonde_explain_report_add_map (SondeExplainReport *report, const SondeAttributionMap *map,
                                       const SondeSampleResult *sample, GError **error);

/* A sentence for the list of measured info; a setting for the table at the end. */
void sonde_explain_report_add_fact (SondeExplainReport *report, const char *sentence);
void sonde_explain_report_add_setting (SondeExplainReport *report, const char *name,
                                       const char *value);

/* HTML, or PDF where @path ends in .pdf. */
gboolean sonde_explain_report_write (SondeExplainReport *report, const SondeIo *io,
                                     const char *path, GError **error);

G_END_DECLS
