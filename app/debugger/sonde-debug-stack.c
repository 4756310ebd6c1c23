/* SPDX-License-Identifier: Apache-2.0
 * Frames. */
#include "app/debugger/sonde-debug-stack.h"

#include "app/debugger/sonde-debug-parts.h"

struct _SondeDebugStack
{
  GtkBox parent_instance;

  SondeDebugController *controller; /* lent by the page */
  GtkWidget *list;
  guint serial; /* of the question; answers to older ones are not wanted */
};

G_DEFINE_FINAL_TYPE (SondeDebugStack, sonde_debug_stack, GTK_TYPE_BOX)

typedef struct
{
  SondeDebugStack *self;
  guint serial;
} Asked;

static void
add_frame (SondeDebugStack *self,
           const char      *kind,
           const char      *name,
           const char      *more)
{
  GtkWidget *box = sonde_debug_list_add (self->list), *word = sonde_debug_label (kind, "dim-label");
  GtkWidget *label = sonde_debug_name_label (name, NULL);

  gtk_label_set_width_chars (GTK_LABEL (word), 11);
  gtk_box_append (GTK_BOX (box), word);
  gtk_box_append (GTK_BOX (box), label);
  if (more != NULL && *more != '\0')
    {
      GtkWidget *aside = sonde_debug_label (more, "dim-label");

      gtk_widget_set_hexpand (aside, TRUE);
      gtk_label_set_xalign (GTK_LABEL (aside), 1);
      gtk_widget_set_tooltip_text (aside, more);
      gtk_box_append (GTK_BOX (box), aside);
    }
  g_object_set_data_full (G_OBJECT (sonde_debug_row_of (box)), "name", g_strdup (name), g_free);
}

/* The step in the plan: what it stands for, and what computes it. */
static void
add_step (SondeDebugStack          *self,
          const SondeSessionStatus *status)
{
  const SondeStepInfo *step = sonde_debug_controller_get_step (self->controller, sonde_stop_info_get_outermost (&status->stop));
  g_autofree char *place = NULL;

  if (step == NULL)
    return;
  for (gsize i = 0; step->originals != NULL && step->originals[i] != NULL; i++)
    add_frame (self, i == 0 ? "stands for" : "", step->originals[i], i == 0 ? step->origin : NULL);
  place = g_strdup_printf ("step %u of %u", MIN (status->stop.position + 1, status->stop.n_steps), status->stop.n_steps);
  add_frame (self, "computed by", step->implementation != NULL ? step->implementation : "—", place);
}

/* "iteration 3 of 10" and the like, of whatever the frame says beside kind and name. (transfer full) */
static char *
describe_frame (JsonObject               *frame,
                const SondeSessionStatus *status)
{
  GString *text = g_string_new (NULL);
  const char *kind = json_object_get_string_member_with_default (frame, "kind", "");

  if (json_object_has_member (frame, "iteration"))
    g_string_append_printf (text, "iteration %" G_GINT64_FORMAT, json_object_get_int_member (frame, "iteration"));
  if (g_str_equal (kind, "node"))
    g_string_append_printf (text, "%s %s, %s", text->len > 0 ? " ·" : "", status->stop.op,
                            sonde_phase_name (status->stop.phase));
  if (g_str_equal (kind, "graph") && status->kind == SONDE_ACTIVITY_TRAINING)
    g_string_append_printf (text, "training step %" G_GUINT64_FORMAT, status->stop.step);
  return g_string_free (text, FALSE);
}

static void
on_stack (GObject      *source,
          GAsyncResult *result,
          gpointer      data)
{
  g_autofree Asked *asked = data;
  g_autoptr (SondeDebugStack) self = asked->self;
  g_autoptr (JsonObject) answer = sonde_debug_runner_run_finish_json (SONDE_DEBUG_RUNNER (source), result, NULL);
  JsonArray *stack = answer != NULL && json_object_has_member (answer, "stack")
                         ? json_object_get_array_member (answer, "stack")
                         : NULL;
  const SondeSessionStatus *status
      = self->list != NULL ? sonde_debug_controller_get_status (self->controller) : NULL;

  if (stack == NULL || status == NULL || asked->serial != self->serial)
    return;
  sonde_debug_list_clear (self->list);
  for (guint i = 0; i < json_array_get_length (stack); i++)
    {
      JsonObject *frame = json_array_get_object_element (stack, i);
      g_autofree char *more = describe_frame (frame, status);

      add_frame (self, json_object_get_string_member_with_default (frame, "kind", ""),
                 json_object_get_string_member_with_default (frame, "name", ""), more);
    }
  add_step (self, status);
}

static void
update (SondeDebugStack *self)
{
  Asked *asked;

  self->serial++;
  if (!sonde_debug_controller_has_position (self->controller))
    {
      const SondeSessionStatus *status = sonde_debug_controller_get_status (self->controller);

      if (status == NULL)
        sonde_debug_list_clear (self->list);
      return;
    }
  asked = g_new0 (Asked, 1);
  *asked = (Asked) { g_object_ref (self), self->serial };
  if (sonde_debug_controller_command (self->controller, "info stack", on_stack, asked))
    return;
  g_object_unref (asked->self);
  g_free (asked);
}

static void
on_row_activated (SondeDebugStack *self,
                  GtkListBoxRow   *row)
{
  sonde_debug_controller_focus_name (self->controller, g_object_get_data (G_OBJECT (row), "name"));
}

static void
sonde_debug_stack_dispose (GObject *object)
{
  SONDE_DEBUG_STACK (object)->list = NULL;
  G_OBJECT_CLASS (sonde_debug_stack_parent_class)->dispose (object);
}

static void
sonde_debug_stack_class_init (SondeDebugStackClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_debug_stack_dispose;
}

static void
sonde_debug_stack_init (SondeDebugStack *self)
{
  gtk_box_append (GTK_BOX (self), sonde_debug_list ("Stack", "The node, its scopes and loops stand here at a stop.",
                                                    &self->list));
  gtk_widget_set_hexpand (gtk_widget_get_first_child (GTK_WIDGET (self)), TRUE);
  g_signal_connect_object (self->list, "row-activated", G_CALLBACK (on_row_activated), self, G_CONNECT_SWAPPED);
}

GtkWidget *
sonde_debug_stack_new (SondeDebugController *controller)
{
  SondeDebugStack *self = g_object_new (SONDE_TYPE_DEBUG_STACK, NULL);

  self->controller = controller;
  g_signal_connect_object (controller, "moved", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (controller, "loaded", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (controller, "over", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  return GTK_WIDGET (self);
}
