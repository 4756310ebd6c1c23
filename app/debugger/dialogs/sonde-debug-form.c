/* SPDX-License-Identifier: Apache-2.0
 * The form of breakpoints and watchpoints; the session says what is wrong with what was filled
 * in. */
#include "app/debugger/dialogs/sonde-debug-form.h"

#include <math.h>

#include "app/debugger/sonde-debug-widgets.h"
#include "engine/live/sonde-watch-text.h"
#include "data/base/sonde-error.h"

#define MAX_PARAMETERS SONDE_CONDITION_MAX_PARAMETERS

typedef struct
{
  SondeDebugSession *session;
  GtkWidget *popover, *stack, *where, *when, *condition, *log; /* breakpoint */
  GtkWidget *expression, *on;                                  /* watch */
  GtkWidget *preset, *preset_on, *parameters, *values[MAX_PARAMETERS];
  GtkWidget *error, *add;
} Form;

static void
form_free (gpointer data)
{
  Form *form = data;

  g_object_unref (form->session);
  g_free (form);
}

static const char *
text_of (GtkWidget *entry)
{
  return gtk_editable_get_text (GTK_EDITABLE (entry));
}

/* ---- what was filled in -------------------------------------------------- */

static SondeSessionRequest *
breakpoint_request (Form *form)
{
  gboolean after = gtk_drop_down_get_selected (GTK_DROP_DOWN (form->when)) == 1;
  const char *condition = text_of (form->condition), *log = text_of (form->log);
  SondeBreakpointSpec spec = { .moment = after ? SONDE_MOMENT_AFTER : SONDE_MOMENT_BEFORE };
  g_autofree char *pattern = g_strstrip (g_strdup (text_of (form->where)));

  spec.pattern = pattern;
  spec.condition = *condition != '\0' ? condition : NULL;
  spec.log = *log != '\0' ? log : NULL;
  spec.either = spec.log != NULL && !after; /* a text may speak of what the node makes */
  return sonde_session_request_add_breakpoint (&spec);
}

static SondeSessionRequest *
watch_request (Form *form)
{
  g_autofree char *text
      = sonde_watch_text_of_expression (text_of (form->expression), text_of (form->on));

  return sonde_session_request_add_watch (text);
}

static const SondeConditionClass *
chosen_class (Form *form)
{
  guint n, k = gtk_drop_down_get_selected (GTK_DROP_DOWN (form->preset));
  const SondeConditionClass *classes = sonde_condition_classes (&n);

  return k < n ? &classes[k] : NULL;
}

static SondeSessionRequest *
preset_request (Form *form)
{
  const char *values[MAX_PARAMETERS] = { NULL };
  g_autofree char *text = NULL;

  for (guint i = 0; i < MAX_PARAMETERS; i++)
    values[i] = form->values[i] != NULL ? text_of (form->values[i]) : NULL;
  text = sonde_watch_text_of_condition (chosen_class (form), values, text_of (form->preset_on));
  return sonde_session_request_add_watch (text);
}

/* ---- sending ------------------------------------------------------------- */

static void
on_answer (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GtkWidget) popover = data;
  Form *form = g_object_get_data (G_OBJECT (popover), "form");
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionReply) reply
      = sonde_session_client_send_finish (SONDE_SESSION_CLIENT (source), result, &error);

  if (gtk_widget_get_parent (popover) == NULL)
    return;
  sonde_debug_session_refresh_breakpoints (form->session);
  gtk_widget_set_sensitive (form->add, TRUE);
  gtk_label_set_text (GTK_LABEL (form->error), error != NULL ? sonde_error_get_text (error) : "");
  gtk_widget_set_visible (form->error, error != NULL);
  if (reply != NULL)
    gtk_popover_popdown (GTK_POPOVER (popover));
}

static void
send_request (Form *form, SondeSessionRequest *request)
{
  gtk_widget_set_sensitive (form->add, FALSE);
  g_object_ref (form->popover);
  if (sonde_debug_session_send (form->session, request, NULL, on_answer, form->popover))
    return;
  gtk_widget_set_sensitive (form->add, TRUE);
  g_object_unref (form->popover);
}

static void
on_add (GtkWidget *widget, Form *form)
{
  const char *page = gtk_stack_get_visible_child_name (GTK_STACK (form->stack));

  send_request (form, g_str_equal (page, "breakpoint") ? breakpoint_request (form)
                      : g_str_equal (page, "watch")    ? watch_request (form)
                                                       : preset_request (form));
}

static void
on_recommended (GtkWidget *widget, Form *form)
{
  send_request (form, sonde_session_request_add_watch ("preset recommended"));
}

/* ---- rows ---------------------------------------------------------------- */

static GtkWidget *
make_page (Form *form, const char *name, const char *title)
{
  GtkWidget *grid = gtk_grid_new ();

  gtk_grid_set_column_spacing (GTK_GRID (grid), 12);
  gtk_grid_set_row_spacing (GTK_GRID (grid), 6);
  gtk_stack_add_titled (GTK_STACK (form->stack), grid, name, title);
  return grid;
}

static GtkWidget *
attach_entry (Form *form, GtkWidget *grid, int row, const char *words, const char *placeholder)
{
  GtkWidget *entry = sonde_debug_entry (words, placeholder);

  g_signal_connect (entry, "activate", G_CALLBACK (on_add), form);
  sonde_debug_attach (grid, row, words, entry);
  return entry;
}

/* One entry a parameter; its default stands in it as a hint, and holds when nothing is typed. */
static void
on_preset_chosen (Form *form)
{
  const SondeConditionClass *klass = chosen_class (form);
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (form->parameters)) != NULL)
    gtk_grid_remove (GTK_GRID (form->parameters), child);
  for (guint i = 0; i < MAX_PARAMETERS; i++)
    form->values[i] = NULL;
  for (guint i = 0; klass != NULL && klass->parameters[i].name != NULL; i++)
    {
      const SondeConditionParameter *parameter = &klass->parameters[i];
      g_autofree char *words = g_strdelimit (g_strdup (parameter->name), "_", ' ');
      g_autofree char *preset = isnan (parameter->preset)
                                    ? g_strdup (_ ("off"))
                                    : g_strdup_printf ("%g", parameter->preset);

      if (!parameter->hidden)
        form->values[i] = attach_entry (form, form->parameters, (int) i, words, preset);
    }
}

static void
make_preset_page (Form *form)
{
  GtkWidget *grid = make_page (form, "preset", _ ("Condition"));
  g_autoptr (GtkStringList) names = gtk_string_list_new (NULL);
  guint n;
  const SondeConditionClass *classes = sonde_condition_classes (&n);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *words = g_strdelimit (g_strdup (classes[i].name), "_", ' ');

      gtk_string_list_append (names, words);
    }
  form->preset = gtk_drop_down_new (G_LIST_MODEL (g_object_ref (names)), NULL);
  sonde_debug_attach (grid, 0, _ ("Condition"), form->preset);
  form->parameters = gtk_grid_new ();
  gtk_grid_set_column_spacing (GTK_GRID (form->parameters), 12);
  gtk_grid_set_row_spacing (GTK_GRID (form->parameters), 6);
  gtk_grid_attach (GTK_GRID (grid), form->parameters, 0, 1, 2, 1);
  form->preset_on
      = attach_entry (form, grid, 2, _ ("Values"), _ ("all that apply, or a glob, op:Conv"));
  g_signal_connect_swapped (form->preset, "notify::selected", G_CALLBACK (on_preset_chosen), form);
  on_preset_chosen (form);
}

static void
make_pages (Form *form)
{
  GtkWidget *grid = make_page (form, "breakpoint", _ ("Breakpoint"));

  form->where = attach_entry (form, grid, 0, _ ("Location"), "conv*, op:Relu, scope:encoder");
  form->when = gtk_drop_down_new_from_strings (
      (const char *const[]){ _ ("Before the node"), _ ("After the node"), NULL });
  sonde_debug_attach (grid, 1, _ ("When"), form->when);
  form->condition = attach_entry (form, grid, 2, _ ("Condition"), "max(conv1_output_0) > 10");
  form->log = attach_entry (form, grid, 3, _ ("Log message"), "loss = {loss}");
  grid = make_page (form, "watch", _ ("Expression"));
  form->expression = attach_entry (form, grid, 0, _ ("Expression"), "nan(x) || absmax(x) > 1e4");
  form->on = attach_entry (form, grid, 1, _ ("Values of x"), "kind:gradient, op:Conv, conv*");
  make_preset_page (form);
}

static void
on_shown (Form *form)
{
  const SondeSessionStatus *status = sonde_debug_session_get_status (form->session);
  guint focus = sonde_debug_session_get_focus (form->session);
  const char *node;

  if (focus == SONDE_DEBUG_NO_STEP && status != NULL)
    focus = sonde_stop_get_outermost (&status->stop);
  node = sonde_debug_steps_get_name (sonde_debug_session_get_steps (form->session), focus);
  gtk_widget_set_visible (form->error, FALSE);
  if (node != NULL)
    gtk_editable_set_text (GTK_EDITABLE (form->where), node);
}

/* Who opened it wants to type. */
static void
on_mapped (Form *form)
{
  const char *page = gtk_stack_get_visible_child_name (GTK_STACK (form->stack));

  gtk_widget_grab_focus (g_str_equal (page, "breakpoint") ? form->where
                         : g_str_equal (page, "watch")    ? form->expression
                                                          : form->preset);
}

GtkWidget *
sonde_debug_form_new (SondeDebugSession *session, SondeDebugFormKind kind)
{
  static const char *const pages[] = { "breakpoint", "watch", "preset" };
  Form *form = g_new0 (Form, 1);
  GtkWidget *column = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12),
            *switcher = gtk_stack_switcher_new ();
  GtkWidget *buttons = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6), *recommended;

  form->session = g_object_ref (session);
  form->popover = gtk_popover_new ();
  g_object_set_data_full (G_OBJECT (form->popover), "form", form, form_free);
  form->stack = gtk_stack_new ();
  gtk_stack_set_vhomogeneous (GTK_STACK (form->stack), FALSE);
  gtk_stack_switcher_set_stack (GTK_STACK_SWITCHER (switcher), GTK_STACK (form->stack));
  make_pages (form);
  gtk_stack_set_visible_child_name (GTK_STACK (form->stack), pages[kind]);
  form->error = gtk_label_new (NULL);
  gtk_label_set_wrap (GTK_LABEL (form->error), TRUE);
  gtk_label_set_max_width_chars (GTK_LABEL (form->error), 44);
  gtk_label_set_xalign (GTK_LABEL (form->error), 0);
  gtk_widget_add_css_class (form->error, "error");
  gtk_widget_set_visible (form->error, FALSE);
  recommended = gtk_button_new_with_label (_ ("Recommended Set"));
  gtk_widget_set_tooltip_text (
      recommended,
      _ ("Watch the whole network for overflow, exploding and vanishing gradients, dead "
         "activations and unchanged weights"));
  g_signal_connect (recommended, "clicked", G_CALLBACK (on_recommended), form);
  form->add = gtk_button_new_with_label (_ ("Add"));
  gtk_widget_add_css_class (form->add, "suggested-action");
  gtk_widget_set_hexpand (form->add, TRUE);
  gtk_widget_set_halign (form->add, GTK_ALIGN_END);
  g_signal_connect (form->add, "clicked", G_CALLBACK (on_add), form);
  gtk_box_append (GTK_BOX (buttons), recommended);
  gtk_box_append (GTK_BOX (buttons), form->add);
  gtk_box_append (GTK_BOX (column), switcher);
  gtk_box_append (GTK_BOX (column), form->stack);
  gtk_box_append (GTK_BOX (column), form->error);
  gtk_box_append (GTK_BOX (column), buttons);
  gtk_widget_set_size_request (column, 340, -1);
  gtk_popover_set_child (GTK_POPOVER (form->popover), column);
  g_signal_connect_swapped (form->popover, "show", G_CALLBACK (on_shown), form);
  g_signal_connect_data (form->popover, "map", G_CALLBACK (on_mapped), form, NULL,
                         G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  return form->popover;
}
