/* SPDX-License-Identifier: Apache-2.0
 * Windows of long searches: a form, a line of the text debugger made of it, its JSON answer as a
 * list. */
#include "app/debugger/sonde-debug-tasks.h"

#include <adwaita.h>

#include "app/debugger/sonde-debug-parts.h"
#include "app/debugger/sonde-debug-results.h"

#define MAX_FIELDS 3

/* One question of a form. @choices: (nullable): a drop-down of pairs "words\0option", ended by
 * NULL; else an entry. @option: (nullable): goes before what was typed */
typedef struct
{
  const char *words, *placeholder;
  const char *const *choices;
  const char *option;
} Field;

/* Pairs: what is read, what is written. */
static const char *const diverge_choices[] = { "float64",
                                               "--precision f64",
                                               "Half precision (bfloat16)",
                                               "--precision bf16",
                                               "Half precision (float16)",
                                               "--precision f16",
                                               "The reference kernels",
                                               "--device reference",
                                               "The graph as it was written",
                                               "--optimise off",
                                               "Another model file",
                                               "--model",
                                               "Values of a file (.npz)",
                                               "--reference",
                                               "Another device",
                                               "--device",
                                               NULL };
static const char *const rerun_choices[] = { "In float64",
                                             "--precision f64",
                                             "In bfloat16",
                                             "--precision bf16",
                                             "In float16",
                                             "--precision f16",
                                             "With the reference kernel",
                                             "--reference",
                                             "On another device",
                                             "--device",
                                             NULL };

static const char *const precision_choices[]
    = { "bfloat16", "--precision bf16", "float16", "--precision f16", NULL };

typedef struct
{
  const char *name, *title, *button, *sentence;
  const char *format; /* of the line: the fields one after the other */
  Field fields[MAX_FIELDS];
} Task;

static const Task tasks[] = {
  { "origin",
    "Where Does It Come From?",
    "Search",
    "Follows an element that is NaN or infinite back through the elements it was made of, to the "
    "first bad node.",
    "origin",
    { { "Element", "value[0, 3, 7], or a value: its first bad element", NULL } } },
  { "diverge",
    "First Divergent Node",
    "Search",
    "Runs the network a second time under other conditions and compares every value. A node’s own "
    "error is what it adds "
    "when its inputs are right; the rest it inherits.",
    "diverge",
    { { "Compared with", NULL, diverge_choices },
      { "File or device", "only for those that need one", NULL },
      { "Tolerance", "relative; by element type: 1e-4 for float32", NULL, "--rtol" } } },
  { "reduce",
    "Smallest Failing Case",
    "Search",
    "Cuts everything away that the failure does not need and writes what is left: a model, its "
    "inputs, a command.",
    "reduce",
    { { "Write to", "/tmp/failing.onnx", NULL } } },
  { "precision",
    "Precision Search",
    "Search",
    "Looks for the fewest nodes that must stay in float32 so that the result stays within the "
    "tolerance, and writes "
    "them as a recipe.",
    "precision",
    { { "Write to", "/tmp/precision.ini", NULL },
      { "Tolerance", "of what comes out, relative: 0.01", NULL, "--tolerance" },
      { "Others in", NULL, precision_choices } } },
  { "diff",
    "Compare",
    "Compare",
    "Two branches value by value (one alone with the present branch), or two values. The second is "
    "the reference.",
    "diff",
    { { "What", "a branch, a value, or an expression in quotes", NULL },
      { "With", "another branch, VALUE@2, VALUE@prev, file:F.npy", NULL } } },
  { "rerun",
    "Run the Node Differently",
    "Run",
    "The node is run again on the same inputs; the session stays as it is.",
    "rerun",
    { { "Node", "name", NULL },
      { "How", NULL, rerun_choices },
      { "Device", "only for another device", NULL } } },
};

typedef struct
{
  SondeDebugController *controller;
  const Task *task;
  GtkWidget *window, *fields[MAX_FIELDS], *run, *cancel, *spinner, *progress, *verdict, *results;
  gboolean busy;
} Dialog;

static void
dialog_free (gpointer data)
{
  Dialog *self = data;

  g_object_unref (self->controller);
  g_free (self);
}

/* ---- asking -------------------------------------------------------------- */

/* (transfer full) */
static char *
make_line (Dialog *self)
{
  GString *line = g_string_new (self->task->format);

  for (int i = 0; i < MAX_FIELDS && self->fields[i] != NULL; i++)
    {
      const char *const *choices = self->task->fields[i].choices;
      const char *text
          = choices != NULL
                ? choices[2 * gtk_drop_down_get_selected (GTK_DROP_DOWN (self->fields[i])) + 1]
                : gtk_editable_get_text (GTK_EDITABLE (self->fields[i]));

      if (*text != '\0' && self->task->fields[i].option != NULL)
        g_string_append_printf (line, " %s", self->task->fields[i].option);
      if (*text != '\0')
        g_string_append_printf (line, " %s", text);
    }
  return g_string_free (line, FALSE);
}

static void
on_progress (Dialog *self, const char *text, double fraction)
{
  if (self->results == NULL || !self->busy)
    return;
  gtk_label_set_text (GTK_LABEL (self->verdict), text);
  if (fraction >= 0)
    gtk_progress_bar_set_fraction (GTK_PROGRESS_BAR (self->progress), MIN (fraction, 1));
}

static void
set_busy (Dialog *self, gboolean busy)
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
  g_autoptr (GtkWidget) window = data;
  Dialog *self = g_object_get_data (G_OBJECT (window), "dialog");
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonObject) answer
      = sonde_debug_runner_run_finish_json (SONDE_DEBUG_RUNNER (source), result, &error);
  g_autofree char *verdict = NULL;

  if (self == NULL || self->results == NULL)
    return;
  set_busy (self, FALSE);
  sonde_debug_list_clear (self->results);
  verdict = answer != NULL ? sonde_debug_results_show (self->results, self->task->name, answer)
                           : g_strdup (error->message);
  gtk_label_set_text (GTK_LABEL (self->verdict), verdict);
  if (answer == NULL)
    gtk_widget_add_css_class (self->verdict, "error");
  else
    gtk_widget_remove_css_class (self->verdict, "error");
  sonde_debug_controller_touch (self->controller);
}

static void
on_run (Dialog *self)
{
  g_autofree char *line = make_line (self);

  gtk_label_set_text (GTK_LABEL (self->verdict), "It is being looked for…");
  gtk_widget_remove_css_class (self->verdict, "error");
  set_busy (self, TRUE);
  g_object_ref (self->window);
  if (sonde_debug_controller_search (self->controller, line, on_answer, self->window))
    return;
  set_busy (self, FALSE);
  g_object_unref (self->window);
}

static void
on_cancel (Dialog *self)
{
  gtk_label_set_text (GTK_LABEL (self->verdict), "It is given up…");
  sonde_debug_controller_give_up (self->controller);
}

static void
on_row_activated (Dialog *self, GtkListBoxRow *row)
{
  const char *node = g_object_get_data (G_OBJECT (row), "node"),
             *value = g_object_get_data (G_OBJECT (row), "value");

  if (node == NULL || !sonde_debug_controller_focus_name (self->controller, node))
    sonde_debug_controller_focus_name (self->controller, value);
  if (value != NULL)
    sonde_debug_controller_show_value (self->controller, value);
}

static void
on_destroy (Dialog *self)
{
  if (self->busy)
    sonde_debug_controller_give_up (self->controller);
  self->results = NULL;
  g_signal_handlers_disconnect_by_data (self->controller, self);
}

/* ---- the window ---------------------------------------------------------- */

static GtkWidget *
make_field (const Field *field)
{
  GtkStringList *words;

  if (field->choices == NULL)
    return sonde_debug_entry (field->words, field->placeholder);
  words = gtk_string_list_new (NULL);
  for (gsize i = 0; field->choices[i] != NULL; i += 2)
    gtk_string_list_append (words, field->choices[i]);
  return gtk_drop_down_new (G_LIST_MODEL (words), NULL);
}

static GtkWidget *
make_form (Dialog *self)
{
  GtkWidget *grid = gtk_grid_new ();

  gtk_grid_set_column_spacing (GTK_GRID (grid), 12);
  gtk_grid_set_row_spacing (GTK_GRID (grid), 6);
  for (int i = 0; i < MAX_FIELDS && self->task->fields[i].words != NULL; i++)
    {
      self->fields[i] = make_field (&self->task->fields[i]);
      if (GTK_IS_ENTRY (self->fields[i]))
        g_signal_connect_swapped (self->fields[i], "activate", G_CALLBACK (on_run), self);
      sonde_debug_attach (grid, i, self->task->fields[i].words, self->fields[i]);
    }
  return grid;
}

static GtkWidget *
make_header (Dialog *self)
{
  GtkWidget *header = adw_header_bar_new ();

  self->run = gtk_button_new_with_label (self->task->button);
  self->cancel = gtk_button_new_with_label ("Give Up");
  self->spinner = gtk_spinner_new ();
  gtk_widget_add_css_class (self->run, "suggested-action");
  gtk_widget_set_visible (self->cancel, FALSE);
  g_signal_connect_swapped (self->run, "clicked", G_CALLBACK (on_run), self);
  g_signal_connect_swapped (self->cancel, "clicked", G_CALLBACK (on_cancel), self);
  adw_header_bar_pack_start (ADW_HEADER_BAR (header), self->run);
  adw_header_bar_pack_start (ADW_HEADER_BAR (header), self->cancel);
  adw_header_bar_pack_start (ADW_HEADER_BAR (header), self->spinner);
  return header;
}

static void
make_window (Dialog *self, GtkWidget *parent)
{
  GtkWidget *column = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0),
            *content = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12);
  GtkWidget *sentence = gtk_label_new (self->task->sentence), *scrolled;

  self->window = adw_window_new ();
  gtk_window_set_title (GTK_WINDOW (self->window), self->task->title);
  gtk_window_set_transient_for (GTK_WINDOW (self->window),
                                GTK_WINDOW (gtk_widget_get_root (parent)));
  gtk_window_set_destroy_with_parent (GTK_WINDOW (self->window), TRUE);
  gtk_window_set_default_size (GTK_WINDOW (self->window), 620, 520);
  gtk_label_set_wrap (GTK_LABEL (sentence), TRUE);
  gtk_label_set_xalign (GTK_LABEL (sentence), 0);
  gtk_widget_add_css_class (sentence, "dim-label");
  self->verdict = gtk_label_new (NULL);
  gtk_label_set_wrap (GTK_LABEL (self->verdict), TRUE);
  gtk_label_set_selectable (GTK_LABEL (self->verdict), TRUE);
  gtk_label_set_xalign (GTK_LABEL (self->verdict), 0);
  gtk_widget_add_css_class (self->verdict, "heading");
  scrolled = sonde_debug_list ("Result", "The result stands here; a click on a node goes there.",
                               &self->results);
  gtk_widget_add_css_class (scrolled, "card");
  gtk_widget_set_overflow (scrolled, GTK_OVERFLOW_HIDDEN);
  g_signal_connect_swapped (self->results, "row-activated", G_CALLBACK (on_row_activated), self);
  gtk_widget_set_margin_start (content, 18);
  gtk_widget_set_margin_end (content, 18);
  gtk_widget_set_margin_top (content, 12);
  gtk_widget_set_margin_bottom (content, 18);
  gtk_box_append (GTK_BOX (content), sentence);
  gtk_box_append (GTK_BOX (content), make_form (self));
  self->progress = gtk_progress_bar_new ();
  gtk_widget_set_opacity (self->progress, 0);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->progress), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Progress", -1);
  gtk_box_append (GTK_BOX (content), self->progress);
  gtk_box_append (GTK_BOX (content), self->verdict);
  gtk_box_append (GTK_BOX (content), scrolled);
  gtk_box_append (GTK_BOX (column), make_header (self));
  gtk_box_append (GTK_BOX (column), content);
  adw_window_set_content (ADW_WINDOW (self->window), column);
  g_object_set_data_full (G_OBJECT (self->window), "dialog", self, dialog_free);
  g_signal_connect_swapped (self->controller, "progress", G_CALLBACK (on_progress), self);
  g_signal_connect_swapped (self->window, "destroy", G_CALLBACK (on_destroy), self);
}

void
sonde_debug_tasks_open (GtkWidget *parent, SondeDebugController *controller, const char *name,
                        const char *value)
{
  const SondeSessionStatus *status = sonde_debug_controller_get_status (controller);
  guint focus = sonde_debug_controller_get_focus (controller);
  Dialog *self;

  for (gsize i = 0; i < G_N_ELEMENTS (tasks); i++)
    if (g_str_equal (tasks[i].name, name))
      {
        self = g_new0 (Dialog, 1);
        self->controller = g_object_ref (controller);
        self->task = &tasks[i];
        make_window (self, parent);
        if ((g_str_equal (name, "origin") || g_str_equal (name, "diff")) && value != NULL)
          gtk_editable_set_text (GTK_EDITABLE (self->fields[0]), value);
        if (focus == SONDE_DEBUG_NO_STEP && status != NULL
            && sonde_stop_get_outermost (&status->stop) > 0)
          focus = sonde_stop_get_outermost (&status->stop) - 1;
        if (g_str_equal (name, "rerun")
            && sonde_debug_controller_get_step_name (controller, focus) != NULL)
          gtk_editable_set_text (GTK_EDITABLE (self->fields[0]),
                                 sonde_debug_controller_get_step_name (controller, focus));
        gtk_window_present (GTK_WINDOW (self->window));
        return;
      }
}
