/* SPDX-License-Identifier: Apache-2.0
 * Worker: which files there are, and the kernel's notices about them. */
#pragma once

#include "data/runs/worker/sonde-run-work-private.h"

G_BEGIN_DECLS

void sonde_work_scan_due_roots (SondeRunWorker *worker, gint64 now_ns);
void sonde_work_mark_roots_due (SondeRunWorker *worker, gboolean at_once);
void sonde_work_read_notices (SondeRunWorker *worker);
/* Unless it is one. */
void sonde_work_add_root (SondeRunWorker *worker, const char *path);
void sonde_work_root_free (WorkRoot *root);

G_END_DECLS
