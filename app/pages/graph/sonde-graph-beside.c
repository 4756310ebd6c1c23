/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/graph/sonde-graph-beside.h"

#include "data/base/sonde-text.h"

struct _SondeGraphBeside
{
  GtkBox parent_instance;
  GtkWidget *view;
  SondeGraphView *first_view;
  SondeGraph *first, *second;
  SondeGraphPartners *partners; /* (nullable) */
};

G_DEFINE_FINAL_TYPE (SondeGraphBeside, sonde_graph_beside, GTK_TYPE_BOX)

/* ---- what differs -------------------------------------------------------- */

enum
{
  SAME,
  DIFFERS,
  ALONE
};

SondeGraphTint *
sonde_graph_beside_make_tint (const SondeGraph *graph, SondeNode *const *partners)
{
  SondeGraphTint *tint = sonde_graph_tint_new (graph, _ ("Compared with the second graph"), NULL);

  sonde_graph_tint_add_kind (tint, _ ("the same"), -1);
  sonde_graph_tint_add_kind (tint, _ ("another operator or attributes"), 4);
  sonde_graph_tint_add_kind (tint, _ ("only here"), 1);
  for (guint i = 0; i < tint->n_values; i++)
    {
      const SondeNode *node = g_ptr_array_index (graph->nodes, i);

      if (node == NULL)
        continue;
      if (partners[i] == NULL)
        tint->values[i] = ALONE;
      else
        tint->values[i] = sonde_graph_partners_are_equal (node, partners[i]) ? SAME : DIFFERS;
    }
  return tint;
}

/* ---- one selection ------------------------------------------------------- */

static SondeNode *
get_selected (SondeGraphView *view)
{
  const SondeGraphBox *box = sonde_graph_view_get_selected (view);

  return box != NULL ? box->node : NULL;
}

/* All that belong to @node: a fused node is the partner of several. (transfer full) (element-type utf8): names
 * are lent */
static GPtrArray *
list_counterparts (const SondeNode *node, const SondeGraph *there, SondeNode *const *partners,
                   SondeNode *const *back)
{
  GPtrArray *names = g_ptr_array_new ();

  for (guint i = 0; node != NULL && i < there->nodes->len; i++)
    {
      SondeNode *other = g_ptr_array_index (there->nodes, i);

      if (other != NULL && (back[i] == node || partners[node->id] == other))
        g_ptr_array_add (names, other->name);
    }
  g_ptr_array_add (names, NULL);
  return names;
}

/* @partners: of the nodes of @from; @back: of those of @to, which shows @there. Of several whichever is selected
 * stays; all are marked. */
static void
follow (SondeGraphView *from, SondeGraphView *to, const SondeGraph *there,
        SondeNode *const *partners, SondeNode *const *back)
{
  const SondeNode *node = get_selected (from), *chosen = get_selected (to);
  const SondeNode *partner = node != NULL ? partners[node->id] : NULL;
  g_autoptr (GPtrArray) names = list_counterparts (node, there, partners, back);

  sonde_graph_view_mark (to, SONDE_GRAPH_MARK_PARTNER, (const char *const *) names->pdata);
  if (partner != NULL && partner != chosen && (chosen == NULL || back[chosen->id] != node))
    sonde_graph_view_select_name (to, partner->name);
}

static void
on_first_selected (SondeGraphBeside *self)
{
  if (self->partners != NULL)
    follow (self->first_view, SONDE_GRAPH_VIEW (self->view), self->second, self->partners->of_first,
            self->partners->of_second);
}

static void
on_second_selected (SondeGraphBeside *self)
{
  if (self->partners != NULL)
    follow (SONDE_GRAPH_VIEW (self->view), self->first_view, self->first, self->partners->of_second,
            self->partners->of_first);
}

/* ---- from outside -------------------------------------------------------- */

void
sonde_graph_beside_set_up (SondeGraphBeside *beside, SondeGraphView *view)
{
  g_return_if_fail (SONDE_IS_GRAPH_BESIDE (beside));
  beside->first_view = view;
  g_signal_connect_object (view, "notify::selection", G_CALLBACK (on_first_selected), beside,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (beside->view, "notify::selection", G_CALLBACK (on_second_selected),
                           beside, G_CONNECT_SWAPPED);
}

static void
forget (SondeGraphBeside *self)
{
  g_clear_pointer (&self->partners, sonde_graph_partners_free);
  g_clear_pointer (&self->first, sonde_graph_unref);
  g_clear_pointer (&self->second, sonde_graph_unref);
}

void
sonde_graph_beside_set_graphs (SondeGraphBeside *beside, SondeGraph *first, SondeGraph *second,
                               guint phases)
{
  gboolean shown = first != NULL && second != NULL;

  g_return_if_fail (SONDE_IS_GRAPH_BESIDE (beside));
  if (shown)
    {
      sonde_graph_ref (first);
      sonde_graph_ref (second);
    }
  sonde_graph_view_take_tint (SONDE_GRAPH_VIEW (beside->view), NULL);
  sonde_graph_view_mark (beside->first_view, SONDE_GRAPH_MARK_PARTNER, NULL);
  forget (beside);
  gtk_widget_set_visible (GTK_WIDGET (beside), shown);
  sonde_graph_view_set_graph (SONDE_GRAPH_VIEW (beside->view), shown ? second : NULL, phases);
  if (!shown)
    return;
  beside->first = first;
  beside->second = second;
  beside->partners = sonde_graph_partners_new (first, second);
  sonde_graph_view_take_tint (SONDE_GRAPH_VIEW (beside->view),
                              sonde_graph_beside_make_tint (second, beside->partners->of_second));
}

const SondeGraphPartners *
sonde_graph_beside_get_partners (SondeGraphBeside *beside)
{
  return beside->partners;
}

SondeGraphView *
sonde_graph_beside_get_view (SondeGraphBeside *beside)
{
  return SONDE_GRAPH_VIEW (beside->view);
}

/* ---- class --------------------------------------------------------------- */

static void
sonde_graph_beside_dispose (GObject *object)
{
  forget (SONDE_GRAPH_BESIDE (object));
  G_OBJECT_CLASS (sonde_graph_beside_parent_class)->dispose (object);
}

static void
sonde_graph_beside_class_init (SondeGraphBesideClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_graph_beside_dispose;
}

static void
sonde_graph_beside_init (SondeGraphBeside *self)
{
  self->view = sonde_graph_view_new ();
  sonde_view_set_title (SONDE_VIEW (self->view), _ ("Second graph"));
  sonde_graph_view_set_nested (SONDE_GRAPH_VIEW (self->view), TRUE);
  sonde_graph_view_set_legend (SONDE_GRAPH_VIEW (self->view), TRUE);
  gtk_widget_set_hexpand (self->view, TRUE);
  gtk_widget_set_vexpand (self->view, TRUE);
  gtk_box_append (GTK_BOX (self), self->view);
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}
