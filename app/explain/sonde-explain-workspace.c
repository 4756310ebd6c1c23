/* SPDX-License-Identifier: Apache-2.0
 * Widgets of the workspace, and which of them stand there. */
#include "app/explain/sonde-explain-workspace-private.h"

#include <string.h>

G_DEFINE_FINAL_TYPE (SondeExplainWorkspace, sonde_explain_workspace, ADW_TYPE_BIN)

enum
{
  PROP_BUSY = 1,
  N_PROPERTIES
};

static GParamSpec *properties[N_PROPERTIES];
static guint status_signal, opened_signal, message_signal;

/* ---- what stands there --------------------------------------------------- */

void
sonde_explain_workspace_changed (SondeExplainWorkspace *workspace)
{
  g_object_notify_by_pspec (G_OBJECT (workspace), properties[PROP_BUSY]);
  g_signal_emit (workspace, status_signal, 0);
}

void
sonde_explain_workspace_say (SondeExplainWorkspace *workspace, const char *sentence)
{
  g_signal_emit (workspace, message_signal, 0, sentence);
}

void
sonde_explain_workspace_show_banner (SondeExplainWorkspace *workspace, const char *sentence,
                                     const char *button, const char *action, gboolean error)
{
  gtk_label_set_text (GTK_LABEL (workspace->banner_text), sentence);
  gtk_button_set_label (GTK_BUTTON (workspace->banner_button), button);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (workspace->banner_button), action);
  if (error)
    gtk_widget_add_css_class (workspace->banner, "banner-error");
  else
    gtk_widget_remove_css_class (workspace->banner, "banner-error");
  gtk_widget_set_visible (workspace->banner, TRUE);
}

void
sonde_explain_workspace_hide_banner (SondeExplainWorkspace *workspace)
{
  gtk_widget_set_visible (workspace->banner, FALSE);
}

const char *
sonde_explain_workspace_class_name (SondeExplainWorkspace *workspace, gint64 class)
{
  const SondeExplainInfo *info = sonde_explain_client_get_info (workspace->client);

  return info != NULL && class >= 0 && class < (gint64) info->n_classes ? info->classes[class]
                                                                        : "unknown";
}

/* Files by their name, sources as they are. */
static char *
short_name (const char *text)
{
  g_autofree char *name = text != NULL ? g_path_get_basename (text) : NULL;

  return name != NULL ? g_steal_pointer (&name) : g_strdup ("its own test images");
}

static void
set_title (SondeExplainWorkspace *workspace)
{
  g_autofree char *model = NULL, *data = NULL, *text = NULL;

  if (workspace->has_study)
    {
      model = short_name (workspace->settings->model);
      data = short_name (workspace->settings->data);
      text = g_strdup_printf ("%s on %s", model, data);
    }
  else if (workspace->recorded->len > 0)
    text = g_strdup ("Recorded explanations");
  gtk_label_set_text (GTK_LABEL (workspace->title_label), text != NULL ? text : "No model");
  gtk_widget_set_sensitive (workspace->report, workspace->has_study);
}

static void
show_recorded (SondeExplainWorkspace *workspace)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (g_object_unref);
  gboolean reasons = FALSE;

  for (guint i = 0; i < workspace->recorded->len; i++)
    {
      SondeExplainedSample *sample = g_ptr_array_index (workspace->recorded, i);

      g_ptr_array_add (items, sonde_explain_item_new_recorded (sample, i));
      reasons = reasons || sonde_explained_sample_get_reason (sample) < SONDE_N_CATEGORIES;
    }
  sonde_explain_browser_set_recorded (SONDE_EXPLAIN_BROWSER (workspace->browser), TRUE, reasons);
  sonde_explain_browser_set_items (SONDE_EXPLAIN_BROWSER (workspace->browser), items, NULL, 0,
                                   "explained samples");
  sonde_explain_browser_set_triage (SONDE_EXPLAIN_BROWSER (workspace->browser), NULL, NULL);
  sonde_job_bar_say (SONDE_JOB_BAR (workspace->job),
                     reasons ? "These maps and reasons were recorded. Other methods, "
                               "neighbours and edits need the model."
                             : "These maps were recorded. Other methods, neighbours, edits and "
                               "reasons need the model.",
                     "Choose the Model…", "explain.choose");
  gtk_stack_set_visible_child (GTK_STACK (workspace->pages), workspace->browser);
  gtk_stack_set_visible_child (GTK_STACK (workspace->stack), workspace->pages);
}

/* Whatever there is: a study, recorded samples, or the form. */
static void
show_what_there_is (SondeExplainWorkspace *workspace)
{
  set_title (workspace);
  gtk_widget_set_visible (gtk_widget_get_parent (workspace->title),
                          !sonde_explain_workspace_is_empty (workspace));
  gtk_widget_set_visible (workspace->job, !sonde_explain_workspace_is_empty (workspace));
  gtk_widget_set_visible (workspace->switcher, workspace->has_study);
  if (workspace->has_study)
    gtk_stack_set_visible_child (GTK_STACK (workspace->stack), workspace->pages);
  else if (workspace->recorded->len > 0)
    show_recorded (workspace);
  else
    gtk_stack_set_visible_child (GTK_STACK (workspace->stack), workspace->chooser);
  sonde_explain_workspace_changed (workspace);
}

void
sonde_explain_workspace_show_study (SondeExplainWorkspace *workspace)
{
  const SondeExplainInfo *info = sonde_explain_client_get_info (workspace->client);

  sonde_explain_workspace_hide_banner (workspace);
  sonde_scores_view_reset (SONDE_SCORES_VIEW (workspace->scores));
  sonde_explain_browser_set_recorded (SONDE_EXPLAIN_BROWSER (workspace->browser), FALSE, TRUE);
  sonde_explain_browser_set_triage (SONDE_EXPLAIN_BROWSER (workspace->browser), NULL, NULL);
  sonde_explain_browser_set_items (SONDE_EXPLAIN_BROWSER (workspace->browser), workspace->items,
                                   NULL, 0, "samples");
  sonde_explain_browser_set_no_categories (SONDE_EXPLAIN_BROWSER (workspace->browser),
                                           "Reasons are looked for when all samples are predicted.",
                                           NULL, NULL);
  sonde_explain_browser_set_no_samples (SONDE_EXPLAIN_BROWSER (workspace->browser),
                                        "The model and the images are being opened.", NULL, NULL);
  show_what_there_is (workspace);
  /* What was done to the images unasked must be seen once. */
  if (info != NULL && info->notes != NULL && info->notes->len > 0)
    {
      GString *text = g_string_new (NULL);

      for (guint i = 0; i < info->notes->len; i++)
        g_string_append_printf (text, "%s%s", i > 0 ? "\n" : "",
                                (char *) g_ptr_array_index (info->notes, i));
      sonde_explain_workspace_show_banner (workspace, text->str, "OK", "explain.hide-banner",
                                           FALSE);
      g_string_free (text, TRUE);
    }
}

gboolean
sonde_explain_workspace_is_empty (SondeExplainWorkspace *workspace)
{
  return !workspace->has_study && workspace->recorded->len == 0;
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
  if (workspace->has_study)
    return;
  sonde_thumbnail_loader_reset (workspace->thumbnails);
  show_what_there_is (workspace);
  if (samples->len > 0 && workspace->cancellable == NULL) /* else it is a study that goes there */
    sonde_explain_workspace_go_where_asked (workspace);
}

void
sonde_explain_workspace_set_origin (SondeExplainWorkspace *workspace,
                                    const SondeExplanationSettings *settings, const char *sentence)
{
  g_return_if_fail (SONDE_IS_EXPLAIN_WORKSPACE (workspace));
  sonde_explain_chooser_set_settings (SONDE_EXPLAIN_CHOOSER (workspace->chooser), settings);
  if (sentence != NULL)
    sonde_explain_workspace_show_banner (workspace, sentence, "OK", "explain.hide-banner", FALSE);
}

void
sonde_explain_workspace_go_to (SondeExplainWorkspace *workspace, const char *what)
{
  g_return_if_fail (SONDE_IS_EXPLAIN_WORKSPACE (workspace));
  g_free (workspace->go_to);
  workspace->go_to = g_strdup (what);
  if (!sonde_explain_workspace_is_empty (workspace) && workspace->cancellable == NULL)
    sonde_explain_workspace_go_where_asked (workspace);
}

void
sonde_explain_workspace_offer (SondeExplainWorkspace *workspace,
                               const SondeExplanationSettings *settings)
{
  g_return_if_fail (SONDE_IS_EXPLAIN_WORKSPACE (workspace));
  sonde_explain_chooser_set_settings (SONDE_EXPLAIN_CHOOSER (workspace->chooser), settings);
  sonde_explain_chooser_set_can_cancel (SONDE_EXPLAIN_CHOOSER (workspace->chooser),
                                        !sonde_explain_workspace_is_empty (workspace));
  show_what_there_is (workspace);
  gtk_stack_set_visible_child (GTK_STACK (workspace->stack), workspace->chooser);
  gtk_widget_set_visible (workspace->job, FALSE);
}

void
sonde_explain_workspace_open (SondeExplainWorkspace *workspace,
                              const SondeExplanationSettings *settings, const char *go_to)
{
  SondeExplanationSettings *copy;

  g_return_if_fail (SONDE_IS_EXPLAIN_WORKSPACE (workspace));
  copy = sonde_explanation_settings_copy (settings);
  g_clear_pointer (&workspace->settings, sonde_explanation_settings_free);
  workspace->settings = copy;
  g_free (workspace->go_to);
  workspace->go_to = g_strdup (go_to);
  sonde_explain_workspace_begin_open (workspace);
}

gboolean
sonde_explain_workspace_is_busy (SondeExplainWorkspace *workspace)
{
  /* While it goes. */
  if (workspace->client == NULL)
    return FALSE;
  return workspace->cancellable != NULL || sonde_thumbnail_loader_is_busy (workspace->thumbnails)
         || sonde_explain_client_is_busy (workspace->client)
         || sonde_sample_view_is_busy (SONDE_SAMPLE_VIEW (workspace->view));
}

SondeExplanationSettings *
sonde_explain_workspace_dup_settings (SondeExplainWorkspace *workspace)
{
  return workspace->has_study
             ? sonde_explanation_settings_copy (workspace->settings)
             : sonde_explain_chooser_dup_settings (SONDE_EXPLAIN_CHOOSER (workspace->chooser));
}

char *
sonde_explain_workspace_dup_status (SondeExplainWorkspace *workspace)
{
  return sonde_explain_workspace_is_empty (workspace)
             ? NULL
             : sonde_explain_browser_dup_status (SONDE_EXPLAIN_BROWSER (workspace->browser));
}

SondeExplainClient *
sonde_explain_workspace_get_client (SondeExplainWorkspace *workspace)
{
  return workspace->client;
}

/* ---- hands --------------------------------------------------------------- */

static void
on_chooser_open (SondeExplainWorkspace *workspace)
{
  g_autoptr (SondeExplanationSettings) settings
      = sonde_explain_chooser_dup_settings (SONDE_EXPLAIN_CHOOSER (workspace->chooser));

  sonde_explain_workspace_open (workspace, settings, NULL);
}

static void
on_sample_shown (SondeExplainWorkspace *workspace, SondeExplainItem *item)
{
  sonde_explain_workspace_show_sample (workspace, item);
}

/* A recorded sample was asked for more than was recorded. */
static void
on_study_wanted (SondeExplainWorkspace *workspace)
{
  gtk_widget_activate_action (GTK_WIDGET (workspace), "explain.choose", NULL);
}

static void
on_model_switched (SondeExplainWorkspace *workspace, gboolean second)
{
  workspace->looks_at_second = second;
  sonde_explain_workspace_show_sample (
      workspace, sonde_explain_browser_get_sample (SONDE_EXPLAIN_BROWSER (workspace->browser)));
}

static void
on_progress (SondeExplainWorkspace *workspace, const char *what, double fraction,
             double seconds_left)
{
  if (what != NULL && workspace->cancellable != NULL)
    sonde_job_bar_progress (SONDE_JOB_BAR (workspace->job), what, fraction, seconds_left);
  sonde_explain_workspace_changed (workspace);
}

static void
on_cancelled (SondeExplainWorkspace *workspace)
{
  g_cancellable_cancel (workspace->cancellable);
}

static void
on_choose (GtkWidget *widget, const char *action, GVariant *parameter)
{
  SondeExplainWorkspace *workspace = SONDE_EXPLAIN_WORKSPACE (widget);
  g_autoptr (SondeExplanationSettings) settings = sonde_explain_workspace_dup_settings (workspace);

  if (!workspace->has_study && workspace->recorded_model != NULL)
    {
      g_free (settings->model);
      settings->model = g_strdup (workspace->recorded_model);
    }
  sonde_explain_workspace_offer (workspace, settings);
}

static void
on_reopen (GtkWidget *widget, const char *action, GVariant *parameter)
{
  SondeExplainWorkspace *workspace = SONDE_EXPLAIN_WORKSPACE (widget);

  if (workspace->settings != NULL)
    sonde_explain_workspace_begin_open (workspace);
}

static void
on_hide_banner (GtkWidget *widget, const char *action, GVariant *parameter)
{
  sonde_explain_workspace_hide_banner (SONDE_EXPLAIN_WORKSPACE (widget));
}

static void
on_predict (GtkWidget *widget, const char *action, GVariant *parameter)
{
  sonde_explain_workspace_begin_predict (SONDE_EXPLAIN_WORKSPACE (widget));
}

static void
on_triage (GtkWidget *widget, const char *action, GVariant *parameter)
{
  sonde_explain_workspace_begin_triage (SONDE_EXPLAIN_WORKSPACE (widget));
}

static void
on_maps (GtkWidget *widget, const char *action, GVariant *parameter)
{
  sonde_explain_workspace_begin_maps (SONDE_EXPLAIN_WORKSPACE (widget));
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
on_report_chosen (GtkNativeDialog *dialog, int response, SondeExplainWorkspace *workspace)
{
  g_autofree char *path = take_path (dialog, response);

  if (path != NULL)
    sonde_explain_workspace_begin_report (workspace, path);
}

static void
on_second_chosen (GtkNativeDialog *dialog, int response, SondeExplainWorkspace *workspace)
{
  g_autofree char *path = take_path (dialog, response);

  if (path != NULL)
    sonde_explain_workspace_begin_compare (workspace, path);
}

static GtkFileChooserNative *
make_dialog (SondeExplainWorkspace *workspace, const char *title, GtkFileChooserAction action,
             const char *accept)
{
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new (
      title, GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (workspace))), action, accept, NULL);

  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  return dialog;
}

static void
on_report (GtkWidget *widget, const char *action, GVariant *parameter)
{
  SondeExplainWorkspace *workspace = SONDE_EXPLAIN_WORKSPACE (widget);
  GtkFileChooserNative *dialog = make_dialog (workspace, "Export Report (.html, .pdf)",
                                              GTK_FILE_CHOOSER_ACTION_SAVE, "_Export");

  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), "report.html");
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_report_chosen), workspace, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

static void
on_compare (GtkWidget *widget, const char *action, GVariant *parameter)
{
  SondeExplainWorkspace *workspace = SONDE_EXPLAIN_WORKSPACE (widget);
  GtkFileChooserNative *dialog
      = make_dialog (workspace, "Second Model", GTK_FILE_CHOOSER_ACTION_OPEN, "_Compare");

  if (workspace->settings != NULL)
    {
      g_autoptr (GFile) model = g_file_new_for_path (workspace->settings->model);
      g_autoptr (GFile) folder = g_file_get_parent (model);

      if (folder != NULL)
        gtk_file_chooser_set_current_folder (GTK_FILE_CHOOSER (dialog), folder, NULL);
    }
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_second_chosen), workspace, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

/* A model that is dropped while a study is open: its form, or the second model. */
static gboolean
on_drop (GtkDropTarget *target, const GValue *value, double x, double y,
         SondeExplainWorkspace *workspace)
{
  GSList *files = g_value_get_boxed (value);
  gboolean taken = FALSE;

  if (gtk_stack_get_visible_child (GTK_STACK (workspace->stack)) != workspace->chooser)
    on_choose (GTK_WIDGET (workspace), NULL, NULL);
  for (GSList *link = files; link != NULL; link = link->next)
    taken = sonde_explain_chooser_take_file (SONDE_EXPLAIN_CHOOSER (workspace->chooser), link->data)
            || taken;
  return taken;
}

/* ---- widget -------------------------------------------------------------- */

static GtkWidget *
make_bar (SondeExplainWorkspace *self)
{
  GtkWidget *bar = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6),
            *content = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *space = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);

  self->switcher = gtk_stack_switcher_new ();
  gtk_stack_switcher_set_stack (GTK_STACK_SWITCHER (self->switcher), GTK_STACK (self->pages));
  gtk_widget_add_css_class (self->switcher, "small-switcher");
  gtk_widget_set_valign (self->switcher, GTK_ALIGN_CENTER);
  self->title_label = gtk_label_new (NULL);
  gtk_label_set_ellipsize (GTK_LABEL (self->title_label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_box_append (GTK_BOX (content), self->title_label);
  gtk_box_append (GTK_BOX (content), gtk_image_new_from_icon_name ("pan-down-symbolic"));
  self->title = gtk_button_new ();
  gtk_button_set_child (GTK_BUTTON (self->title), content);
  gtk_widget_add_css_class (self->title, "flat");
  gtk_widget_set_tooltip_text (self->title, "Another model, other images");
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->title), "explain.choose");
  self->report = gtk_button_new_with_label ("Report…");
  gtk_widget_add_css_class (self->report, "flat");
  gtk_widget_set_tooltip_text (self->report,
                               "Accuracy, confusions, reasons and maps as one HTML or PDF file");
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->report), "explain.report");
  gtk_widget_set_hexpand (space, TRUE);
  gtk_box_append (GTK_BOX (bar), self->title);
  gtk_box_append (GTK_BOX (bar), space);
  gtk_box_append (GTK_BOX (bar), self->switcher);
  gtk_box_append (GTK_BOX (bar), self->report);
  gtk_widget_add_css_class (bar, "page-bar");
  gtk_widget_set_visible (bar, FALSE);
  return bar;
}

static GtkWidget *
make_banner (SondeExplainWorkspace *self)
{
  self->banner = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  self->banner_text = gtk_label_new (NULL);
  gtk_label_set_wrap (GTK_LABEL (self->banner_text), TRUE);
  gtk_label_set_xalign (GTK_LABEL (self->banner_text), 0);
  gtk_widget_set_hexpand (self->banner_text, TRUE);
  self->banner_button = gtk_button_new ();
  gtk_widget_set_valign (self->banner_button, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (self->banner_button, "small-toggle");
  gtk_box_append (GTK_BOX (self->banner), self->banner_text);
  gtk_box_append (GTK_BOX (self->banner), self->banner_button);
  gtk_widget_add_css_class (self->banner, "explain-banner");
  gtk_widget_set_visible (self->banner, FALSE);
  return self->banner;
}

static void
sonde_explain_workspace_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  g_value_set_boolean (value, sonde_explain_workspace_is_busy (SONDE_EXPLAIN_WORKSPACE (object)));
}

static void
sonde_explain_workspace_dispose (GObject *object)
{
  SondeExplainWorkspace *self = SONDE_EXPLAIN_WORKSPACE (object);

  g_clear_handle_id (&self->partial_source, g_source_remove);
  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  if (self->client != NULL)
    {
      g_signal_handlers_disconnect_by_data (self->client, self);
      g_signal_handlers_disconnect_by_data (self->thumbnails, self);
      sonde_thumbnail_loader_reset (self->thumbnails);
      sonde_explain_client_close (self->client);
    }
  if (self->second != NULL)
    sonde_explain_client_close (self->second);
  g_clear_object (&self->client);
  g_clear_object (&self->second);
  g_clear_object (&self->thumbnails);
  G_OBJECT_CLASS (sonde_explain_workspace_parent_class)->dispose (object);
}

static void
sonde_explain_workspace_finalize (GObject *object)
{
  SondeExplainWorkspace *self = SONDE_EXPLAIN_WORKSPACE (object);

  g_clear_pointer (&self->settings, sonde_explanation_settings_free);
  g_clear_pointer (&self->rows, g_ptr_array_unref);
  g_clear_pointer (&self->second_rows, g_ptr_array_unref);
  g_clear_pointer (&self->triage, sonde_triage_result_free);
  g_ptr_array_unref (self->partial);
  g_ptr_array_unref (self->items);
  g_ptr_array_unref (self->recorded);
  g_free (self->recorded_model);
  g_free (self->second_model);
  g_free (self->go_to);
  g_free (self->program);
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
    { "explain.choose", on_choose },           { "explain.reopen", on_reopen },
    { "explain.hide-banner", on_hide_banner }, { "explain.predict", on_predict },
    { "explain.triage", on_triage },           { "explain.maps", on_maps },
    { "explain.report", on_report },           { "explain.compare", on_compare },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (actions); i++)
    gtk_widget_class_install_action (widget, actions[i].name, NULL, actions[i].activate);
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
  install_actions (GTK_WIDGET_CLASS (klass));
}

static void
make_study (SondeExplainWorkspace *self)
{
  self->client = sonde_explain_client_new ();
  self->thumbnails = sonde_thumbnail_loader_new (self->client);
  g_signal_connect_swapped (self->client, "progress", G_CALLBACK (on_progress), self);
  g_signal_connect_swapped (self->client, "rows", G_CALLBACK (sonde_explain_workspace_on_rows),
                            self);
  g_signal_connect_swapped (self->client, "lost", G_CALLBACK (sonde_explain_workspace_on_lost),
                            self);
  g_signal_connect_swapped (self->thumbnails, "notify::busy",
                            G_CALLBACK (sonde_explain_workspace_changed), self);
}

static void
sonde_explain_workspace_init (SondeExplainWorkspace *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkDropTarget *drop = gtk_drop_target_new (GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);

  self->items = g_ptr_array_new_with_free_func (g_object_unref);
  self->partial = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_sample_result_free);
  self->recorded = g_ptr_array_new_with_free_func (g_object_unref);
  make_study (self);
  self->view = sonde_sample_view_new (self->client);
  self->views = gtk_stack_new ();
  gtk_stack_add_child (GTK_STACK (self->views), self->view);
  self->browser = sonde_explain_browser_new ();
  sonde_explain_browser_set_sample_view (SONDE_EXPLAIN_BROWSER (self->browser), self->views);
  sonde_explain_browser_set_thumbnails (SONDE_EXPLAIN_BROWSER (self->browser), self->thumbnails);
  self->scores = sonde_scores_view_new (self->client);
  self->self_test = sonde_self_test_view_new (self->client);
  self->pages = gtk_stack_new ();
  gtk_stack_set_hhomogeneous (GTK_STACK (self->pages), FALSE);
  gtk_stack_add_titled (GTK_STACK (self->pages), self->browser, "misclassifications",
                        "Misclassifications");
  gtk_stack_add_titled (GTK_STACK (self->pages), self->scores, "scores", "Scores");
  gtk_stack_add_titled (GTK_STACK (self->pages), self->self_test, "self-test", "Self-Test");
  self->chooser = sonde_explain_chooser_new ();
  self->job = sonde_job_bar_new ();
  self->stack = gtk_stack_new ();
  gtk_stack_add_child (GTK_STACK (self->stack), self->chooser);
  gtk_stack_add_child (GTK_STACK (self->stack), self->pages);
  gtk_widget_set_vexpand (self->stack, TRUE);
  gtk_box_append (GTK_BOX (box), make_bar (self));
  gtk_box_append (GTK_BOX (box), make_banner (self));
  gtk_box_append (GTK_BOX (box), self->stack);
  gtk_box_append (GTK_BOX (box), self->job);
  adw_bin_set_child (ADW_BIN (self), box);
  g_signal_connect_object (self->chooser, "open", G_CALLBACK (on_chooser_open), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->chooser, "cancelled", G_CALLBACK (show_what_there_is), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->browser, "sample-shown", G_CALLBACK (on_sample_shown), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->browser, "model-switched", G_CALLBACK (on_model_switched), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->browser, "status-changed",
                           G_CALLBACK (sonde_explain_workspace_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->view, "study-wanted", G_CALLBACK (on_study_wanted), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->view, "busy-changed", G_CALLBACK (sonde_explain_workspace_changed),
                           self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->job, "cancelled", G_CALLBACK (on_cancelled), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect (drop, "drop", G_CALLBACK (on_drop), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drop));
  show_what_there_is (self);
}

GtkWidget *
sonde_explain_workspace_new (const char *program)
{
  SondeExplainWorkspace *self = g_object_new (SONDE_TYPE_EXPLAIN_WORKSPACE, NULL);

  self->program = g_strdup (program);
  sonde_explain_client_set_program (self->client, program);
  return GTK_WIDGET (self);
}
