/* SPDX-License-Identifier: Apache-2.0
 * The graph view: layout in a thread, selection, what it brings into sight. */
#include <string.h>

#include "tests/support/sonde-test-image.h"
#include "viewers/graph/sonde-graph-view.h"

#define DEADLINE_SECONDS 30

/* A chain of @n nodes: "n0" … */
static SondeGraph *
make_chain (guint n)
{
  SondeGraph *graph = sonde_graph_new ("chain");
  SondeGraphValue *value = sonde_graph_add_input (graph, "x", NULL);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = g_strdup_printf ("n%u", i);

      value
          = sonde_node_get_output (sonde_graph_add_node (graph, name, "", "Relu", &value, 1, 1), 0);
    }
  sonde_graph_add_output (graph, value);
  return graph;
}

static gboolean
on_deadline (gpointer data)
{
  *(gboolean *) data = TRUE;
  return G_SOURCE_CONTINUE;
}

static void
wait_until_ready (SondeGraphView *view)
{
  gboolean late = FALSE;
  guint deadline = g_timeout_add_seconds (DEADLINE_SECONDS, on_deadline, &late);

  while (!sonde_graph_view_is_ready (view) && !late)
    g_main_context_iteration (NULL, TRUE);
  g_source_remove (deadline);
  g_assert_false (late);
}

static SondeGraphView *
make_view (guint n)
{
  SondeGraphView *view = g_object_ref_sink (SONDE_GRAPH_VIEW (sonde_graph_view_new ()));
  g_autoptr (SondeGraph) graph = make_chain (n);

  sonde_graph_view_set_graph (view, graph, SONDE_GRAPH_SCENE_FORWARD);
  wait_until_ready (view);
  return view;
}

static void
render (SondeGraphView *view, int width, int height)
{
  cairo_surface_t *picture = sonde_test_image_new (width, height);
  cairo_t *cr = cairo_create (picture);

  sonde_view_render (SONDE_VIEW (view), cr, width, height);
  cairo_destroy (cr);
  cairo_surface_destroy (picture);
}

/* Goes, with everything it holds. */
static void
assert_finalized (SondeGraphView *view)
{
  gpointer weak = view;

  g_object_add_weak_pointer (G_OBJECT (view), &weak);
  g_object_unref (view);
  while (weak != NULL && g_main_context_iteration (NULL, FALSE))
    ;
  g_assert_null (weak);
}

static void
test_defaults (void)
{
  SondeGraphView *view = g_object_ref_sink (SONDE_GRAPH_VIEW (sonde_graph_view_new ()));
  g_autofree char *text = sonde_view_describe (SONDE_VIEW (view));
  int minimum, natural;

  g_assert_true (sonde_graph_view_is_ready (view));
  g_assert_null (sonde_graph_view_get_scene (view));
  g_assert_null (sonde_graph_view_get_selected (view));
  g_assert_cmpint (sonde_view_get_selection (SONDE_VIEW (view)), ==, SONDE_VIEW_NOTHING);
  g_assert_cmpstr (text, ==, "No graph.");
  g_assert_false (sonde_graph_view_select_name (view, "n0"));
  gtk_widget_measure (GTK_WIDGET (view), GTK_ORIENTATION_HORIZONTAL, -1, &minimum, &natural, NULL,
                      NULL);
  g_assert_cmpint (minimum, >, 0);
  g_assert_cmpint (natural, >=, minimum);
  render (view, 200, 150);
  assert_finalized (view);
}

static void
on_notify (GObject *object, GParamSpec *pspec, guint *count)
{
  (*count)++;
}

static void
test_selection (void)
{
  SondeGraphView *view = make_view (5);
  g_autofree char *text = NULL;
  guint count = 0;

  g_signal_connect (view, "notify::selection", G_CALLBACK (on_notify), &count);
  g_assert_true (sonde_graph_view_select_name (view, "n3"));
  g_assert_cmpuint (count, ==, 1);
  g_assert_cmpstr (sonde_graph_view_get_selected (view)->node->name, ==, "n3");
  g_assert_true (sonde_graph_view_select_name (view, "n3"));
  g_assert_cmpuint (count, ==, 1);
  g_assert_false (sonde_graph_view_select_name (view, "nobody"));
  /* A click selects, one beside everything lets go; arrows go on from there. */
  g_signal_emit_by_name (view, "picked", (gint64) 2, 1, 0.0, 0.0);
  g_assert_cmpstr (sonde_graph_view_get_selected (view)->node->name, ==, "n1");
  g_assert_true (SONDE_VIEW_GET_CLASS (view)->move_cursor (SONDE_VIEW (view), 10));
  g_assert_nonnull (strstr (sonde_graph_view_get_selected (view)->value->name, "n4"));
  g_signal_emit_by_name (view, "picked", (gint64) SONDE_VIEW_NOTHING, 1, 0.0, 0.0);
  g_assert_null (sonde_graph_view_get_selected (view));
  g_assert_true (sonde_graph_view_select_name (view, "n3"));
  text = sonde_view_describe (SONDE_VIEW (view));
  g_assert_nonnull (strstr (text, "Graph of 7 boxes. Selected: n3."));
  sonde_graph_view_set_graph (view, NULL, 0);
  g_assert_null (sonde_graph_view_get_selected (view));
  assert_finalized (view);
}

static void
assert_in_sight (SondeGraphView *view, const char *name, int width, int height)
{
  SondeGraphScene *scene = sonde_graph_view_get_scene (view);
  const SondeGraphBox *box
      = sonde_graph_scene_get_box (scene, (guint) sonde_graph_scene_find (scene, name));
  SondeViewport v;

  sonde_view_get_viewport_for (SONDE_VIEW (view), width, height, &v);
  g_assert_cmpfloat (box->x, >=, v.x0);
  g_assert_cmpfloat (box->y, >=, v.y0);
  g_assert_cmpfloat (box->x + box->width, <=, v.x1);
  g_assert_cmpfloat (box->y + box->height, <=, v.y1);
  /* And can be read. */
  g_assert_cmpfloat (width / (v.x1 - v.x0), >=, 0.6);
}

/* A short graph is seen whole; a long one begins at its top; what is asked for comes into sight. */
static void
test_sight (void)
{
  SondeGraphView *small = make_view (3), *large = make_view (200);
  SondeViewport before, after;

  sonde_graph_view_set_legend (small, TRUE);
  sonde_graph_view_set_legend (large, TRUE);
  render (small, 600, 500);
  assert_in_sight (small, "x", 600, 500);
  assert_in_sight (small, "n2", 600, 500);
  g_assert_true (sonde_view_is_fitted (SONDE_VIEW (small), NULL, NULL));
  render (large, 600, 500);
  assert_in_sight (large, "x", 600, 500);
  g_assert_true (sonde_graph_view_reveal_name (large, "n150"));
  render (large, 600, 500);
  assert_in_sight (large, "n150", 600, 500);
  /* The next one is there already: nothing moves. */
  sonde_view_get_viewport_for (SONDE_VIEW (large), 600, 500, &before);
  sonde_graph_view_reveal_name (large, "n151");
  render (large, 600, 500);
  sonde_view_get_viewport_for (SONDE_VIEW (large), 600, 500, &after);
  g_assert_cmpmem (&before, sizeof before, &after, sizeof after);
  assert_finalized (small);
  assert_finalized (large);
}

/* Around a node in the middle its neighbours are in sight, two levels on either side, where there is room for
 * them; where there is not, those that are near. */
static void
test_around (void)
{
  static const char *const near[] = { "n98", "n99", "n100", "n101", "n102" };
  SondeGraphView *view = make_view (200);
  SondeViewport before, after;

  sonde_graph_view_set_legend (view, TRUE);
  render (view, 600, 500);
  g_assert_true (sonde_graph_view_reveal_around (view, "n100"));
  g_assert_false (sonde_graph_view_reveal_around (view, "nobody"));
  g_assert_true (sonde_graph_view_reveal_around (view, "n100"));
  render (view, 600, 500);
  for (guint i = 0; i < G_N_ELEMENTS (near); i++)
    assert_in_sight (view, near[i], 600, 500);
  /* A step on the view stays as long as its neighbours are there, too. */
  sonde_view_get_viewport_for (SONDE_VIEW (view), 600, 500, &before);
  sonde_graph_view_reveal_around (view, "n101");
  render (view, 600, 500);
  assert_in_sight (view, "n103", 600, 500);
  sonde_view_get_viewport_for (SONDE_VIEW (view), 600, 500, &after);
  g_assert_cmpmem (&before, sizeof before, &after, sizeof after);
  /* Low: the node itself and who reads or is read by it. */
  sonde_graph_view_reveal_around (view, "n50");
  render (view, 600, 120);
  assert_in_sight (view, "n50", 600, 120);
  assert_in_sight (view, "n49", 600, 120);
  assert_finalized (view);
}

/* Only the last of several graphs is shown; a view that goes does not wait for its thread. */
static void
test_replace (void)
{
  SondeGraphView *view = g_object_ref_sink (SONDE_GRAPH_VIEW (sonde_graph_view_new ()));

  for (guint n = 1; n <= 20; n++)
    {
      g_autoptr (SondeGraph) graph = make_chain (n * 10);

      sonde_graph_view_set_graph (view, graph, SONDE_GRAPH_SCENE_FORWARD);
    }
  wait_until_ready (view);
  g_assert_cmpuint (sonde_graph_scene_get_n_boxes (sonde_graph_view_get_scene (view)), ==, 202);
  {
    g_autoptr (SondeGraph) graph = make_chain (3000);

    sonde_graph_view_set_graph (view, graph, SONDE_GRAPH_SCENE_FORWARD);
  }
  g_object_run_dispose (G_OBJECT (view));
  g_object_unref (view);
}

/* n scopes "s0" … of @inner nodes each, all different in structure. */
static SondeGraph *
make_scopes (guint n, guint inner)
{
  SondeGraph *graph = sonde_graph_new ("scopes");
  SondeGraphValue *value = sonde_graph_add_input (graph, "x", NULL);

  for (guint i = 0; i < n; i++)
    for (guint k = 0; k < inner; k++)
      {
        g_autofree char *name = g_strdup_printf ("/s%u/n%u", i, k);

        value = sonde_node_get_output (
            sonde_graph_add_node (graph, name, "", k == i % inner ? "Exp" : "Relu", &value, 1, 1),
            0);
      }
  sonde_graph_add_output (graph, value);
  return graph;
}

static void
count_ready (SondeGraphView *view, guint *count)
{
  (*count)++;
}

/* Closed scopes open by hand and for what is asked for, and close again; what is selected stays selected. */
static void
test_scopes (void)
{
  SondeGraphView *view = g_object_ref_sink (SONDE_GRAPH_VIEW (sonde_graph_view_new ()));
  g_autoptr (SondeGraph) graph = make_scopes (5, 30);
  g_autofree char *text = NULL;
  guint n_ready = 0;

  g_signal_connect (view, "ready", G_CALLBACK (count_ready), &n_ready);
  sonde_graph_view_set_nested (view, TRUE);
  sonde_graph_view_set_graph (view, graph, SONDE_GRAPH_SCENE_FORWARD);
  wait_until_ready (view);
  sonde_graph_view_open_all (view, FALSE);
  wait_until_ready (view);
  g_assert_cmpuint (sonde_graph_scene_get_n_boxes (sonde_graph_view_get_scene (view)), ==, 7);
  g_assert_true (sonde_graph_view_select_name (view, "/s2/n7"));
  wait_until_ready (view);
  g_assert_cmpstr (sonde_graph_view_get_selected (view)->node->name, ==, "/s2/n7");
  g_assert_cmpuint (sonde_graph_scene_get_n_boxes (sonde_graph_view_get_scene (view)), ==, 37);
  /* The scope around it closes and takes the selection's place away; a double press opens it. */
  g_assert_true (
      sonde_graph_view_close_around (view, sonde_view_get_selection (SONDE_VIEW (view))));
  wait_until_ready (view);
  g_assert_cmpuint (sonde_graph_scene_get_n_boxes (sonde_graph_view_get_scene (view)), ==, 7);
  g_assert_cmpuint (sonde_graph_view_get_selected (view)->scope, ==, 3);
  text = sonde_view_describe (SONDE_VIEW (view));
  g_assert_nonnull (strstr (text, "s2\n30 nodes"));
  g_signal_emit_by_name (view, "picked", sonde_view_get_selection (SONDE_VIEW (view)), 2, 1e6, 0.0);
  wait_until_ready (view);
  g_assert_true (sonde_graph_view_get_selected (view)->is_open);
  g_assert_cmpuint (n_ready, ==, 5);
  /* Two in a row, before the first is laid out: both open. */
  sonde_graph_view_open_all (view, FALSE);
  wait_until_ready (view);
  g_assert_true (sonde_graph_view_toggle_scope (view, 1));
  g_assert_true (sonde_graph_view_toggle_scope (view, 2));
  wait_until_ready (view);
  g_assert_cmpuint (sonde_graph_scene_get_n_boxes (sonde_graph_view_get_scene (view)), ==,
                    7 + 2 * 30);
  sonde_graph_view_open_all (view, FALSE);
  wait_until_ready (view);
  g_assert_true (sonde_graph_view_select_name (view, "/s1/n3"));
  g_assert_true (sonde_graph_view_select_name (view, "/s1/n4"));
  wait_until_ready (view);
  g_assert_cmpstr (sonde_graph_view_get_selected (view)->node->name, ==, "/s1/n4");
  g_assert_false (sonde_graph_view_toggle_scope (view, 0));
  g_assert_false (sonde_graph_view_spread_fold (view, 1));
  assert_finalized (view);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!gtk_init_check ())
    {
      g_print ("1..0 # SKIP there is no display\n");
      return 0;
    }
  g_test_add_func ("/viewers/graph-view/defaults", test_defaults);
  g_test_add_func ("/viewers/graph-view/selection", test_selection);
  g_test_add_func ("/viewers/graph-view/sight", test_sight);
  g_test_add_func ("/viewers/graph-view/around", test_around);
  g_test_add_func ("/viewers/graph-view/replace", test_replace);
  g_test_add_func ("/viewers/graph-view/scopes", test_scopes);
  return g_test_run ();
}
