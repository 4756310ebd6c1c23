/* SPDX-License-Identifier: Apache-2.0
 * The form of breakpoints and watchpoints; the session says what is wrong with what was filled
 * in. */
#include "app/debugger/dialogs/sonde-debug-form.h"

#include <math.h>
#include <string.h>

#include "app/debugger/dialogs/sonde-debug-name-completion.h"
#include "app/debugger/sonde-debug-widgets.h"
#include "engine/live/sonde-watch-text.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-text.h"

#define LOSS "loss" /* the value that a training makes smaller */
#define MAX_PARAMETERS SONDE_CONDITION_MAX_PARAMETERS

#define RESOURCE "/org/sonde/Sonde/debugger/dialogs/sonde-debug-form.ui"

struct _SondeDebugForm
{
  GtkPopover parent_instance;

  SondeDebugSession *session;
  GtkWidget *stack, *where, *when, *condition, *log; /* breakpoint */
  GtkWidget *expression, *on, *loss;                 /* watch */
  GtkWidget *preset, *preset_on, *parameters, *values[MAX_PARAMETERS];
  GtkWidget *error, *add;
};

G_DEFINE_FINAL_TYPE (SondeDebugForm, sonde_debug_form, GTK_TYPE_POPOVER)

static const char *
text_of (GtkWidget *entry)
{
  return gtk_editable_get_text (GTK_EDITABLE (entry));
}

/* ---- what was filled in -------------------------------------------------- */

static SondeSessionRequest *
breakpoint_request (SondeDebugForm *form)
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
watch_request (SondeDebugForm *form)
{
  g_autofree char *text
      = sonde_watch_text_of_expression (text_of (form->expression), text_of (form->on));

  return sonde_session_request_add_watch (text);
}

static const SondeConditionClass *
chosen_class (SondeDebugForm *form)
{
  guint n, k = gtk_drop_down_get_selected (GTK_DROP_DOWN (form->preset));
  const SondeConditionClass *classes = sonde_condition_classes (&n);

  return k < n ? &classes[k] : NULL;
}

static SondeSessionRequest *
preset_request (SondeDebugForm *form)
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
  g_autoptr (SondeDebugForm) form = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionReply) reply
      = sonde_session_client_send_finish (SONDE_SESSION_CLIENT (source), result, &error);

  if (gtk_widget_get_parent (GTK_WIDGET (form)) == NULL)
    return;
  sonde_debug_session_refresh_breakpoints (form->session);
  gtk_widget_set_sensitive (form->add, TRUE);
  gtk_label_set_text (GTK_LABEL (form->error), error != NULL ? sonde_error_get_text (error) : "");
  gtk_widget_set_visible (form->error, error != NULL);
  if (reply != NULL)
    gtk_popover_popdown (GTK_POPOVER (form));
}

static void
send_request (SondeDebugForm *form, SondeSessionRequest *request)
{
  gtk_widget_set_sensitive (form->add, FALSE);
  g_object_ref (form);
  if (sonde_debug_session_send (form->session, request, NULL, on_answer, form))
    return;
  gtk_widget_set_sensitive (form->add, TRUE);
  g_object_unref (form);
}

static void
on_add (SondeDebugForm *form)
{
  const char *page = gtk_stack_get_visible_child_name (GTK_STACK (form->stack));

  send_request (form, g_str_equal (page, "breakpoint") ? breakpoint_request (form)
                      : g_str_equal (page, "watch")    ? watch_request (form)
                                                       : preset_request (form));
}

static void
on_recommended (SondeDebugForm *form)
{
  send_request (form, sonde_session_request_add_watch ("preset recommended"));
}

/* ---- rows ---------------------------------------------------------------- */

static GtkWidget *
attach_entry (SondeDebugForm *form, GtkWidget *grid, int row, const char *words,
              const char *placeholder)
{
  GtkWidget *entry = sonde_debug_entry (words, placeholder);

  g_signal_connect_swapped (entry, "activate", G_CALLBACK (on_add), form);
  sonde_debug_attach (grid, row, words, entry);
  return entry;
}

/* One entry a parameter; its default stands in it as a hint, and holds when nothing is typed. */
static void
on_preset_chosen (SondeDebugForm *form)
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
fill_conditions (SondeDebugForm *form)
{
  g_autoptr (GtkStringList) names = gtk_string_list_new (NULL);
  guint n;
  const SondeConditionClass *classes = sonde_condition_classes (&n);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *words = g_strdelimit (g_strdup (classes[i].name), "_", ' ');

      gtk_string_list_append (names, words);
    }
  gtk_drop_down_set_model (GTK_DROP_DOWN (form->preset), G_LIST_MODEL (names));
  g_signal_connect_swapped (form->preset, "notify::selected", G_CALLBACK (on_preset_chosen), form);
  on_preset_chosen (form);
}

/* ---- the loss ------------------------------------------------------------ */

/* Twice what it is, in two digits: something has gone wrong then. NULL: there is no loss that is known. */
static char *
dup_loss_expression (SondeDebugForm *form)
{
  const SondeSessionStatus *status = sonde_debug_session_get_status (form->session);
  SondeGraph *graph = sonde_debug_session_get_graph (form->session);
  g_autofree char *number = NULL;

  if (status == NULL || graph == NULL || status->facts.kind != SONDE_ACTIVITY_TRAINING
      || !status->facts.measured || !(status->facts.loss > 0) || !isfinite (status->facts.loss)
      || sonde_graph_find_value (graph, LOSS) == NULL)
    return NULL;
  number = g_strdup_printf ("%.2g", 2 * status->facts.loss);
  return g_strdup_printf (LOSS " > %s", number);
}

static void
offer_loss (SondeDebugForm *form)
{
  g_autofree char *expression = dup_loss_expression (form), *words = NULL;

  gtk_widget_set_visible (form->loss, expression != NULL);
  if (expression == NULL)
    return;
  words = g_strdup_printf (_ ("Stop When %s"), expression);
  gtk_button_set_label (GTK_BUTTON (form->loss), words);
}

/* To be changed, or added as it is: the number is selected. */
static void
on_loss (SondeDebugForm *form)
{
  g_autofree char *expression = dup_loss_expression (form);
  GtkEditable *entry = GTK_EDITABLE (form->expression);

  if (expression == NULL)
    return;
  gtk_editable_set_text (entry, expression);
  gtk_widget_grab_focus (form->expression);
  gtk_editable_select_region (entry, (int) strlen (LOSS " > "), -1);
}

/* ---- opening ------------------------------------------------------------- */

/* After what stands in them from the beginning: that is not being typed. */
static void
complete_entries (SondeDebugForm *form)
{
  GtkWidget *entries[]
      = { form->where, form->condition, form->expression, form->on, form->preset_on };

  for (gsize i = 0; i < G_N_ELEMENTS (entries); i++)
    sonde_debug_complete_names (entries[i], form->session);
}

static void
on_shown (SondeDebugForm *form)
{
  const SondeSessionStatus *status = sonde_debug_session_get_status (form->session);
  guint focus = sonde_debug_session_get_focus (form->session);
  const char *node;

  if (focus == SONDE_DEBUG_NO_STEP && status != NULL)
    focus = sonde_stop_get_outermost (&status->stop);
  node = sonde_debug_steps_get_name (sonde_debug_session_get_steps (form->session), focus);
  gtk_widget_set_visible (form->error, FALSE);
  offer_loss (form);
  if (node != NULL)
    gtk_editable_set_text (GTK_EDITABLE (form->where), node);
  complete_entries (form);
}

/* Who opened it wants to type. */
static void
on_mapped (SondeDebugForm *form)
{
  const char *page = gtk_stack_get_visible_child_name (GTK_STACK (form->stack));

  gtk_widget_grab_focus (g_str_equal (page, "breakpoint") ? form->where
                         : g_str_equal (page, "watch")    ? form->expression
                                                          : form->preset);
}

static void
sonde_debug_form_dispose (GObject *object)
{
  g_clear_object (&SONDE_DEBUG_FORM (object)->session);
  G_OBJECT_CLASS (sonde_debug_form_parent_class)->dispose (object);
}

static void
sonde_debug_form_class_init (SondeDebugFormClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_debug_form_dispose;
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugForm, stack);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugForm, where);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugForm, when);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugForm, condition);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugForm, log);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugForm, expression);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugForm, on);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugForm, loss);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugForm, preset);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugForm, preset_on);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugForm, parameters);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugForm, error);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugForm, add);
  gtk_widget_class_bind_template_callback (widget_class, on_add);
  gtk_widget_class_bind_template_callback (widget_class, on_recommended);
  gtk_widget_class_bind_template_callback (widget_class, on_loss);
}

static void
sonde_debug_form_init (SondeDebugForm *form)
{
  gtk_widget_init_template (GTK_WIDGET (form));
  fill_conditions (form);
  g_signal_connect (form, "show", G_CALLBACK (on_shown), NULL);
  g_signal_connect_after (form, "map", G_CALLBACK (on_mapped), NULL);
}

GtkWidget *
sonde_debug_form_new (SondeDebugSession *session, SondeDebugFormKind kind)
{
  static const char *const pages[] = { "breakpoint", "watch", "preset" };
  SondeDebugForm *form = g_object_new (SONDE_TYPE_DEBUG_FORM, NULL);

  form->session = g_object_ref (session);
  gtk_stack_set_visible_child_name (GTK_STACK (form->stack), pages[kind]);
  return GTK_WIDGET (form);
}
