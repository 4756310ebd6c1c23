/* SPDX-License-Identifier: Apache-2.0
 * The second model of the workspace: its answers come through the first model's study; to look into it,
 * it is opened as a study of its own. */
#include "app/explain/sonde-explain-workspace-private.h"

static const SondeSampleResult *
find_row (GPtrArray *rows, guint sample)
{
  for (guint i = 0; i < rows->len; i++)
    {
      const SondeSampleResult *row = g_ptr_array_index (rows, i);

      if (row->sample == sample)
        return row;
    }
  return NULL;
}

static void
set_answers (SondeExplainWorkspace *workspace)
{
  g_autoptr (GHashTable) by_sample = g_hash_table_new (NULL, NULL);

  for (guint i = 0; workspace->second_rows != NULL && i < workspace->second_rows->len; i++)
    {
      const SondeSampleResult *row = g_ptr_array_index (workspace->second_rows, i);

      g_hash_table_insert (by_sample, GUINT_TO_POINTER (row->sample + 1), (void *) row);
    }
  for (guint i = 0; i < workspace->items->len; i++)
    {
      SondeExplainItem *item = g_ptr_array_index (workspace->items, i);
      guint sample = sonde_explain_item_get_summary (item)->sample;
      const SondeSampleResult *row = g_hash_table_lookup (by_sample, GUINT_TO_POINTER (sample + 1));

      sonde_explain_item_set_other (
          item, row != NULL ? row->predicted : -1,
          row != NULL ? sonde_explain_workspace_class_name (workspace, row->predicted) : NULL);
    }
}

static void
on_compared (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeExplainWorkspaceJob) job = data;
  SondeExplainWorkspace *workspace = job->workspace;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) rows = sonde_explain_client_ask_finish (
      SONDE_EXPLAIN_CLIENT (source), result, SONDE_EXPLAIN_COMPARE, &error);
  g_autofree char *first = NULL, *second = NULL;

  if (job->cancellable != workspace->cancellable)
    return;
  g_clear_object (&workspace->cancellable);
  if (rows == NULL)
    {
      gboolean cancelled = g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);

      g_clear_pointer (&workspace->second_model, g_free);
      sonde_job_bar_say (SONDE_JOB_BAR (workspace->job),
                         cancelled ? "Comparing was stopped." : error->message, "Another Model…",
                         "explain.compare");
      return;
    }
  workspace->second_rows = g_ptr_array_ref (rows);
  first = g_path_get_basename (workspace->settings->model);
  second = g_path_get_basename (workspace->second_model);
  set_answers (workspace);
  sonde_explain_browser_set_models (SONDE_EXPLAIN_BROWSER (workspace->browser), first, second);
  sonde_explain_browser_show_side (SONDE_EXPLAIN_BROWSER (workspace->browser), "models");
  sonde_job_bar_say (SONDE_JOB_BAR (workspace->job), "Both models have answered.", NULL, NULL);
}

void
sonde_explain_workspace_forget_second (SondeExplainWorkspace *workspace)
{
  workspace->looks_at_second = FALSE;
  g_clear_pointer (&workspace->second_rows, g_ptr_array_unref);
  g_clear_pointer (&workspace->second_model, g_free);
  if (workspace->second_view != NULL)
    gtk_stack_remove (GTK_STACK (workspace->views), workspace->second_view);
  workspace->second_view = NULL;
  if (workspace->second != NULL)
    sonde_explain_client_close (workspace->second);
  g_clear_object (&workspace->second);
  if (workspace->items->len > 0)
    set_answers (workspace);
  sonde_explain_browser_set_models (SONDE_EXPLAIN_BROWSER (workspace->browser), NULL, NULL);
}

void
sonde_explain_workspace_begin_compare (SondeExplainWorkspace *workspace, const char *model)
{
  SondeExplainWorkspaceJob *job;

  sonde_explain_workspace_forget_second (workspace);
  workspace->second_model = g_strdup (model);
  job = sonde_explain_workspace_job_begin (workspace, "Asking the second model");
  sonde_explain_client_ask_async (workspace->client, SONDE_EXPLAIN_COMPARE,
                                  &(SondeExplainArguments){ .model = model },
                                  workspace->cancellable, on_compared, job);
}

/* ---- one sample ---------------------------------------------------------- */

static void
on_second_opened (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeExplainWorkspace) workspace = data;
  g_autoptr (GError) error = NULL;

  if (sonde_explain_client_open_finish (SONDE_EXPLAIN_CLIENT (source), result, &error) == NULL)
    {
      if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        sonde_explain_workspace_say (workspace, error->message);
      return;
    }
  if (workspace->looks_at_second && workspace->second == SONDE_EXPLAIN_CLIENT (source))
    sonde_explain_workspace_show_sample (
        workspace, sonde_explain_browser_get_sample (SONDE_EXPLAIN_BROWSER (workspace->browser)));
}

/* The study of the second model, and the view on it. */
static void
open_second (SondeExplainWorkspace *workspace)
{
  g_autoptr (SondeExplanationSettings) settings
      = sonde_explanation_settings_copy (workspace->settings);

  workspace->second = sonde_explain_client_new ();
  sonde_explain_client_set_program (workspace->second, workspace->program);
  g_free (settings->model);
  settings->model = g_strdup (workspace->second_model);
  workspace->second_view = sonde_sample_view_new (workspace->second);
  gtk_stack_add_child (GTK_STACK (workspace->views), workspace->second_view);
  sonde_explain_client_open_async (workspace->second, settings, NULL, on_second_opened,
                                   g_object_ref (workspace));
}

void
sonde_explain_workspace_show_by_second (SondeExplainWorkspace *workspace, SondeExplainItem *item)
{
  if (item == NULL)
    {
      if (workspace->second_view != NULL)
        sonde_sample_view_show (SONDE_SAMPLE_VIEW (workspace->second_view), NULL);
      return;
    }
  if (workspace->second_rows == NULL)
    return;
  if (workspace->second == NULL)
    open_second (workspace);
  if (sonde_explain_client_is_open (workspace->second))
    sonde_sample_view_show (
        SONDE_SAMPLE_VIEW (workspace->second_view),
        find_row (workspace->second_rows, sonde_explain_item_get_summary (item)->sample));
}
