/* SPDX-License-Identifier: Apache-2.0
 * Means computed on another thread. All tasks share as many threads as the machine has processors, and are done in the order
 * in which they were started. */
#pragma once

#include <gio/gio.h>

#include "viewers/smoothing/sonde-means.h"

G_BEGIN_DECLS

typedef struct _SondeMeansTask SondeMeansTask;

/* @means: (transfer full): with their coarser levels when they begin at the first point. @n_all: points that there were
 * when the task was started; fewer in @means: the others could not be read. Not called for one that was cancelled. */
typedef void (*SondeMeansDone) (SondeMeans *means, guint64 n_all, void *user_data);

/**
 * sonde_means_task_start:
 * @means, @snapshot: (transfer full): what is to be extended, and by which points
 *
 * @done is called from the caller's main context, where the task ends. Returns: until then, or until it is cancelled
 */
SondeMeansTask *sonde_means_task_start (SondeSmoothingRule *rule, SondeMeans *means,
                                        SondeSeriesSnapshot *snapshot, SondeMeansDone done,
                                        void *user_data);
void sonde_means_task_cancel (SondeMeansTask *task);
/* How many points of how many are in. */
void sonde_means_task_get_progress (const SondeMeansTask *task, guint64 *n_done, guint64 *n_all);

G_END_DECLS
