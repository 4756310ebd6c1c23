/* SPDX-License-Identifier: Apache-2.0
 * The report of an explanation run: one HTML file that needs nothing else (pictures inside, no script). */
#pragma once

#include "explain/sonde-explain-run.h"

G_BEGIN_DECLS

typedef struct _SondeExplainReport SondeExplainReport;

/* @title: of the page; @model: what was explained; @dataset: lent until the report is freed */
SondeExplainReport *sonde_explain_report_new (const char   *title,
                                              const char   *model,
                                              SondeDataset *dataset);
void sonde_explain_report_free (SondeExplainReport *report);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeExplainReport, sonde_explain_report_free)

/* Facts and confusion matrix. @predictions: (element-type SondePrediction) */
void sonde_explain_report_set_predictions (SondeExplainReport *report,
                                           GPtrArray          *predictions);

/* One map; maps of one sample stand side by side, on one scale. Only the first @max_samples samples are shown (the
 * page says how many there are). */
gboolean sonde_explain_report_add_map (SondeExplainReport      *report,
                                       const SondeExplainedMap *map,
                                       GError                 **error);

/* A sentence for the list of measured facts, escaped here. */
void sonde_explain_report_add_fact (SondeExplainReport *report,
                                    const char         *sentence);

gboolean sonde_explain_report_write (SondeExplainReport *report,
                                     const SondeIo      *io,
                                     const char         *path,
                                     GError            **error);

G_END_DECLS
