/* SPDX-License-Identifier: Apache-2.0
 * Values around the current position. */
#include "app/debugger/sonde-debug-values.h"

#include "viewers/paint/sonde-text.h"
#include "viewers/sonde-tensor-view.h"

#define MAX_EARLIER 8 /* steps whose outputs are listed too */

struct _SondeDebugValues
{
  GtkBox parent_instance;

  GtkWidget *list, *slice, *view, *caption;
  SondeDebugController *controller; /* lent by the page */
  GCancellable *cancellable;        /* of this position's requests */
  guint n_asked;
  char *chosen;                     /* (nullable): name of the value that the user looked at last */
  gboolean choosing;                /* a row is selected by us */
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

static void
show_caption (SondeDebugValues *self,
              const char       *text)
{
  gtk_label_set_text (GTK_LABEL (self->caption), text);
  gtk_widget_set_tooltip_text (self->caption, text);
}

static void
on_tensor (GObject      *source,
           GAsyncResult *result,
           gpointer      data)
{
  Asked *asked = data;
  SondeDebugValues *self = asked->self;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionReply) reply
      = sonde_session_client_send_finish (SONDE_SESSION_CLIENT (source), result, &error);
  g_autofree char *caption = NULL;

  if (self->view != NULL && (reply != NULL || !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)))
    {
      gboolean shown = sonde_tensor_view_set_tensor (SONDE_TENSOR_VIEW (self->view),
                                                     reply != NULL ? reply->tensor : NULL);

      caption = shown ? sonde_tensor_view_dup_caption (SONDE_TENSOR_VIEW (self->view)) : NULL;
      show_caption (self, error != NULL ? error->message : caption != NULL ? caption : "This cannot be drawn.");
    }
  asked_free (asked);
}

/* Activations: the first of the batch, with all its channels. Parameters: all of it. */
static const char *
default_slice (SondeDebugValues *self,
               const char       *name,
               int               rank)
{
  SondeGraph *graph = sonde_debug_controller_get_graph (self->controller);
  SondeGraphValue *value = graph != NULL ? sonde_graph_find_value (graph, name) : NULL;
  gboolean is_data = value == NULL || value->producer != NULL || value->role == SONDE_ROLE_INPUT;

  return rank >= 3 && is_data ? "0" : "";
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
  show_caption (self, "…");
  ask (self, sonde_session_request_tensor (text), NULL, on_tensor);
}

static void
on_row_selected (SondeDebugValues *self,
                 GtkListBoxRow    *row)
{
  if (row == NULL)
    return;
  if (!self->choosing)
    {
      g_free (self->chosen);
      self->chosen = g_strdup (name_of_row (row));
    }
  gtk_editable_set_text (GTK_EDITABLE (self->slice),
                         default_slice (self, name_of_row (row),
                                        GPOINTER_TO_INT (g_object_get_data (G_OBJECT (row), "rank"))));
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
  GtkWidget *type = gtk_widget_get_last_child (gtk_widget_get_first_child (box));
  GtkWidget *facts = gtk_widget_get_last_child (box);
  const SondeStatistics *s = &reply->statistics;
  g_autofree char *shape = sonde_shape_to_string (&reply->shape);
  g_autofree char *type_text = g_strdup_printf ("%s %s", sonde_dtype_name (reply->dtype), shape);
  g_autofree char *text = NULL;
  gint64 bad = s->nan + s->pos_inf + s->neg_inf;

  text = g_strdup_printf ("%.4g … %.4g · mean %.4g · std %.4g · %.3g %% zero%s", s->min, s->max, s->mean, s->std,
                          s->count > 0 ? 100.0 * (double) s->zeros / (double) s->count : 0.0, bad > 0 ? " · " : "");
  gtk_widget_set_tooltip_text (facts, "least … largest · mean · standard deviation · share of zeros");
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

/* The first value that has arrived; a value that was looked at before goes first. */
static void
choose_row (SondeDebugValues *self,
            GtkWidget        *row)
{
  GtkListBoxRow *selected = self->list != NULL ? gtk_list_box_get_selected_row (GTK_LIST_BOX (self->list)) : NULL;
  const char *name = name_of_row (GTK_LIST_BOX_ROW (row));

  if (self->list == NULL || gtk_widget_get_parent (row) != self->list)
    return;
  self->choosing = TRUE;
  if (selected == NULL || g_strcmp0 (self->chosen, name) == 0)
    gtk_list_box_select_row (GTK_LIST_BOX (self->list), GTK_LIST_BOX_ROW (row));
  self->choosing = FALSE;
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
      choose_row (self, asked->row);
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
  GtkListBoxRow *row;

  for (int i = 0; (row = gtk_list_box_get_row_at_index (GTK_LIST_BOX (self->list), i)) != NULL; i++)
    if (g_strcmp0 (name_of_row (row), name) == 0)
      return TRUE;
  return FALSE;
}

static void
add_row (SondeDebugValues *self,
         const char       *name,
         const char       *relation) /* static */
{
  GtkWidget *row, *box, *head, *facts;
  g_autofree char *visible = sonde_text_make_visible (name);

  if (has_row (self, name))
    return;
  row = gtk_list_box_row_new ();
  box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  head = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  gtk_widget_set_margin_top (box, 6);
  gtk_widget_set_margin_bottom (box, 6);
  gtk_box_append (GTK_BOX (box), head);
  gtk_widget_set_hexpand (add_label (head, visible, "heading"), TRUE);
  gtk_widget_add_css_class (add_label (head, "", "caption"), "dim-label");
  facts = add_label (box, "…", "caption");
  gtk_widget_add_css_class (facts, "dim-label");
  gtk_label_set_ellipsize (GTK_LABEL (facts), PANGO_ELLIPSIZE_NONE);
  gtk_label_set_wrap (GTK_LABEL (facts), TRUE);
  gtk_widget_set_tooltip_text (head, visible);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  g_object_set_data_full (G_OBJECT (row), "value-name", g_strdup (name), g_free);
  g_object_set_data (G_OBJECT (row), "relation", (char *) relation);
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

/* A heading where the relation changes. */
static void
update_header (GtkListBoxRow *row,
               GtkListBoxRow *before,
               gpointer       data)
{
  const char *relation = g_object_get_data (G_OBJECT (row), "relation");
  GtkWidget *label;

  if (before != NULL && relation == g_object_get_data (G_OBJECT (before), "relation"))
    {
      gtk_list_box_row_set_header (row, NULL);
      return;
    }
  label = gtk_label_new (relation);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_set_margin_start (label, 12);
  gtk_widget_set_margin_top (label, 9);
  gtk_widget_add_css_class (label, "caption-heading");
  gtk_widget_add_css_class (label, "dim-label");
  gtk_list_box_row_set_header (row, label);
}

static void
clear (SondeDebugValues *self)
{
  GtkWidget *row;

  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  while ((row = GTK_WIDGET (gtk_list_box_get_row_at_index (GTK_LIST_BOX (self->list), 0))) != NULL)
    gtk_list_box_remove (GTK_LIST_BOX (self->list), row);
  sonde_tensor_view_set_tensor (SONDE_TENSOR_VIEW (self->view), NULL);
  show_caption (self, "");
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
    add_rows (values, ((SondeStepInfo *) g_ptr_array_index (steps, position - 1))->outputs, "Made by the Last Node");
  if (position < steps->len)
    add_rows (values, ((SondeStepInfo *) g_ptr_array_index (steps, position))->inputs, "Read by the Next Node");
  for (guint i = 2; i <= position && i <= MAX_EARLIER + 1; i++)
    add_rows (values, ((SondeStepInfo *) g_ptr_array_index (steps, position - i))->outputs, "Made Earlier");
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
  g_clear_pointer (&self->chosen, g_free);
  gtk_widget_dispose_template (GTK_WIDGET (self), SONDE_TYPE_DEBUG_VALUES);
  G_OBJECT_CLASS (sonde_debug_values_parent_class)->dispose (object);
}

static void
sonde_debug_values_class_init (SondeDebugValuesClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_debug_values_dispose;
  g_type_ensure (SONDE_TYPE_TENSOR_VIEW);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/sonde/Sonde/debugger/sonde-debug-values.ui");
  gtk_widget_class_bind_template_child (widget_class, SondeDebugValues, list);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugValues, slice);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugValues, view);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugValues, caption);
  signals[SETTLED] = g_signal_new ("settled", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                   G_TYPE_NONE, 0);
}

static GtkWidget *
make_placeholder (void)
{
  GtkWidget *label = gtk_label_new ("No values here yet. Step with F11 or continue with F5.");

  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_justify (GTK_LABEL (label), GTK_JUSTIFY_CENTER);
  gtk_widget_set_margin_top (label, 24);
  gtk_widget_set_margin_start (label, 12);
  gtk_widget_set_margin_end (label, 12);
  gtk_widget_add_css_class (label, "dim-label");
  return label;
}

static void
sonde_debug_values_init (SondeDebugValues *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_list_box_set_header_func (GTK_LIST_BOX (self->list), update_header, NULL, NULL);
  gtk_list_box_set_placeholder (GTK_LIST_BOX (self->list), make_placeholder ());
  g_signal_connect_object (self->list, "row-selected", G_CALLBACK (on_row_selected), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->slice, "activate", G_CALLBACK (show_slice), self, G_CONNECT_SWAPPED);
}
