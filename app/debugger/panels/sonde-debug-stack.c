/* SPDX-License-Identifier: Apache-2.0
 * Frames. */
#include "app/debugger/panels/sonde-debug-stack.h"

#include "app/debugger/sonde-debug-widgets.h"
#include "app/widgets/sonde-accessible.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-error.h"
#include "engine/frontend/sonde-debug-describe.h"

#define NO_LEVEL G_MAXUINT /* a row that is no frame */

struct _SondeDebugStack
{
  GtkBox parent_instance;

  SondeDebugSession *session; /* borrowed from the page */
  GtkWidget *list;
  guint selected; /* level of the frame in which names are looked up */
};

G_DEFINE_FINAL_TYPE (SondeDebugStack, sonde_debug_stack, GTK_TYPE_BOX)

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
  sonde_name_by_text (sonde_debug_row_of (box));
}

/* The step in the plan: what it stands for, and what computes it. */
static void
add_step (SondeDebugStack *self, const SondeSessionStatus *status)
{
  const SondeStepInfo *step = sonde_debug_steps_get (sonde_debug_session_get_steps (self->session),
                                                     sonde_stop_get_outermost (&status->stop));
  g_autofree char *place = NULL, *number = NULL, *all = sonde_format_count (status->stop.n_steps);

  if (step == NULL)
    return;
  for (gsize i = 0; step->originals != NULL && step->originals[i] != NULL; i++)
    add_frame (self, i == 0 ? _ ("Original") : "", step->originals[i], i == 0 ? step->origin : NULL,
               NO_LEVEL);
  number = sonde_format_count (MIN (status->stop.position + 1, status->stop.n_steps));
  place = g_strdup_printf (_ ("step %s of %s"), number, all);
  add_frame (self, _ ("Kernel"), step->implementation != NULL ? step->implementation : "—", place,
             NO_LEVEL);
}

static const char *
kind_words (SondeFrameKind kind)
{
  return kind == SONDE_FRAME_BODY     ? _ ("Body")
         : kind == SONDE_FRAME_FUSED  ? _ ("Fused")
         : kind == SONDE_FRAME_MODULE ? _ ("Module")
         : kind == SONDE_FRAME_PYTHON ? "Python"
                                      : _ ("Graph");
}

/* "Conv · iteration 3 · node 2 of 9". (transfer full) */
static char *
describe_frame (const SondeFrame *frame)
{
  GString *text = g_string_new (frame->at_op);

  if (*frame->body != '\0')
    sonde_debug_append (text, _ ("in %s of %s"), frame->body, frame->node);
  if (frame->iteration >= 0)
    sonde_debug_append (text, _ ("iteration %" PRIi64), frame->iteration);
  if (sonde_frame_kind_has_position (frame->kind))
    {
      g_autofree char *number = sonde_format_count (MIN (frame->position + 1, frame->n_steps)),
                      *all = sonde_format_count (frame->n_steps);

      sonde_debug_append (text, _ ("node %s of %s"), number, all);
    }
  return g_string_free (text, FALSE);
}

/* The scopes around a frame's node, from the inside. */
static void
add_scopes (SondeDebugStack *self, const SondeFrame *frame, guint level)
{
  for (guint i = 0; i < frame->scopes->len; i++)
    {
      const SondeFrameScope *scope = g_ptr_array_index (frame->scopes, i);
      g_autofree char *more
          = scope->function != NULL ? g_strdup_printf (_ ("function %s"), scope->function) : NULL;

      add_frame (self, _ ("Scope"), scope->scope != NULL ? scope->scope : "", more, level);
    }
}

/* @frames: (element-type SondeFrame): from the innermost; @selected: level of the one in which
 * names are looked up */
static void
show (SondeDebugStack *self, const GPtrArray *frames, guint selected)
{
  const SondeSessionStatus *status = sonde_debug_session_get_status (self->session);

  sonde_debug_list_clear (self->list);
  self->selected = selected;
  for (guint i = 0; frames != NULL && i < frames->len; i++)
    {
      const SondeFrame *frame = g_ptr_array_index (frames, i);
      g_autofree char *more = describe_frame (frame);

      if (*frame->at == '\0' && frame->n_steps == 0)
        continue; /* before a program's first node; its own lines follow */
      add_frame (self, kind_words (frame->kind), *frame->at != '\0' ? frame->at : _ ("(end)"), more,
                 i);
      add_scopes (self, frame, i);
    }
  if (status != NULL)
    add_step (self, status);
}

/* After every stop the innermost frame is the selected one. */
static void
update (SondeDebugStack *self)
{
  const SondeSessionStatus *status = sonde_debug_session_get_status (self->session);

  if (sonde_debug_session_has_position (self->session))
    show (self, status->stop.frames, 0);
  else if (status == NULL)
    sonde_debug_list_clear (self->list);
}

static void
on_selected (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeDebugStack) self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionReply) reply
      = sonde_session_client_send_finish (SONDE_SESSION_CLIENT (source), result, &error);

  if (self->list == NULL)
    return;
  if (reply != NULL)
    show (self, reply->frames, reply->selected);
  else
    sonde_debug_session_report (self->session, sonde_error_get_text (error));
}

/* Goes to its place, and selects the frame: names are looked up there first. */
static void
on_row_activated (SondeDebugStack *self, GtkListBoxRow *row)
{
  guint level = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (row), "level"));

  sonde_debug_session_focus_name (self->session, g_object_get_data (G_OBJECT (row), "name"));
  if (level == NO_LEVEL || level == self->selected)
    return;
  g_object_ref (self);
  if (!sonde_debug_session_send (self->session, sonde_session_request_select_frame (level), NULL,
                                 on_selected, self))
    g_object_unref (self);
}

static void
sonde_debug_stack_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), SONDE_TYPE_DEBUG_STACK);
  G_OBJECT_CLASS (sonde_debug_stack_parent_class)->dispose (object);
}

static void
sonde_debug_stack_class_init (SondeDebugStackClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_debug_stack_dispose;
  gtk_widget_class_set_template_from_resource (
      widget_class, "/org/sonde/Sonde/debugger/panels/sonde-debug-stack.ui");
  gtk_widget_class_bind_template_child (widget_class, SondeDebugStack, list);
  gtk_widget_class_bind_template_callback (widget_class, on_row_activated);
}

static void
sonde_debug_stack_init (SondeDebugStack *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

GtkWidget *
sonde_debug_stack_new (SondeDebugSession *session)
{
  SondeDebugStack *self = g_object_new (SONDE_TYPE_DEBUG_STACK, NULL);

  self->session = session;
  g_signal_connect_object (session, "moved", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "loaded", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "over", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  return GTK_WIDGET (self);
}
