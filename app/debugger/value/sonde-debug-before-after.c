/* SPDX-License-Identifier: Apache-2.0
 * Input beside output. */
#include "app/debugger/value/sonde-debug-before-after.h"

#include "viewers/layout/sonde-display-slice.h"
#include "viewers/paint/sonde-text-paint.h"
#include "viewers/sonde-tensor-view.h"
#include "data/base/sonde-error.h"

#define RESOURCE "/org/sonde/Sonde/debugger/value/sonde-debug-before-after.ui"

/* One of the two. */
typedef struct
{
  GtkWidget *title, *view, *caption;
  char *name;
} Side;

struct _SondeDebugBeforeAfter
{
  GtkBox parent_instance;

  Side sides[2];
  SondeDebugSession *session; /* borrowed */
  GCancellable *cancellable;
};

G_DEFINE_FINAL_TYPE (SondeDebugBeforeAfter, sonde_debug_before_after, GTK_TYPE_BOX)

typedef struct
{
  SondeDebugBeforeAfter *self;
  Side *side;
} Asked;

static void
say (Side *side, const char *text)
{
  gtk_label_set_text (GTK_LABEL (side->caption), text);
  gtk_widget_set_tooltip_text (side->caption, text);
}

static void ask (SondeDebugBeforeAfter *self, Side *side, SondeSessionRequest *request,
                 GAsyncReadyCallback callback);

static void
on_tensor (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autofree Asked *asked = data;
  g_autoptr (SondeDebugBeforeAfter) self = asked->self;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionReply) reply
      = sonde_session_client_send_finish (SONDE_SESSION_CLIENT (source), result, &error);
  SondeTensorView *view = SONDE_TENSOR_VIEW (asked->side->view);
  g_autofree char *caption = NULL;

  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED) || self->session == NULL)
    return;
  if (reply != NULL && sonde_tensor_view_set_tensor (view, reply->tensor))
    caption = sonde_tensor_view_dup_caption (view);
  say (asked->side, caption != NULL ? caption
                    : error != NULL ? sonde_error_get_text (error)
                                    : _ ("This value cannot be displayed."));
}

/* Now its shape is known, and which part of it fits on a screen. */
static void
on_statistics (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autofree Asked *asked = data;
  g_autoptr (SondeDebugBeforeAfter) self = asked->self;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionReply) reply
      = sonde_session_client_send_finish (SONDE_SESSION_CLIENT (source), result, &error);
  g_autofree char *slice = NULL, *text = NULL;

  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED) || self->session == NULL)
    return;
  if (reply == NULL)
    {
      say (asked->side, sonde_error_get_text (error));
      return;
    }
  slice = sonde_display_slice_of_shape (&reply->shape, TRUE, FALSE);
  text = *slice != '\0' ? g_strdup_printf ("%s[%s]", asked->side->name, slice)
                        : g_strdup (asked->side->name);
  ask (self, asked->side, sonde_session_request_tensor (text), on_tensor);
}

static void
ask (SondeDebugBeforeAfter *self, Side *side, SondeSessionRequest *request,
     GAsyncReadyCallback callback)
{
  Asked *asked = g_new0 (Asked, 1);

  *asked = (Asked){ g_object_ref (self), side };
  if (sonde_debug_session_send (self->session, request, self->cancellable, callback, asked))
    return;
  g_object_unref (asked->self);
  g_free (asked);
}

/* The first input that somebody computes or gives; else the first. */
static const char *
data_input (SondeDebugSession *session, const SondeStepInfo *step)
{
  SondeGraph *graph = sonde_debug_session_get_graph (session);

  for (gsize i = 0; step->inputs != NULL && step->inputs[i] != NULL; i++)
    {
      SondeGraphValue *value
          = *step->inputs[i] != '\0' ? sonde_graph_find_value (graph, step->inputs[i]) : NULL;

      if (value != NULL && (value->producer != NULL || value->role == SONDE_ROLE_INPUT))
        return step->inputs[i];
    }
  return step->inputs != NULL ? step->inputs[0] : NULL;
}

static void
show_side (SondeDebugBeforeAfter *self, Side *side, const char *name)
{
  g_autofree char *visible = name != NULL ? sonde_text_make_visible (name) : g_strdup ("—");
  g_autofree char *title
      = g_strdup_printf (side == &self->sides[0] ? _ ("Input: %s") : _ ("Output: %s"), visible);

  gtk_label_set_text (GTK_LABEL (side->title), title);
  gtk_widget_set_tooltip_text (side->title, title);
  g_free (side->name);
  side->name = g_strdup (name);
  sonde_view_set_title (SONDE_VIEW (side->view), title);
  sonde_tensor_view_set_tensor (SONDE_TENSOR_VIEW (side->view), NULL);
  say (side, name != NULL ? "…" : _ ("none"));
  if (name != NULL)
    ask (self, side, sonde_session_request_statistics (name), on_statistics);
}

void
sonde_debug_before_after_show (SondeDebugBeforeAfter *before_after, SondeDebugSession *session,
                               guint step)
{
  const SondeStepInfo *info = sonde_debug_steps_get (sonde_debug_session_get_steps (session), step);

  g_cancellable_cancel (before_after->cancellable);
  g_clear_object (&before_after->cancellable);
  before_after->cancellable = g_cancellable_new ();
  before_after->session = session;
  show_side (before_after, &before_after->sides[0],
             info != NULL ? data_input (session, info) : NULL);
  show_side (before_after, &before_after->sides[1],
             info != NULL && info->outputs != NULL ? info->outputs[0] : NULL);
}

static void
sonde_debug_before_after_dispose (GObject *object)
{
  SondeDebugBeforeAfter *self = SONDE_DEBUG_BEFORE_AFTER (object);

  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  self->session = NULL;
  for (int i = 0; i < 2; i++)
    g_clear_pointer (&self->sides[i].name, g_free);
  gtk_widget_dispose_template (GTK_WIDGET (self), SONDE_TYPE_DEBUG_BEFORE_AFTER);
  G_OBJECT_CLASS (sonde_debug_before_after_parent_class)->dispose (object);
}

/* The three widgets of a side. */
static void
bind_side (GtkWidgetClass *klass, const char *name, gsize side)
{
  static const struct
  {
    const char *part;
    gsize offset;
  } parts[] = {
    { "title", G_STRUCT_OFFSET (Side, title) },
    { "view", G_STRUCT_OFFSET (Side, view) },
    { "caption", G_STRUCT_OFFSET (Side, caption) },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      g_autofree char *id = g_strdup_printf ("%s_%s", name, parts[i].part);

      gtk_widget_class_bind_template_child_full (klass, id, FALSE,
                                                 (gssize) (side + parts[i].offset));
    }
}

static void
sonde_debug_before_after_class_init (SondeDebugBeforeAfterClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_debug_before_after_dispose;
  g_type_ensure (SONDE_TYPE_TENSOR_VIEW);
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  bind_side (widget_class, "input", G_STRUCT_OFFSET (SondeDebugBeforeAfter, sides[0]));
  bind_side (widget_class, "output", G_STRUCT_OFFSET (SondeDebugBeforeAfter, sides[1]));
}

static void
sonde_debug_before_after_init (SondeDebugBeforeAfter *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  sonde_view_set_title (SONDE_VIEW (self->sides[0].view), _ ("Input"));
  sonde_view_set_title (SONDE_VIEW (self->sides[1].view), _ ("Output"));
}
