/* SPDX-License-Identifier: Apache-2.0
 * What `sonde infer` looks at while a model runs: the time of every step, statistics of every
 * value; and their JSON files. */
#pragma once

#include "engine/plan/sonde-execution.h"

G_BEGIN_DECLS

/* {"steps":[{"node","op","implementation","calls","ms","flops"}]}; ms is the mean of @runs since
 * timing was set. */
gboolean sonde_step_timing_write (SondeExecution *execution, int runs, const char *path,
                                  GError **error);

/* Statistics of every value, taken right after the step that makes it; those of the last run
 * stay. */
typedef struct _SondeValueSummaries SondeValueSummaries;

SondeValueSummaries *sonde_value_summaries_new (SondePlan *plan);
void sonde_value_summaries_free (SondeValueSummaries *summaries);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeValueSummaries, sonde_value_summaries_free)
SondeObserver *
sonde_value_summaries_get_observer (SondeValueSummaries *summaries); /* (transfer none) */
/* {VALUE: {"dtype","shape","min","max","mean","std","abs_mean","zeros","negatives","nan",
 * "pos_inf","neg_inf",
 * "count"}}. Errors: of the file; the first that a value could not be read with. */
gboolean sonde_value_summaries_write (SondeValueSummaries *summaries, const char *path,
                                      GError **error);

/* Largest resident memory of this process so far, in bytes; 0 when it cannot be told. (Not
 * ru_maxrss: that also counts what the parent held before it became this program.) */
gint64 sonde_peak_bytes (void);

G_END_DECLS
