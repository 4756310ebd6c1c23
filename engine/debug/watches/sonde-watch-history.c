/* SPDX-License-Identifier: Apache-2.0
 * What is kept of watched values of the last steps. */
#include "engine/debug/watches/sonde-watch-history.h"

#define MAX_VALUES 20000 /* of which something is kept: about 70 MB */

static void
clear_past (SondeStepFacts *past)
{
  g_clear_pointer (&past->request, g_rc_box_release);
}

static void
free_past (gpointer data)
{
  SondeStepFacts *past = data;

  for (guint i = 0; i < SONDE_DEBUGGER_WATCH_HISTORY; i++)
    clear_past (&past[i]);
  g_free (past);
}

void
sonde_watch_history_keep (GHashTable *values, guint64 step, const SondeWatchTarget *target,
                          const SondeFacts *facts)
{
  SondeStepFacts *past = g_hash_table_lookup (values, target->subject->name);

  if (past == NULL && g_hash_table_size (values) >= MAX_VALUES)
    return;
  if (past == NULL)
    {
      past = g_new0 (SondeStepFacts, SONDE_DEBUGGER_WATCH_HISTORY);
      g_hash_table_insert (values, g_strdup (target->subject->name), past);
    }
  past += step % SONDE_DEBUGGER_WATCH_HISTORY;
  clear_past (past);
  past->step = step;
  past->request = g_rc_box_acquire (g_ptr_array_index (target->passes, 0));
  past->facts = facts[0];
}

const SondeStepFacts *
sonde_watch_history_find (GHashTable *values, const SondeWatchTarget *target, guint64 step)
{
  const SondeStepFacts *past = g_hash_table_lookup (values, target->subject->name);

  if (past == NULL)
    return NULL;
  past += step % SONDE_DEBUGGER_WATCH_HISTORY;
  return past->request != NULL && past->step == step ? past : NULL;
}

GHashTable *
sonde_watch_history_new (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_past);
}

gboolean
sonde_watch_history_has_step (GHashTable *values, guint64 step)
{
  GHashTableIter iter;
  gpointer past;

  g_hash_table_iter_init (&iter, values);
  while (g_hash_table_iter_next (&iter, NULL, &past))
    if (((const SondeStepFacts *) past)[step % SONDE_DEBUGGER_WATCH_HISTORY].step == step)
      return TRUE;
  return FALSE;
}
