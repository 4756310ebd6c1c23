/* SPDX-License-Identifier: Apache-2.0
 * The runs of a list that a function lets through, as a list of their own that changes only where
 * they come or go. */
#pragma once

#include "data/runs/sonde-run-store.h"

G_BEGIN_DECLS

typedef struct _SondeRunSubset SondeRunSubset;

typedef gboolean (*SondeRunFunc) (SondeRun *run, void *user_data);

/* @runs: of SondeRun; referenced */
SondeRunSubset *sonde_run_subset_new (GListModel *runs, SondeRunFunc matches, void *user_data);
void sonde_run_subset_free (SondeRunSubset *subset);

/* What the function says has changed; one change from the first to the last run that differs. */
void sonde_run_subset_update (SondeRunSubset *subset);
GListModel *sonde_run_subset_get_model (SondeRunSubset *subset); /* of SondeRun; (transfer none) */

G_END_DECLS
