/* SPDX-License-Identifier: Apache-2.0
 * What the desk asks of the study, one after the other: open, predict, reasons, maps, report. */
#include <math.h>

#include "app/explain/sonde-explain-workspace-private.h"
#include "app/explain/sonde-explain-widgets.h"

#define PARTIAL_MS 300   /* between two looks at what was predicted so far */
#define PARTIAL_SHARE 10 /* and at least this many times what a look takes */
#define MAP_SPEC "gradcam"

SondeExplainDeskJob *
sonde_explain_desk_job_begin (SondeExplainDesk *desk, const char *what)
{
  SondeExplainDeskJob *job = g_new0 (SondeExplainDeskJob, 1);

  g_cancellable_cancel (desk->cancellable);
  g_clear_object (&desk->cancellable);
  desk->cancellable = g_cancellable_new ();
  job->desk = g_object_ref (desk);
  job->cancellable = g_object_ref (desk->cancellable);
  sonde_explain_job_begin (SONDE_EXPLAIN_JOB (desk->job), what);
  sonde_explain_desk_changed (desk);
  return job;
}

gboolean
sonde_explain_desk_job_end (SondeExplainDeskJob *job)
{
  gboolean ours = job->cancellable == job->desk->cancellable;

  if (ours)
    g_clear_object (&job->desk->cancellable);
  return ours;
}

void
sonde_explain_desk_job_free (SondeExplainDeskJob *job)
{
  sonde_explain_desk_changed (job->desk);
  g_object_unref (job->desk);
  g_object_unref (job->cancellable);
  g_free (job);
}

static gboolean
was_cancelled (const GError *error)
{
  return g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

static const SondeExplainInfo *
facts_of (SondeExplainDesk *desk)
{
  return sonde_explain_client_get_info (desk->client);
}

/* What went wrong beside the engine's end, which has a banner of its own. */
static void
say_error (SondeExplainDesk *desk, const GError *error, const char *action)
{
  if (!sonde_explain_client_is_open (desk->client))
    sonde_explain_job_say (SONDE_EXPLAIN_JOB (desk->job), "The engine is not running.",
                           "Open Again", "explain.reopen");
  else
    sonde_explain_job_say (SONDE_EXPLAIN_JOB (desk->job), error->message,
                           action != NULL ? "Try Again" : NULL, action);
}

/* ---- items --------------------------------------------------------------- */

static void
set_rows (SondeExplainDesk *desk, GPtrArray *rows)
{
  const SondeExplainInfo *facts = facts_of (desk);
  g_autoptr (GHashTable) old = g_hash_table_new (NULL, NULL);
  GPtrArray *items = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < desk->items->len; i++)
    {
      SondeExplainItem *item = g_ptr_array_index (desk->items, i);

      g_hash_table_insert (old, GUINT_TO_POINTER (sonde_explain_item_get_facts (item)->sample + 1),
                           item);
    }
  for (guint i = 0; i < rows->len; i++)
    {
      const SondeSampleResult *row = g_ptr_array_index (rows, i);
      SondeExplainItem *item = g_hash_table_lookup (old, GUINT_TO_POINTER (row->sample + 1));

      /* Kept with its picture. */
      if (item != NULL)
        sonde_explain_item_set_row (g_object_ref (item), rows, row);
      else
        item = sonde_explain_item_new (rows, row, facts != NULL ? facts->classes : NULL,
                                       facts != NULL ? facts->n_classes : 0);
      g_ptr_array_add (items, item);
    }
  g_ptr_array_unref (desk->items);
  desk->items = items;
  g_clear_pointer (&desk->rows, g_ptr_array_unref);
  desk->rows = g_ptr_array_ref (rows);
  sonde_explain_browser_set_items (SONDE_EXPLAIN_BROWSER (desk->browser), items,
                                   facts != NULL ? facts->classes : NULL,
                                   facts != NULL ? facts->n_classes : 0, "samples");
}

static guint
count_errors (SondeExplainDesk *desk)
{
  guint n = 0;

  for (guint i = 0; i < desk->items->len; i++)
    n += sonde_explain_item_is_error (g_ptr_array_index (desk->items, i));
  return n;
}

/* ---- open ---------------------------------------------------------------- */

static char *
dup_facts_sentence (SondeExplainDesk *desk)
{
  const SondeExplainInfo *facts = facts_of (desk);
  g_autofree char *time = sonde_part_duration (facts->forward_seconds * facts->n_samples);
  g_autofree char *count = sonde_part_count (facts->n_samples, "prediction");
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "%s, about %s", count, time);
  if (facts->n_cached_rows > 0)
    g_string_append_printf (text, "; %u are there from last time", facts->n_cached_rows);
  return g_string_free (text, FALSE);
}

static void
on_opened (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeExplainDeskJob) job = data;
  SondeExplainDesk *desk = job->desk;
  g_autoptr (GError) error = NULL;
  const SondeExplainInfo *facts
      = sonde_explain_client_open_finish (SONDE_EXPLAIN_CLIENT (source), result, &error);
  g_autofree char *offer = NULL;

  if (!sonde_explain_desk_job_end (job))
    return;
  if (facts == NULL)
    {
      sonde_explain_job_say (SONDE_EXPLAIN_JOB (desk->job), "", NULL, NULL);
      desk->has_study = FALSE;
      sonde_explain_desk_offer (desk, desk->settings);
      if (!was_cancelled (error))
        sonde_explain_chooser_set_error (SONDE_EXPLAIN_CHOOSER (desk->chooser), error->message);
      return;
    }
  desk->n_restored = facts->n_cached_rows;
  g_signal_emit_by_name (desk, "opened");
  sonde_explain_desk_show_study (desk);
  if (facts->forward_seconds * (facts->n_samples - MIN (facts->n_cached_rows, facts->n_samples))
      <= SONDE_EXPLAIN_PATIENCE)
    {
      sonde_explain_desk_begin_predict (desk);
      return;
    }
  offer = dup_facts_sentence (desk);
  sonde_explain_job_say (SONDE_EXPLAIN_JOB (desk->job), offer, "Predict", "explain.predict");
  sonde_explain_browser_set_no_samples (SONDE_EXPLAIN_BROWSER (desk->browser),
                                        "What the model takes the pictures for is not known yet.",
                                        "Predict", "explain.predict");
}

void
sonde_explain_desk_begin_open (SondeExplainDesk *desk)
{
  SondeExplainDeskJob *job;

  g_clear_pointer (&desk->rows, g_ptr_array_unref);
  g_ptr_array_set_size (desk->partial, 0);
  g_ptr_array_unref (desk->items);
  desk->items = g_ptr_array_new_with_free_func (g_object_unref);
  g_clear_pointer (&desk->triage, sonde_triage_result_free);
  sonde_explain_desk_forget_second (desk);
  sonde_explain_pictures_reset (desk->pictures);
  desk->has_study = TRUE;
  sonde_explain_desk_show_study (desk);
  job = sonde_explain_desk_job_begin (desk, "Opening the model and the pictures");
  sonde_explain_client_open_async (desk->client, desk->settings, desk->cancellable, on_opened, job);
}

/* ---- predict ------------------------------------------------------------- */

static gboolean
show_partial (gpointer data)
{
  SondeExplainDesk *desk = data;
  gint64 start = g_get_monotonic_time ();

  desk->partial_source = 0;
  if (desk->rows == NULL && desk->partial->len > 0)
    {
      set_rows (desk, desk->partial);
      g_clear_pointer (&desk->rows, g_ptr_array_unref);
    }
  desk->partial_cost = (guint) ((g_get_monotonic_time () - start) / 1000);
  return G_SOURCE_REMOVE;
}

void
sonde_explain_desk_on_rows (SondeExplainDesk *desk, GPtrArray *rows)
{
  if (!desk->has_study || desk->rows != NULL)
    return;
  for (guint i = 0; i < rows->len; i++)
    g_ptr_array_add (desk->partial, sonde_sample_result_copy (g_ptr_array_index (rows, i)));
  if (desk->partial_source == 0)
    desk->partial_source
        = g_timeout_add (MAX (PARTIAL_MS, PARTIAL_SHARE * desk->partial_cost), show_partial, desk);
}

/* Who asks for the samples of a reason asks for reasons. */
static gboolean
wants_reason (SondeExplainDesk *desk)
{
  for (guint i = 0; desk->go_to != NULL && i < SONDE_N_CATEGORIES; i++)
    if (g_str_equal (desk->go_to, sonde_error_category_get_name (i)))
      return TRUE;
  return FALSE;
}

/* Samples without an answer to their label cannot be sorted by reason. */
static void
after_predict (SondeExplainDesk *desk)
{
  const SondeExplainInfo *facts = facts_of (desk);
  guint errors = count_errors (desk);
  double seconds;
  g_autofree char *time = NULL, *count = NULL, *text = NULL;

  if (desk->triage != NULL)
    return;
  if (errors == 0)
    {
      gboolean labels = facts->has_labels;

      sonde_explain_browser_set_no_reasons (
          SONDE_EXPLAIN_BROWSER (desk->browser),
          labels ? "There are no misclassifications, so there are no reasons."
                 : "The pictures have no labels, so nothing can be called a misclassification.",
          NULL, NULL);
      sonde_explain_job_say (SONDE_EXPLAIN_JOB (desk->job),
                             labels ? "All predictions are right." : "The pictures have no labels.",
                             NULL, NULL);
      sonde_explain_desk_go_where_asked (desk);
      return;
    }
  seconds = sonde_explain_estimate_triage (facts, desk->items->len, errors);
  if (seconds <= SONDE_EXPLAIN_PATIENCE || wants_reason (desk))
    {
      sonde_explain_desk_begin_triage (desk);
      return;
    }
  time = sonde_part_duration (seconds);
  count = sonde_part_count (errors, "misclassification");
  text = g_strdup_printf ("Reasons of %s, about %s", count, time);
  sonde_explain_browser_set_no_reasons (SONDE_EXPLAIN_BROWSER (desk->browser), text, "Find Reasons",
                                        "explain.triage");
  sonde_explain_job_say (SONDE_EXPLAIN_JOB (desk->job), text, "Find Reasons", "explain.triage");
  sonde_explain_desk_go_where_asked (desk);
}

/* What was done stays: in the lists, and in the cache. */
static void
say_stopped (SondeExplainDesk *desk)
{
  g_autofree char *text
      = g_strdup_printf ("Stopped at %u of %u predictions; they are kept.", desk->items->len,
                         facts_of (desk) != NULL ? facts_of (desk)->n_samples : 0);

  sonde_explain_job_say (SONDE_EXPLAIN_JOB (desk->job), text, "Go On", "explain.predict");
}

static void
on_predicted (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeExplainDeskJob) job = data;
  SondeExplainDesk *desk = job->desk;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) rows
      = sonde_explain_client_predict_finish (SONDE_EXPLAIN_CLIENT (source), result, &error);

  if (!sonde_explain_desk_job_end (job))
    return;
  if (rows == NULL)
    {
      g_clear_handle_id (&desk->partial_source, g_source_remove);
      show_partial (desk);
      if (was_cancelled (error))
        say_stopped (desk);
      else
        say_error (desk, error, "explain.predict");
      return;
    }
  sonde_explain_browser_set_no_samples (SONDE_EXPLAIN_BROWSER (desk->browser),
                                        "No sample belongs here.", NULL, NULL);
  set_rows (desk, rows);
  after_predict (desk);
  if (!sonde_explain_job_is_running (SONDE_EXPLAIN_JOB (desk->job)))
    sonde_explain_desk_changed (desk);
}

void
sonde_explain_desk_begin_predict (SondeExplainDesk *desk)
{
  g_autofree char *what = NULL;
  SondeExplainDeskJob *job;

  if (facts_of (desk) == NULL)
    return;
  what = desk->n_restored > 0 ? g_strdup_printf ("Predicting; restored %u of %u", desk->n_restored,
                                                 facts_of (desk)->n_samples)
                              : g_strdup ("Predicting");
  sonde_explain_browser_set_no_samples (SONDE_EXPLAIN_BROWSER (desk->browser),
                                        "The first answers come in a moment.", NULL, NULL);
  g_ptr_array_unref (desk->partial);
  desk->partial = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_sample_result_free);
  job = sonde_explain_desk_job_begin (desk, what);
  sonde_explain_client_predict_async (desk->client, desk->cancellable, on_predicted, job);
}

/* ---- reasons ------------------------------------------------------------- */

void
sonde_explain_desk_go_where_asked (SondeExplainDesk *desk)
{
  g_autofree char *where = g_steal_pointer (&desk->go_to);

  if (where != NULL && gtk_stack_get_child_by_name (GTK_STACK (desk->pages), where) != NULL)
    {
      gtk_stack_set_visible_child_name (GTK_STACK (desk->pages), where);
      return;
    }
  if (where != NULL && !sonde_explain_browser_go_to (SONDE_EXPLAIN_BROWSER (desk->browser), where))
    {
      g_autofree char *sentence
          = g_strdup_printf ("There is no sample, reason or cell “%s”.", where);

      sonde_explain_desk_say (desk, sentence);
    }
}

/* Maps of all misclassifications: offered, with their price. */
static void
offer_maps (SondeExplainDesk *desk)
{
  const SondeExplainInfo *facts = facts_of (desk);
  guint errors = count_errors (desk), n = 2 * errors;
  double seconds = sonde_explain_estimate_maps (facts, MAP_SPEC, n);
  g_autofree char *time = sonde_part_duration (seconds),
                  *count = sonde_part_count (errors, "misclassification"), *text = NULL;
  GString *restored = g_string_new (NULL);

  if (desk->n_restored > 0)
    g_string_append_printf (restored, " Restored %u of %u predictions.",
                            MIN (desk->n_restored, facts->n_samples), facts->n_samples);
  text = isfinite (seconds)
             ? g_strdup_printf ("%s; %u maps (GradCAM, predicted and true class), about %s.%s",
                                count, n, time, restored->str)
             : g_strdup_printf ("%s.%s", count, restored->str);
  g_string_free (restored, TRUE);
  sonde_explain_job_say (SONDE_EXPLAIN_JOB (desk->job), text,
                         isfinite (seconds) ? "Compute Maps" : NULL, "explain.maps");
}

static void
on_triaged (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeExplainDeskJob) job = data;
  SondeExplainDesk *desk = job->desk;
  g_autoptr (GError) error = NULL;
  SondeTriageResult *triage
      = sonde_explain_client_triage_finish (SONDE_EXPLAIN_CLIENT (source), result, &error);

  if (!sonde_explain_desk_job_end (job))
    {
      g_clear_pointer (&triage, sonde_triage_result_free);
      return;
    }
  if (triage == NULL)
    {
      const char *sentence
          = was_cancelled (error) ? "Looking for reasons was stopped." : error->message;

      sonde_explain_browser_set_no_reasons (SONDE_EXPLAIN_BROWSER (desk->browser), sentence,
                                            "Find Reasons", "explain.triage");
      if (was_cancelled (error))
        sonde_explain_job_say (SONDE_EXPLAIN_JOB (desk->job), sentence, "Find Reasons",
                               "explain.triage");
      else
        say_error (desk, error, "explain.triage");
      sonde_explain_desk_go_where_asked (desk);
      return;
    }
  g_clear_pointer (&desk->triage, sonde_triage_result_free);
  desk->triage = triage;
  set_rows (desk, triage->rows);
  sonde_explain_browser_set_triage (SONDE_EXPLAIN_BROWSER (desk->browser), triage->clusters,
                                    triage->notes);
  offer_maps (desk);
  sonde_explain_desk_go_where_asked (desk);
}

void
sonde_explain_desk_begin_triage (SondeExplainDesk *desk)
{
  SondeExplainDeskJob *job = sonde_explain_desk_job_begin (desk, "Looking for reasons");

  sonde_explain_browser_set_no_reasons (SONDE_EXPLAIN_BROWSER (desk->browser),
                                        "Looking for reasons…", NULL, NULL);
  sonde_explain_client_triage_async (desk->client, desk->cancellable, on_triaged, job);
}

/* ---- maps of all misclassifications ------------------------------------------------ */

static void
on_maps (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeExplainDeskJob) job = data;
  SondeExplainDesk *desk = job->desk;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) maps
      = sonde_explain_client_maps_finish (SONDE_EXPLAIN_CLIENT (source), result, &error);
  g_autofree char *text = NULL;

  if (!sonde_explain_desk_job_end (job))
    return;
  if (maps != NULL)
    {
      text = g_strdup_printf ("%u maps are there: samples open at once.", maps->len);
      sonde_explain_job_say (SONDE_EXPLAIN_JOB (desk->job), text, NULL, NULL);
    }
  else if (was_cancelled (error))
    sonde_explain_job_say (SONDE_EXPLAIN_JOB (desk->job),
                           "Stopped; the maps that were made are kept.", "Go On", "explain.maps");
  else
    say_error (desk, error, "explain.maps");
}

void
sonde_explain_desk_begin_maps (SondeExplainDesk *desk)
{
  g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GArray) targets = g_array_new (FALSE, FALSE, sizeof (gint64));
  SondeExplainDeskJob *job;

  for (guint i = 0; i < desk->items->len; i++)
    {
      SondeExplainItem *item = g_ptr_array_index (desk->items, i);
      const SondeExplainFacts *facts = sonde_explain_item_get_facts (item);

      if (!sonde_explain_item_is_error (item))
        continue;
      g_array_append_val (samples, facts->sample);
      g_array_append_val (targets, facts->predicted);
      g_array_append_val (samples, facts->sample);
      g_array_append_val (targets, facts->label);
    }
  job = sonde_explain_desk_job_begin (desk, "Computing maps");
  sonde_explain_client_maps_async (desk->client, (const guint *) (void *) samples->data,
                                   (const gint64 *) (void *) targets->data, samples->len, MAP_SPEC,
                                   desk->cancellable, on_maps, job);
}

/* ---- report -------------------------------------------------------------- */

static void
on_reported (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeExplainDeskJob) job = data;
  SondeExplainDesk *desk = job->desk;
  g_autoptr (GError) error = NULL;
  gboolean done
      = sonde_explain_client_report_finish (SONDE_EXPLAIN_CLIENT (source), result, &error);

  if (!sonde_explain_desk_job_end (job))
    return;
  if (done)
    sonde_explain_job_say (SONDE_EXPLAIN_JOB (desk->job), "The report is written.", NULL, NULL);
  else if (was_cancelled (error))
    sonde_explain_job_say (SONDE_EXPLAIN_JOB (desk->job), "The report was not written.", NULL,
                           NULL);
  else
    say_error (desk, error, "explain.report");
}

void
sonde_explain_desk_begin_report (SondeExplainDesk *desk, const char *path)
{
  SondeExplainDeskJob *job = sonde_explain_desk_job_begin (desk, "Writing the report");

  sonde_explain_client_report_async (desk->client, path, NULL, desk->cancellable, on_reported, job);
}

/* ---- the engine's end ---------------------------------------------------- */

void
sonde_explain_desk_on_lost (SondeExplainDesk *desk, const char *why)
{
  g_autofree char *sentence = g_strdup_printf ("%s What was computed is kept.", why);

  if (!desk->has_study)
    return;
  sonde_explain_desk_show_banner (desk, sentence, "Open Again", "explain.reopen", TRUE);
  sonde_explain_job_say (SONDE_EXPLAIN_JOB (desk->job), "The engine is not running.", NULL, NULL);
  sonde_explain_desk_changed (desk);
}

void
sonde_explain_desk_show_sample (SondeExplainDesk *desk, SondeExplainItem *item)
{
  SondeSampleView *view = SONDE_SAMPLE_VIEW (desk->view);

  if (item != NULL && sonde_explain_item_get_recorded (item) != NULL)
    sonde_sample_view_show_recorded (view, sonde_explain_item_get_recorded (item));
  else if (item == NULL || sonde_explain_item_get_row (item) != NULL)
    sonde_sample_view_show (view, item != NULL ? sonde_explain_item_get_row (item) : NULL);
  sonde_explain_desk_show_by_second (desk, desk->looks_at_second ? item : NULL);
  gtk_stack_set_visible_child (
      GTK_STACK (desk->views),
      desk->looks_at_second && desk->second_view != NULL ? desk->second_view : desk->view);
}
