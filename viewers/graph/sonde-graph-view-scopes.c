/* SPDX-License-Identifier: Apache-2.0
 * Scopes of a graph that open and close. */
#include "viewers/graph/sonde-graph-view-private.h"

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"

#define TRIANGLE_WIDTH 26 /* scene px from the left side of a box */

static const SondeGraphBox *
scope_box (SondeGraphView *self, gint64 id)
{
  const SondeGraphBox *box;

  if (self->scene == NULL || id < 0 || id >= sonde_graph_scene_get_n_boxes (self->scene))
    return NULL;
  box = sonde_graph_scene_get_box (self->scene, (guint) id);
  return box->scope != SONDE_SCOPE_NONE ? box : NULL;
}

static void
set_state (SondeGraphView *self, gint64 id, SondeScopeState state)
{
  const SondeGraphBox *box = scope_box (self, id);
  SondeGraphFolding *folding = sonde_graph_folding_copy (sonde_graph_view_get_folding (self));

  sonde_graph_folding_set (folding, box->scope, state);
  self->anchor = (int) id;
  sonde_graph_view_rearrange (self, folding);
}

gboolean
sonde_graph_view_toggle_scope (SondeGraphView *view, gint64 id)
{
  const SondeGraphBox *box = scope_box (view, id);

  g_return_val_if_fail (SONDE_IS_VIEW (view), FALSE);
  if (box == NULL)
    return FALSE;
  set_state (view, id, box->is_open ? SONDE_SCOPE_CLOSED : SONDE_SCOPE_OPEN);
  return TRUE;
}

gboolean
sonde_graph_view_spread_fold (SondeGraphView *view, gint64 id)
{
  const SondeGraphBox *box = scope_box (view, id);
  const SondeGraphFolding *folding
      = box != NULL ? sonde_graph_scene_get_folding (view->scene) : NULL;

  g_return_val_if_fail (SONDE_IS_VIEW (view), FALSE);
  if (box == NULL || sonde_scope_tree_get (folding->tree, box->scope)->n_repeats == 0)
    return FALSE;
  set_state (view, id, SONDE_SCOPE_SPREAD);
  return TRUE;
}

/* The scope around the box closes; of a spread fold all of it. */
gboolean
sonde_graph_view_close_around (SondeGraphView *view, gint64 id)
{
  const SondeGraphFolding *old = sonde_graph_view_get_folding (view);
  const SondeGraphBox *box;
  SondeGraphFolding *folding;
  guint scope;

  if (old == NULL || id < 0 || id >= sonde_graph_scene_get_n_boxes (view->scene))
    return FALSE;
  box = sonde_graph_scene_get_box (view->scene, (guint) id);
  scope = box->node != NULL ? old->tree->scope_of_node[box->node->id] : SONDE_SCOPE_ROOT;
  if (box->scope != SONDE_SCOPE_NONE)
    scope = sonde_scope_tree_get (old->tree, box->scope)->parent;
  if (scope == SONDE_SCOPE_ROOT)
    return FALSE;
  folding = sonde_graph_folding_copy (old);
  sonde_graph_folding_set (folding, scope, SONDE_SCOPE_CLOSED);
  sonde_graph_view_rearrange (view, folding);
  return TRUE;
}

void
sonde_graph_view_open_all (SondeGraphView *view, gboolean open)
{
  SondeGraphFolding *folding;

  g_return_if_fail (SONDE_IS_VIEW (view));
  if (sonde_graph_view_get_folding (view) == NULL)
    return;
  folding = sonde_graph_folding_copy (sonde_graph_view_get_folding (view));
  sonde_graph_folding_set_all (folding, open);
  sonde_graph_view_rearrange (view, folding);
}

gboolean
sonde_graph_view_tell_flops (SondeGraphView *view, const double *flops)
{
  const SondeGraphFolding *old = sonde_graph_view_get_folding (view);
  SondeGraphFolding *folding;

  g_return_val_if_fail (SONDE_IS_VIEW (view), FALSE);
  if (old == NULL || view->task != NULL || old->flops != NULL
      || sonde_graph_folding_is_trivial (old))
    return FALSE;
  folding = sonde_graph_folding_copy (old);
  sonde_graph_folding_set_flops (folding, flops);
  sonde_graph_view_rearrange (view, folding);
  return TRUE;
}

void
sonde_graph_view_set_nested (SondeGraphView *view, gboolean is_nested)
{
  g_return_if_fail (SONDE_IS_VIEW (view));
  view->is_nested = is_nested;
}

/* ---- hands --------------------------------------------------------------- */

void
sonde_graph_view_press_scope (SondeGraphView *view, gint64 id, int n_presses, double x)
{
  const SondeGraphBox *box = scope_box (view, id);
  double left, right, top;

  if (box == NULL)
    return;
  sonde_view_world_to_view (SONDE_VIEW (view), box->x, box->y, &left, &top);
  sonde_view_world_to_view (SONDE_VIEW (view), box->x + TRIANGLE_WIDTH, box->y, &right, &top);
  if (n_presses == 2 || (n_presses == 1 && x < right))
    sonde_graph_view_toggle_scope (view, id);
}

static gboolean
on_toggle_key (GtkWidget *widget, GVariant *arguments, gpointer user_data)
{
  return sonde_graph_view_toggle_scope ((SondeGraphView *) widget,
                                        sonde_view_get_selection (SONDE_VIEW (widget)));
}

void
sonde_graph_view_add_keys (SondeGraphView *view)
{
  static const guint keys[] = { GDK_KEY_Return, GDK_KEY_KP_Enter, GDK_KEY_space };
  GtkEventController *controller = gtk_shortcut_controller_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    gtk_shortcut_controller_add_shortcut (
        GTK_SHORTCUT_CONTROLLER (controller),
        gtk_shortcut_new (gtk_keyval_trigger_new (keys[i], 0),
                          gtk_callback_action_new (on_toggle_key, NULL, NULL)));
  gtk_widget_add_controller (GTK_WIDGET (view), controller);
}

/* ---- in words ------------------------------------------------------------ */

char *
sonde_graph_view_describe_scope (SondeGraphView *view, guint box)
{
  const SondeGraphBox *b = sonde_graph_scene_get_box (view->scene, box);
  const SondeScopeTree *tree = sonde_graph_scene_get_folding (view->scene)->tree;
  const SondeGraphScope *scope = sonde_scope_tree_get (tree, b->scope);
  g_autofree char *path = sonde_scope_tree_dup_path (tree, b->scope);
  g_autofree char *nodes = sonde_format_count (scope->n_nodes);
  g_autofree char *parameters = sonde_format_count ((gint64) scope->parameters);
  GString *text = g_string_new (path);

  if (scope->n_repeats > 0)
    {
      g_string_append_c (text, '\n');
      g_string_append_printf (text, _ ("%u scopes of one structure"), scope->n_repeats);
    }
  g_string_append_c (text, '\n');
  g_string_append_printf (text, P_ ("%s node", "%s nodes", scope->n_nodes), nodes);
  if (scope->parameters > 0)
    {
      g_string_append_c (text, '\n');
      g_string_append_printf (text, _ ("%s parameters"), parameters);
    }
  if (view->shades != NULL && !b->is_open)
    {
      g_autofree char *shade = sonde_graph_shades_describe_box (view->shades, box);

      g_string_append_printf (text, "\n%s", shade);
    }
  return g_string_free (text, FALSE);
}
