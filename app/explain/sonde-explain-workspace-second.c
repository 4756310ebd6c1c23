/* SPDX-License-Identifier: Apache-2.0
 * The second model of the desk: its answers come through the first model's study; to look into it,
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
set_answers (SondeExplainDesk *desk)
{
  g_autoptr (GHashTable) by_sample = g_hash_table_new (NULL, NULL);

  for (guint i = 0; desk->second_rows != NULL && i < desk->second_rows->len; i++)
    {
      const SondeSampleResult *row = g_ptr_array_index (desk->second_rows, i);

      g_hash_table_insert (by_sample, GUINT_TO_POINTER (row->sample + 1), (void *) row);
    }
  for (guint i = 0; i < desk->items->len; i++)
    {
      SondeExplainItem *item = g_ptr_array_index (desk->items, i);
      guint sample = sonde_explain_item_get_facts (item)->sample;
      const SondeSampleResult *row = g_hash_table_lookup (by_sample, GUINT_TO_POINTER (sample + 1));

      sonde_explain_item_set_other (
          item, row != NULL ? row->predicted : -1,
          row != NULL ? sonde_explain_desk_class_name (desk, row->predicted) : NULL);
    }
}

static void
on_compared (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeExplainDeskJob) job = data;
  SondeExplainDesk *desk = job->desk;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) rows
      = sonde_explain_client_compare_finish (SONDE_EXPLAIN_CLIENT (source), result, &error);
  g_autofree char *first = NULL, *second = NULL;

  if (job->cancellable != desk->cancellable)
    return;
  g_clear_object (&desk->cancellable);
  if (rows == NULL)
    {
      gboolean cancelled = g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);

      g_clear_pointer (&desk->second_model, g_free);
      sonde_explain_job_say (SONDE_EXPLAIN_JOB (desk->job),
                             cancelled ? "Comparing was stopped." : error->message,
                             "Another Model…", "explain.compare");
      return;
    }
  desk->second_rows = g_ptr_array_ref (rows);
  first = g_path_get_basename (desk->settings->model);
  second = g_path_get_basename (desk->second_model);
  set_answers (desk);
  sonde_explain_browser_set_models (SONDE_EXPLAIN_BROWSER (desk->browser), first, second);
  sonde_explain_browser_show_side (SONDE_EXPLAIN_BROWSER (desk->browser), "models");
  sonde_explain_job_say (SONDE_EXPLAIN_JOB (desk->job), "Both models have answered.", NULL, NULL);
}

void
sonde_explain_desk_forget_second (SondeExplainDesk *desk)
{
  desk->looks_at_second = FALSE;
  g_clear_pointer (&desk->second_rows, g_ptr_array_unref);
  g_clear_pointer (&desk->second_model, g_free);
  if (desk->second_view != NULL)
    gtk_stack_remove (GTK_STACK (desk->views), desk->second_view);
  desk->second_view = NULL;
  if (desk->second != NULL)
    sonde_explain_client_close (desk->second);
  g_clear_object (&desk->second);
  if (desk->items->len > 0)
    set_answers (desk);
  sonde_explain_browser_set_models (SONDE_EXPLAIN_BROWSER (desk->browser), NULL, NULL);
}

void
sonde_explain_desk_begin_compare (SondeExplainDesk *desk, const char *model)
{
  SondeExplainDeskJob *job;

  sonde_explain_desk_forget_second (desk);
  desk->second_model = g_strdup (model);
  job = sonde_explain_desk_job_begin (desk, "Asking the second model");
  sonde_explain_client_compare_async (desk->client, model, desk->cancellable, on_compared, job);
}

/* ---- one sample ---------------------------------------------------------- */

static void
on_second_opened (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeExplainDesk) desk = data;
  g_autoptr (GError) error = NULL;

  if (sonde_explain_client_open_finish (SONDE_EXPLAIN_CLIENT (source), result, &error) == NULL)
    {
      if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        sonde_explain_desk_say (desk, error->message);
      return;
    }
  if (desk->looks_at_second && desk->second == SONDE_EXPLAIN_CLIENT (source))
    sonde_explain_desk_show_sample (
        desk, sonde_explain_browser_get_sample (SONDE_EXPLAIN_BROWSER (desk->browser)));
}

/* The study of the second model, and the view on it. */
static void
open_second (SondeExplainDesk *desk)
{
  g_autoptr (SondeExplanationSettings) settings = sonde_explanation_settings_copy (desk->settings);

  desk->second = sonde_explain_client_new ();
  sonde_explain_client_set_program (desk->second, desk->program);
  g_free (settings->model);
  settings->model = g_strdup (desk->second_model);
  desk->second_view = sonde_sample_view_new (desk->second);
  gtk_stack_add_child (GTK_STACK (desk->views), desk->second_view);
  sonde_explain_client_open_async (desk->second, settings, NULL, on_second_opened,
                                   g_object_ref (desk));
}

void
sonde_explain_desk_show_by_second (SondeExplainDesk *desk, SondeExplainItem *item)
{
  if (item == NULL)
    {
      if (desk->second_view != NULL)
        sonde_sample_view_show (SONDE_SAMPLE_VIEW (desk->second_view), NULL);
      return;
    }
  if (desk->second_rows == NULL)
    return;
  if (desk->second == NULL)
    open_second (desk);
  if (sonde_explain_client_is_open (desk->second))
    sonde_sample_view_show (
        SONDE_SAMPLE_VIEW (desk->second_view),
        find_row (desk->second_rows, sonde_explain_item_get_facts (item)->sample));
}
