/* SPDX-License-Identifier: Apache-2.0
 * Shows what the jobs of a session have made; what the user asks for goes to the jobs. */
#include "app/explain/sonde-explain-workspace.h"

#include "app/explain/browser/sonde-explain-browser.h"
#include "app/explain/sample/sonde-sample-view.h"
#include "app/explain/scores/sonde-scores-view.h"
#include "app/explain/scores/sonde-self-test-view.h"
#include "app/explain/sonde-explain-chooser.h"
#include "app/explain/sonde-job-bar.h"
#include "app/widgets/sonde-file-dialog.h"
#include "data/base/sonde-text.h"

struct _SondeExplainWorkspace
{
  AdwBin parent_instance;

  GtkLabel *title, *banner_text, *choice_text;
  GtkWidget *bar, *report, *banner, *banner_button, *choice;
  GtkStack *stack, *pages, *views;
  GtkWidget *switcher;
  GtkDropTarget *drop;
  SondeExplainChooser *chooser;
  SondeExplainBrowser *browser;
  SondeScoresView *scores;
  SondeSelfTestView *self_test;
  SondeJobBar *job_bar;
  SondeSampleView *view, *second_view; /* second_view: (nullable) */

  SondeExplainClient *client;
  SondeModelComparison *comparison;
  SondeExplanationJobs *jobs;
  SondeThumbnailLoader *thumbnails;
  char *go_to;           /* (nullable): once there is something */
  gboolean has_session;  /* its samples are shown, not the recorded ones */
  gboolean shows_second; /* the sample is shown as the second model sees it */
  GPtrArray *recorded;   /* (element-type SondeExplainedSample) */
  char *recorded_model;  /* (nullable) */
};

enum
{
  PROP_BUSY = 1,
  N_PROPERTIES
};

static GParamSpec *properties[N_PROPERTIES];
static guint status_signal, opened_signal, message_signal;

G_DEFINE_FINAL_TYPE (SondeExplainWorkspace, sonde_explain_workspace, ADW_TYPE_BIN)

/* Of the buttons that offer a job. */
static const char *const job_actions[] = {
  [SONDE_JOB_NONE] = NULL,
  [SONDE_JOB_OPEN] = "explain.reopen",
  [SONDE_JOB_PREDICT] = "explain.predict",
  [SONDE_JOB_TRIAGE] = "explain.triage",
  [SONDE_JOB_MAPS] = "explain.maps",
  [SONDE_JOB_REPORT] = "explain.report",
  [SONDE_JOB_COMPARE] = "explain.compare",
};

/* ---- what is shown --------------------------------------------------------- */

static void
notify_state (SondeExplainWorkspace *self)
{
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_BUSY]);
  g_signal_emit (self, status_signal, 0);
}

static void
show_banner (SondeExplainWorkspace *self, const char *sentence, const char *button,
             const char *action, gboolean error)
{
  gtk_label_set_text (self->banner_text, sentence);
  gtk_button_set_label (GTK_BUTTON (self->banner_button), button);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->banner_button), action);
  if (error)
    gtk_widget_add_css_class (self->banner, "banner-error");
  else
    gtk_widget_remove_css_class (self->banner, "banner-error");
  gtk_widget_set_visible (self->banner, TRUE);
}

static void
show_title (SondeExplainWorkspace *self)
{
  const SondeExplanationSettings *settings = sonde_explanation_jobs_get_settings (self->jobs);
  g_autofree char *model = NULL, *data = NULL, *text = NULL;

  if (self->has_session)
    {
      model = g_path_get_basename (settings->model != NULL ? settings->model : "");
      data = settings->data != NULL ? g_path_get_basename (settings->data) : NULL;
      text = data != NULL ? g_strdup_printf (_ ("%s on %s"), model, data)
                          : g_strdup_printf (_ ("%s on its own test images"), model);
    }
  else
    text = g_strdup (self->recorded->len > 0 ? _ ("Recorded explanations") : _ ("No model"));
  gtk_label_set_text (self->title, text);
  gtk_widget_set_sensitive (self->report, self->has_session);
}

static void
show_recorded (SondeExplainWorkspace *self)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (g_object_unref);
  gboolean categories = FALSE;

  for (guint i = 0; i < self->recorded->len; i++)
    {
      SondeExplainedSample *sample = g_ptr_array_index (self->recorded, i);

      g_ptr_array_add (items, sonde_explain_item_new_recorded (sample));
      categories
          = categories
            || sonde_explained_sample_get_recorded (sample)->result->category < SONDE_N_CATEGORIES;
    }
  sonde_explain_browser_set_recorded (self->browser, TRUE, categories);
  sonde_explain_browser_set_items (self->browser, items, NULL, 0);
  sonde_explain_browser_set_triage (self->browser, NULL, NULL);
  sonde_job_bar_say (self->job_bar,
                     categories
                         ? _ ("These maps and error categories were recorded. Other methods, "
                              "neighbours and edits need the model.")
                         : _ ("These maps were recorded. Other methods, neighbours, edits "
                              "and error categories need the model."),
                     _ ("Choose Model…"), "explain.choose");
  gtk_stack_set_visible_child (self->pages, GTK_WIDGET (self->browser));
  gtk_stack_set_visible_child (self->stack, GTK_WIDGET (self->pages));
}

/* A session, recorded samples, or the form. */
static void
show_content (SondeExplainWorkspace *self)
{
  gboolean empty = sonde_explain_workspace_is_empty (self);

  show_title (self);
  gtk_widget_set_visible (self->bar, !empty);
  gtk_widget_set_visible (GTK_WIDGET (self->job_bar), !empty);
  gtk_widget_set_visible (self->switcher, self->has_session);
  if (self->has_session)
    gtk_stack_set_visible_child (self->stack, GTK_WIDGET (self->pages));
  else if (self->recorded->len > 0)
    show_recorded (self);
  else
    gtk_stack_set_visible_child (self->stack, GTK_WIDGET (self->chooser));
  notify_state (self);
}

/* What was done to the images unasked must be seen once. */
static void
show_notes (SondeExplainWorkspace *self)
{
  const SondeExplainInfo *info = sonde_explain_client_get_info (self->client);
  g_autoptr (GPtrArray) lines = g_ptr_array_new ();
  g_autofree char *text = NULL;

  for (guint i = 0; info != NULL && info->notes != NULL && i < info->notes->len; i++)
    g_ptr_array_add (lines, (char *) sonde_message_get_text (g_ptr_array_index (info->notes, i)));
  if (lines->len == 0)
    return;
  g_ptr_array_add (lines, NULL);
  text = g_strjoinv ("\n", (char **) lines->pdata);
  show_banner (self, text, _ ("OK"), "explain.hide-banner", FALSE);
}

/* While another preprocessing is clearly better and nobody has chosen. */
static void
show_choice (SondeExplainWorkspace *self)
{
  gboolean doubtful = self->has_session && sonde_explanation_jobs_is_doubtful (self->jobs);
  g_autofree char *found = NULL, *text = NULL;

  gtk_widget_set_visible (self->choice, doubtful);
  sonde_explain_browser_set_doubt (self->browser, doubtful ? _ ("Preprocessing not chosen") : NULL);
  if (!doubtful)
    return;
  found = sonde_preprocessing_trial_to_text (sonde_explanation_jobs_get_trial (self->jobs));
  text = g_strdup_printf (_ ("Preprocessing not chosen: %s"), found);
  gtk_label_set_text (self->choice_text, text);
}

static void
on_preprocessing_changed (SondeExplainWorkspace *self)
{
  show_choice (self);
  if (!sonde_explanation_jobs_is_doubtful (self->jobs))
    show_notes (self);
}

static void
show_session (SondeExplainWorkspace *self)
{
  gtk_widget_set_visible (self->banner, FALSE);
  sonde_scores_view_reset (self->scores);
  sonde_explain_browser_set_recorded (self->browser, FALSE, TRUE);
  sonde_explain_browser_set_triage (self->browser, NULL, NULL);
  sonde_explain_browser_set_items (
      self->browser,
      sonde_prediction_list_get_items (sonde_explanation_jobs_get_predictions (self->jobs)), NULL,
      0);
  show_content (self);
  show_choice (self);
  show_notes (self);
}

/* Once: to what was asked for; a toast where that is not there. */
static void
go_where_asked (SondeExplainWorkspace *self)
{
  g_autofree char *where = g_steal_pointer (&self->go_to), *text = NULL;

  if (where == NULL)
    return;
  if (gtk_stack_get_child_by_name (self->pages, where) != NULL)
    gtk_stack_set_visible_child_name (self->pages, where);
  else if (!sonde_explain_browser_go_to (self->browser, where))
    {
      text = g_strdup_printf (_ ("There is no sample, error category or matrix cell “%s”."), where);
      g_signal_emit (self, message_signal, 0, text);
    }
}

/* ---- the jobs -------------------------------------------------------------- */

static void
on_job_began (SondeExplainWorkspace *self)
{
  sonde_job_bar_begin (self->job_bar, sonde_explanation_jobs_get_title (self->jobs));
  notify_state (self);
}

static void
show_offers (SondeExplainWorkspace *self)
{
  const SondeJobOffer *offer = sonde_explanation_jobs_get_offer (self->jobs),
                      *samples = sonde_explanation_jobs_get_samples_offer (self->jobs),
                      *categories = sonde_explanation_jobs_get_categories_offer (self->jobs);

  if (samples->text != NULL)
    sonde_explain_browser_set_no_samples (self->browser, samples->text, samples->label,
                                          job_actions[samples->job]);
  if (categories->text != NULL && sonde_explanation_jobs_get_triage (self->jobs) == NULL)
    sonde_explain_browser_set_no_categories (self->browser, categories->text, categories->label,
                                             job_actions[categories->job]);
  if (self->has_session && offer->text != NULL && !sonde_explanation_jobs_is_running (self->jobs))
    sonde_job_bar_say (self->job_bar, offer->text, offer->label, job_actions[offer->job]);
}

static void
on_jobs_changed (SondeExplainWorkspace *self)
{
  show_offers (self);
  notify_state (self);
}

static void
on_opened (SondeExplainWorkspace *self)
{
  g_signal_emit (self, opened_signal, 0);
  show_session (self);
}

static void
on_open_failed (SondeExplainWorkspace *self, const char *text)
{
  self->has_session = FALSE;
  sonde_explain_workspace_offer (self, sonde_explanation_jobs_get_settings (self->jobs));
  if (text != NULL)
    sonde_explain_chooser_set_error (self->chooser, text);
}

static void
on_predicted (SondeExplainWorkspace *self)
{
  const SondeExplainInfo *info = sonde_explain_client_get_info (self->client);

  if (self->has_session)
    sonde_explain_browser_set_items (
        self->browser,
        sonde_prediction_list_get_items (sonde_explanation_jobs_get_predictions (self->jobs)),
        info != NULL ? info->classes : NULL, info != NULL ? info->n_classes : 0);
}

static void
on_categorised (SondeExplainWorkspace *self)
{
  const SondeTriageResult *triage = sonde_explanation_jobs_get_triage (self->jobs);

  sonde_explain_browser_set_triage (self->browser, triage->clusters, triage->notes);
}

static void
on_progress (SondeExplainWorkspace *self, const char *what, double fraction, double seconds_left)
{
  if (what != NULL && sonde_explanation_jobs_is_running (self->jobs))
    sonde_job_bar_progress (self->job_bar, what, fraction, seconds_left);
  notify_state (self);
}

static void
on_lost (SondeExplainWorkspace *self, const char *why)
{
  g_autofree char *text = g_strdup_printf (_ ("%s All results so far are kept."), why);

  if (!self->has_session)
    return;
  show_banner (self, text, _ ("Reopen"), "explain.reopen", TRUE);
  notify_state (self);
}

/* ---- two models ------------------------------------------------------------ */

static void
show_by_second (SondeExplainWorkspace *self, SondeExplainItem *item)
{
  SondeExplainClient *client = sonde_model_comparison_get_client (self->comparison);

  if (client == NULL)
    return;
  if (self->second_view == NULL)
    {
      self->second_view = SONDE_SAMPLE_VIEW (sonde_sample_view_new (client));
      gtk_stack_add_child (self->views, GTK_WIDGET (self->second_view));
    }
  if (sonde_explain_client_is_open (client))
    sonde_sample_view_show (self->second_view,
                            sonde_model_comparison_find (
                                self->comparison, sonde_explain_item_get_result (item)->sample));
}

/* @item: (nullable) */
static void
show_sample (SondeExplainWorkspace *self, SondeExplainItem *item)
{
  gboolean second;

  if (item != NULL && sonde_explain_item_get_recorded (item) != NULL)
    sonde_sample_view_show_recorded (self->view, sonde_explain_item_get_recorded (item));
  else
    sonde_sample_view_show (self->view, item != NULL ? sonde_explain_item_get_result (item) : NULL);
  if (self->shows_second && item != NULL)
    show_by_second (self, item);
  else if (self->second_view != NULL)
    sonde_sample_view_show (self->second_view, NULL);
  second = self->shows_second && self->second_view != NULL;
  gtk_stack_set_visible_child (self->views, GTK_WIDGET (second ? self->second_view : self->view));
}

static void
on_model_switched (SondeExplainWorkspace *self, gboolean second)
{
  self->shows_second = second;
  show_sample (self, sonde_explain_browser_get_sample (self->browser));
}

static void
on_second_opened (SondeExplainWorkspace *self)
{
  if (self->shows_second)
    show_sample (self, sonde_explain_browser_get_sample (self->browser));
}

static void
on_second_failed (SondeExplainWorkspace *self, const char *text)
{
  g_signal_emit (self, message_signal, 0, text);
}

static const char *
class_name (SondeExplainWorkspace *self, gint64 class)
{
  const SondeExplainInfo *info = sonde_explain_client_get_info (self->client);

  return info != NULL && class >= 0 && class < (gint64) info->n_classes ? info->classes[class]
                                                                        : _ ("unknown");
}

/* The items get the second model's predictions, or lose them. */
static void
on_comparison_changed (SondeExplainWorkspace *self)
{
  GPtrArray *items
      = sonde_prediction_list_get_items (sonde_explanation_jobs_get_predictions (self->jobs));

  self->shows_second = FALSE;
  if (self->second_view != NULL)
    gtk_stack_remove (self->views, GTK_WIDGET (self->second_view));
  self->second_view = NULL;
  for (guint i = 0; i < items->len; i++)
    {
      SondeExplainItem *item = g_ptr_array_index (items, i);
      const SondeSampleResult *row = sonde_model_comparison_find (
          self->comparison, sonde_explain_item_get_result (item)->sample);

      sonde_explain_item_set_other (item, row != NULL ? row->predicted : -1,
                                    row != NULL ? class_name (self, row->predicted) : NULL);
    }
  if (sonde_model_comparison_get_model (self->comparison) == NULL)
    sonde_explain_browser_set_models (self->browser, NULL, NULL);
}

static void
on_compared (SondeExplainWorkspace *self)
{
  g_autofree char *first
      = g_path_get_basename (sonde_explanation_jobs_get_settings (self->jobs)->model);
  g_autofree char *second
      = g_path_get_basename (sonde_model_comparison_get_model (self->comparison));

  sonde_explain_browser_set_models (self->browser, first, second);
  sonde_explain_browser_show_side (self->browser, "models");
}

/* ---- doors ----------------------------------------------------------------- */

gboolean
sonde_explain_workspace_is_empty (SondeExplainWorkspace *workspace)
{
  return !workspace->has_session && workspace->recorded->len == 0;
}

void
sonde_explain_workspace_set_recorded (SondeExplainWorkspace *workspace, GPtrArray *samples,
                                      const char *model)
{
  g_return_if_fail (SONDE_IS_EXPLAIN_WORKSPACE (workspace));
  g_ptr_array_unref (workspace->recorded);
  workspace->recorded = g_ptr_array_ref (samples);
  g_free (workspace->recorded_model);
  workspace->recorded_model = g_strdup (model);
  if (workspace->has_session)
    return;
  sonde_thumbnail_loader_reset (workspace->thumbnails);
  show_content (workspace);
  /* Else it is a session that goes there. */
  if (samples->len > 0 && !sonde_explanation_jobs_is_running (workspace->jobs))
    go_where_asked (workspace);
}

void
sonde_explain_workspace_set_origin (SondeExplainWorkspace *workspace,
                                    const SondeExplanationSettings *settings, const char *sentence)
{
  g_return_if_fail (SONDE_IS_EXPLAIN_WORKSPACE (workspace));
  sonde_explain_chooser_set_settings (workspace->chooser, settings);
  if (sentence != NULL)
    show_banner (workspace, sentence, _ ("OK"), "explain.hide-banner", FALSE);
}

void
sonde_explain_workspace_go_to (SondeExplainWorkspace *workspace, const char *what)
{
  g_return_if_fail (SONDE_IS_EXPLAIN_WORKSPACE (workspace));
  g_free (workspace->go_to);
  workspace->go_to = g_strdup (what);
  if (!sonde_explain_workspace_is_empty (workspace)
      && !sonde_explanation_jobs_is_running (workspace->jobs))
    go_where_asked (workspace);
}

void
sonde_explain_workspace_offer (SondeExplainWorkspace *workspace,
                               const SondeExplanationSettings *settings)
{
  g_return_if_fail (SONDE_IS_EXPLAIN_WORKSPACE (workspace));
  sonde_explain_chooser_set_settings (workspace->chooser, settings);
  sonde_explain_chooser_set_can_cancel (workspace->chooser,
                                        !sonde_explain_workspace_is_empty (workspace));
  show_content (workspace);
  gtk_stack_set_visible_child (workspace->stack, GTK_WIDGET (workspace->chooser));
  gtk_widget_set_visible (GTK_WIDGET (workspace->job_bar), FALSE);
}

static void
begin_session (SondeExplainWorkspace *self)
{
  sonde_thumbnail_loader_reset (self->thumbnails);
  self->has_session = TRUE;
  show_session (self);
}

void
sonde_explain_workspace_open (SondeExplainWorkspace *workspace,
                              const SondeExplanationSettings *settings, const char *go_to)
{
  g_return_if_fail (SONDE_IS_EXPLAIN_WORKSPACE (workspace));
  g_free (workspace->go_to);
  workspace->go_to = g_strdup (go_to);
  sonde_explanation_jobs_open (workspace->jobs, settings);
  /* Who asks for the samples of a category asks for categories. */
  if (go_to != NULL && sonde_error_category_from_name (go_to) < SONDE_N_CATEGORIES)
    sonde_explanation_jobs_want_categories (workspace->jobs);
  begin_session (workspace);
}

gboolean
sonde_explain_workspace_is_busy (SondeExplainWorkspace *workspace)
{
  /* While it goes. */
  if (workspace->client == NULL || workspace->view == NULL)
    return FALSE;
  return sonde_explanation_jobs_is_running (workspace->jobs)
         || sonde_thumbnail_loader_is_busy (workspace->thumbnails)
         || sonde_explain_client_is_busy (workspace->client)
         || sonde_sample_view_is_busy (workspace->view);
}

SondeExplanationSettings *
sonde_explain_workspace_dup_settings (SondeExplainWorkspace *workspace)
{
  return workspace->has_session ? sonde_explanation_settings_copy (
             sonde_explanation_jobs_get_settings (workspace->jobs))
                                : sonde_explain_chooser_dup_settings (workspace->chooser);
}

char *
sonde_explain_workspace_dup_status (SondeExplainWorkspace *workspace)
{
  return sonde_explain_workspace_is_empty (workspace)
             ? NULL
             : sonde_explain_browser_dup_status (workspace->browser);
}

SondeExplainClient *
sonde_explain_workspace_get_client (SondeExplainWorkspace *workspace)
{
  return workspace->client;
}

SondeExplanationJobs *
sonde_explain_workspace_get_jobs (SondeExplainWorkspace *workspace)
{
  return workspace->jobs;
}

/* ---- hands ----------------------------------------------------------------- */

static void
on_chooser_open (SondeExplainWorkspace *self)
{
  g_autoptr (SondeExplanationSettings) settings
      = sonde_explain_chooser_dup_settings (self->chooser);

  sonde_explain_workspace_open (self, settings, NULL);
}

/* A recorded sample was asked for more than was recorded. */
static void
on_session_wanted (SondeExplainWorkspace *self)
{
  gtk_widget_activate_action (GTK_WIDGET (self), "explain.choose", NULL);
}

static void
on_cancelled (SondeExplainWorkspace *self)
{
  sonde_explanation_jobs_cancel (self->jobs);
}

static void
on_choose (GtkWidget *widget, const char *action, GVariant *parameter)
{
  SondeExplainWorkspace *self = SONDE_EXPLAIN_WORKSPACE (widget);
  g_autoptr (SondeExplanationSettings) settings = sonde_explain_workspace_dup_settings (self);

  if (!self->has_session && self->recorded_model != NULL)
    {
      g_free (settings->model);
      settings->model = g_strdup (self->recorded_model);
    }
  sonde_explain_workspace_offer (self, settings);
}

static void
on_reopen (GtkWidget *widget, const char *action, GVariant *parameter)
{
  SondeExplainWorkspace *self = SONDE_EXPLAIN_WORKSPACE (widget);

  if (sonde_explanation_jobs_get_settings (self->jobs) == NULL)
    return;
  sonde_explanation_jobs_reopen (self->jobs);
  begin_session (self);
}

static void
on_hide_banner (GtkWidget *widget, const char *action, GVariant *parameter)
{
  gtk_widget_set_visible (SONDE_EXPLAIN_WORKSPACE (widget)->banner, FALSE);
}

static void
on_use_preprocessing (GtkWidget *widget, const char *action, GVariant *parameter)
{
  SondeExplainWorkspace *self = SONDE_EXPLAIN_WORKSPACE (widget);

  sonde_explanation_jobs_use_best_preprocessing (self->jobs);
  begin_session (self);
}

static void
on_keep_preprocessing (GtkWidget *widget, const char *action, GVariant *parameter)
{
  sonde_explanation_jobs_keep_preprocessing (SONDE_EXPLAIN_WORKSPACE (widget)->jobs);
}

/* The form, with the better numbers to begin with. */
static void
on_enter_preprocessing (GtkWidget *widget, const char *action, GVariant *parameter)
{
  SondeExplainWorkspace *self = SONDE_EXPLAIN_WORKSPACE (widget);
  const SondePreprocessingTrial *trial = sonde_explanation_jobs_get_trial (self->jobs);
  const SondePreprocessing *best
      = trial != NULL ? sonde_preprocessing_trial_get_best (trial) : NULL;
  g_autoptr (SondeExplanationSettings) settings = NULL;

  if (best == NULL)
    return;
  settings = sonde_preprocessing_apply (best, sonde_explanation_jobs_get_settings (self->jobs));
  sonde_explain_workspace_offer (self, settings);
}

static void
on_predict (GtkWidget *widget, const char *action, GVariant *parameter)
{
  sonde_explanation_jobs_predict (SONDE_EXPLAIN_WORKSPACE (widget)->jobs);
}

static void
on_triage (GtkWidget *widget, const char *action, GVariant *parameter)
{
  sonde_explanation_jobs_categorise (SONDE_EXPLAIN_WORKSPACE (widget)->jobs);
}

static void
on_maps (GtkWidget *widget, const char *action, GVariant *parameter)
{
  sonde_explanation_jobs_compute_maps (SONDE_EXPLAIN_WORKSPACE (widget)->jobs);
}

static char *
take_path (GtkNativeDialog *dialog, int response)
{
  g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
  char *path = response == GTK_RESPONSE_ACCEPT && file != NULL ? g_file_get_path (file) : NULL;

  g_object_unref (dialog);
  return path;
}

static void
on_report_chosen (GtkNativeDialog *dialog, int response, SondeExplainWorkspace *self)
{
  g_autofree char *path = take_path (dialog, response);

  if (path != NULL)
    sonde_explanation_jobs_write_report (self->jobs, path);
}

static void
on_second_chosen (GtkNativeDialog *dialog, int response, SondeExplainWorkspace *self)
{
  g_autofree char *path = take_path (dialog, response);

  if (path != NULL)
    sonde_explanation_jobs_compare (self->jobs, path);
}

static GtkFileChooserNative *
make_dialog (SondeExplainWorkspace *self, const char *title, GtkFileChooserAction action,
             const char *accept)
{
  GtkFileChooserNative *dialog = sonde_file_dialog_new (
      title, GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (self))), action, accept);

  return dialog;
}

static void
on_report (GtkWidget *widget, const char *action, GVariant *parameter)
{
  SondeExplainWorkspace *self = SONDE_EXPLAIN_WORKSPACE (widget);
  GtkFileChooserNative *dialog = make_dialog (self, _ ("Export Report (HTML or PDF)"),
                                              GTK_FILE_CHOOSER_ACTION_SAVE, _ ("_Export"));

  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), "report.html");
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_report_chosen), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

static void
on_compare (GtkWidget *widget, const char *action, GVariant *parameter)
{
  SondeExplainWorkspace *self = SONDE_EXPLAIN_WORKSPACE (widget);
  const SondeExplanationSettings *settings = sonde_explanation_jobs_get_settings (self->jobs);
  GtkFileChooserNative *dialog
      = make_dialog (self, _ ("Choose Second Model"), GTK_FILE_CHOOSER_ACTION_OPEN, _ ("_Compare"));

  if (settings != NULL)
    {
      g_autoptr (GFile) model = g_file_new_for_path (settings->model);
      g_autoptr (GFile) folder = g_file_get_parent (model);

      if (folder != NULL)
        gtk_file_chooser_set_current_folder (GTK_FILE_CHOOSER (dialog), folder, NULL);
    }
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_second_chosen), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

/* Dropped on a session, files come into the form. */
static gboolean
on_drop (GtkDropTarget *target, const GValue *value, double x, double y,
         SondeExplainWorkspace *self)
{
  gboolean taken = FALSE;

  if (gtk_stack_get_visible_child (self->stack) != GTK_WIDGET (self->chooser))
    on_choose (GTK_WIDGET (self), NULL, NULL);
  for (GSList *link = g_value_get_boxed (value); link != NULL; link = link->next)
    taken = sonde_explain_chooser_take_file (self->chooser, link->data) || taken;
  return taken;
}

/* ---- widget ---------------------------------------------------------------- */

static void
sonde_explain_workspace_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  g_value_set_boolean (value, sonde_explain_workspace_is_busy (SONDE_EXPLAIN_WORKSPACE (object)));
}

static void
sonde_explain_workspace_dispose (GObject *object)
{
  SondeExplainWorkspace *self = SONDE_EXPLAIN_WORKSPACE (object);

  if (self->client != NULL)
    {
      g_signal_handlers_disconnect_by_data (self->client, self);
      g_signal_handlers_disconnect_by_data (self->comparison, self);
      g_signal_handlers_disconnect_by_data (self->jobs, self);
      g_signal_handlers_disconnect_by_data (self->thumbnails, self);
      g_object_run_dispose (G_OBJECT (self->jobs));
      g_object_run_dispose (G_OBJECT (self->comparison));
      sonde_thumbnail_loader_reset (self->thumbnails);
      sonde_explain_client_close (self->client);
    }
  g_clear_object (&self->client);
  g_clear_object (&self->comparison);
  g_clear_object (&self->jobs);
  g_clear_object (&self->thumbnails);
  self->view = self->second_view = NULL;
  G_OBJECT_CLASS (sonde_explain_workspace_parent_class)->dispose (object);
}

static void
sonde_explain_workspace_finalize (GObject *object)
{
  SondeExplainWorkspace *self = SONDE_EXPLAIN_WORKSPACE (object);

  g_ptr_array_unref (self->recorded);
  g_free (self->recorded_model);
  g_free (self->go_to);
  G_OBJECT_CLASS (sonde_explain_workspace_parent_class)->finalize (object);
}

static void
install_actions (GtkWidgetClass *widget)
{
  static const struct
  {
    const char *name;
    GtkWidgetActionActivateFunc activate;
  } actions[] = {
    { "explain.choose", on_choose },
    { "explain.reopen", on_reopen },
    { "explain.hide-banner", on_hide_banner },
    { "explain.predict", on_predict },
    { "explain.triage", on_triage },
    { "explain.maps", on_maps },
    { "explain.report", on_report },
    { "explain.compare", on_compare },
    { "explain.use-preprocessing", on_use_preprocessing },
    { "explain.keep-preprocessing", on_keep_preprocessing },
    { "explain.enter-preprocessing", on_enter_preprocessing },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (actions); i++)
    gtk_widget_class_install_action (widget, actions[i].name, NULL, actions[i].activate);
}

static void
bind_template (GtkWidgetClass *widget)
{
  gtk_widget_class_set_template_from_resource (
      widget, "/org/sonde/Sonde/explain/sonde-explain-workspace.ui");
  gtk_widget_class_bind_template_child (widget, SondeExplainWorkspace, title);
  gtk_widget_class_bind_template_child (widget, SondeExplainWorkspace, banner_text);
  gtk_widget_class_bind_template_child (widget, SondeExplainWorkspace, bar);
  gtk_widget_class_bind_template_child (widget, SondeExplainWorkspace, report);
  gtk_widget_class_bind_template_child (widget, SondeExplainWorkspace, banner);
  gtk_widget_class_bind_template_child (widget, SondeExplainWorkspace, banner_button);
  gtk_widget_class_bind_template_child (widget, SondeExplainWorkspace, choice);
  gtk_widget_class_bind_template_child (widget, SondeExplainWorkspace, choice_text);
  gtk_widget_class_bind_template_child (widget, SondeExplainWorkspace, stack);
  gtk_widget_class_bind_template_child (widget, SondeExplainWorkspace, pages);
  gtk_widget_class_bind_template_child (widget, SondeExplainWorkspace, views);
  gtk_widget_class_bind_template_child (widget, SondeExplainWorkspace, switcher);
  gtk_widget_class_bind_template_child (widget, SondeExplainWorkspace, drop);
  gtk_widget_class_bind_template_child (widget, SondeExplainWorkspace, chooser);
  gtk_widget_class_bind_template_child (widget, SondeExplainWorkspace, browser);
  gtk_widget_class_bind_template_child (widget, SondeExplainWorkspace, scores);
  gtk_widget_class_bind_template_child (widget, SondeExplainWorkspace, self_test);
  gtk_widget_class_bind_template_child (widget, SondeExplainWorkspace, job_bar);
  gtk_widget_class_bind_template_child (widget, SondeExplainWorkspace, view);
  gtk_widget_class_bind_template_callback (widget, on_chooser_open);
  gtk_widget_class_bind_template_callback (widget, show_content);
  gtk_widget_class_bind_template_callback (widget, show_sample);
  gtk_widget_class_bind_template_callback (widget, on_model_switched);
  gtk_widget_class_bind_template_callback (widget, notify_state);
  gtk_widget_class_bind_template_callback (widget, on_cancelled);
  gtk_widget_class_bind_template_callback (widget, on_session_wanted);
  gtk_widget_class_bind_template_callback (widget, on_drop);
}

static void
sonde_explain_workspace_class_init (SondeExplainWorkspaceClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GType type = G_TYPE_FROM_CLASS (klass);

  object_class->dispose = sonde_explain_workspace_dispose;
  object_class->finalize = sonde_explain_workspace_finalize;
  object_class->get_property = sonde_explain_workspace_get_property;
  properties[PROP_BUSY]
      = g_param_spec_boolean ("busy", NULL, NULL, FALSE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPERTIES, properties);
  status_signal = g_signal_new ("status-changed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                G_TYPE_NONE, 0);
  opened_signal
      = g_signal_new ("opened", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  message_signal = g_signal_new ("message", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                 G_TYPE_NONE, 1, G_TYPE_STRING);
  g_type_ensure (SONDE_TYPE_EXPLAIN_CHOOSER);
  g_type_ensure (SONDE_TYPE_EXPLAIN_BROWSER);
  g_type_ensure (SONDE_TYPE_SCORES_VIEW);
  g_type_ensure (SONDE_TYPE_SELF_TEST_VIEW);
  g_type_ensure (SONDE_TYPE_JOB_BAR);
  g_type_ensure (SONDE_TYPE_SAMPLE_VIEW);
  install_actions (GTK_WIDGET_CLASS (klass));
  bind_template (GTK_WIDGET_CLASS (klass));
}

static void
connect_models (SondeExplainWorkspace *self)
{
  static const struct
  {
    const char *signal;
    GCallback callback;
  } of_jobs[] = {
    { "began", G_CALLBACK (on_job_began) },
    { "changed", G_CALLBACK (on_jobs_changed) },
    { "opened", G_CALLBACK (on_opened) },
    { "open-failed", G_CALLBACK (on_open_failed) },
    { "predicted", G_CALLBACK (on_predicted) },
    { "categorised", G_CALLBACK (on_categorised) },
    { "offers-changed", G_CALLBACK (show_offers) },
    { "compared", G_CALLBACK (on_compared) },
    { "settled", G_CALLBACK (go_where_asked) },
    { "preprocessing-changed", G_CALLBACK (on_preprocessing_changed) },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (of_jobs); i++)
    g_signal_connect_swapped (self->jobs, of_jobs[i].signal, of_jobs[i].callback, self);
  g_signal_connect_swapped (self->client, "progress", G_CALLBACK (on_progress), self);
  g_signal_connect_swapped (self->client, "lost", G_CALLBACK (on_lost), self);
  g_signal_connect_swapped (self->comparison, "changed", G_CALLBACK (on_comparison_changed), self);
  g_signal_connect_swapped (self->comparison, "opened", G_CALLBACK (on_second_opened), self);
  g_signal_connect_swapped (self->comparison, "failed", G_CALLBACK (on_second_failed), self);
  g_signal_connect_swapped (self->thumbnails, "notify::busy", G_CALLBACK (notify_state), self);
}

static void
sonde_explain_workspace_init (SondeExplainWorkspace *self)
{
  GType files[] = { GDK_TYPE_FILE_LIST };

  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_drop_target_set_gtypes (self->drop, files, G_N_ELEMENTS (files));
  self->recorded = g_ptr_array_new_with_free_func (g_object_unref);
}

GtkWidget *
sonde_explain_workspace_new (const char *program)
{
  SondeExplainWorkspace *self = g_object_new (SONDE_TYPE_EXPLAIN_WORKSPACE, NULL);

  self->client = sonde_explain_client_new ();
  sonde_explain_client_set_program (self->client, program);
  self->comparison = sonde_model_comparison_new (program);
  self->jobs = sonde_explanation_jobs_new (self->client, self->comparison);
  self->thumbnails = sonde_thumbnail_loader_new (self->client);
  sonde_sample_view_set_client (self->view, self->client);
  sonde_scores_view_set_client (self->scores, self->client);
  sonde_self_test_view_set_client (self->self_test, self->client);
  sonde_explain_browser_set_sample_view (self->browser, GTK_WIDGET (self->views));
  sonde_explain_browser_set_thumbnails (self->browser, self->thumbnails);
  connect_models (self);
  show_content (self);
  return GTK_WIDGET (self);
}
