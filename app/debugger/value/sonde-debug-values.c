/* SPDX-License-Identifier: Apache-2.0
 * Values around the place that is looked at. */
#include "app/debugger/value/sonde-debug-values.h"

#include <string.h>

#include "app/debugger/value/sonde-debug-viewer.h"
#include "engine/frontend/sonde-debug-describe.h"
#include "data/base/sonde-format.h"
#include "viewers/paint/sonde-text-paint.h"
#include "data/base/sonde-error.h"

#define MAX_EARLIER 6  /* steps whose outputs are listed too */
#define MAX_RELATED 12 /* gradients, updates, state */

struct _SondeDebugValues
{
  GtkBox parent_instance;

  GtkWidget *list, *viewer;
  SondeDebugSession *session; /* borrowed from the page */
  GCancellable *cancellable;  /* of this place's requests */
  char *chosen;               /* (nullable): name of the value that the user looked at last */
  /* (nullable): asked for by name, listed wherever the run stands */
  char *wanted;
  gboolean choosing; /* a row is selected by us */
};

G_DEFINE_FINAL_TYPE (SondeDebugValues, sonde_debug_values, GTK_TYPE_BOX)

/* Statistics of a row. */
typedef struct
{
  SondeDebugValues *self;
  GtkWidget *row;
} Asked;

static const char *
name_of_row (gpointer row)
{
  return row != NULL ? g_object_get_data (G_OBJECT (row), "value-name") : NULL;
}

static void
on_row_selected (SondeDebugValues *self, GtkListBoxRow *row)
{
  if (row == NULL)
    return;
  if (!self->choosing)
    {
      g_free (self->chosen);
      self->chosen = g_strdup (name_of_row (row));
    }
  sonde_debug_viewer_show (SONDE_DEBUG_VIEWER (self->viewer), name_of_row (row),
                           g_object_get_data (G_OBJECT (row), "facts"));
}

/* ---- a row --------------------------------------------------------------- */

static GtkWidget *
add_label (GtkWidget *box, const char *text, const char *css_class)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_widget_add_css_class (label, css_class);
  gtk_widget_add_css_class (label, "numeric");
  gtk_box_append (GTK_BOX (box), label);
  return label;
}

/* "0 … 1.043 · mean 0.035 · 74 % zeros" with what is bad first. (transfer full) */
static char *
describe_statistics (const SondeStatistics *s)
{
  g_autofree char *min = sonde_format_number (s->min), *max = sonde_format_number (s->max);
  g_autofree char *mean = sonde_format_number (s->mean), *std = sonde_format_number (s->std);
  GString *text = g_string_new (NULL);

  sonde_debug_append_not_finite (text, s);
  if (s->count == 0)
    sonde_debug_append (text, "%s", _ ("no elements"));
  else if (s->count == 1)
    sonde_debug_append (text, "%s", min);
  else
    sonde_debug_append (text, _ ("%s … %s · mean %s ± %s"), min, max, mean, std);
  if (s->count > 1 && s->zeros > 0)
    sonde_debug_append (text, _ ("%.3g %% zeros"), 100.0 * (double) s->zeros / (double) s->count);
  return g_string_free (text, FALSE);
}

static void
fill_row (GtkWidget *row, SondeSessionReply *reply) /* (transfer full) */
{
  GtkWidget *box = gtk_list_box_row_get_child (GTK_LIST_BOX_ROW (row));
  GtkWidget *type = gtk_widget_get_last_child (gtk_widget_get_first_child (box));
  GtkWidget *facts = gtk_widget_get_last_child (box);
  const SondeStatistics *s = &reply->statistics;
  g_autofree char *shape = sonde_shape_to_string (&reply->shape);
  g_autofree char *type_text = g_strdup_printf ("%s %s", sonde_dtype_name (reply->dtype), shape);
  g_autofree char *text = describe_statistics (s);

  gtk_label_set_text (GTK_LABEL (facts), text);
  gtk_label_set_text (GTK_LABEL (type), type_text);
  gtk_widget_set_tooltip_text (
      facts, _ ("Minimum … maximum · mean ± standard deviation · fraction of zeros"));
  if (s->nan + s->pos_inf + s->neg_inf > 0)
    {
      gtk_widget_remove_css_class (facts, "dim-label");
      gtk_widget_add_css_class (facts, "error");
    }
  g_object_set_data_full (G_OBJECT (row), "facts", reply,
                          (GDestroyNotify) sonde_session_reply_free);
}

/* The first value that has arrived; a value that was looked at before goes first. */
static void
choose_row (SondeDebugValues *self, GtkWidget *row)
{
  GtkListBoxRow *selected = gtk_list_box_get_selected_row (GTK_LIST_BOX (self->list));
  const char *name = name_of_row (row);

  self->choosing = TRUE;
  if (selected == NULL || g_strcmp0 (self->chosen, name) == 0
      || g_strcmp0 (self->wanted, name) == 0)
    gtk_list_box_select_row (GTK_LIST_BOX (self->list), GTK_LIST_BOX_ROW (row));
  self->choosing = FALSE;
}

static void
on_statistics (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autofree Asked *asked = data;
  g_autoptr (SondeDebugValues) self = asked->self;
  g_autoptr (GtkWidget) row = asked->row;
  g_autoptr (GError) error = NULL;
  SondeSessionReply *reply
      = sonde_session_client_send_finish (SONDE_SESSION_CLIENT (source), result, &error);
  gboolean is_there = self->list != NULL && gtk_widget_get_parent (row) == self->list;

  if (reply != NULL && is_there)
    {
      fill_row (row, reply);
      choose_row (self, row);
    }
  else if (reply != NULL)
    sonde_session_reply_free (reply);
  else if (is_there && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      GtkWidget *facts
          = gtk_widget_get_last_child (gtk_list_box_row_get_child (GTK_LIST_BOX_ROW (row)));

      gtk_label_set_text (GTK_LABEL (facts), sonde_error_get_text (error));
      gtk_widget_set_tooltip_text (facts, sonde_error_get_text (error));
    }
}

static gboolean
has_row (SondeDebugValues *self, const char *name)
{
  GtkListBoxRow *row;

  for (int i = 0; (row = gtk_list_box_get_row_at_index (GTK_LIST_BOX (self->list), i)) != NULL; i++)
    if (g_strcmp0 (name_of_row (row), name) == 0)
      return TRUE;
  return FALSE;
}

static void
add_row (SondeDebugValues *self, const char *name, const char *relation) /* static, a message id */
{
  GtkWidget *row, *box, *head, *facts;
  g_autofree char *visible = sonde_text_make_visible (name);
  Asked *asked;

  if (has_row (self, name))
    return;
  row = gtk_list_box_row_new ();
  box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  head = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  gtk_box_append (GTK_BOX (box), head);
  gtk_widget_set_hexpand (add_label (head, visible, "heading"), TRUE);
  gtk_widget_add_css_class (add_label (head, "", "caption"), "dim-label");
  facts = add_label (box, "…", "caption");
  gtk_widget_add_css_class (facts, "dim-label");
  gtk_label_set_ellipsize (GTK_LABEL (facts), PANGO_ELLIPSIZE_END);
  gtk_widget_set_tooltip_text (head, visible);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL, visible, -1);
  g_object_set_data_full (G_OBJECT (row), "value-name", g_strdup (name), g_free);
  g_object_set_data (G_OBJECT (row), "relation", (char *) relation);
  gtk_list_box_append (GTK_LIST_BOX (self->list), row);
  asked = g_new0 (Asked, 1);
  *asked = (Asked){ g_object_ref (self), g_object_ref (row) };
  sonde_debug_session_send (self->session,
                            sonde_debug_session_statistics_request (self->session, name),
                            self->cancellable, on_statistics, asked);
}

static void
add_rows (SondeDebugValues *self, char **names, const char *relation)
{
  for (gsize i = 0; names != NULL && names[i] != NULL; i++)
    if (*names[i] != '\0')
      add_row (self, names[i], relation);
}

/* ---- which rows ---------------------------------------------------------- */

/* grad(V), V' and state(V, …) of the values of a step, where the session has them. */
static void
add_related (SondeDebugValues *self, char **names)
{
  GPtrArray *values = sonde_debug_session_get_values (self->session);
  guint n = 0;

  for (gsize i = 0; names != NULL && names[i] != NULL && values != NULL; i++)
    {
      g_autofree char *gradient = g_strdup_printf ("grad(%s)", names[i]),
                      *update = g_strdup_printf ("%s'", names[i]);
      g_autofree char *state = g_strdup_printf ("state(%s, ", names[i]);

      for (guint k = 0; k < values->len && n < MAX_RELATED && *names[i] != '\0'; k++)
        {
          const char *name = ((SondeValueInfo *) g_ptr_array_index (values, k))->name;

          if (!g_str_equal (name, gradient) && !g_str_equal (name, update)
              && !g_str_has_prefix (name, state))
            continue;
          add_row (self, name, N_ ("Related Values"));
          n++;
        }
    }
}

static void
add_step (SondeDebugValues *self, guint position)
{
  const SondeStepInfo *step
      = sonde_debug_steps_get (sonde_debug_session_get_steps (self->session), position);

  if (step == NULL)
    return;
  add_rows (self, step->outputs, N_ ("Outputs of This Node"));
  add_rows (self, step->inputs, N_ ("Inputs of This Node"));
  add_related (self, step->outputs);
  add_related (self, step->inputs);
}

static void
add_position (SondeDebugValues *self, guint position)
{
  const SondeStepInfo *last
      = position > 0
            ? sonde_debug_steps_get (sonde_debug_session_get_steps (self->session), position - 1)
            : NULL;
  const SondeStepInfo *next
      = sonde_debug_steps_get (sonde_debug_session_get_steps (self->session), position);

  if (last != NULL)
    add_rows (self, last->outputs, N_ ("Outputs of the Previous Node"));
  if (next != NULL)
    add_rows (self, next->inputs, N_ ("Inputs of the Next Node"));
  if (last != NULL)
    add_rows (self, last->inputs, N_ ("Inputs of the Previous Node"));
  for (guint i = 2; i <= position && i <= MAX_EARLIER + 1; i++)
    {
      const SondeStepInfo *step
          = sonde_debug_steps_get (sonde_debug_session_get_steps (self->session), position - i);

      if (step != NULL)
        add_rows (self, step->outputs, N_ ("Earlier Values"));
    }
}

/* In a body: names are those of the frame it stands in. */
static void
add_inner (SondeDebugValues *self, SondeNode *node, SondeMoment moment)
{
  GPtrArray *values = moment == SONDE_MOMENT_AFTER ? node->outputs : node->inputs;

  for (guint i = 0; i < values->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (values, i);

      if (value != NULL)
        add_row (self, value->name,
                 moment == SONDE_MOMENT_AFTER ? N_ ("Outputs of the Previous Node")
                                              : N_ ("Inputs of the Next Node"));
    }
}

static void
clear (SondeDebugValues *self)
{
  GtkWidget *row;

  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  while ((row = GTK_WIDGET (gtk_list_box_get_row_at_index (GTK_LIST_BOX (self->list), 0))) != NULL)
    gtk_list_box_remove (GTK_LIST_BOX (self->list), row);
}

static void
update (SondeDebugValues *self)
{
  const SondeSessionStatus *status = sonde_debug_session_get_status (self->session);
  guint focus = sonde_debug_session_get_focus (self->session);
  SondeNode *inner;

  /* While it runs the values of the last stop stay in sight: nothing flickers in a step. */
  gtk_widget_set_sensitive (GTK_WIDGET (self),
                            status == NULL || sonde_debug_session_has_position (self->session));
  if (status != NULL && status->state == SONDE_SESSION_RUNNING
      && gtk_widget_get_first_child (self->list) != NULL)
    return;
  clear (self);
  if (!sonde_debug_session_has_position (self->session)
      || sonde_debug_steps_get_n (sonde_debug_session_get_steps (self->session)) == 0)
    {
      sonde_debug_viewer_show (SONDE_DEBUG_VIEWER (self->viewer), NULL, NULL);
      return;
    }
  self->cancellable = g_cancellable_new ();
  if (self->wanted != NULL)
    add_row (self, self->wanted, N_ ("Requested"));
  inner = sonde_debug_session_get_inner_node (self->session);
  if (focus == SONDE_DEBUG_NO_STEP && inner != NULL)
    add_inner (self, inner, status->stop.moment);
  if (focus != SONDE_DEBUG_NO_STEP)
    add_step (self, focus);
  else
    add_position (self, sonde_stop_get_outermost (&status->stop));
}

static void
on_moved (SondeDebugValues *self)
{
  g_clear_pointer (&self->wanted, g_free);
  update (self);
}

static void
on_value (SondeDebugValues *self, const char *name)
{
  g_free (self->wanted);
  self->wanted = g_strdup (name);
  g_free (self->chosen);
  self->chosen = g_strdup (name);
  update (self);
}

const char *
sonde_debug_values_get_selected (SondeDebugValues *values)
{
  return name_of_row (gtk_list_box_get_selected_row (GTK_LIST_BOX (values->list)));
}

/* ---- class --------------------------------------------------------------- */

void
sonde_debug_values_set_session (SondeDebugValues *values, SondeDebugSession *session)
{
  values->session = session;
  sonde_debug_viewer_set_session (SONDE_DEBUG_VIEWER (values->viewer), session);
  g_signal_connect_object (session, "moved", G_CALLBACK (on_moved), values, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "loaded", G_CALLBACK (update), values, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "over", G_CALLBACK (on_moved), values, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "focus", G_CALLBACK (update), values, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "value", G_CALLBACK (on_value), values, G_CONNECT_SWAPPED);
}

/* A heading where the relation changes. */
static void
update_header (GtkListBoxRow *row, GtkListBoxRow *before, gpointer data)
{
  const char *relation = g_object_get_data (G_OBJECT (row), "relation");
  GtkWidget *label;

  if (before != NULL && relation == g_object_get_data (G_OBJECT (before), "relation"))
    {
      gtk_list_box_row_set_header (row, NULL);
      return;
    }
  label = gtk_label_new (_ (relation));
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_set_margin_start (label, 12);
  gtk_widget_set_margin_top (label, 6);
  gtk_widget_set_margin_bottom (label, 3);
  gtk_widget_add_css_class (label, "caption-heading");
  gtk_widget_add_css_class (label, "dim-label");
  gtk_list_box_row_set_header (row, label);
}

static void
sonde_debug_values_dispose (GObject *object)
{
  SondeDebugValues *self = SONDE_DEBUG_VALUES (object);

  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  g_clear_pointer (&self->chosen, g_free);
  g_clear_pointer (&self->wanted, g_free);
  gtk_widget_dispose_template (GTK_WIDGET (self), SONDE_TYPE_DEBUG_VALUES);
  G_OBJECT_CLASS (sonde_debug_values_parent_class)->dispose (object);
}

static void
sonde_debug_values_class_init (SondeDebugValuesClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_debug_values_dispose;
  g_type_ensure (SONDE_TYPE_DEBUG_VIEWER);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/org/sonde/Sonde/debugger/value/sonde-debug-values.ui");
  gtk_widget_class_bind_template_child (widget_class, SondeDebugValues, list);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugValues, viewer);
}

static GtkWidget *
make_placeholder (void)
{
  GtkWidget *label = gtk_label_new (_ ("No values here yet. Step with F11 or continue with F5."));

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
  g_signal_connect_object (self->list, "row-selected", G_CALLBACK (on_row_selected), self,
                           G_CONNECT_SWAPPED);
}
