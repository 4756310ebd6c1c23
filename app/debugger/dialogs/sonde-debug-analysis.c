/* SPDX-License-Identifier: Apache-2.0
 * Windows of searches and comparisons: a form, the request made of it, the reply as a list. */
#include "app/debugger/dialogs/sonde-debug-analysis.h"

#include <adwaita.h>
#include <math.h>

#include "app/debugger/sonde-debug-widgets.h"
#include "app/debugger/dialogs/sonde-debug-analysis-results.h"
#include "data/base/sonde-error.h"

#define RESOURCE "/org/sonde/Sonde/debugger/dialogs/sonde-debug-analysis.ui"
#define MAX_FIELDS 3

/* One field of a form; all texts are message ids. @choices: (nullable) (array zero-terminated=1): of a
 * drop-down; NULL: it is an entry. @required: it must not be left empty */
typedef struct
{
  const char *words, *placeholder;
  const char *const *choices;
  gboolean required;
} Field;

#define SONDE_TYPE_DEBUG_ANALYSIS (sonde_debug_analysis_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebugAnalysis, sonde_debug_analysis, SONDE, DEBUG_ANALYSIS, AdwWindow)

/**
 * Task: one window; @title, @button and @sentence are message ids
 * @make: the request that the fields ask for. Errors: INVALID. Returns: (transfer full)
 * @show: adds the rows of the reply to a list. Returns: the verdict in a sentence. (transfer full)
 */
typedef struct
{
  const char *name, *title, *button, *sentence;
  SondeSessionRequest *(*make) (SondeDebugAnalysis *self, GError **error);
  char *(*show) (GtkWidget *list, const SondeSessionReply *reply);
  Field fields[MAX_FIELDS];
} Task;

struct _SondeDebugAnalysis
{
  AdwWindow parent_instance;

  SondeDebugSession *session;
  const Task *task;
  GtkWidget *sentence, *grid, *fields[MAX_FIELDS];
  GtkWidget *run, *cancel, *spinner, *progress, *verdict, *results;
  gboolean busy;
};

G_DEFINE_FINAL_TYPE (SondeDebugAnalysis, sonde_debug_analysis, ADW_TYPE_WINDOW)

/* ---- fields -------------------------------------------------------------- */

/* What was typed, without blanks around. (transfer full) (nullable): nothing */
static char *
dup_text (SondeDebugAnalysis *self, int field)
{
  g_autofree char *text
      = g_strstrip (g_strdup (gtk_editable_get_text (GTK_EDITABLE (self->fields[field]))));

  return *text != '\0' ? g_steal_pointer (&text) : NULL;
}

static guint
get_choice (SondeDebugAnalysis *self, int field)
{
  return gtk_drop_down_get_selected (GTK_DROP_DOWN (self->fields[field]));
}

/* The engine may have another working directory. (transfer full) (nullable): nothing was typed */
static char *
dup_path (SondeDebugAnalysis *self, int field)
{
  g_autofree char *text = dup_text (self, field);

  return text != NULL ? g_canonicalize_filename (text, NULL) : NULL;
}

/* "file:F.npy" and "VALUE@run:FOLDER" with absolute paths, others as they are. (transfer full)
 * (nullable) */
static char *
dup_operand (SondeDebugAnalysis *self, int field)
{
  static const char *const marks[] = { "file:", "@run:" };
  g_autofree char *text = dup_text (self, field);

  for (gsize i = 0; text != NULL && i < G_N_ELEMENTS (marks); i++)
    {
      const char *found = strstr (text, marks[i]);
      g_autofree char *path = found != NULL && (i > 0 || found == text)
                                  ? g_canonicalize_filename (found + strlen (marks[i]), NULL)
                                  : NULL;

      if (path != NULL)
        return g_strdup_printf ("%.*s%s%s", (int) (found - text), text, marks[i], path);
    }
  return g_steal_pointer (&text);
}

/* @number: unchanged when nothing was typed. @is_given: (optional) (out) */
static gboolean
read_number (SondeDebugAnalysis *self, int field, double *number, gboolean *is_given,
             GError **error)
{
  g_autofree char *text = dup_text (self, field);
  char *end = NULL;
  double value = text != NULL ? g_ascii_strtod (text, &end) : 0;

  if (is_given != NULL)
    *is_given = text != NULL;
  if (text == NULL)
    return TRUE;
  if (end != text && *end == '\0' && value >= 0 && isfinite (value))
    {
      *number = value;
      return TRUE;
    }
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "“%s” is not a tolerance: enter a number of 0 or more, such as 1e-3.", text);
  return FALSE;
}

/* ---- requests ------------------------------------------------------------ */

static SondeSessionRequest *
make_origin (SondeDebugAnalysis *self, GError **error)
{
  g_autofree char *value = dup_text (self, 0);

  return sonde_session_request_origin (value);
}

/* What a run is compared with. */
typedef enum
{
  WITH_FLOAT64,
  WITH_BFLOAT16,
  WITH_FLOAT16,
  WITH_REFERENCE_KERNELS,
  WITH_UNOPTIMISED_GRAPH,
  WITH_MODEL,
  WITH_FILE,
  WITH_DEVICE,
} With;

static const char *const diverge_choices[] = { [WITH_FLOAT64] = "float64",
                                               [WITH_BFLOAT16] = "bfloat16",
                                               [WITH_FLOAT16] = "float16",
                                               [WITH_REFERENCE_KERNELS] = N_ ("Reference kernels"),
                                               [WITH_UNOPTIMISED_GRAPH] = N_ ("Unoptimized graph"),
                                               [WITH_MODEL] = N_ ("Another model file"),
                                               [WITH_FILE] = N_ ("Values from a file (.npz)"),
                                               [WITH_DEVICE] = N_ ("Another device"),
                                               NULL };

static SondeSessionRequest *
make_diverge (SondeDebugAnalysis *self, GError **error)
{
  static const char *const precisions[]
      = { [WITH_FLOAT64] = "f64", [WITH_BFLOAT16] = "bf16", [WITH_FLOAT16] = "f16" };
  With with = get_choice (self, 0);
  g_autofree char *name = dup_text (self, 1), *path = dup_path (self, 1);
  SondeDivergeRequest diverge = { .optimise_off = with == WITH_UNOPTIMISED_GRAPH };

  if (with >= WITH_MODEL && name == NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "Enter the file or device to compare with.");
      return NULL;
    }
  if (!read_number (self, 2, &diverge.rtol, &diverge.has_rtol, error))
    return NULL;
  if (with <= WITH_FLOAT16)
    diverge.precision = precisions[with];
  else if (with == WITH_REFERENCE_KERNELS)
    diverge.device = "reference";
  else if (with == WITH_MODEL)
    diverge.model_path = path;
  else if (with == WITH_FILE)
    diverge.tensors_path = path;
  else if (with == WITH_DEVICE)
    diverge.device = name;
  return sonde_session_request_diverge (&diverge);
}

static SondeSessionRequest *
make_reduce (SondeDebugAnalysis *self, GError **error)
{
  g_autofree char *path = dup_path (self, 0);

  if (g_str_has_suffix (path, ".onnx"))
    return sonde_session_request_reduce (NULL, path);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "Enter a file name that ends in .onnx.");
  return NULL;
}

static const char *const half_choices[] = { "bfloat16", "float16", NULL };

static SondeSessionRequest *
make_precision (SondeDebugAnalysis *self, GError **error)
{
  static const char *const precisions[] = { "bf16", "f16" };
  g_autofree char *path = dup_path (self, 0);
  double tolerance = 0;

  if (!read_number (self, 1, &tolerance, NULL, error))
    return NULL;
  if (g_str_has_suffix (path, ".ini"))
    return sonde_session_request_precision (path, precisions[get_choice (self, 2)], tolerance,
                                            NULL);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "Enter a file name that ends in .ini.");
  return NULL;
}

static SondeSessionRequest *
make_diff (SondeDebugAnalysis *self, GError **error)
{
  g_autofree char *a = dup_operand (self, 0), *b = dup_operand (self, 1);

  return sonde_session_request_diff (a, b);
}

typedef enum
{
  RERUN_FLOAT64,
  RERUN_BFLOAT16,
  RERUN_FLOAT16,
  RERUN_REFERENCE,
  RERUN_DEVICE,
} Rerun;

static const char *const rerun_choices[] = {
  [RERUN_FLOAT64] = N_ ("In float64"),       [RERUN_BFLOAT16] = N_ ("In bfloat16"),
  [RERUN_FLOAT16] = N_ ("In float16"),       [RERUN_REFERENCE] = N_ ("With the reference kernel"),
  [RERUN_DEVICE] = N_ ("On another device"), NULL
};

static SondeSessionRequest *
make_rerun (SondeDebugAnalysis *self, GError **error)
{
  static const char *const precisions[]
      = { [RERUN_FLOAT64] = "f64", [RERUN_BFLOAT16] = "bf16", [RERUN_FLOAT16] = "f16" };
  Rerun how = get_choice (self, 1);
  g_autofree char *node = dup_text (self, 0), *device = dup_text (self, 2);
  SondeRerunOptions spec = { .node = node };

  if (how == RERUN_DEVICE && device == NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "Enter the name of the device.");
      return NULL;
    }
  if (how <= RERUN_FLOAT16)
    spec.precision = precisions[how];
  else
    spec.device = how == RERUN_REFERENCE ? "reference" : device;
  return sonde_session_request_rerun (&spec);
}

/* ---- the windows --------------------------------------------------------- */

static const Task tasks[] = {
  { "origin",
    N_ ("Origin of NaN or Infinity"),
    N_ ("Search"),
    N_ ("Traces a NaN or infinite element back through the elements it was computed from to the "
        "first node that produced one."),
    make_origin,
    sonde_debug_analysis_results_show_origin,
    { { N_ ("Element"), N_ ("value[0, 3, 7], or a value for its first bad element"), NULL,
        TRUE } } },
  { "diverge",
    N_ ("First Divergent Node"),
    N_ ("Search"),
    N_ ("Runs the network a second time under different conditions and compares every value. A "
        "node’s own error is the error it adds when its inputs are exact; the rest is inherited."),
    make_diverge,
    sonde_debug_analysis_results_show_divergence,
    { { N_ ("Compare with"), NULL, diverge_choices },
      { N_ ("File or device"), N_ ("only if the comparison needs one"), NULL },
      { N_ ("Tolerance"), N_ ("relative; the default depends on the element type"), NULL } } },
  { "reduce",
    N_ ("Minimal Failing Case"),
    N_ ("Search"),
    N_ ("Removes everything that is not needed to reproduce the failure and writes what is left: a "
        "model, its inputs and a command."),
    make_reduce,
    sonde_debug_analysis_results_show_reduction,
    { { N_ ("Write to"), "/tmp/failing.onnx", NULL, TRUE } } },
  { "precision",
    N_ ("Mixed-Precision Search"),
    N_ ("Search"),
    N_ ("Finds the smallest set of nodes that must stay in float32 to keep the outputs within the "
        "tolerance, and writes it as a recipe."),
    make_precision,
    sonde_debug_analysis_results_show_precision,
    { { N_ ("Write to"), "/tmp/precision.ini", NULL, TRUE },
      { N_ ("Tolerance"), N_ ("relative, of the outputs, such as 0.01"), NULL, TRUE },
      { N_ ("Type of other nodes"), NULL, half_choices } } },
  { "diff",
    N_ ("Compare Values or Branches"),
    N_ ("Compare"),
    N_ ("Compares two branches value by value, or two values; the second is the reference. A "
        "single "
        "branch is compared with the current one."),
    make_diff,
    sonde_debug_analysis_results_show_differences,
    { { N_ ("First"), N_ ("a branch, a value or an expression"), NULL, TRUE },
      { N_ ("Second"), N_ ("another branch, VALUE@2, VALUE@prev, file:F.npy"), NULL } } },
  { "rerun",
    N_ ("Re-Run Node"),
    N_ ("Run"),
    N_ ("Runs the node again on the same inputs under different conditions. The session does not "
        "change."),
    make_rerun,
    sonde_debug_analysis_results_show_rerun,
    { { N_ ("Node"), N_ ("name of the node"), NULL, TRUE },
      { N_ ("Conditions"), NULL, rerun_choices },
      { N_ ("Device"), N_ ("only to run on another device"), NULL } } },
};

/* ---- asking -------------------------------------------------------------- */

/* Errors: INVALID for a field that was left empty, and those of the task. (transfer full) */
static SondeSessionRequest *
make_request (SondeDebugAnalysis *self, GError **error)
{
  for (int i = 0; i < MAX_FIELDS && self->fields[i] != NULL; i++)
    {
      g_autofree char *text = self->task->fields[i].required ? dup_text (self, i) : NULL;

      if (self->task->fields[i].required && text == NULL)
        {
          sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                           "Fill in “%-s” first.", self->task->fields[i].words);
          return NULL;
        }
    }
  return self->task->make (self, error);
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

static void
set_busy (SondeDebugAnalysis *self, gboolean busy)
{
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

static void
on_answer (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeDebugAnalysis) self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionReply) reply
      = sonde_session_client_send_finish (SONDE_SESSION_CLIENT (source), result, &error);
  g_autofree char *verdict = NULL;

  if (self->session == NULL)
    return;
  set_busy (self, FALSE);
  sonde_debug_list_clear (self->results);
  verdict = reply != NULL ? self->task->show (self->results, reply)
                          : g_strdup (sonde_error_get_text (error));
  show_verdict (self, verdict, reply == NULL);
  sonde_debug_session_touch (self->session);
}

static void
on_run (SondeDebugAnalysis *self)
{
  g_autoptr (GError) error = NULL;
  SondeSessionRequest *request = make_request (self, &error);

  if (request == NULL)
    {
      show_verdict (self, sonde_error_get_text (error), TRUE);
      return;
    }
  show_verdict (self, _ ("Searching…"), FALSE);
  set_busy (self, TRUE);
  g_object_ref (self);
  if (sonde_debug_session_send (self->session, request, NULL, on_answer, self))
    return;
  set_busy (self, FALSE);
  g_object_unref (self);
}

static void
on_cancel (SondeDebugAnalysis *self)
{
  gtk_label_set_text (GTK_LABEL (self->verdict), _ ("Stopping…"));
  sonde_debug_session_pause (self->session); /* ends a search */
}

static void
on_row_activated (SondeDebugAnalysis *self, GtkListBoxRow *row)
{
  const char *node = g_object_get_data (G_OBJECT (row), "node"),
             *value = g_object_get_data (G_OBJECT (row), "value");

  if (node == NULL || !sonde_debug_session_focus_name (self->session, node))
    sonde_debug_session_focus_name (self->session, value);
  if (value != NULL)
    sonde_debug_session_show_value (self->session, value);
}

/* ---- the window ---------------------------------------------------------- */

static GtkWidget *
make_field (const Field *field)
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
fill (SondeDebugAnalysis *self, const Task *task)
{
  self->task = task;
  gtk_window_set_title (GTK_WINDOW (self), _ (task->title));
  gtk_button_set_label (GTK_BUTTON (self->run), _ (task->button));
  gtk_label_set_text (GTK_LABEL (self->sentence), _ (task->sentence));
  for (int i = 0; i < MAX_FIELDS && task->fields[i].words != NULL; i++)
    {
      self->fields[i] = make_field (&task->fields[i]);
      if (GTK_IS_ENTRY (self->fields[i]))
        g_signal_connect_swapped (self->fields[i], "activate", G_CALLBACK (on_run), self);
      sonde_debug_attach (self->grid, i, _ (task->fields[i].words), self->fields[i]);
    }
}

/* A search that nobody waits for any more ends. */
static void
sonde_debug_analysis_dispose (GObject *object)
{
  SondeDebugAnalysis *self = SONDE_DEBUG_ANALYSIS (object);

  if (self->session != NULL && self->busy)
    sonde_debug_session_pause (self->session);
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

void
sonde_debug_analysis_open (GtkWidget *parent, SondeDebugSession *session, const char *name,
                           const char *value)
{
  const char *node = executed_node (session);

  for (gsize i = 0; i < G_N_ELEMENTS (tasks); i++)
    if (g_str_equal (tasks[i].name, name))
      {
        SondeDebugAnalysis *self = g_object_new (SONDE_TYPE_DEBUG_ANALYSIS, NULL);

        self->session = g_object_ref (session);
        fill (self, &tasks[i]);
        gtk_window_set_transient_for (GTK_WINDOW (self), GTK_WINDOW (gtk_widget_get_root (parent)));
        g_signal_connect_swapped (session, "progress", G_CALLBACK (on_progress), self);
        if ((g_str_equal (name, "origin") || g_str_equal (name, "diff")) && value != NULL)
          gtk_editable_set_text (GTK_EDITABLE (self->fields[0]), value);
        if (g_str_equal (name, "rerun") && node != NULL)
          gtk_editable_set_text (GTK_EDITABLE (self->fields[0]), node);
        gtk_window_present (GTK_WINDOW (self));
        return;
      }
}
