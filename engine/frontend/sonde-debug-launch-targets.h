/* SPDX-License-Identifier: Apache-2.0
 * What could be debugged now: a document that is open, the model that a run left, sessions that
 * listen. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * SondeDebugLaunchTarget: one thing to debug
 * @title: words of a button
 * @detail: more of it, for a tool-tip
 * @subject: (nullable): what to open; NULL: attach to @pid
 */
typedef struct
{
  char *title;
  char *detail;
  char *subject;
  int pid;
} SondeDebugLaunchTarget;

/**
 * sonde_debug_launch_targets_find_async:
 * @documents: (array zero-terminated=1): models and recipes that are open
 * @run_directory: (nullable): of the run that is looked at
 *
 * Looks at the disk in a thread.
 */
void sonde_debug_launch_targets_find_async (const char *const *documents, const char *run_directory,
                                            GCancellable *cancellable, GAsyncReadyCallback callback,
                                            gpointer data);
/* Returns: (transfer full) (element-type SondeDebugLaunchTarget): best first; NULL when cancelled */
GPtrArray *sonde_debug_launch_targets_find_finish (GAsyncResult *result, GError **error);

G_END_DECLS
