/* SPDX-License-Identifier: Apache-2.0
 * Values around the current position. */
#include "app/debugger/sonde-debug-values.h"

#include "viewers/sonde-saliency-view.h"

#define MAX_PICTURE_ELEMENTS 1000000

struct _SondeDebugValues
{
  GtkBox parent_instance;

  GtkWidget *list, *slice, *view, *caption;
  SondeDebugController *controller; /* lent by the page */
  GCancellable *cancellable;        /* of this position's requests */
  guint n_asked;
};

G_DEFINE_FINAL_TYPE (SondeDebugValues, sonde_debug_values, GTK_TYPE_BOX)

enum
{
  SETTLED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

/* One request of this position. */
typedef struct
{
  SondeDebugValues *self;
  GtkWidget *row; /* statistics of a row; NULL: the picture */
} Asked;

static void
answered (SondeDebugValues *self)
{
  if (--self->n_asked == 0)
    g_signal_emit (self, signals[SETTLED], 0);
}

static void
ask (SondeDebugValues    *self,
     SondeSessionRequest *request,
     GtkWidget           *row,
     GAsyncReadyCallback  callback)
{
  SondeSessionClient *client = sonde_debug_controller_get_client (self->controller);
  Asked *asked;

  if (client == NULL)
    {
      sonde_session_request_free (request);
      return;
    }
  asked = g_new0 (Asked, 1);
  asked->self = g_object_ref (self);
  asked->row = row != NULL ? g_object_ref (row) : NULL;
  self->n_asked++;
  sonde_session_client_send (client, request, self->cancellable, callback, asked);
}

static void
asked_free (Asked *asked)
{
  answered (asked->self);
  g_clear_object (&asked->row);
  g_object_unref (asked->self);
  g_free (asked);
}

/* ---- the picture ------------------------------------------------------------------------------ */

/* The last two dimensions as [H, W] float32; a vector becomes one row. NULL when that is no picture. */
static SondeTensor *
as_map (SondeTensor *tensor)
{
  SondeShape shape;

  if (tensor->dtype == SONDE_DTYPE_STRING || tensor->shape.rank > 2 || sonde_tensor_n_elements (tensor) < 1
      || sonde_tensor_n_elements (tensor) > MAX_PICTURE_ELEMENTS)
    return NULL;
  shape = sonde_shape_make (2, 1, 1);
  for (int d = 0; d < tensor->shape.rank; d++)
    shape.dims[2 - tensor->shape.rank + d] = tensor->shape.dims[d];
  {
    g_autoptr (SondeTensor) cast = sonde_tensor_cast (tensor, SONDE_DTYPE_F32);

    return sonde_tensor_reshape (cast, &shape);
  }
}

static void
on_tensor (GObject      *source,
           GAsyncResult *result,
           gpointer      data)
{
  Asked *asked = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionReply) reply
      = sonde_session_client_send_finish (SONDE_SESSION_CLIENT (source), result, &error);
  g_autoptr (SondeTensor) map = reply != NULL && reply->tensor != NULL ? as_map (reply->tensor) : NULL;

  if (reply != NULL || !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      sonde_saliency_view_set_content (SONDE_SALIENCY_VIEW (asked->self->view), NULL, map, NULL, 0);
      gtk_label_set_text (GTK_LABEL (asked->self->caption),
                          error != NULL ? error->message
                          : map == NULL ? "A slice of one or two dimensions is shown as a picture."
                                        : "");
    }
  asked_free (asked);
}

/* "0, 0" for a tensor of rank 4: the last two dimensions stay. */
static char *
default_slice (int rank)
{
  GString *text = g_string_new (NULL);

  for (int d = 0; d < rank - 2; d++)
    g_string_append (text, d > 0 ? ", 0" : "0");
  return g_string_free (text, FALSE);
}

static const char *
name_of_row (GtkListBoxRow *row)
{
  return g_object_get_data (G_OBJECT (row), "value-name");
}

static void
show_slice (SondeDebugValues *self)
{
  GtkListBoxRow *row = gtk_list_box_get_selected_row (GTK_LIST_BOX (self->list));
  const char *slice = gtk_editable_get_text (GTK_EDITABLE (self->slice));
  g_autofree char *text = NULL;

  if (row == NULL)
    return;
  text = *slice != '\0' ? g_strdup_printf ("%s[%s]", name_of_row (row), slice) : g_strdup (name_of_row (row));
  sonde_view_set_title (SONDE_VIEW (self->view), text);
  ask (self, sonde_session_request_tensor (text), NULL, on_tensor);
}

static void
on_row_selected (SondeDebugValues *self,
                 GtkListBoxRow    *row)
{
  g_autofree char *slice = NULL;

  if (row == NULL)
    return;
  slice = default_slice (GPOINTER_TO_INT (g_object_get_data (G_OBJECT (row), "rank")));
  gtk_editable_set_text (GTK_EDITABLE (self->slice), slice);
  show_slice (self);
}

/* ---- rows ------------------------------------------------------------------------------------- */

static GtkWidget *
add_label (GtkWidget  *box,
           const char *text,
           const char *css_class)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  if (css_class != NULL)
    gtk_widget_add_css_class (label, css_class);
  gtk_widget_add_css_class (label, "numeric");
  gtk_box_append (GTK_BOX (box), label);
  return label;
}

static void
fill_row (GtkWidget               *row,
          const SondeSessionReply *reply)
{
  GtkWidget *box = gtk_list_box_row_get_child (GTK_LIST_BOX_ROW (row));
  GtkWidget *type = gtk_widget_get_next_sibling (gtk_widget_get_first_child (box));
  GtkWidget *facts = gtk_widget_get_last_child (box);
  const SondeStatistics *s = &reply->statistics;
  g_autofree char *shape = sonde_shape_to_string (&reply->shape);
  g_autofree char *type_text = g_strdup_printf ("%s %s", sonde_dtype_name (reply->dtype), shape);
  g_autofree char *text = NULL;
  gint64 bad = s->nan + s->pos_inf + s->neg_inf;

  text = g_strdup_printf ("min %.4g · max %.4g · mean %.4g · std %.4g · %.3g %% zero%s", s->min, s->max, s->mean, s->std,
                          s->count > 0 ? 100.0 * (double) s->zeros / (double) s->count : 0.0, bad > 0 ? " · " : "");
  if (bad > 0)
    {
      g_autofree char *more = g_strdup_printf ("%s%" G_GINT64_FORMAT " NaN, %" G_GINT64_FORMAT " Inf", text, s->nan,
                                               s->pos_inf + s->neg_inf);

      gtk_label_set_text (GTK_LABEL (facts), more);
      gtk_widget_add_css_class (facts, "error");
    }
  else
    gtk_label_set_text (GTK_LABEL (facts), text);
  gtk_label_set_text (GTK_LABEL (type), type_text);
  g_object_set_data (G_OBJECT (row), "rank", GINT_TO_POINTER (reply->shape.rank));
}

static void
on_statistics (GObject      *source,
               GAsyncResult *result,
               gpointer      data)
{
  Asked *asked = data;
  SondeDebugValues *self = asked->self;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionReply) reply
      = sonde_session_client_send_finish (SONDE_SESSION_CLIENT (source), result, &error);

  if (reply != NULL)
    {
      fill_row (asked->row, reply);
      if (gtk_list_box_get_selected_row (GTK_LIST_BOX (self->list)) == NULL
          && GTK_IS_LIST_BOX_ROW (asked->row) && gtk_widget_get_parent (asked->row) == self->list)
        gtk_list_box_select_row (GTK_LIST_BOX (self->list), GTK_LIST_BOX_ROW (asked->row));
    }
  else if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    gtk_label_set_text (GTK_LABEL (gtk_widget_get_last_child (gtk_list_box_row_get_child (GTK_LIST_BOX_ROW (asked->row)))),
                        error->message);
  asked_free (asked);
}

static gboolean
has_row (SondeDebugValues *self,
         const char       *name)
{
  for (GtkWidget *row = gtk_widget_get_first_child (self->list); row != NULL; row = gtk_widget_get_next_sibling (row))
    if (g_strcmp0 (name_of_row (GTK_LIST_BOX_ROW (row)), name) == 0)
      return TRUE;
  return FALSE;
}

static void
add_row (SondeDebugValues *self,
         const char       *name,
         const char       *relation)
{
  GtkWidget *row = gtk_list_box_row_new (), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  g_autofree char *title = g_strdup_printf ("%s · %s", name, relation);

  if (has_row (self, name))
    {
      g_object_unref (g_object_ref_sink (row));
      g_object_unref (g_object_ref_sink (box));
      return;
    }
  gtk_widget_set_margin_top (box, 3);
  gtk_widget_set_margin_bottom (box, 3);
  add_label (box, title, NULL);
  add_label (box, "", "caption");
  gtk_widget_add_css_class (add_label (box, "…", "caption"), "dim-label");
  gtk_widget_set_tooltip_text (box, name);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  g_object_set_data_full (G_OBJECT (row), "value-name", g_strdup (name), g_free);
  gtk_list_box_append (GTK_LIST_BOX (self->list), row);
  ask (self, sonde_session_request_statistics (name), row, on_statistics);
}

static void
add_rows (SondeDebugValues *self,
          char            **names,
          const char       *relation)
{
  for (gsize i = 0; names != NULL && names[i] != NULL; i++)
    if (*names[i] != '\0')
      add_row (self, names[i], relation);
}

static void
clear (SondeDebugValues *self)
{
  GtkWidget *row;

  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  while ((row = gtk_widget_get_first_child (self->list)) != NULL)
    gtk_list_box_remove (GTK_LIST_BOX (self->list), row);
}

void
sonde_debug_values_update (SondeDebugValues *values)
{
  const SondeSessionStatus *status = sonde_debug_controller_get_status (values->controller);
  GPtrArray *steps = sonde_debug_controller_get_steps (values->controller);
  guint position;

  clear (values);
  values->cancellable = g_cancellable_new ();
  if (status == NULL || steps == NULL || status->state == SONDE_SESSION_RUNNING
      || status->state == SONDE_SESSION_EMPTY || status->state == SONDE_SESSION_LOADING)
    return;
  position = status->stop.position;
  if (position > 0 && position <= steps->len)
    add_rows (values, ((SondeStepInfo *) g_ptr_array_index (steps, position - 1))->outputs, "made by the last node");
  if (position < steps->len)
    add_rows (values, ((SondeStepInfo *) g_ptr_array_index (steps, position))->inputs, "read by the next node");
}

gboolean
sonde_debug_values_is_settled (SondeDebugValues *values)
{
  return values->n_asked == 0;
}

void
sonde_debug_values_set_controller (SondeDebugValues     *values,
                                   SondeDebugController *controller)
{
  values->controller = controller;
}

static void
sonde_debug_values_dispose (GObject *object)
{
  SondeDebugValues *self = SONDE_DEBUG_VALUES (object);

  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  gtk_widget_dispose_template (GTK_WIDGET (self), SONDE_TYPE_DEBUG_VALUES);
  G_OBJECT_CLASS (sonde_debug_values_parent_class)->dispose (object);
}

static void
sonde_debug_values_class_init (SondeDebugValuesClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_debug_values_dispose;
  g_type_ensure (SONDE_TYPE_SALIENCY_VIEW);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/sonde/Sonde/debugger/sonde-debug-values.ui");
  gtk_widget_class_bind_template_child (widget_class, SondeDebugValues, list);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugValues, slice);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugValues, view);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugValues, caption);
  signals[SETTLED] = g_signal_new ("settled", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                   G_TYPE_NONE, 0);
}

static void
sonde_debug_values_init (SondeDebugValues *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  g_signal_connect_swapped (self->list, "row-selected", G_CALLBACK (on_row_selected), self);
  g_signal_connect_swapped (self->slice, "activate", G_CALLBACK (show_slice), self);
}
