/* SPDX-License-Identifier: Apache-2.0
 * Graphs of models as the Graph page has them: laying out flat and with scopes, the first paint, opening a
 * scope. By the clock, since the page does it in a thread; as lines of a name and milliseconds. */
#include <stdio.h>

#include "viewers/paint/graph/sonde-graph-folding.h"
#include "viewers/paint/graph/sonde-graph-paint.h"
#include "viewers/paint/sonde-theme.h"

#define WIDTH 1280
#define HEIGHT 800

/* @n layers of @inner nodes each around a sum, and a mask that all of them read. */
static SondeGraph *
make_transformer (guint n, guint inner)
{
  SondeGraph *graph = sonde_graph_new ("transformer");
  SondeGraphValue *h = sonde_graph_add_input (graph, "x", NULL);
  SondeGraphValue *mask
      = sonde_node_get_output (sonde_graph_add_node (graph, "mask", "", "Sigmoid", &h, 1, 1), 0);

  for (guint i = 0; i < n; i++)
    {
      SondeGraphValue *inputs[2] = { h, mask };
      g_autofree char *sum = g_strdup_printf ("/layer.%u/Add", i);

      for (guint k = 0; k + 1 < inner; k++)
        {
          g_autofree char *name
              = g_strdup_printf ("/layer.%u/%s/n%u", i, k < inner / 2 ? "attention" : "mlp", k);

          inputs[0] = sonde_node_get_output (sonde_graph_add_node (graph, name, "",
                                                                   k == 2 ? "Mul" : "Relu", inputs,
                                                                   k == 2 ? 2 : 1, 1),
                                             0);
        }
      inputs[1] = h;
      h = sonde_node_get_output (sonde_graph_add_node (graph, sum, "", "Add", inputs, 2, 1), 0);
    }
  sonde_graph_add_output (graph, h);
  return graph;
}

static double
ms_since (gint64 start)
{
  return (double) (g_get_monotonic_time () - start) / 1e3;
}

static void
paint (const SondeGraphScene *scene)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, WIDTH, HEIGHT);
  cairo_t *cr = cairo_create (surface);

  sonde_paint_graph (cr, sonde_theme_get (FALSE), scene, NULL, NULL);
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
}

static void
measure_flat (const char *name, guint n, guint inner)
{
  g_autoptr (SondeGraph) graph = make_transformer (n, inner);
  gint64 start = g_get_monotonic_time ();
  g_autoptr (SondeGraphScene) scene
      = sonde_graph_scene_new (graph, SONDE_GRAPH_SCENE_FORWARD, NULL, NULL);

  printf ("%s_nodes %u\n%s_layout_ms %.3f\n", name, sonde_graph_scene_get_n_boxes (scene), name,
          ms_since (start));
}

static guint
find_scope (const SondeGraphScene *scene)
{
  for (guint i = 0; i < sonde_graph_scene_get_n_boxes (scene); i++)
    if (sonde_graph_scene_get_box (scene, i)->scope != SONDE_SCOPE_NONE)
      return sonde_graph_scene_get_box (scene, i)->scope;
  g_error ("there is no scope");
}

static void
measure_nested (const char *name, guint n, guint inner)
{
  g_autoptr (SondeGraph) graph = make_transformer (n, inner);
  gint64 start = g_get_monotonic_time ();
  g_autoptr (SondeGraphFolding) folding
      = sonde_graph_folding_new (graph, SONDE_GRAPH_SCENE_FORWARD);
  g_autoptr (SondeGraphScene) scene
      = sonde_graph_scene_new_nested (graph, SONDE_GRAPH_SCENE_FORWARD, folding, NULL, NULL);
  g_autoptr (SondeGraphScene) opened = NULL;

  paint (scene);
  printf ("%s_first_ms %.3f\n", name, ms_since (start));
  start = g_get_monotonic_time ();
  sonde_graph_folding_set (folding, find_scope (scene), SONDE_SCOPE_OPEN);
  opened = sonde_graph_scene_new_nested (graph, SONDE_GRAPH_SCENE_FORWARD, folding, NULL, NULL);
  paint (opened);
  printf ("%s_expand_ms %.3f\n", name, ms_since (start));
}

int
main (void)
{
  setvbuf (stdout, NULL, _IOLBF, 0);
  measure_flat ("flat", 192, 52);
  measure_nested ("scopes", 1000, 100);
  measure_flat ("shared", 80, 52);
  measure_nested ("shared", 80, 52);
  return 0;
}
