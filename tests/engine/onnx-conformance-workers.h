/* SPDX-License-Identifier: Apache-2.0
 * Cases in child processes: one that crashes or hangs is a failure of its own. */
#pragma once

#include "tests/engine/onnx-conformance-case.h"

G_BEGIN_DECLS

/* @op, @reason: (nullable) */
typedef void (*OnnxCaseDone) (guint index, OnnxCaseVerdict verdict, const char *op,
                              const char *reason, gpointer data);

/* Runs all @folders, @n_workers at a time; @done is called in the order in which they end.
 * @device: (nullable): name for sonde_device_open(); NULL: no plan, kernels alone
 * Returns: FALSE when a worker that had nothing left to do ended badly (a checker of leaks found
 * some) */
gboolean onnx_workers_run (const char *const *folders, guint n, const char *device, guint n_workers,
                           guint most_seconds, OnnxCaseDone done, gpointer data);

G_END_DECLS
