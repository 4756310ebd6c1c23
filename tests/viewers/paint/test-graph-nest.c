/* SPDX-License-Identifier: Apache-2.0
 * Scopes of a graph as boxes and frames: what is hidden, what stands in what, where lines pass, how fast. */
#include <math.h>

#include "tests/support/sonde-test-image.h"
#include "viewers/paint/graph/sonde-graph-paint-private.h"
#include "viewers/paint/graph/sonde-graph-tint.h"

#define EPSILON 0.01

/* n layers of @inner nodes each, with a sum around them; a mask that all of them read. */
static SondeGraph *
make_transformer (guint n, guint inner)
{
  SondeGraph *graph = sonde_graph_new ("transformer");
  SondeGraphValue *h = sonde_graph_add_input (graph, "x", NULL);
  SondeGraphValue *mask
      = sonde_node_get_output (sonde_graph_add_node (graph, "mask", "", "Sigmoid", &h, 1, 1), 0);

  for (guint i = 0; i < n; i++)
    {
      SondeGraphValue *y = h, *inputs[2];

      for (guint k = 0; k + 1 < inner; k++)
        {
          g_autofree char *name
              = g_strdup_printf ("/layer.%u/%s/n%u", i, k < inner / 2 ? "attention" : "mlp", k);

          inputs[0] = y;
          inputs[1] = mask;
          y = sonde_node_get_output (sonde_graph_add_node (graph, name, "", k == 2 ? "Mul" : "Relu",
                                                           inputs, k == 2 ? 2 : 1, 1),
                                     0);
        }
      {
        g_autofree char *name = g_strdup_printf ("/layer.%u/Add", i);

        inputs[0] = h;
        inputs[1] = y;
        h = sonde_node_get_output (sonde_graph_add_node (graph, name, "", "Add", inputs, 2, 1), 0);
      }
    }
  sonde_graph_add_output (graph, h);
  return graph;
}

static SondeGraphScene *
make_scene (SondeGraph *graph, const SondeGraphFolding *folding)
{
  g_autoptr (GError) error = NULL;
  SondeGraphScene *scene
      = sonde_graph_scene_new_nested (graph, SONDE_GRAPH_SCENE_FORWARD, folding, NULL, &error);

  g_assert_no_error (error);
  return scene;
}

static SondeGraphFolding *
make_folding (SondeGraph *graph, gboolean open)
{
  SondeGraphFolding *folding = sonde_graph_folding_new (graph, SONDE_GRAPH_SCENE_FORWARD);

  sonde_graph_folding_set_all (folding, open);
  return folding;
}

static gboolean
is_around (const SondeGraphScene *scene, guint outer, guint inner)
{
  for (int b = (int) inner; b >= 0; b = sonde_graph_scene_get_box (scene, (guint) b)->frame)
    if (b == (int) outer)
      return TRUE;
  return FALSE;
}

static gboolean
overlap (const SondeGraphBox *a, const SondeGraphBox *b)
{
  return a->x + a->width > b->x + EPSILON && b->x + b->width > a->x + EPSILON
         && a->y + a->height > b->y + EPSILON && b->y + b->height > a->y + EPSILON;
}

/* A box stands inside of its frame, below the head, and touches nothing else. */
static void
check_places (const SondeGraphScene *scene)
{
  for (guint i = 0; i < scene->n_boxes; i++)
    {
      const SondeGraphBox *a = &scene->boxes[i];
      const SondeGraphBox *frame = a->frame >= 0 ? &scene->boxes[a->frame] : NULL;

      if (frame != NULL)
        {
          g_assert_cmpint (a->frame, <, i);
          g_assert_true (frame->is_open);
          g_assert_cmpfloat (a->x, >=, frame->x);
          g_assert_cmpfloat (a->x + a->width, <=, frame->x + frame->width + EPSILON);
          g_assert_cmpfloat (a->y, >=, frame->y + SONDE_GRAPH_FRAME_HEAD);
          g_assert_cmpfloat (a->y + a->height, <=, frame->y + frame->height + EPSILON);
        }
      for (guint k = i + 1; k < scene->n_boxes; k++)
        g_assert_true (is_around (scene, i, k) || !overlap (a, &scene->boxes[k]));
    }
}

static gboolean
is_on_rim (const SondeGraphBox *box, const SondeLayoutPoint *point)
{
  return point->x >= box->x - EPSILON && point->x <= box->x + box->width + EPSILON
         && (fabs (point->y - box->y) < EPSILON
             || fabs (point->y - box->y - box->height) < EPSILON);
}

/* Each line begins where a box ends or another line enters a frame, and ends likewise. */
static void
check_lines (const SondeGraphScene *scene)
{
  for (guint e = 0; e < scene->n_laid_out; e++)
    {
      const SondeLayoutEdge *edge = &scene->edges[e];
      gboolean begins = FALSE;

      g_assert_true (edge->is_stub || edge->n_points % 3 == 1);
      if (edge->is_stub)
        continue;
      g_assert_true (is_on_rim (&scene->boxes[edge->to], &edge->points[edge->n_points - 1]));
      for (guint b = 0; b < scene->n_boxes && !begins; b++)
        begins = is_on_rim (&scene->boxes[b], &edge->points[0]);
      g_assert_true (begins);
    }
}

/* Where a line enters a frame, another one goes on at the same place. */
static void
check_passages (const SondeGraphScene *scene)
{
  for (guint e = 0; e < scene->n_laid_out; e++)
    {
      const SondeLayoutEdge *edge = &scene->edges[e];
      const SondeGraphBox *from = &scene->boxes[edge->from], *to = &scene->boxes[edge->to];
      const SondeLayoutPoint *end = &edge->points[edge->n_points - 1];
      guint n_next = 0;

      if (edge->is_stub || !to->is_open || to->frame != from->frame || from->is_open)
        continue;
      for (guint k = 0; k < scene->n_laid_out; k++)
        n_next += k != e && fabs (scene->edges[k].points[0].x - end->x) < EPSILON
                  && fabs (scene->edges[k].points[0].y - end->y) < EPSILON;
      g_assert_cmpuint (n_next, >=, 1);
    }
}

static void
test_closed (void)
{
  g_autoptr (SondeGraph) graph = make_transformer (12, 8);
  g_autoptr (SondeGraphFolding) folding = make_folding (graph, FALSE);
  g_autoptr (SondeGraphScene) scene = make_scene (graph, folding);
  int fold = sonde_graph_scene_find (scene, "/layer.7/mlp/n5");

  /* x, mask, the fold, the output */
  g_assert_cmpuint (scene->n_boxes, ==, 4);
  g_assert_cmpint (fold, >=, 0);
  g_assert_cmpint (fold, ==, sonde_graph_scene_find (scene, "/layer.0/Add"));
  g_assert_cmpstr (scene->texts[fold].title, ==, "12 × layer.0 … layer.11");
  g_assert_cmpstr (scene->texts[fold].details[0], ==, "96 nodes");
  g_assert_cmpuint (scene->n_edges, ==, 4);
  check_places (scene);
  check_lines (scene);
}

/* One of the folded layers is shown inside; the others are the frame itself. */
static void
test_open_fold (void)
{
  g_autoptr (SondeGraph) graph = make_transformer (12, 8);
  g_autoptr (SondeGraphFolding) folding = make_folding (graph, TRUE);
  g_autoptr (SondeGraphScene) scene = make_scene (graph, folding);
  int shown = sonde_graph_scene_find (scene, "/layer.0/Add"),
      hidden = sonde_graph_scene_find (scene, "/layer.7/Add");

  g_assert_nonnull (scene->boxes[shown].node);
  g_assert_true (scene->boxes[hidden].is_open);
  g_assert_cmpint (scene->boxes[shown].frame, ==, hidden);
  /* x, mask, the fold's frame, two frames in it, 8 nodes, the output */
  g_assert_cmpuint (scene->n_boxes, ==, 14);
  check_places (scene);
  check_lines (scene);
  check_passages (scene);
}

static void
test_spread (void)
{
  g_autoptr (SondeGraph) graph = make_transformer (12, 8);
  g_autoptr (SondeGraphFolding) folding = make_folding (graph, TRUE);
  g_autoptr (SondeGraphScene) scene = NULL;
  guint n_stubs = 0;

  sonde_graph_folding_set (folding, 1, SONDE_SCOPE_SPREAD);
  scene = make_scene (graph, folding);
  g_assert_cmpuint (scene->n_boxes, ==, 3 + 12 * (8 + 3));
  g_assert_true (scene->boxes[sonde_graph_scene_find (scene, "/layer.7/Add")].node != NULL);
  check_places (scene);
  check_lines (scene);
  /* The mask is not drawn to layers far below, but named there. */
  for (guint e = 0; e < scene->n_edges; e++)
    if (scene->edges[e].is_stub)
      {
        g_assert_cmpstr (scene->labels[e], ==, "mask");
        n_stubs++;
      }
  g_assert_cmpuint (n_stubs, >=, 3);
  g_assert_cmpuint (n_stubs, <, 12);
}

/* Nothing of a small graph is hidden at first, and a large one begins with what one can take in. */
static void
test_default (void)
{
  g_autoptr (SondeGraph) small = make_transformer (2, 8), large = make_transformer (300, 40);
  g_autoptr (SondeGraphScene) open = make_scene (small, NULL), closed = make_scene (large, NULL);

  g_assert_cmpuint (open->n_boxes, ==, 3 + 2 * (8 + 3));
  g_assert_cmpuint (closed->n_boxes, <=, 64);
  g_assert_cmpuint (closed->n_boxes, >, 4);
  check_places (open);
  check_places (closed);
}

/* Sums over all that is in a scope, where they are known. */
static void
test_flops (void)
{
  g_autoptr (SondeGraph) graph = make_transformer (12, 8);
  g_autoptr (SondeGraphFolding) folding = make_folding (graph, FALSE);
  g_autofree double *flops = g_new (double, graph->nodes->len);
  g_autoptr (SondeGraphScene) scene = NULL;

  for (guint i = 0; i < graph->nodes->len; i++)
    flops[i] = i % 8 == 0 ? NAN : 1000;
  sonde_graph_folding_set_flops (folding, flops);
  scene = make_scene (graph, folding);
  g_assert_cmpstr (scene->texts[sonde_graph_scene_find (scene, "/layer.0/Add")].details[0], ==,
                   "96 nodes · 84 k FLOP");
}

static void
test_reveal (void)
{
  g_autoptr (SondeGraph) graph = make_transformer (12, 8);
  g_autoptr (SondeGraphFolding) folding = make_folding (graph, FALSE);
  const SondeNode *far = sonde_graph_find_node (graph, "/layer.7/mlp/n5");
  g_autoptr (SondeGraphScene) scene = NULL;

  g_assert_true (sonde_graph_folding_reveal (folding, far));
  g_assert_false (sonde_graph_folding_reveal (folding, far));
  scene = make_scene (graph, folding);
  g_assert_true (scene->boxes[sonde_graph_scene_find_node (scene, far)].node == far);
  /* the other layers stay closed */
  g_assert_null (scene->boxes[sonde_graph_scene_find (scene, "/layer.6/Add")].node);
}

static char *
format (double value)
{
  return g_strdup_printf ("%g", value);
}

/* A closed scope has the sum of what is in it, parts of one operator once. */
static void
test_shades (void)
{
  g_autoptr (SondeGraph) graph = make_transformer (3, 8);
  g_autoptr (SondeGraphFolding) folding = make_folding (graph, FALSE);
  g_autoptr (SondeGraphScene) scene = make_scene (graph, folding);
  g_autoptr (SondeGraphTint) amounts = sonde_graph_tint_new (graph, "Amount", format);
  g_autoptr (SondeGraphTint) kinds = sonde_graph_tint_new (graph, "Kind", NULL);
  g_autoptr (SondeGraphShades) sums = NULL, same = NULL, mixed = NULL;
  guint fold = (guint) sonde_graph_scene_find (scene, "/layer.0/Add");

  for (guint i = 1; i < amounts->n_values; i++)
    {
      amounts->values[i] = 2;
      amounts->owners[i] = i <= 4 ? 7 : 0;
      kinds->values[i] = 0;
    }
  sonde_graph_tint_add_kind (kinds, "one", 0);
  sonde_graph_tint_add_kind (kinds, "two", 1);
  sums = sonde_graph_shades_new (amounts, scene);
  g_assert_cmpfloat (sums->values[fold], ==, 2 + 2 * 20);
  same = sonde_graph_shades_new (kinds, scene);
  g_assert_cmpfloat (same->values[fold], ==, 0);
  kinds->values[9] = 1;
  mixed = sonde_graph_shades_new (kinds, scene);
  g_assert_true (isnan (mixed->values[fold]));
}

static void
test_paint (void)
{
  g_autoptr (SondeGraph) graph = make_transformer (12, 8);
  g_autoptr (SondeGraphFolding) folding = make_folding (graph, TRUE);
  g_autoptr (SondeGraphScene) scene = make_scene (graph, folding);
  cairo_surface_t *picture
      = sonde_test_image_new ((int) scene->width + 20, (int) scene->height + 20);
  cairo_t *cr = cairo_create (picture);

  sonde_paint_graph (cr, sonde_theme_get (FALSE), scene, NULL, NULL);
  cairo_destroy (cr);
  for (guint b = 0; b < scene->n_boxes; b++)
    g_assert_cmpint (sonde_test_image_count_ink (picture, (int) scene->boxes[b].x,
                                                 (int) scene->boxes[b].y, 60, 20),
                     >, 60);
  cairo_surface_destroy (picture);
}

/* ---- speed --------------------------------------------------------------- */

static double
measure_scene (SondeGraph *graph, const SondeGraphFolding *folding)
{
  gint64 start = g_get_monotonic_time ();
  g_autoptr (SondeGraphScene) scene = make_scene (graph, folding);

  g_assert_cmpuint (scene->n_boxes, >, 0);
  return (double) (g_get_monotonic_time () - start) / 1e6;
}

/* What a person waits for, with room for a slow machine: measured numbers are in docs/limits.md. */
static void
test_speed (void)
{
  g_autoptr (SondeGraph) shared = make_transformer (80, 52), large = make_transformer (1000, 100);
  g_autoptr (SondeGraphFolding) folding
      = sonde_graph_folding_new (large, SONDE_GRAPH_SCENE_FORWARD);
  double first = measure_scene (large, NULL);
  double again = measure_scene (large, folding);
  g_autoptr (SondeGraph) flat_graph = make_transformer (192, 52);
  double flat;
  gint64 start;

  g_test_message ("100,000 nodes: first %.0f ms, again %.0f ms", first * 1e3, again * 1e3);
  g_assert_cmpfloat (first, <, 4);
  g_assert_cmpfloat (again, <, 2);
  start = g_get_monotonic_time ();
  sonde_graph_scene_free (sonde_graph_scene_new (shared, SONDE_GRAPH_SCENE_FORWARD, NULL, NULL));
  flat = (double) (g_get_monotonic_time () - start) / 1e6;
  g_test_message ("80 layers flat, with what they share: %.0f ms", flat * 1e3);
  g_assert_cmpfloat (flat, <, 5);
  start = g_get_monotonic_time ();
  sonde_graph_scene_free (
      sonde_graph_scene_new (flat_graph, SONDE_GRAPH_SCENE_FORWARD, NULL, NULL));
  flat = (double) (g_get_monotonic_time () - start) / 1e6;
  g_test_message ("10,000 nodes flat: %.0f ms", flat * 1e3);
  g_assert_cmpfloat (flat, <, 5);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/viewers/paint/graph-nest/closed", test_closed);
  g_test_add_func ("/viewers/paint/graph-nest/open-fold", test_open_fold);
  g_test_add_func ("/viewers/paint/graph-nest/spread", test_spread);
  g_test_add_func ("/viewers/paint/graph-nest/default", test_default);
  g_test_add_func ("/viewers/paint/graph-nest/flops", test_flops);
  g_test_add_func ("/viewers/paint/graph-nest/reveal", test_reveal);
  g_test_add_func ("/viewers/paint/graph-nest/shades", test_shades);
  g_test_add_func ("/viewers/paint/graph-nest/paint", test_paint);
  g_test_add_func ("/viewers/paint/graph-nest/speed", test_speed);
  return g_test_run ();
}
