/* SPDX-License-Identifier: Apache-2.0
 * Runs into the trash and, by the history, back. */
#include <string.h>

#include "app/workspace/sonde-run-trash.h"
#include "app/workspace/sonde-workspace-private.h"
#include "data/base/sonde-text.h"

typedef struct
{
  char *path;
  char *place; /* in the trash; (nullable): it is not there */
} TrashedRun;

typedef struct
{
  SondeWorkspace *workspace; /* it owns the history that owns this */
  GPtrArray *runs;           /* element-type TrashedRun */
} TrashChange;

static void
trashed_run_free (void *data)
{
  TrashedRun *run = data;

  g_free (run->path);
  g_free (run->place);
  g_free (run);
}

static void
trash_change_free (void *data)
{
  TrashChange *change = data;

  g_ptr_array_unref (change->runs);
  g_free (change);
}

static void
put (SondeWorkspace *workspace, TrashedRun *run)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *name = NULL, *sentence = NULL;

  run->place = sonde_run_trash_put (run->path, &error);
  if (run->place != NULL)
    return;
  name = g_path_get_basename (run->path);
  sentence = g_strdup_printf (_ ("“%s” was not moved to the trash: %s"), name, error->message);
  sonde_workspace_report (workspace, sentence);
}

static void
restore (SondeWorkspace *workspace, TrashedRun *run)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *name = NULL, *sentence = NULL;

  if (run->place == NULL)
    return;
  if (sonde_run_trash_restore (run->place, run->path, &error))
    {
      g_clear_pointer (&run->place, g_free);
      return;
    }
  name = g_path_get_basename (run->path);
  sentence = g_strdup_printf (_ ("“%s” was not restored: %s"), name, error->message);
  sonde_workspace_report (workspace, sentence);
}

static void
trash_change_apply (gpointer data, gboolean redo)
{
  TrashChange *change = data;

  for (guint i = 0; i < change->runs->len; i++)
    {
      if (redo)
        put (change->workspace, change->runs->pdata[i]);
      else
        restore (change->workspace, change->runs->pdata[i]);
    }
}

/* ---- what may go --------------------------------------------------------- */

/* @path is @folder or lies in it. */
static gboolean
is_in (const char *path, const char *folder)
{
  gsize length = strlen (folder);

  return g_str_has_prefix (path, folder) && (path[length] == '\0' || path[length] == '/');
}

static gboolean
holds_opened_path (SondeWorkspace *workspace, const char *folder)
{
  for (gsize i = 0; workspace->paths[i] != NULL; i++)
    {
      g_autofree char *opened = g_canonicalize_filename (workspace->paths[i], NULL);

      if (is_in (opened, folder))
        return TRUE;
    }
  return FALSE;
}

static gboolean
holds_live_run (SondeWorkspace *workspace, const char *folder)
{
  GListModel *runs = G_LIST_MODEL (workspace->store);

  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (runs, i);

      if (sonde_run_is_live (run) && is_in (sonde_run_get_path (run), folder))
        return TRUE;
    }
  return FALSE;
}

static gboolean
may_go (SondeWorkspace *workspace, SondeRun *run)
{
  const char *title = sonde_workspace_get_run_title (workspace, run);
  g_autofree char *sentence = NULL;

  if (holds_live_run (workspace, sonde_run_get_path (run)))
    sentence = g_strdup_printf (
        _ ("“%s” is still being written. End the training, then move it to the trash."), title);
  else if (holds_opened_path (workspace, sonde_run_get_path (run)))
    sentence = g_strdup_printf (_ ("“%s” is what this window was opened on. Open the folder above "
                                   "it to move it to the trash."),
                                title);
  if (sentence == NULL)
    return TRUE;
  sonde_workspace_report (workspace, sentence);
  return FALSE;
}

/* A folder goes with what lies in it. */
static gboolean
goes_with_another (GPtrArray *runs, guint i)
{
  const char *path = sonde_run_get_path (runs->pdata[i]);

  for (guint k = 0; k < runs->len; k++)
    {
      const char *other = sonde_run_get_path (runs->pdata[k]);

      if (k != i && is_in (path, other) && (!g_str_equal (path, other) || k < i))
        return TRUE;
    }
  return FALSE;
}

static guint
count_runs_in (SondeWorkspace *workspace, GPtrArray *trashed)
{
  GListModel *runs = G_LIST_MODEL (workspace->store);
  guint n = 0;

  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (runs, i);

      for (guint k = 0; k < trashed->len; k++)
        if (is_in (sonde_run_get_path (run), ((TrashedRun *) trashed->pdata[k])->path))
          {
            n++;
            break;
          }
    }
  return n;
}

void
sonde_workspace_trash_runs (SondeWorkspace *workspace, GPtrArray *runs)
{
  TrashChange *change;
  g_autofree char *sentence = NULL;
  guint n;

  g_return_if_fail (workspace != NULL);
  change = g_new (TrashChange, 1);
  *change = (TrashChange){ workspace, g_ptr_array_new_with_free_func (trashed_run_free) };
  for (guint i = 0; i < runs->len; i++)
    {
      TrashedRun *run;

      if (goes_with_another (runs, i) || !may_go (workspace, runs->pdata[i]))
        continue;
      run = g_new0 (TrashedRun, 1);
      run->path = g_strdup (sonde_run_get_path (runs->pdata[i]));
      put (workspace, run);
      if (run->place != NULL)
        g_ptr_array_add (change->runs, run);
      else
        trashed_run_free (run);
    }
  n = count_runs_in (workspace, change->runs);
  if (n == 0)
    {
      trash_change_free (change);
      return;
    }
  sentence = g_strdup_printf (
      P_ ("%u run was moved to the trash", "%u runs were moved to the trash", n), n);
  sonde_history_add (workspace->history, _ ("Move to the Trash"), trash_change_apply, change,
                     trash_change_free);
  sonde_workspace_report_done (workspace, sentence);
}
