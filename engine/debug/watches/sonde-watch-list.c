/* SPDX-License-Identifier: Apache-2.0
 * The watches of a debugger in its run. */
#include "engine/debug/watches/sonde-watch-list.h"

#include "engine/debug/watches/sonde-watch-previous.h"
#include "engine/debug/watches/sonde-watch-history.h"

static void
free_targets (gpointer targets)
{
  sonde_watch_targets_free (targets);
}

void
sonde_watch_list_init (SondeWatchList *list, SondeWatchTable *table, const SondeDebuggee *debuggee,
                       const SondeReverseRun *reverse)
{
  *list = (SondeWatchList){ .table = table, .debuggee = debuggee, .reverse = reverse };
  list->targets = g_hash_table_new_full (NULL, NULL, NULL, free_targets);
  list->past = sonde_watch_history_new ();
  list->kept = sonde_watch_previous_new ();
}

void
sonde_watch_list_clear (SondeWatchList *list)
{
  g_clear_pointer (&list->kept, g_hash_table_unref);
  g_clear_pointer (&list->past, g_hash_table_unref);
  g_clear_pointer (&list->targets, g_hash_table_unref);
}

SondeWatchTargets *
sonde_watch_list_get_targets (SondeWatchList *list, SondePlan *plan)
{
  SondeWatchTargets *targets = g_hash_table_lookup (list->targets, plan);

  if (targets != NULL)
    return targets;
  targets = sonde_watch_targets_new (plan);
  for (guint i = 0; i < list->table->list->len; i++)
    {
      SondeArmedWatch *watch = g_ptr_array_index (list->table->list, i);

      if (watch->info.enabled)
        sonde_watch_targets_add (targets, watch);
    }
  g_hash_table_insert (list->targets, plan, targets);
  return targets;
}

void
sonde_watch_list_forget_targets (SondeWatchList *list)
{
  g_hash_table_remove_all (list->targets);
}

void
sonde_watch_list_attach (SondeWatchList *list)
{
  const SondeDebuggee *debuggee = list->debuggee;

  if (list->attached || debuggee->target == NULL)
    return;
  list->attached = TRUE;
  debuggee->target->add_observer (debuggee->target_data, &list->observer);
}

void
sonde_watch_list_detach (SondeWatchList *list)
{
  const SondeDebuggee *debuggee = list->debuggee;

  if (!list->attached)
    return;
  list->attached = FALSE;
  debuggee->target->remove_observer (debuggee->target_data, &list->observer);
  sonde_watch_list_forget_targets (list);
}

void
sonde_watch_list_restarted (SondeWatchList *list)
{
  g_hash_table_remove_all (list->past);
  g_hash_table_remove_all (list->kept);
}
