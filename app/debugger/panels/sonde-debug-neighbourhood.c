/* SPDX-License-Identifier: Apache-2.0
 * Relations of a node. */
#include "app/debugger/panels/sonde-debug-neighbourhood.h"

#include <adwaita.h>

#include "app/debugger/sonde-debug-widgets.h"
#include "data/base/sonde-format.h"
#include "viewers/sonde-badge.h"
#include "engine/frontend/sonde-debug-describe.h"
#include "data/base/sonde-error.h"
#include "viewers/layout/sonde-graph-neighbourhood.h"

#define RESOURCE "/org/sonde/Sonde/debugger/panels/sonde-debug-neighbourhood.ui"
#define N_COLUMNS SONDE_NEIGHBOURHOOD_COLUMNS

/* A node, or a value that no node makes: what is asked for; of a node its first output. */
typedef struct
{
  SondeNode *node;        /* (nullable) */
  SondeGraphValue *value; /* (nullable) */
  int column;
  GtkWidget *button, *mark, *health, *stop;
} Box;

struct _SondeDebugNeighbourhood
{
  GtkWidget parent_instance;

  SondeDebugSession *session; /* borrowed from the page */
  GtkWidget *row, *empty, *columns[N_COLUMNS];
  GPtrArray *boxes;  /* Box */
  GHashTable *known; /* node or value -> Box */
  SondeGraph *graph; /* (nullable): theirs */
  GCancellable *cancellable;
  guint serial;   /* of the breakpoints that are shown */
  gboolean stale; /* something is another, and nobody has looked since */
};

G_DEFINE_FINAL_TYPE (SondeDebugNeighbourhood, sonde_debug_neighbourhood, GTK_TYPE_WIDGET)

/* Statistics of a box. */
typedef struct
{
  SondeDebugNeighbourhood *self;
  GtkWidget *label;
} Asked;

/* ---- curves -------------------------------------------------------------- */

static void
draw_edge (SondeDebugNeighbourhood *self, cairo_t *cr, const Box *from, const Box *to)
{
  graphene_rect_t a, b;
  double x0, y0, x1, y1, half;

  if (from->column >= to->column || !gtk_widget_compute_bounds (from->button, GTK_WIDGET (self), &a)
      || !gtk_widget_compute_bounds (to->button, GTK_WIDGET (self), &b))
    return;
  x0 = a.origin.x + a.size.width;
  y0 = a.origin.y + a.size.height / 2;
  x1 = b.origin.x;
  y1 = b.origin.y + b.size.height / 2;
  half = (x1 - x0) / 2;
  cairo_move_to (cr, x0, y0);
  cairo_curve_to (cr, x0 + half, y0, x1 - half, y1, x1, y1);
  cairo_stroke (cr);
}

static void
draw_edges (SondeDebugNeighbourhood *self, cairo_t *cr)
{
  const SondeTheme *theme
      = sonde_theme_get (adw_style_manager_get_dark (adw_style_manager_get_default ()));

  cairo_set_source_rgba (cr, theme->axis.red, theme->axis.green, theme->axis.blue,
                         theme->axis.alpha);
  cairo_set_line_width (cr, 1.5);
  for (guint i = 0; i < self->boxes->len; i++)
    {
      const Box *to = g_ptr_array_index (self->boxes, i);

      for (guint k = 0; to->node != NULL && k < to->node->inputs->len; k++)
        {
          SondeGraphValue *value = g_ptr_array_index (to->node->inputs, k);
          gpointer maker
              = value != NULL && value->producer != NULL ? (gpointer) value->producer : value;
          const Box *from = maker != NULL ? g_hash_table_lookup (self->known, maker) : NULL;

          if (from != NULL)
            draw_edge (self, cr, from, to);
        }
    }
}

static void
sonde_debug_neighbourhood_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  SondeDebugNeighbourhood *self = SONDE_DEBUG_NEIGHBOURHOOD (widget);
  graphene_rect_t all
      = GRAPHENE_RECT_INIT (0, 0, gtk_widget_get_width (widget), gtk_widget_get_height (widget));
  cairo_t *cr = gtk_snapshot_append_cairo (snapshot, &all);

  draw_edges (self, cr);
  cairo_destroy (cr);
  GTK_WIDGET_CLASS (sonde_debug_neighbourhood_parent_class)->snapshot (widget, snapshot);
}

/* ---- a box --------------------------------------------------------------- */

static void
on_clicked (GtkButton *button, SondeDebugNeighbourhood *self)
{
  const char *node = g_object_get_data (G_OBJECT (button), "node"),
             *value = g_object_get_data (G_OBJECT (button), "value");

  if (node != NULL && sonde_debug_session_focus_name (self->session, node))
    return;
  if (value != NULL)
    sonde_debug_session_show_value (self->session, value);
}

/* What is bad first, short. (transfer full) */
static char *
describe_health (const SondeStatistics *s)
{
  GString *text = g_string_new (NULL);
  g_autofree char *least = sonde_format_number (s->min);

  sonde_debug_append_not_finite (text, s);
  if (s->count == 0)
    sonde_debug_append (text, "%s", _ ("no elements"));
  else if (s->min == s->max && s->count > 1)
    sonde_debug_append (text, _ ("all %s"), least);
  else if (s->min == s->max)
    sonde_debug_append (text, "%s", least);
  else
    sonde_debug_append (text, "%.2g…%.2g", s->min, s->max);
  return g_string_free (text, FALSE);
}

static void
on_statistics (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autofree Asked *asked = data;
  g_autoptr (SondeDebugNeighbourhood) self = asked->self;
  g_autoptr (GtkWidget) label = asked->label;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionReply) reply
      = sonde_session_client_send_finish (SONDE_SESSION_CLIENT (source), result, &error);
  const SondeStatistics *s = reply != NULL ? &reply->statistics : NULL;
  g_autofree char *text = s != NULL ? describe_health (s) : NULL;

  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)
      || gtk_widget_get_root (label) == NULL)
    return;
  gtk_label_set_text (GTK_LABEL (label), text != NULL ? text : "—");
  gtk_widget_set_tooltip_text (label, text != NULL ? text : sonde_error_get_text (error));
  if (s == NULL || s->nan + s->pos_inf + s->neg_inf == 0)
    return;
  gtk_widget_remove_css_class (label, "dim-label");
  gtk_widget_add_css_class (label, "error");
}

static void
ask_health (SondeDebugNeighbourhood *self, const Box *box)
{
  Asked *asked;

  if (box->value == NULL || !sonde_debug_session_has_position (self->session))
    return;
  asked = g_new0 (Asked, 1);
  *asked = (Asked){ g_object_ref (self), g_object_ref (box->health) };
  if (sonde_debug_session_send (
          self->session, sonde_debug_session_statistics_request (self->session, box->value->name),
          self->cancellable, on_statistics, asked))
    return;
  g_object_unref (asked->self);
  g_object_unref (asked->label);
  g_free (asked);
}

static void
make_button (SondeDebugNeighbourhood *self, Box *box)
{
  const char *name = box->node != NULL ? box->node->name : box->value->name;
  GtkWidget *column = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0),
            *head = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 3);
  GtkWidget *foot = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6),
            *label = sonde_debug_name_label (name, "heading");

  box->button = gtk_button_new ();
  box->mark = sonde_badge_new ();
  box->stop = sonde_debug_label ("●", "error");
  box->health = sonde_debug_label ("", "dim-label");
  gtk_widget_set_hexpand (label, TRUE);
  gtk_widget_set_visible (box->stop, FALSE);
  gtk_widget_set_visible (box->mark, box->node != NULL);
  gtk_widget_set_tooltip_text (box->stop, _ ("A breakpoint is set here"));
  gtk_label_set_ellipsize (GTK_LABEL (box->stop), PANGO_ELLIPSIZE_NONE);
  gtk_label_set_ellipsize (GTK_LABEL (box->health), PANGO_ELLIPSIZE_NONE);
  gtk_widget_add_css_class (box->health, "caption");
  gtk_box_append (GTK_BOX (head), box->mark);
  gtk_box_append (GTK_BOX (head), label);
  gtk_box_append (GTK_BOX (head), box->stop);
  label = sonde_debug_label (
      box->node != NULL ? box->node->op : sonde_debug_describe_role (box->value->role), "caption");
  gtk_widget_set_tooltip_text (label, gtk_label_get_text (GTK_LABEL (label)));
  gtk_widget_set_hexpand (label, TRUE);
  gtk_box_append (GTK_BOX (foot), label);
  gtk_box_append (GTK_BOX (foot), box->health);
  gtk_box_append (GTK_BOX (column), head);
  gtk_box_append (GTK_BOX (column), foot);
  gtk_button_set_child (GTK_BUTTON (box->button), column);
  gtk_widget_add_css_class (box->button, "neighbourhood-box");
  if (box->column == SONDE_NEIGHBOURHOOD_CENTRE)
    gtk_widget_add_css_class (box->button, "neighbourhood-centre");
  gtk_accessible_update_property (GTK_ACCESSIBLE (box->button), GTK_ACCESSIBLE_PROPERTY_LABEL, name,
                                  -1);
  g_object_set_data_full (G_OBJECT (box->button), "node",
                          box->node != NULL ? g_strdup (name) : NULL, g_free);
  g_object_set_data_full (G_OBJECT (box->button), "value",
                          box->value != NULL ? g_strdup (box->value->name) : NULL, g_free);
  g_signal_connect_object (box->button, "clicked", G_CALLBACK (on_clicked), self, 0);
  gtk_box_append (GTK_BOX (self->columns[box->column]), box->button);
}

/* ---- marks --------------------------------------------------------------- */

static gboolean
is_broken (SondeDebugNeighbourhood *self, const SondeStepInfo *step)
{
  GPtrArray *breakpoints = sonde_debug_session_get_breakpoints (self->session);

  for (guint i = 0; step != NULL && breakpoints != NULL && i < breakpoints->len; i++)
    {
      const SondeBreakpoint *info = g_ptr_array_index (breakpoints, i);

      if (info->enabled && !info->temporary && sonde_debug_step_is_meant (step, info->pattern))
        return TRUE;
    }
  return FALSE;
}

/* Done, current, breakpoints. */
static void
show_marks (SondeDebugNeighbourhood *self)
{
  const SondeSessionStatus *status = sonde_debug_session_get_status (self->session);
  guint position = status != NULL ? sonde_stop_get_outermost (&status->stop) : 0;

  for (guint i = 0; i < self->boxes->len; i++)
    {
      const Box *box = g_ptr_array_index (self->boxes, i);
      guint at = box->node != NULL ? sonde_debug_steps_find_node (
                     sonde_debug_session_get_steps (self->session), box->node->name)
                                   : SONDE_DEBUG_NO_STEP;

      sonde_badge_set_nothing (SONDE_BADGE (box->mark));
      gtk_widget_set_tooltip_text (box->mark, NULL);
      if (at != SONDE_DEBUG_NO_STEP && at <= position)
        {
          sonde_badge_set_state (SONDE_BADGE (box->mark),
                                 at < position ? SONDE_STATE_OK : SONDE_STATE_PAUSED);
          gtk_widget_set_tooltip_text (box->mark, at < position ? _ ("Already executed")
                                                                : _ ("Next to be executed"));
        }
      gtk_widget_set_visible (
          box->stop, is_broken (self, sonde_debug_steps_get (
                                          sonde_debug_session_get_steps (self->session), at)));
    }
  self->serial = sonde_debug_session_get_breakpoints_serial (self->session);
}

/* Nodes where a watch hit in this step have the sign of an error. */
static void
show_hits (SondeDebugNeighbourhood *self)
{
  GPtrArray *hits = sonde_debug_session_get_hits (self->session);

  for (guint i = 0; hits != NULL && i < hits->len; i++)
    {
      const SondeWatchHit *hit = g_ptr_array_index (hits, i);

      for (guint k = 0; k < self->boxes->len; k++)
        {
          const Box *box = g_ptr_array_index (self->boxes, k);

          if ((box->node == NULL || !g_str_equal (box->node->name, hit->node))
              && (box->node != NULL || !g_str_equal (box->value->name, hit->value)))
            continue;
          sonde_badge_set_state (SONDE_BADGE (box->mark), SONDE_STATE_ERROR);
          gtk_widget_set_tooltip_text (box->mark, _ ("A watchpoint was hit here"));
          gtk_widget_set_visible (box->mark, TRUE);
        }
    }
}

static void
on_hits (SondeDebugNeighbourhood *self)
{
  show_marks (self);
  show_hits (self);
}

/* ---- which --------------------------------------------------------------- */

static void
add_box (SondeDebugNeighbourhood *self, const SondeGraphNeighbour *neighbour)
{
  Box *box = g_new0 (Box, 1);

  box->node = neighbour->node;
  box->value = neighbour->value;
  box->column = neighbour->column;
  make_button (self, box);
  g_ptr_array_add (self->boxes, box);
  g_hash_table_insert (self->known, box->node != NULL ? (gpointer) box->node : box->value, box);
  ask_health (self, box);
}

/* The node that is looked at, else the one before which the run stands, else the last. */
static SondeNode *
chosen_node (SondeDebugNeighbourhood *self)
{
  const SondeSessionStatus *status = sonde_debug_session_get_status (self->session);
  SondeDebugSteps *steps = sonde_debug_session_get_steps (self->session);
  guint at = sonde_debug_session_get_focus (self->session);
  SondeNode *inner = sonde_debug_session_get_inner_node (self->session);
  const char *name;

  if (at == SONDE_DEBUG_NO_STEP && inner != NULL)
    return inner;
  if (at == SONDE_DEBUG_NO_STEP && status != NULL)
    at = sonde_stop_get_outermost (&status->stop);
  if (sonde_debug_steps_get_n (steps) == 0 || self->graph == NULL)
    return NULL;
  name = sonde_debug_steps_get_name (steps, MIN (at, sonde_debug_steps_get_n (steps) - 1));
  return sonde_graph_find_node (self->graph, name);
}

static void
clear (SondeDebugNeighbourhood *self)
{
  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  g_hash_table_remove_all (self->known);
  g_ptr_array_set_size (self->boxes, 0);
  g_clear_pointer (&self->graph, sonde_graph_unref);
  for (int i = 0; i < N_COLUMNS; i++)
    {
      GtkWidget *child;

      while ((child = gtk_widget_get_first_child (self->columns[i])) != NULL)
        gtk_box_remove (GTK_BOX (self->columns[i]), child);
    }
}

static void
update (SondeDebugNeighbourhood *self)
{
  guint left_out[N_COLUMNS];
  g_autoptr (GArray) neighbours = NULL;
  SondeNode *node;

  self->stale = TRUE;
  if (!gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  self->stale = FALSE;
  clear (self);
  if (sonde_debug_session_is_loaded (self->session)
      && sonde_debug_session_get_graph (self->session) != NULL)
    self->graph = sonde_graph_ref (sonde_debug_session_get_graph (self->session));
  node = self->graph != NULL ? chosen_node (self) : NULL;
  gtk_widget_set_visible (self->row, node != NULL);
  gtk_widget_set_visible (self->empty, node == NULL);
  if (node == NULL)
    return;
  self->cancellable = g_cancellable_new ();
  neighbours = sonde_graph_list_neighbours (node, left_out);
  for (guint i = 0; i < neighbours->len; i++)
    add_box (self, &g_array_index (neighbours, SondeGraphNeighbour, i));
  for (int i = 0; i < N_COLUMNS; i++)
    {
      g_autofree char *more = g_strdup_printf (_ ("and %u more"), left_out[i]);

      if (left_out[i] > 0)
        gtk_box_append (GTK_BOX (self->columns[i]), sonde_debug_label (more, "dim-label"));
    }
  on_hits (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
on_changed (SondeDebugNeighbourhood *self)
{
  if (self->serial != sonde_debug_session_get_breakpoints_serial (self->session)
      && self->boxes->len > 0)
    on_hits (self);
}

static void
on_map (SondeDebugNeighbourhood *self)
{
  if (self->stale)
    update (self);
}

/* ---- class --------------------------------------------------------------- */

static void
sonde_debug_neighbourhood_dispose (GObject *object)
{
  SondeDebugNeighbourhood *self = SONDE_DEBUG_NEIGHBOURHOOD (object);

  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  g_clear_pointer (&self->boxes, g_ptr_array_unref);
  g_clear_pointer (&self->known, g_hash_table_unref);
  g_clear_pointer (&self->graph, sonde_graph_unref);
  g_clear_pointer (&self->row, gtk_widget_unparent);
  g_clear_pointer (&self->empty, gtk_widget_unparent);
  G_OBJECT_CLASS (sonde_debug_neighbourhood_parent_class)->dispose (object);
}

static void
sonde_debug_neighbourhood_class_init (SondeDebugNeighbourhoodClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_debug_neighbourhood_dispose;
  widget_class->snapshot = sonde_debug_neighbourhood_snapshot;
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugNeighbourhood, row);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugNeighbourhood, empty);
  for (gsize i = 0; i < N_COLUMNS; i++)
    {
      g_autofree char *id = g_strdup_printf ("column_%zu", i);

      gtk_widget_class_bind_template_child_full (
          widget_class, id, FALSE,
          (gssize) (G_STRUCT_OFFSET (SondeDebugNeighbourhood, columns) + i * sizeof (GtkWidget *)));
    }
}

static void
sonde_debug_neighbourhood_init (SondeDebugNeighbourhood *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->boxes = g_ptr_array_new_with_free_func (g_free);
  self->known = g_hash_table_new (NULL, NULL);
  self->stale = TRUE;
  g_signal_connect (self, "map", G_CALLBACK (on_map), NULL);
}

GtkWidget *
sonde_debug_neighbourhood_new (SondeDebugSession *session)
{
  SondeDebugNeighbourhood *self = g_object_new (SONDE_TYPE_DEBUG_NEIGHBOURHOOD, NULL);
  GtkWidget *scrolled = gtk_scrolled_window_new ();

  self->session = session;
  g_signal_connect_object (session, "moved", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "loaded", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "focus", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "over", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "hits", G_CALLBACK (on_hits), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "changed", G_CALLBACK (on_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (adw_style_manager_get_default (), "notify::dark",
                           G_CALLBACK (gtk_widget_queue_draw), self, G_CONNECT_SWAPPED);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), GTK_WIDGET (self));
  gtk_widget_set_vexpand (scrolled, TRUE);
  return scrolled;
}
