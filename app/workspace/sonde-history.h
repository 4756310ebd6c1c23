/* SPDX-License-Identifier: Apache-2.0
 * What can be undone in a window: changes of its layout and of what is said of runs, the newest last. */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

#define SONDE_TYPE_HISTORY (sonde_history_get_type ())
G_DECLARE_FINAL_TYPE (SondeHistory, sonde_history, SONDE, HISTORY, GObject)

/* Signal "changed" (): what can be undone or done again is another. */
SondeHistory *sonde_history_new (void);

/* @redo: do it again, else undo it */
typedef void (*SondeHistoryFunc) (gpointer data, gboolean redo);

/**
 * sonde_history_add:
 * @label: in the user's language, a noun phrase or an infinitive for "Undo: …"
 * @apply: undoes what has just been done, or does it again
 * @data: (transfer full): freed by @destroy
 *
 * What had been undone can no longer be done again. The oldest of 200 steps is forgotten. What @apply
 * itself adds is left out.
 */
void sonde_history_add (SondeHistory *history, const char *label, SondeHistoryFunc apply,
                        gpointer data, GDestroyNotify destroy);
/* FALSE: there is nothing. */
gboolean sonde_history_undo (SondeHistory *history);
gboolean sonde_history_redo (SondeHistory *history);
/* The label of what would be undone or done again. (nullable) */
const char *sonde_history_get_undo (SondeHistory *history);
const char *sonde_history_get_redo (SondeHistory *history);

G_END_DECLS
