/* SPDX-License-Identifier: Apache-2.0
 * The log of edits, and branches. */
#include "engine/debug/changes/sonde-changes-private.h"

static void
branch_free (SondeBranchEntry *entry)
{
  if (entry->owned)
    sonde_execution_free (entry->execution);
  g_clear_pointer (&entry->original, sonde_graph_unref);
  g_ptr_array_unref (entry->late);
  sonde_branch_clear (&entry->info);
  g_free (entry);
}

static SondeBranchEntry *
branch_new (guint number, guint parent, const char *text, SondeExecution *execution,
            SondeGraph *original)
{
  SondeBranchEntry *entry = g_new0 (SondeBranchEntry, 1);
  SondePlanMemory memory;

  sonde_plan_get_memory (sonde_execution_get_plan (execution), &memory);
  entry->info.number = number;
  entry->info.parent = parent;
  entry->info.name = g_strdup_printf ("branch %u", number);
  entry->info.text = g_strdup (text);
  entry->execution = execution;
  entry->original = original != NULL ? sonde_graph_ref (original) : NULL;
  entry->info.bytes = memory.bytes;
  entry->late = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_node_change_free);
  return entry;
}

SondeChanges *
sonde_changes_new (SondeDebugger *debugger, SondeGraph *original, SondeChangesAdopt adopt,
                   gpointer data)
{
  SondeChanges *changes = g_new0 (SondeChanges, 1);

  changes->debugger = debugger;
  changes->adopt = adopt;
  changes->data = data;
  changes->edits = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_edit_free);
  changes->branches = g_ptr_array_new_with_free_func ((GDestroyNotify) branch_free);
  changes->first = sonde_debugger_get_execution (debugger);
  changes->current = branch_new (1, 0, "", changes->first, original);
  g_ptr_array_add (changes->branches, changes->current);
  return changes;
}

void
sonde_changes_free (SondeChanges *changes)
{
  SondeBranchEntry *first = NULL;

  if (changes == NULL)
    return;
  for (guint i = 0; i < changes->branches->len && first == NULL; i++)
    if (!((SondeBranchEntry *) g_ptr_array_index (changes->branches, i))->owned)
      first = g_ptr_array_index (changes->branches, i);
  if (first != NULL && first != changes->current && changes->adopt != NULL)
    sonde_changes_enter (changes, first);
  g_ptr_array_unref (changes->branches);
  g_ptr_array_unref (changes->edits);
  g_free (changes);
}

void
sonde_changes_set_rebuild (SondeChanges *changes, SondeChangesRebuild rebuild)
{
  changes->rebuild = rebuild;
}

gboolean
sonde_changes_follow (SondeChanges *changes, SondeGraph *original)
{
  SondeBranchEntry *found = NULL;

  if (changes->current->original == original)
    return FALSE;
  for (guint i = 0; i < changes->branches->len; i++)
    {
      SondeBranchEntry *entry = g_ptr_array_index (changes->branches, i);

      /* the others are copies of what was left */
      if (!entry->owned && entry->original == original)
        found = entry;
    }
  if (found == NULL)
    return FALSE;
  changes->current = found;
  sonde_debugger_set_original (changes->debugger, original);
  return TRUE;
}

SondeDebugger *
sonde_changes_get_debugger (SondeChanges *changes)
{
  return changes->debugger;
}

void
sonde_changes_log (SondeChanges *changes, SondeEdit *edit, const char *text)
{
  edit->number = changes->edits->len + 1;
  edit->branch = changes->current->info.number;
  g_free (edit->text);
  edit->text = g_strdup (text);
  g_ptr_array_add (changes->edits, sonde_edit_copy (edit));
}

GPtrArray *
sonde_changes_get_edits (SondeChanges *changes)
{
  return changes->edits;
}

/* ---- branches ------------------------------------------------------------ */

SondeBranchEntry *
sonde_changes_get_entry (SondeChanges *changes)
{
  /* a training runs an execution for each size of batch */
  if (changes->adopt == NULL && sonde_debugger_get_execution (changes->debugger) != NULL)
    changes->current->execution = sonde_debugger_get_execution (changes->debugger);
  return changes->current;
}

/* Where it stands now. */
static void
update_place (SondeBranchEntry *entry)
{
  SondePlan *plan = sonde_execution_get_plan (entry->execution);
  guint n_steps = sonde_plan_get_n_steps (plan);
  guint position = MIN (sonde_execution_get_position (entry->execution), n_steps);

  entry->info.n_steps = n_steps;
  entry->info.position = position;
  g_free (entry->info.node);
  entry->info.node
      = g_strdup (position < n_steps ? sonde_plan_get_step (plan, position)->name : "");
}

GPtrArray *
sonde_changes_get_branches (SondeChanges *changes)
{
  const SondeBranchEntry *current = sonde_changes_get_entry (changes);

  for (guint i = 0; i < changes->branches->len; i++)
    {
      SondeBranchEntry *entry = g_ptr_array_index (changes->branches, i);

      entry->info.current = entry == current;
      update_place (entry);
    }
  return changes->branches;
}

guint
sonde_changes_get_current (SondeChanges *changes)
{
  return changes->current->info.number;
}

SondeBranchEntry *
sonde_changes_find (SondeChanges *changes, const char *name, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);
  guint64 number = 0;

  sonde_changes_get_entry (changes);
  if (!g_ascii_string_to_unsigned (name, 10, 1, G_MAXUINT, &number, NULL))
    number = 0;
  for (guint i = 0; i < changes->branches->len; i++)
    {
      SondeBranchEntry *entry = g_ptr_array_index (changes->branches, i);

      if (entry->info.number == number || g_str_equal (entry->info.name, name))
        return entry;
      g_string_append_printf (names, "%s%u (%s)", i > 0 ? ", " : "", entry->info.number,
                              entry->info.name);
    }
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                   "There is no branch “%s”; there are %s.", name, names->str);
  return NULL;
}

SondeBranchEntry *
sonde_changes_add_branch (SondeChanges *changes, const char *text, SondeExecution *execution,
                          SondeGraph *original, GError **error)
{
  SondeBranchEntry *entry;

  if (changes->branches->len >= SONDE_MAX_BRANCHES)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY,
                       "This session has %d branches already; that is the most.",
                       SONDE_MAX_BRANCHES);
      sonde_execution_free (execution);
      return NULL;
    }
  entry = branch_new (changes->branches->len + 1, changes->current->info.number, text, execution,
                      original);
  entry->owned = TRUE;
  for (guint i = 0; i < changes->current->late->len; i++)
    {
      const SondeNodeChange *change = g_ptr_array_index (changes->current->late, i);

      g_ptr_array_add (entry->late,
                       sonde_node_change_new (change->node, change->key, change->value));
    }
  g_ptr_array_add (changes->branches, entry);
  return entry;
}

SondeBranchEntry *
sonde_changes_add_lent_branch (SondeChanges *changes, const char *text, SondeExecution *execution,
                               SondeGraph *original)
{
  SondeBranchEntry *entry = branch_new (changes->branches->len + 1, changes->current->info.number,
                                        text, execution, original);

  g_ptr_array_add (changes->branches, entry);
  return entry;
}

void
sonde_changes_enter (SondeChanges *changes, SondeBranchEntry *entry)
{
  SondeExecution *from = changes->current->execution, *to = entry->execution;

  changes->current = entry;
  if (from == to)
    return;
  sonde_execution_move_observers (to, from);
  changes->adopt (to, entry->original, changes->data);
  sonde_debugger_moved (changes->debugger, to, entry->original);
}

static gboolean
check_name (SondeChanges *changes, const char *name, GError **error)
{
  g_autoptr (GError) absent = NULL;
  gboolean number = g_ascii_string_to_unsigned (name, 10, 0, G_MAXUINT64, NULL, NULL);

  if (!number && *name != '\0' && sonde_changes_find (changes, name, &absent) == NULL)
    return TRUE;
  if (number)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                     "A branch cannot be called “%s”: numbers stand for the branches themselves.",
                     name);
  else
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                     "There is a branch “%s” already.", name);
  return FALSE;
}

/* The present branch keeps a copy of the state; what runs, which clients and observers know, is the
 * new one. */
gboolean
sonde_changes_branch (SondeChanges *changes, const char *name, GError **error)
{
  SondeBranchEntry *left = changes->current, *entry;
  SondeExecution *running = sonde_changes_get_entry (changes)->execution, *copy;
  g_autofree char *text
      = g_strdup_printf ("branch%s%s", name != NULL ? " " : "", name != NULL ? name : "");

  if (name != NULL && !check_name (changes, name, error))
    return FALSE;
  copy = sonde_execution_branch (running, error);
  if (copy == NULL)
    return FALSE;
  entry = sonde_changes_add_branch (changes, text, copy, left->original, error);
  if (entry == NULL)
    return FALSE;
  entry->owned = left->owned;
  left->owned = TRUE;
  entry->execution = running;
  left->execution = copy;
  if (name != NULL)
    {
      g_free (left->info.name);
      left->info.name = g_strdup (name);
    }
  changes->current = entry;
  return TRUE;
}

static void
set_training_error (const SondeBranchEntry *branch, GError **error)
{
  if (*branch->info.text == '\0')
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                     "A training cannot go on from branch %u. until step:N goes back, as far as "
                     "states were kept, and takes back what was changed since; diff VALUE VALUE@%u "
                     "compares with the branch.",
                     branch->info.number, branch->info.number);
  else
    sonde_set_error (
        error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
        "A training cannot go on from branch %u. until step:N goes back, as far as "
        "states were kept, and takes back what was changed since; what made the branch "
        "was: %s; diff VALUE VALUE@%u compares with the branch.",
        branch->info.number, branch->info.text, branch->info.number);
}

gboolean
sonde_changes_switch (SondeChanges *changes, const char *name, GError **error)
{
  SondeBranchEntry *branch = sonde_changes_find (changes, name, error);

  if (branch == NULL)
    return FALSE;
  if (changes->adopt == NULL)
    {
      set_training_error (branch, error);
      return FALSE;
    }
  sonde_changes_enter (changes, branch);
  return TRUE;
}
