/* SPDX-License-Identifier: Apache-2.0
 * The watches of a debugger in its run. */
#include "engine/debug/watches/sonde-watch-list.h"

#include "engine/debug/watches/sonde-watch-kept.h"
#include "engine/debug/watches/sonde-watch-past.h"

static void
free_targets (gpointer targets)
{
  sonde_watch_targets_free (targets);
}

void
sonde_watch_list_init (SondeWatchList *list, SondeWatchTable *table, const SondeSubject *subject,
                       const SondeTravel *travel)
{
  *list = (SondeWatchList){ .table = table, .subject = subject, .travel = travel };
  list->targets = g_hash_table_new_full (NULL, NULL, NULL, free_targets);
  list->past = sonde_watch_past_new ();
  list->kept = sonde_watch_kept_new ();
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
  const SondeSubject *subject = list->subject;

  if (list->attached || subject->target == NULL)
    return;
  list->attached = TRUE;
  subject->target->add_observer (subject->target_data, &list->observer);
}

void
sonde_watch_list_detach (SondeWatchList *list)
{
  const SondeSubject *subject = list->subject;

  if (!list->attached)
    return;
  list->attached = FALSE;
  subject->target->remove_observer (subject->target_data, &list->observer);
  sonde_watch_list_forget_targets (list);
}

void
sonde_watch_list_restarted (SondeWatchList *list)
{
  g_hash_table_remove_all (list->past);
  g_hash_table_remove_all (list->kept);
}
