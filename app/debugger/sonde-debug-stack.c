/* SPDX-License-Identifier: Apache-2.0
 * Frames. */
#include "app/debugger/sonde-debug-stack.h"

#include "app/debugger/sonde-debug-parts.h"

#define NO_LEVEL G_MAXUINT /* a row that is no frame */

struct _SondeDebugStack
{
  GtkBox parent_instance;

  SondeDebugController *controller; /* lent by the page */
  GtkWidget *list;
  guint selected; /* level of the frame in which names are looked up */
  guint serial;   /* of the question; answers to older ones are not wanted */
};

G_DEFINE_FINAL_TYPE (SondeDebugStack, sonde_debug_stack, GTK_TYPE_BOX)

typedef struct
{
  SondeDebugStack *self;
  guint serial;
} Asked;

static void
add_frame (SondeDebugStack *self, const char *kind, const char *name, const char *more, guint level)
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
  g_object_set_data (G_OBJECT (sonde_debug_row_of (box)), "level", GUINT_TO_POINTER (level));
  if (level != NO_LEVEL && level == self->selected)
    gtk_widget_add_css_class (label, "heading");
}

/* The step in the plan: what it stands for, and what computes it. */
static void
add_step (SondeDebugStack *self, const SondeSessionStatus *status)
{
  const SondeStepInfo *step = sonde_debug_controller_get_step (
      self->controller, sonde_stop_get_outermost (&status->stop));
  g_autofree char *place = NULL;

  if (step == NULL)
    return;
  for (gsize i = 0; step->originals != NULL && step->originals[i] != NULL; i++)
    add_frame (self, i == 0 ? "stands for" : "", step->originals[i], i == 0 ? step->origin : NULL,
               NO_LEVEL);
  place = g_strdup_printf ("step %u of %u", MIN (status->stop.position + 1, status->stop.n_steps),
                           status->stop.n_steps);
  add_frame (self, "computed by", step->implementation != NULL ? step->implementation : "—", place,
             NO_LEVEL);
}

/* A member that is a string. (nullable) */
static const char *
text_of (JsonObject *frame, const char *key)
{
  JsonNode *node = json_object_get_member (frame, key);

  return node != NULL && JSON_NODE_HOLDS_VALUE (node)
                 && json_node_get_value_type (node) == G_TYPE_STRING
             ? json_node_get_string (node)
             : NULL;
}

/* "Conv · iteration 3 · node 2 of 9". (transfer full) */
static char *
describe_frame (JsonObject *frame)
{
  GString *text = g_string_new (NULL);
  const char *op = text_of (frame, "at_op"), *body = text_of (frame, "body");
  JsonNode *iteration = json_object_get_member (frame, "iteration");

  if (op != NULL)
    g_string_append (text, op);
  if (body != NULL)
    g_string_append_printf (text, "%sin %s of %s", text->len > 0 ? " · " : "", body,
                            text_of (frame, "node") != NULL ? text_of (frame, "node") : "");
  if (iteration != NULL && !json_node_is_null (iteration))
    g_string_append_printf (text, "%siteration %" G_GINT64_FORMAT, text->len > 0 ? " · " : "",
                            json_node_get_int (iteration));
  if (json_object_has_member (frame, "steps"))
    g_string_append_printf (text, "%snode %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT,
                            text->len > 0 ? " · " : "",
                            MIN (json_object_get_int_member_with_default (frame, "position", 0) + 1,
                                 json_object_get_int_member (frame, "steps")),
                            json_object_get_int_member (frame, "steps"));
  return g_string_free (text, FALSE);
}

/* The scopes around a frame's node, from the inside. */
static void
add_scopes (SondeDebugStack *self, JsonObject *frame, guint level)
{
  JsonArray *scopes = json_object_has_member (frame, "scopes")
                          ? json_object_get_array_member (frame, "scopes")
                          : NULL;

  for (guint i = 0; scopes != NULL && i < json_array_get_length (scopes); i++)
    {
      JsonObject *scope = json_array_get_object_element (scopes, i);
      const char *function = text_of (scope, "function");
      g_autofree char *more = function != NULL ? g_strdup_printf ("function %s", function) : NULL;

      add_frame (self, "scope", text_of (scope, "scope") != NULL ? text_of (scope, "scope") : "",
                 more, level);
    }
}

static void
on_stack (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autofree Asked *asked = data;
  g_autoptr (SondeDebugStack) self = asked->self;
  g_autoptr (JsonObject) answer
      = sonde_debug_runner_run_finish_json (SONDE_DEBUG_RUNNER (source), result, NULL);
  JsonArray *stack = answer != NULL && json_object_has_member (answer, "stack")
                         ? json_object_get_array_member (answer, "stack")
                         : NULL;
  const SondeSessionStatus *status
      = self->list != NULL ? sonde_debug_controller_get_status (self->controller) : NULL;

  if (stack == NULL || status == NULL || asked->serial != self->serial)
    return;
  sonde_debug_list_clear (self->list);
  self->selected = (guint) json_object_get_int_member_with_default (answer, "selected", 0);
  for (guint i = 0; i < json_array_get_length (stack); i++)
    {
      JsonObject *frame = json_array_get_object_element (stack, i);
      g_autofree char *more = describe_frame (frame);

      add_frame (self, text_of (frame, "kind") != NULL ? text_of (frame, "kind") : "",
                 text_of (frame, "at") != NULL ? text_of (frame, "at") : "the end", more, i);
      add_scopes (self, frame, i);
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
  *asked = (Asked){ g_object_ref (self), self->serial };
  if (sonde_debug_controller_command (self->controller, "info stack", on_stack, asked))
    return;
  g_object_unref (asked->self);
  g_free (asked);
}

/* Goes to its place, and selects the frame: names are looked up there first. */
static void
on_row_activated (SondeDebugStack *self, GtkListBoxRow *row)
{
  guint level = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (row), "level"));
  g_autofree char *line = NULL;

  sonde_debug_controller_focus_name (self->controller, g_object_get_data (G_OBJECT (row), "name"));
  if (level == NO_LEVEL || level == self->selected)
    return;
  line = level > self->selected ? g_strdup_printf ("up %u", level - self->selected)
                                : g_strdup_printf ("down %u", self->selected - level);
  sonde_debug_controller_command (self->controller, line, NULL, NULL);
  update (self);
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
  gtk_box_append (GTK_BOX (self),
                  sonde_debug_list ("Stack", "The node, its scopes and loops stand here at a stop.",
                                    &self->list));
  gtk_widget_set_hexpand (gtk_widget_get_first_child (GTK_WIDGET (self)), TRUE);
  g_signal_connect_object (self->list, "row-activated", G_CALLBACK (on_row_activated), self,
                           G_CONNECT_SWAPPED);
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
