/* SPDX-License-Identifier: Apache-2.0
 * Windows of searches and comparisons: the form, the reply as a list. */
#include "app/debugger/dialogs/sonde-debug-analysis.h"

#include <adwaita.h>

#include "app/debugger/sonde-debug-widgets.h"
#include "app/debugger/dialogs/sonde-debug-analysis-results.h"
#include "app/widgets/sonde-file-dialog.h"
#include "data/base/sonde-error.h"
#include "engine/frontend/sonde-debug-analysis-form.h"
#include "engine/frontend/sonde-debug-step-findings.h"

#define RESOURCE "/org/sonde/Sonde/debugger/dialogs/sonde-debug-analysis.ui"
#define PULSE_MS 100
#define MAX_FIELDS SONDE_DEBUG_ANALYSIS_MAX_FIELDS

#define SONDE_TYPE_DEBUG_ANALYSIS (sonde_debug_analysis_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebugAnalysis, sonde_debug_analysis, SONDE, DEBUG_ANALYSIS, AdwWindow)

/* Adds the rows of a reply to a list. Returns: the verdict in a sentence. (transfer full) */
typedef char *(*ShowFunc) (GtkWidget *list, const SondeSessionReply *reply);

struct _SondeDebugAnalysis
{
  AdwWindow parent_instance;

  SondeDebugSession *session;
  const SondeDebugAnalysisForm *form;
  ShowFunc show;
  GtkWidget *sentence, *grid, *fields[MAX_FIELDS];
  GtkWidget *run, *cancel, *spinner, *progress, *verdict, *results;
  gboolean busy;
  GCancellable *cancellable; /* (nullable): of a command */
  guint pulse;
};

G_DEFINE_FINAL_TYPE (SondeDebugAnalysis, sonde_debug_analysis, ADW_TYPE_WINDOW)

/* ---- asking -------------------------------------------------------------- */

/* Borrows from the fields. */
static SondeDebugAnalysisInput
read_fields (SondeDebugAnalysis *self)
{
  SondeDebugAnalysisInput input = { 0 };

  for (int i = 0; i < MAX_FIELDS && self->fields[i] != NULL; i++)
    if (GTK_IS_DROP_DOWN (self->fields[i]))
      input.choices[i] = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->fields[i]));
    else
      input.texts[i] = gtk_editable_get_text (GTK_EDITABLE (self->fields[i]));
  return input;
}

static void
show_verdict (SondeDebugAnalysis *self, const char *sentence, gboolean is_error)
{
  gtk_label_set_text (GTK_LABEL (self->verdict), sentence);
  if (is_error)
    gtk_widget_add_css_class (self->verdict, "error");
  else
    gtk_widget_remove_css_class (self->verdict, "error");
}

static void
on_progress (SondeDebugAnalysis *self, const char *text, double fraction)
{
  if (!self->busy)
    return;
  gtk_label_set_text (GTK_LABEL (self->verdict), text);
  if (fraction >= 0)
    gtk_progress_bar_set_fraction (GTK_PROGRESS_BAR (self->progress), MIN (fraction, 1));
}

/* A command says nothing of how far it is. */
static gboolean
on_pulse (gpointer dialog)
{
  gtk_progress_bar_pulse (GTK_PROGRESS_BAR (SONDE_DEBUG_ANALYSIS (dialog)->progress));
  return G_SOURCE_CONTINUE;
}

static void
set_busy (SondeDebugAnalysis *self, gboolean busy)
{
  g_clear_handle_id (&self->pulse, g_source_remove);
  self->busy = busy;
  gtk_widget_set_opacity (self->progress, busy ? 1 : 0); /* its room stays */
  gtk_progress_bar_set_fraction (GTK_PROGRESS_BAR (self->progress), 0);
  gtk_widget_set_visible (self->cancel, busy);
  gtk_widget_set_visible (self->run, !busy);
  gtk_spinner_set_spinning (GTK_SPINNER (self->spinner), busy);
  for (int i = 0; i < MAX_FIELDS && self->fields[i] != NULL; i++)
    gtk_widget_set_sensitive (self->fields[i], !busy);
  gtk_widget_grab_focus (busy ? self->cancel : self->run);
}

/* The pictures of the graph show it, too. */
static void
take_findings (SondeDebugAnalysis *self, const SondeSessionReply *reply)
{
  if (reply->kind == SONDE_SESSION_REPLY_DIVERGENCE)
    sonde_debug_session_take_divergence (self->session, reply->divergence);
  else if (reply->kind == SONDE_SESSION_REPLY_PRECISION)
    sonde_debug_session_take_precision (self->session, reply->precision);
}

/* @reply: (nullable) */
static void
show_answer (SondeDebugAnalysis *self, const SondeSessionReply *reply, const GError *error)
{
  g_autofree char *verdict = NULL;

  if (self->session == NULL)
    return;
  set_busy (self, FALSE);
  sonde_debug_list_clear (self->results);
  verdict
      = reply != NULL ? self->show (self->results, reply) : g_strdup (sonde_error_get_text (error));
  show_verdict (self, verdict, reply == NULL);
  if (reply != NULL)
    take_findings (self, reply);
  sonde_debug_session_touch (self->session);
}

static void
on_answer (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeDebugAnalysis) self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionReply) reply
      = sonde_session_client_send_finish (SONDE_SESSION_CLIENT (source), result, &error);

  show_answer (self, reply, error);
}

static void
on_command_answer (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeDebugAnalysis) self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeCommandResult) answer
      = sonde_command_runner_run_finish (SONDE_COMMAND_RUNNER (source), result, &error);
  const SondeSessionReply reply
      = { .kind = SONDE_SESSION_REPLY_DIVERGENCE,
          .divergence = answer != NULL && answer->kind == SONDE_COMMAND_RESULT_DIVERGENCE
                            ? answer->divergence
                            : NULL };

  show_answer (self, reply.divergence != NULL ? &reply : NULL, error);
}

static void
send_request (SondeDebugAnalysis *self, SondeSessionRequest *request)
{
  show_verdict (self, _ ("Searching…"), FALSE);
  set_busy (self, TRUE);
  g_object_ref (self);
  if (sonde_debug_session_send (self->session, request, NULL, on_answer, self))
    return;
  set_busy (self, FALSE);
  g_object_unref (self);
}

/* It is queued behind what was typed in the console. */
static void
run_command (SondeDebugAnalysis *self, SondeCommand *command)
{
  SondeCommandRunner *runner = sonde_debug_session_get_console (self->session);

  if (runner == NULL)
    {
      sonde_command_free (command);
      return;
    }
  show_verdict (self, _ ("Comparing…"), FALSE);
  set_busy (self, TRUE);
  self->pulse = g_timeout_add (PULSE_MS, on_pulse, self);
  g_clear_object (&self->cancellable);
  self->cancellable = g_cancellable_new ();
  sonde_command_runner_run_async (runner, command, self->cancellable, on_command_answer,
                                  g_object_ref (self));
}

static void
on_run (SondeDebugAnalysis *self)
{
  g_autoptr (GError) error = NULL;
  SondeDebugAnalysisInput input = read_fields (self);
  SondeSessionRequest *request = NULL;
  SondeCommand *command = NULL;

  if (self->form->make_command != NULL)
    command = sonde_debug_analysis_form_make_command (self->form, &input, &error);
  else
    request = sonde_debug_analysis_form_make_request (self->form, &input, &error);
  if (error != NULL)
    show_verdict (self, sonde_error_get_text (error), TRUE);
  else if (command != NULL)
    run_command (self, command);
  else
    send_request (self, request);
}

static void
give_up (SondeDebugAnalysis *self)
{
  if (self->form->make_command != NULL)
    g_cancellable_cancel (self->cancellable);
  else
    sonde_debug_session_pause (self->session); /* ends a search */
}

static void
on_cancel (SondeDebugAnalysis *self)
{
  gtk_label_set_text (GTK_LABEL (self->verdict), _ ("Stopping…"));
  give_up (self);
}

/* @name: (nullable); @made_by: (nullable) */
static void
focus_module (SondeDebugAnalysis *self, const char *name, const char *made_by)
{
  guint position = name != NULL ? sonde_debug_step_findings_find (
                       sonde_debug_session_get_steps (self->session), name, made_by)
                                : SONDE_DEBUG_NO_STEP;

  if (position != SONDE_DEBUG_NO_STEP)
    sonde_debug_session_set_focus (self->session, position);
}

static void
on_row_activated (SondeDebugAnalysis *self, GtkListBoxRow *row)
{
  const char *node = g_object_get_data (G_OBJECT (row), "node"),
             *value = g_object_get_data (G_OBJECT (row), "value");

  if (self->form->make_command != NULL)
    focus_module (self, node, g_object_get_data (G_OBJECT (row), "made-by"));
  else if (node == NULL || !sonde_debug_session_focus_name (self->session, node))
    sonde_debug_session_focus_name (self->session, value);
  if (value != NULL)
    sonde_debug_session_show_value (self->session, value);
}

/* ---- files --------------------------------------------------------------- */

static void
on_file_chosen (GtkNativeDialog *dialog, int response, GtkEditable *entry)
{
  g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
  g_autofree char *path = file != NULL ? g_file_get_path (file) : NULL;

  if (response == GTK_RESPONSE_ACCEPT && path != NULL)
    gtk_editable_set_text (entry, path);
  g_object_unref (dialog);
}

/* For the entry that the button belongs to. */
static void
on_browse (SondeDebugAnalysis *self, GtkWidget *button)
{
  GtkWidget *entry = g_object_get_data (G_OBJECT (button), "entry");
  SondeDebugAnalysisInput input = read_fields (self);
  gboolean is_folder = self->form->wants_folder != NULL && self->form->wants_folder (&input);
  GtkFileChooserNative *dialog = sonde_file_dialog_new (
      is_folder ? _ ("Choose a Folder") : _ ("Choose a File"), GTK_WINDOW (self),
      is_folder ? GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER : GTK_FILE_CHOOSER_ACTION_OPEN, _ ("_Use"));

  g_signal_connect_object (dialog, "response", G_CALLBACK (on_file_chosen), entry, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

/* The entry with a button beside it. */
static GtkWidget *
add_browse (SondeDebugAnalysis *self, GtkWidget *entry)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *button = sonde_debug_icon_button ("document-open-symbolic", _ ("Choose…"), NULL, NULL);

  g_object_set_data (G_OBJECT (button), "entry", entry);
  g_signal_connect_object (button, "clicked", G_CALLBACK (on_browse), self, G_CONNECT_SWAPPED);
  gtk_box_append (GTK_BOX (box), entry);
  gtk_box_append (GTK_BOX (box), button);
  return box;
}

/* ---- the window ---------------------------------------------------------- */

static GtkWidget *
make_field (const SondeDebugAnalysisField *field)
{
  GtkStringList *words;

  if (field->choices == NULL)
    return sonde_debug_entry (_ (field->words),
                              field->placeholder != NULL ? _ (field->placeholder) : NULL);
  words = gtk_string_list_new (NULL);
  for (gsize i = 0; field->choices[i] != NULL; i++)
    gtk_string_list_append (words, _ (field->choices[i]));
  return gtk_drop_down_new (G_LIST_MODEL (words), NULL);
}

static void
fill (SondeDebugAnalysis *self, const SondeDebugAnalysisForm *form)
{
  self->form = form;
  gtk_window_set_title (GTK_WINDOW (self), _ (form->title));
  gtk_button_set_label (GTK_BUTTON (self->run), _ (form->button));
  gtk_label_set_text (GTK_LABEL (self->sentence), _ (form->sentence));
  for (int i = 0; i < MAX_FIELDS && form->fields[i].words != NULL; i++)
    {
      self->fields[i] = make_field (&form->fields[i]);
      if (GTK_IS_ENTRY (self->fields[i]))
        g_signal_connect_swapped (self->fields[i], "activate", G_CALLBACK (on_run), self);
      sonde_debug_attach (self->grid, i, _ (form->fields[i].words),
                          form->fields[i].is_path ? add_browse (self, self->fields[i])
                                                  : self->fields[i]);
    }
}

/* A search that nobody waits for any more ends. */
static void
sonde_debug_analysis_dispose (GObject *object)
{
  SondeDebugAnalysis *self = SONDE_DEBUG_ANALYSIS (object);

  g_clear_handle_id (&self->pulse, g_source_remove);
  if (self->session != NULL && self->busy)
    give_up (self);
  g_clear_object (&self->cancellable);
  if (self->session != NULL)
    g_signal_handlers_disconnect_by_data (self->session, self);
  g_clear_object (&self->session);
  G_OBJECT_CLASS (sonde_debug_analysis_parent_class)->dispose (object);
}

static void
sonde_debug_analysis_class_init (SondeDebugAnalysisClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_debug_analysis_dispose;
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugAnalysis, sentence);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugAnalysis, grid);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugAnalysis, run);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugAnalysis, cancel);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugAnalysis, spinner);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugAnalysis, progress);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugAnalysis, verdict);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugAnalysis, results);
  gtk_widget_class_bind_template_callback (widget_class, on_run);
  gtk_widget_class_bind_template_callback (widget_class, on_cancel);
  gtk_widget_class_bind_template_callback (widget_class, on_row_activated);
}

static void
sonde_debug_analysis_init (SondeDebugAnalysis *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

/* The node that is looked at, else the last that was executed; what the plan adds between nodes, as
 * conversions of layout, is none. (nullable) */
static const char *
executed_node (SondeDebugSession *session)
{
  const SondeSessionStatus *status = sonde_debug_session_get_status (session);
  SondeDebugSteps *steps = sonde_debug_session_get_steps (session);
  SondeGraph *graph = sonde_debug_session_get_graph (session);
  guint focus = sonde_debug_session_get_focus (session);

  if (focus != SONDE_DEBUG_NO_STEP)
    return sonde_debug_steps_get_name (steps, focus);
  for (guint i = status != NULL ? sonde_stop_get_outermost (&status->stop) : 0; i > 0; i--)
    {
      const char *name = sonde_debug_steps_get_name (steps, i - 1);

      if (name != NULL && graph != NULL && sonde_graph_find_node (graph, name) != NULL)
        return name;
    }
  return NULL;
}

/* By the name of the form. */
static const struct
{
  const char *name;
  ShowFunc show;
} results[] = {
  { "origin", sonde_debug_analysis_results_show_origin },
  { "diverge", sonde_debug_analysis_results_show_divergence },
  { "diverge-step", sonde_debug_analysis_results_show_divergence },
  { "reduce", sonde_debug_analysis_results_show_reduction },
  { "precision", sonde_debug_analysis_results_show_precision },
  { "diff", sonde_debug_analysis_results_show_differences },
  { "rerun", sonde_debug_analysis_results_show_rerun },
};

/* What is looked at is what is most probably asked about. */
static void
propose (SondeDebugAnalysis *self, const char *value)
{
  const char *node = executed_node (self->session), *name = self->form->name;

  if ((g_str_equal (name, "origin") || g_str_equal (name, "diff")) && value != NULL)
    gtk_editable_set_text (GTK_EDITABLE (self->fields[0]), value);
  if (g_str_equal (name, "rerun") && node != NULL)
    gtk_editable_set_text (GTK_EDITABLE (self->fields[0]), node);
}

/* A step of another program is compared otherwise: nothing of it runs a second time. */
static const char *
choose_form (SondeDebugSession *session, const char *name)
{
  const SondeSessionStatus *status = sonde_debug_session_get_status (session);

  return g_str_equal (name, "diverge") && status != NULL
                 && status->facts.kind == SONDE_ACTIVITY_PYTORCH
             ? "diverge-step"
             : name;
}

void
sonde_debug_analysis_open (GtkWidget *parent, SondeDebugSession *session, const char *name,
                           const char *value)
{
  const SondeDebugAnalysisForm *form = sonde_debug_analysis_form_find (choose_form (session, name));
  SondeDebugAnalysis *self;

  g_return_if_fail (form != NULL);
  self = g_object_new (SONDE_TYPE_DEBUG_ANALYSIS, NULL);
  self->session = g_object_ref (session);
  fill (self, form);
  for (gsize i = 0; i < G_N_ELEMENTS (results); i++)
    if (g_str_equal (results[i].name, form->name))
      self->show = results[i].show;
  gtk_window_set_transient_for (GTK_WINDOW (self), GTK_WINDOW (gtk_widget_get_root (parent)));
  g_signal_connect_swapped (session, "progress", G_CALLBACK (on_progress), self);
  propose (self, value);
  gtk_window_present (GTK_WINDOW (self));
}
