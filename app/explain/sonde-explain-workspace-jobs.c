/* SPDX-License-Identifier: Apache-2.0
 * What the workspace asks of the study, one after the other: open, predict, reasons, maps, report. */
#include <math.h>

#include "app/explain/sonde-explain-workspace-private.h"
#include "app/explain/sonde-explain-widgets.h"

#define PARTIAL_MS 300   /* between two looks at what was predicted so far */
#define PARTIAL_SHARE 10 /* and at least this many times what a look takes */
#define MAP_SPEC "gradcam"

SondeExplainWorkspaceJob *
sonde_explain_workspace_job_begin (SondeExplainWorkspace *workspace, const char *what)
{
  SondeExplainWorkspaceJob *job = g_new0 (SondeExplainWorkspaceJob, 1);

  g_cancellable_cancel (workspace->cancellable);
  g_clear_object (&workspace->cancellable);
  workspace->cancellable = g_cancellable_new ();
  job->workspace = g_object_ref (workspace);
  job->cancellable = g_object_ref (workspace->cancellable);
  sonde_job_bar_begin (SONDE_JOB_BAR (workspace->job), what);
  sonde_explain_workspace_changed (workspace);
  return job;
}

gboolean
sonde_explain_workspace_job_end (SondeExplainWorkspaceJob *job)
{
  gboolean ours = job->cancellable == job->workspace->cancellable;

  if (ours)
    g_clear_object (&job->workspace->cancellable);
  return ours;
}

void
sonde_explain_workspace_job_free (SondeExplainWorkspaceJob *job)
{
  sonde_explain_workspace_changed (job->workspace);
  g_object_unref (job->workspace);
  g_object_unref (job->cancellable);
  g_free (job);
}

static gboolean
was_cancelled (const GError *error)
{
  return g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

static const SondeExplainInfo *
get_info (SondeExplainWorkspace *workspace)
{
  return sonde_explain_client_get_info (workspace->client);
}

/* What went wrong beside the engine's end, which has a banner of its own. */
static void
say_error (SondeExplainWorkspace *workspace, const GError *error, const char *action)
{
  if (!sonde_explain_client_is_open (workspace->client))
    sonde_job_bar_say (SONDE_JOB_BAR (workspace->job), "The engine is not running.", "Open Again",
                       "explain.reopen");
  else
    sonde_job_bar_say (SONDE_JOB_BAR (workspace->job), error->message,
                       action != NULL ? "Try Again" : NULL, action);
}

/* ---- items --------------------------------------------------------------- */

static void
set_rows (SondeExplainWorkspace *workspace, GPtrArray *rows)
{
  const SondeExplainInfo *info = get_info (workspace);
  g_autoptr (GHashTable) old = g_hash_table_new (NULL, NULL);
  GPtrArray *items = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < workspace->items->len; i++)
    {
      SondeExplainItem *item = g_ptr_array_index (workspace->items, i);

      g_hash_table_insert (
          old, GUINT_TO_POINTER (sonde_explain_item_get_summary (item)->sample + 1), item);
    }
  for (guint i = 0; i < rows->len; i++)
    {
      const SondeSampleResult *row = g_ptr_array_index (rows, i);
      SondeExplainItem *item = g_hash_table_lookup (old, GUINT_TO_POINTER (row->sample + 1));

      /* Kept with its image. */
      if (item != NULL)
        sonde_explain_item_set_row (g_object_ref (item), rows, row);
      else
        item = sonde_explain_item_new (rows, row, info != NULL ? info->classes : NULL,
                                       info != NULL ? info->n_classes : 0);
      g_ptr_array_add (items, item);
    }
  g_ptr_array_unref (workspace->items);
  workspace->items = items;
  g_clear_pointer (&workspace->rows, g_ptr_array_unref);
  workspace->rows = g_ptr_array_ref (rows);
  sonde_explain_browser_set_items (SONDE_EXPLAIN_BROWSER (workspace->browser), items,
                                   info != NULL ? info->classes : NULL,
                                   info != NULL ? info->n_classes : 0, "samples");
}

static guint
count_errors (SondeExplainWorkspace *workspace)
{
  guint n = 0;

  for (guint i = 0; i < workspace->items->len; i++)
    n += sonde_explain_item_is_error (g_ptr_array_index (workspace->items, i));
  return n;
}

/* ---- open ---------------------------------------------------------------- */

static char *
dup_cost_sentence (SondeExplainWorkspace *workspace)
{
  const SondeExplainInfo *info = get_info (workspace);
  g_autofree char *time = sonde_part_duration (info->forward_seconds * info->n_samples);
  g_autofree char *count = sonde_part_count (info->n_samples, "prediction");
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "%s, about %s", count, time);
  if (info->n_cached_rows > 0)
    g_string_append_printf (text, "; %u are there from last time", info->n_cached_rows);
  return g_string_free (text, FALSE);
}

static void
on_opened (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeExplainWorkspaceJob) job = data;
  SondeExplainWorkspace *workspace = job->workspace;
  g_autoptr (GError) error = NULL;
  const SondeExplainInfo *info
      = sonde_explain_client_open_finish (SONDE_EXPLAIN_CLIENT (source), result, &error);
  g_autofree char *offer = NULL;

  if (!sonde_explain_workspace_job_end (job))
    return;
  if (info == NULL)
    {
      sonde_job_bar_say (SONDE_JOB_BAR (workspace->job), "", NULL, NULL);
      workspace->has_study = FALSE;
      sonde_explain_workspace_offer (workspace, workspace->settings);
      if (!was_cancelled (error))
        sonde_explain_chooser_set_error (SONDE_EXPLAIN_CHOOSER (workspace->chooser),
                                         error->message);
      return;
    }
  workspace->n_restored = info->n_cached_rows;
  g_signal_emit_by_name (workspace, "opened");
  sonde_explain_workspace_show_study (workspace);
  if (info->forward_seconds * (info->n_samples - MIN (info->n_cached_rows, info->n_samples))
      <= SONDE_EXPLAIN_PATIENCE)
    {
      sonde_explain_workspace_begin_predict (workspace);
      return;
    }
  offer = dup_cost_sentence (workspace);
  sonde_job_bar_say (SONDE_JOB_BAR (workspace->job), offer, "Predict", "explain.predict");
  sonde_explain_browser_set_no_samples (SONDE_EXPLAIN_BROWSER (workspace->browser),
                                        "What the model takes the images for is not known yet.",
                                        "Predict", "explain.predict");
}

void
sonde_explain_workspace_begin_open (SondeExplainWorkspace *workspace)
{
  SondeExplainWorkspaceJob *job;

  g_clear_pointer (&workspace->rows, g_ptr_array_unref);
  g_ptr_array_set_size (workspace->partial, 0);
  g_ptr_array_unref (workspace->items);
  workspace->items = g_ptr_array_new_with_free_func (g_object_unref);
  g_clear_pointer (&workspace->triage, sonde_triage_result_free);
  sonde_explain_workspace_forget_second (workspace);
  sonde_thumbnail_loader_reset (workspace->thumbnails);
  workspace->has_study = TRUE;
  sonde_explain_workspace_show_study (workspace);
  job = sonde_explain_workspace_job_begin (workspace, "Opening the model and the images");
  sonde_explain_client_open_async (workspace->client, workspace->settings, workspace->cancellable,
                                   on_opened, job);
}

/* ---- predict ------------------------------------------------------------- */

static gboolean
show_partial (gpointer data)
{
  SondeExplainWorkspace *workspace = data;
  gint64 start = g_get_monotonic_time ();

  workspace->partial_source = 0;
  if (workspace->rows == NULL && workspace->partial->len > 0)
    {
      set_rows (workspace, workspace->partial);
      g_clear_pointer (&workspace->rows, g_ptr_array_unref);
    }
  workspace->partial_cost = (guint) ((g_get_monotonic_time () - start) / 1000);
  return G_SOURCE_REMOVE;
}

void
sonde_explain_workspace_on_rows (SondeExplainWorkspace *workspace, GPtrArray *rows)
{
  if (!workspace->has_study || workspace->rows != NULL)
    return;
  for (guint i = 0; i < rows->len; i++)
    g_ptr_array_add (workspace->partial, sonde_sample_result_copy (g_ptr_array_index (rows, i)));
  if (workspace->partial_source == 0)
    workspace->partial_source = g_timeout_add (
        MAX (PARTIAL_MS, PARTIAL_SHARE * workspace->partial_cost), show_partial, workspace);
}

/* Who asks for the samples of a reason asks for reasons. */
static gboolean
wants_reason (SondeExplainWorkspace *workspace)
{
  for (guint i = 0; workspace->go_to != NULL && i < SONDE_N_CATEGORIES; i++)
    if (g_str_equal (workspace->go_to, sonde_error_category_get_name (i)))
      return TRUE;
  return FALSE;
}

/* Samples without an answer to their label cannot be sorted by reason. */
static void
after_predict (SondeExplainWorkspace *workspace)
{
  const SondeExplainInfo *info = get_info (workspace);
  guint errors = count_errors (workspace);
  double seconds;
  g_autofree char *time = NULL, *count = NULL, *text = NULL;

  if (workspace->triage != NULL)
    return;
  if (errors == 0)
    {
      gboolean labels = info->has_labels;

      sonde_explain_browser_set_no_categories (
          SONDE_EXPLAIN_BROWSER (workspace->browser),
          labels ? "There are no misclassifications, so there are no reasons."
                 : "The images have no labels, so nothing can be called a misclassification.",
          NULL, NULL);
      sonde_job_bar_say (SONDE_JOB_BAR (workspace->job),
                         labels ? "All predictions are right." : "The images have no labels.", NULL,
                         NULL);
      sonde_explain_workspace_go_where_asked (workspace);
      return;
    }
  seconds = sonde_explain_estimate_triage (info, workspace->items->len, errors);
  if (seconds <= SONDE_EXPLAIN_PATIENCE || wants_reason (workspace))
    {
      sonde_explain_workspace_begin_triage (workspace);
      return;
    }
  time = sonde_part_duration (seconds);
  count = sonde_part_count (errors, "misclassification");
  text = g_strdup_printf ("Reasons of %s, about %s", count, time);
  sonde_explain_browser_set_no_categories (SONDE_EXPLAIN_BROWSER (workspace->browser), text,
                                           "Find Reasons", "explain.triage");
  sonde_job_bar_say (SONDE_JOB_BAR (workspace->job), text, "Find Reasons", "explain.triage");
  sonde_explain_workspace_go_where_asked (workspace);
}

/* What was done stays: in the lists, and in the cache. */
static void
say_stopped (SondeExplainWorkspace *workspace)
{
  g_autofree char *text
      = g_strdup_printf ("Stopped at %u of %u predictions; they are kept.", workspace->items->len,
                         get_info (workspace) != NULL ? get_info (workspace)->n_samples : 0);

  sonde_job_bar_say (SONDE_JOB_BAR (workspace->job), text, "Go On", "explain.predict");
}

static void
on_predicted (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeExplainWorkspaceJob) job = data;
  SondeExplainWorkspace *workspace = job->workspace;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) rows = sonde_explain_client_ask_finish (
      SONDE_EXPLAIN_CLIENT (source), result, SONDE_EXPLAIN_PREDICT, &error);

  if (!sonde_explain_workspace_job_end (job))
    return;
  if (rows == NULL)
    {
      g_clear_handle_id (&workspace->partial_source, g_source_remove);
      show_partial (workspace);
      if (was_cancelled (error))
        say_stopped (workspace);
      else
        say_error (workspace, error, "explain.predict");
      return;
    }
  sonde_explain_browser_set_no_samples (SONDE_EXPLAIN_BROWSER (workspace->browser),
                                        "No sample belongs here.", NULL, NULL);
  set_rows (workspace, rows);
  after_predict (workspace);
  if (!sonde_job_bar_is_running (SONDE_JOB_BAR (workspace->job)))
    sonde_explain_workspace_changed (workspace);
}

void
sonde_explain_workspace_begin_predict (SondeExplainWorkspace *workspace)
{
  g_autofree char *what = NULL;
  SondeExplainWorkspaceJob *job;

  if (get_info (workspace) == NULL)
    return;
  what = workspace->n_restored > 0
             ? g_strdup_printf ("Predicting; restored %u of %u", workspace->n_restored,
                                get_info (workspace)->n_samples)
             : g_strdup ("Predicting");
  sonde_explain_browser_set_no_samples (SONDE_EXPLAIN_BROWSER (workspace->browser),
                                        "The first answers come in a moment.", NULL, NULL);
  g_ptr_array_unref (workspace->partial);
  workspace->partial = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_sample_result_free);
  job = sonde_explain_workspace_job_begin (workspace, what);
  sonde_explain_client_ask_async (workspace->client, SONDE_EXPLAIN_PREDICT, NULL,
                                  workspace->cancellable, on_predicted, job);
}

/* ---- reasons ------------------------------------------------------------- */

void
sonde_explain_workspace_go_where_asked (SondeExplainWorkspace *workspace)
{
  g_autofree char *where = g_steal_pointer (&workspace->go_to);

  if (where != NULL && gtk_stack_get_child_by_name (GTK_STACK (workspace->pages), where) != NULL)
    {
      gtk_stack_set_visible_child_name (GTK_STACK (workspace->pages), where);
      return;
    }
  if (where != NULL
      && !sonde_explain_browser_go_to (SONDE_EXPLAIN_BROWSER (workspace->browser), where))
    {
      g_autofree char *sentence
          = g_strdup_printf ("There is no sample, reason or cell “%s”.", where);

      sonde_explain_workspace_say (workspace, sentence);
    }
}

/* Maps of all misclassifications: offered, with their price. */
static void
offer_maps (SondeExplainWorkspace *workspace)
{
  const SondeExplainInfo *info = get_info (workspace);
  guint errors = count_errors (workspace), n = 2 * errors;
  double seconds = sonde_explain_estimate_maps (info, MAP_SPEC, n);
  g_autofree char *time = sonde_part_duration (seconds),
                  *count = sonde_part_count (errors, "misclassification"), *text = NULL;
  GString *restored = g_string_new (NULL);

  if (workspace->n_restored > 0)
    g_string_append_printf (restored, " Restored %u of %u predictions.",
                            MIN (workspace->n_restored, info->n_samples), info->n_samples);
  text = isfinite (seconds)
             ? g_strdup_printf ("%s; %u maps (GradCAM, predicted and true class), about %s.%s",
                                count, n, time, restored->str)
             : g_strdup_printf ("%s.%s", count, restored->str);
  g_string_free (restored, TRUE);
  sonde_job_bar_say (SONDE_JOB_BAR (workspace->job), text,
                     isfinite (seconds) ? "Compute Maps" : NULL, "explain.maps");
}

static void
on_triaged (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeExplainWorkspaceJob) job = data;
  SondeExplainWorkspace *workspace = job->workspace;
  g_autoptr (GError) error = NULL;
  SondeTriageResult *triage = sonde_explain_client_ask_finish (
      SONDE_EXPLAIN_CLIENT (source), result, SONDE_EXPLAIN_TRIAGE, &error);

  if (!sonde_explain_workspace_job_end (job))
    {
      g_clear_pointer (&triage, sonde_triage_result_free);
      return;
    }
  if (triage == NULL)
    {
      const char *sentence
          = was_cancelled (error) ? "Looking for reasons was stopped." : error->message;

      sonde_explain_browser_set_no_categories (SONDE_EXPLAIN_BROWSER (workspace->browser), sentence,
                                               "Find Reasons", "explain.triage");
      if (was_cancelled (error))
        sonde_job_bar_say (SONDE_JOB_BAR (workspace->job), sentence, "Find Reasons",
                           "explain.triage");
      else
        say_error (workspace, error, "explain.triage");
      sonde_explain_workspace_go_where_asked (workspace);
      return;
    }
  g_clear_pointer (&workspace->triage, sonde_triage_result_free);
  workspace->triage = triage;
  set_rows (workspace, triage->rows);
  sonde_explain_browser_set_triage (SONDE_EXPLAIN_BROWSER (workspace->browser), triage->clusters,
                                    triage->notes);
  offer_maps (workspace);
  sonde_explain_workspace_go_where_asked (workspace);
}

void
sonde_explain_workspace_begin_triage (SondeExplainWorkspace *workspace)
{
  SondeExplainWorkspaceJob *job
      = sonde_explain_workspace_job_begin (workspace, "Looking for reasons");

  sonde_explain_browser_set_no_categories (SONDE_EXPLAIN_BROWSER (workspace->browser),
                                           "Looking for reasons…", NULL, NULL);
  sonde_explain_client_ask_async (workspace->client, SONDE_EXPLAIN_TRIAGE, NULL,
                                  workspace->cancellable, on_triaged, job);
}

/* ---- maps of all misclassifications ------------------------------------------------ */

static void
on_maps (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeExplainWorkspaceJob) job = data;
  SondeExplainWorkspace *workspace = job->workspace;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) maps = sonde_explain_client_ask_finish (SONDE_EXPLAIN_CLIENT (source),
                                                                result, SONDE_EXPLAIN_MAPS, &error);
  g_autofree char *text = NULL;

  if (!sonde_explain_workspace_job_end (job))
    return;
  if (maps != NULL)
    {
      text = g_strdup_printf ("%u maps are there: samples open at once.", maps->len);
      sonde_job_bar_say (SONDE_JOB_BAR (workspace->job), text, NULL, NULL);
    }
  else if (was_cancelled (error))
    sonde_job_bar_say (SONDE_JOB_BAR (workspace->job), "Stopped; the maps that were made are kept.",
                       "Go On", "explain.maps");
  else
    say_error (workspace, error, "explain.maps");
}

void
sonde_explain_workspace_begin_maps (SondeExplainWorkspace *workspace)
{
  g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GArray) targets = g_array_new (FALSE, FALSE, sizeof (gint64));
  SondeExplainWorkspaceJob *job;

  for (guint i = 0; i < workspace->items->len; i++)
    {
      SondeExplainItem *item = g_ptr_array_index (workspace->items, i);
      const SondeExplainItemSummary *summary = sonde_explain_item_get_summary (item);

      if (!sonde_explain_item_is_error (item))
        continue;
      g_array_append_val (samples, summary->sample);
      g_array_append_val (targets, summary->predicted);
      g_array_append_val (samples, summary->sample);
      g_array_append_val (targets, summary->label);
    }
  job = sonde_explain_workspace_job_begin (workspace, "Computing maps");
  sonde_explain_client_ask_async (
      workspace->client, SONDE_EXPLAIN_MAPS,
      &(SondeExplainArguments){ .samples = samples, .targets = targets, .spec = MAP_SPEC },
      workspace->cancellable, on_maps, job);
}

/* ---- report -------------------------------------------------------------- */

static void
on_reported (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeExplainWorkspaceJob) job = data;
  SondeExplainWorkspace *workspace = job->workspace;
  g_autoptr (GError) error = NULL;
  gboolean done = sonde_explain_client_ask_finish (SONDE_EXPLAIN_CLIENT (source), result,
                                                   SONDE_EXPLAIN_REPORT, &error)
                  != NULL;

  if (!sonde_explain_workspace_job_end (job))
    return;
  if (done)
    sonde_job_bar_say (SONDE_JOB_BAR (workspace->job), "The report is written.", NULL, NULL);
  else if (was_cancelled (error))
    sonde_job_bar_say (SONDE_JOB_BAR (workspace->job), "The report was not written.", NULL, NULL);
  else
    say_error (workspace, error, "explain.report");
}

void
sonde_explain_workspace_begin_report (SondeExplainWorkspace *workspace, const char *path)
{
  SondeExplainWorkspaceJob *job
      = sonde_explain_workspace_job_begin (workspace, "Writing the report");

  sonde_explain_client_ask_async (workspace->client, SONDE_EXPLAIN_REPORT,
                                  &(SondeExplainArguments){ .path = path }, workspace->cancellable,
                                  on_reported, job);
}

/* ---- the engine's end ---------------------------------------------------- */

void
sonde_explain_workspace_on_lost (SondeExplainWorkspace *workspace, const char *why)
{
  g_autofree char *sentence = g_strdup_printf ("%s What was computed is kept.", why);

  if (!workspace->has_study)
    return;
  sonde_explain_workspace_show_banner (workspace, sentence, "Open Again", "explain.reopen", TRUE);
  sonde_job_bar_say (SONDE_JOB_BAR (workspace->job), "The engine is not running.", NULL, NULL);
  sonde_explain_workspace_changed (workspace);
}

void
sonde_explain_workspace_show_sample (SondeExplainWorkspace *workspace, SondeExplainItem *item)
{
  SondeSampleView *view = SONDE_SAMPLE_VIEW (workspace->view);

  if (item != NULL && sonde_explain_item_get_recorded (item) != NULL)
    sonde_sample_view_show_recorded (view, sonde_explain_item_get_recorded (item));
  else if (item == NULL || sonde_explain_item_get_row (item) != NULL)
    sonde_sample_view_show (view, item != NULL ? sonde_explain_item_get_row (item) : NULL);
  sonde_explain_workspace_show_by_second (workspace, workspace->looks_at_second ? item : NULL);
  gtk_stack_set_visible_child (GTK_STACK (workspace->views),
                               workspace->looks_at_second && workspace->second_view != NULL
                                   ? workspace->second_view
                                   : workspace->view);
}
