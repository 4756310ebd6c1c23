/* SPDX-License-Identifier: Apache-2.0
 * Asks a child of the program what this machine can do at best (`sonde check --roofline`): from the cache, or
 * measured in at most 3 s, with the window free meanwhile. */
#pragma once

#include <gio/gio.h>

#include "data/profiles/sonde-profile-facts.h"

G_BEGIN_DECLS

/* Of float32. @program: (nullable): NULL: the one that runs; @n_threads: 0: all */
void sonde_ceilings_child_ask (const char *program, guint n_threads, GCancellable *cancellable,
                               GAsyncReadyCallback callback, gpointer data);
gboolean sonde_ceilings_child_finish (GAsyncResult *result, SondeCeilings *ceilings,
                                      GError **error);

G_END_DECLS
