/* SPDX-License-Identifier: Apache-2.0
 * The scene of a graph: what has a box, where it stands, how it is found; and that it is drawn. */
#include <math.h>

#include "data/base/sonde-error.h"
#include "tests/support/sonde-test-image.h"
#include "viewers/paint/graph/sonde-graph-paint-private.h"

static SondeGraphValue *
add_node (SondeGraph *graph, const char *name, const char *op, SondeGraphValue *first,
          SondeGraphValue *second)
{
  SondeGraphValue *inputs[] = { first, second };
  SondeNode *node = sonde_graph_add_node (graph, name, "", op, inputs, second != NULL ? 2 : 1, 1);

  return sonde_node_get_output (node, 0);
}

/* input → conv1 (weight) → relu1 → two branches of Gemm → Add → output; a Constant that Add's
 * reader takes. */
static SondeGraph *
make_graph (void)
{
  SondeGraph *graph = sonde_graph_new ("test");
  SondeShape input_shape = sonde_shape_make (4, 1, 3, 8, 8),
             weight_shape = sonde_shape_make (4, 6, 3, 3, 3);
  SondeType input_type = sonde_type_tensor (SONDE_DTYPE_F32, &input_shape);
  g_autoptr (SondeTensor) weight = sonde_tensor_new (SONDE_DTYPE_F32, &weight_shape);
  SondeGraphValue *input = sonde_graph_add_input (graph, "input", &input_type);
  SondeGraphValue *w
      = sonde_graph_add_initialiser (graph, "conv1.weight", weight, SONDE_ROLE_PARAMETER);
  SondeGraphValue *conv = add_node (graph, "conv1", "Conv", input, w);
  SondeGraphValue *relu = add_node (graph, "relu1", "Relu", conv, NULL);
  SondeGraphValue *left = add_node (graph, "left", "Sigmoid", relu, NULL);
  SondeGraphValue *right = add_node (graph, "right", "Tanh", relu, NULL);
  SondeNode *constant = sonde_graph_add_node (graph, "shape", "", "Constant", NULL, 0, 1);
  SondeGraphValue *sum = add_node (graph, "sum", "Add", left, right);
  SondeGraphValue *flat
      = add_node (graph, "flat", "Reshape", sum, sonde_node_get_output (constant, 0));

  sonde_graph_add_output (graph, flat);
  return graph;
}

static void
check_no_overlap (const SondeGraphScene *scene)
{
  guint n = sonde_graph_scene_get_n_boxes (scene);
  double width, height;

  sonde_graph_scene_get_size (scene, &width, &height);
  for (guint a = 0; a < n; a++)
    {
      const SondeGraphBox *x = sonde_graph_scene_get_box (scene, a);

      g_assert_cmpfloat (x->x, >=, 0);
      g_assert_cmpfloat (x->y, >=, 0);
      g_assert_cmpfloat (x->x + x->width, <=, width + 1e-6);
      g_assert_cmpfloat (x->y + x->height, <=, height + 1e-6);
      for (guint b = a + 1; b < n; b++)
        {
          const SondeGraphBox *y = sonde_graph_scene_get_box (scene, b);

          g_assert_true (x->x + x->width <= y->x || y->x + y->width <= x->x
                         || x->y + x->height <= y->y || y->y + y->height <= x->y);
        }
    }
}

static void
test_boxes (void)
{
  g_autoptr (SondeGraph) graph = make_graph ();
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraphScene) scene
      = sonde_graph_scene_new (graph, SONDE_GRAPH_SCENE_FORWARD, NULL, &error);
  static const char *const shown[] = { "conv1", "relu1", "left", "right", "sum", "flat" };

  g_assert_no_error (error);
  /* Input and output have boxes; the Constant stands in its reader. */
  g_assert_cmpuint (sonde_graph_scene_get_n_boxes (scene), ==, G_N_ELEMENTS (shown) + 2);
  for (gsize i = 0; i < G_N_ELEMENTS (shown); i++)
    {
      int box = sonde_graph_scene_find (scene, shown[i]);

      g_assert_cmpint (box, >=, 0);
      g_assert_cmpstr (sonde_graph_scene_get_box (scene, (guint) box)->node->name, ==, shown[i]);
    }
  check_no_overlap (scene);
}

static void
test_find (void)
{
  g_autoptr (SondeGraph) graph = make_graph ();
  g_autoptr (SondeGraphScene) scene
      = sonde_graph_scene_new (graph, SONDE_GRAPH_SCENE_FORWARD, NULL, NULL);
  SondeNode *relu = sonde_graph_find_node (graph, "relu1");
  int conv = sonde_graph_scene_find (scene, "conv1");

  g_assert_cmpint (sonde_graph_scene_find (scene, sonde_node_get_output (relu, 0)->name), ==,
                   sonde_graph_scene_find (scene, "relu1"));
  g_assert_cmpint (sonde_graph_scene_find (scene, "conv1.weight"), ==, conv);
  g_assert_cmpint (sonde_graph_scene_find (scene, "shape"), ==,
                   sonde_graph_scene_find (scene, "flat"));
  g_assert_null (
      sonde_graph_scene_get_box (scene, (guint) sonde_graph_scene_find (scene, "input"))->node);
  g_assert_cmpint (sonde_graph_scene_find (scene, "nobody"), ==, -1);
}

static void
test_pick (void)
{
  g_autoptr (SondeGraph) graph = make_graph ();
  g_autoptr (SondeGraphScene) scene
      = sonde_graph_scene_new (graph, SONDE_GRAPH_SCENE_FORWARD, NULL, NULL);

  for (guint b = 0; b < sonde_graph_scene_get_n_boxes (scene); b++)
    {
      const SondeGraphBox *box = sonde_graph_scene_get_box (scene, b);

      g_assert_cmpint (
          sonde_graph_scene_pick (scene, box->x + box->width / 2, box->y + box->height / 2), ==,
          (int) b);
      g_assert_true (
          sonde_graph_scene_touches (scene, box->x + 1, box->y + 1, box->x + 2, box->y + 2));
    }
  g_assert_cmpint (sonde_graph_scene_pick (scene, -5, -5), ==, -1);
  g_assert_false (sonde_graph_scene_touches (scene, -9, -9, -1, -1));
}

static void
test_phases (void)
{
  g_autoptr (SondeGraph) graph = make_graph ();
  g_autoptr (SondeGraphScene) forward = NULL, all = NULL;

  sonde_graph_find_node (graph, "flat")->phase = SONDE_PHASE_BACKWARD;
  forward = sonde_graph_scene_new (graph, SONDE_GRAPH_SCENE_FORWARD, NULL, NULL);
  all = sonde_graph_scene_new (graph, SONDE_GRAPH_SCENE_ALL_PHASES, NULL, NULL);
  g_assert_cmpint (sonde_graph_scene_find (forward, "flat"), ==, -1);
  g_assert_cmpint (sonde_graph_scene_find (all, "flat"), >=, 0);
  check_no_overlap (all);
}

static const SondeGraphText *
text_of (const SondeGraphScene *scene, const char *name)
{
  return &scene->texts[sonde_graph_scene_find (scene, name)];
}

/* x → a → b forward; gb reads b and a, ga what gb makes and x; twenty updates read what ga makes, and one node all
 * of theirs. Lines stay within a phase, and what is read of an earlier one stands in the box. */
static void
test_looks_back (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("test");
  SondeGraphValue *x = sonde_graph_add_input (graph, "x", NULL), *updates[20];
  SondeGraphValue *a = add_node (graph, "a", "Relu", x, NULL),
                  *b = add_node (graph, "b", "Exp", a, NULL);
  SondeGraphValue *gb = add_node (graph, "gb", "Mul", b, a),
                  *ga = add_node (graph, "ga", "Mul", gb, x);
  g_autoptr (SondeGraphScene) scene = NULL;
  SondeNode *all;

  sonde_graph_add_output (graph, b);
  sonde_graph_add_output (graph, gb);
  gb->producer->phase = ga->producer->phase = SONDE_PHASE_BACKWARD;
  for (guint i = 0; i < G_N_ELEMENTS (updates); i++)
    {
      g_autofree char *name = g_strdup_printf ("u%u", i);

      updates[i] = add_node (graph, name, "Neg", ga, NULL);
      updates[i]->producer->phase = SONDE_PHASE_OPTIMISER;
    }
  all = sonde_graph_add_node (graph, "all", "", "Sum", updates, G_N_ELEMENTS (updates), 1);
  all->phase = SONDE_PHASE_OPTIMISER;
  scene = sonde_graph_scene_new (graph, SONDE_GRAPH_SCENE_ALL_PHASES, NULL, NULL);
  check_no_overlap (scene);
  /* x → a, a → b, b → its output; gb → ga; the gradient that is an output as well has no box for that. */
  g_assert_cmpuint (scene->n_edges, ==, 4);
  g_assert_cmpuint (sonde_graph_scene_get_n_boxes (scene), ==, 4 + 20 + 1 + 2);
  g_assert_cmpuint (text_of (scene, "a")->n_details, ==, 0);
  g_assert_cmpstr (text_of (scene, "gb")->details[0], ==, "← b · ← a");
  g_assert_cmpstr (text_of (scene, "ga")->details[0], ==, "← x");
  g_assert_cmpstr (text_of (scene, "u7")->details[0], ==, "← ga_output_0");
  g_assert_cmpstr (text_of (scene, "all")->details[0], ==, "← u0 · ← u1 · ← u2 · 17 more");
}

static void
test_cancel (void)
{
  g_autoptr (SondeGraph) graph = make_graph ();
  g_autoptr (GError) error = NULL;
  _Atomic gboolean cancelled = TRUE;

  g_assert_null (sonde_graph_scene_new (graph, SONDE_GRAPH_SCENE_FORWARD, &cancelled, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_CANCELLED);
}

/* Ink where the boxes are, more with marks; names from files are drawn as text. */
static void
test_paint (void)
{
  g_autoptr (SondeGraph) graph = make_graph ();
  g_autoptr (SondeGraphScene) scene = NULL;
  g_autofree guint8 *marks = NULL;
  int ink[2];

  sonde_graph_rename_node (graph, sonde_graph_find_node (graph, "left"), "<b>&\n\xe2\x80\xae");
  scene = sonde_graph_scene_new (graph, SONDE_GRAPH_SCENE_FORWARD, NULL, NULL);
  marks = g_new0 (guint8, sonde_graph_scene_get_n_boxes (scene));
  marks[1] = SONDE_GRAPH_MARK_CURRENT | SONDE_GRAPH_MARK_BREAKPOINT;
  marks[2] = SONDE_GRAPH_MARK_DONE | SONDE_GRAPH_MARK_DIMMED;
  for (int i = 0; i < 2; i++)
    {
      cairo_surface_t *picture = sonde_test_image_new (500, 500);
      cairo_t *cr = cairo_create (picture);

      cairo_translate (cr, 20, 20);
      sonde_paint_graph (cr, sonde_theme_get (i == 1), scene, i == 1 ? marks : NULL, NULL);
      sonde_paint_graph_legend (cr, sonde_theme_get (i == 1), scene, 300, 20);
      cairo_destroy (cr);
      ink[i] = sonde_test_image_count_ink (picture, 0, 0, 500, 500);
      g_assert_cmpint (ink[i], >, 2000);
      cairo_surface_destroy (picture);
    }
}

static void
test_empty (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("empty");
  g_autoptr (SondeGraphScene) scene
      = sonde_graph_scene_new (graph, SONDE_GRAPH_SCENE_ALL_PHASES, NULL, NULL);

  g_assert_nonnull (scene);
  g_assert_cmpuint (sonde_graph_scene_get_n_boxes (scene), ==, 0);
  g_assert_cmpint (sonde_graph_scene_pick (scene, 0, 0), ==, -1);
}

/* Const → MatMul → Relu, a NoOp that all of them precede, and an Assert that waits for the NoOp
 * alone. */
static SondeGraph *
make_foreign_graph (void)
{
  SondeGraph *graph = sonde_graph_new ("foreign");
  SondeGraphValue *x = add_node (graph, "x", "Placeholder", NULL, NULL);
  SondeNode *constant = sonde_graph_add_node (graph, "weights", "tensorflow", "Const", NULL, 0, 1);
  SondeGraphValue *product
      = add_node (graph, "product", "MatMul", x, sonde_node_get_output (constant, 0));
  SondeGraphValue *relu = add_node (graph, "relu", "Relu", product, NULL);
  SondeGraphValue *after[2], *waits;
  SondeNode *no_op, *check;

  after[0] = sonde_graph_add_value (graph, "^x", NULL);
  after[1] = sonde_graph_add_value (graph, "^relu", NULL);
  sonde_node_set_output (graph, x->producer, 1, after[0]);
  sonde_node_set_output (graph, relu->producer, 1, after[1]);
  no_op = sonde_graph_add_node (graph, "init", "tensorflow", "NoOp", after, 2, 0);
  waits = sonde_graph_add_value (graph, "^init", NULL);
  sonde_node_set_output (graph, no_op, 0, waits);
  check = sonde_graph_add_node (graph, "check", "tensorflow", "Nobody'sOp", &waits, 1, 0);
  g_assert_nonnull (check);
  return graph;
}

/* Control edges neither move what is laid out already nor get lost. */
static void
test_control (void)
{
  g_autoptr (SondeGraph) graph = make_foreign_graph ();
  g_autoptr (SondeGraphScene) scene
      = sonde_graph_scene_new (graph, SONDE_GRAPH_SCENE_FORWARD, NULL, NULL);
  guint n_dashed = 0, n_stubs = 0;
  cairo_surface_t *picture;
  cairo_t *cr;

  /* The constant stands in its reader. */
  g_assert_cmpuint (sonde_graph_scene_get_n_boxes (scene), ==, 5);
  g_assert_cmpint (sonde_graph_scene_find (scene, "weights"), ==,
                   sonde_graph_scene_find (scene, "product"));
  g_assert_cmpuint (scene->n_edges, ==, 5);
  g_assert_cmpuint (scene->n_laid_out, ==, 4);
  for (guint e = 0; e < scene->n_edges; e++)
    {
      n_dashed += scene->controls[e] ? 1 : 0;
      n_stubs += scene->edges[e].is_stub ? 1 : 0;
      g_assert_cmpuint (scene->edges[e].n_points, >=, 2);
    }
  g_assert_cmpuint (n_dashed, ==, 3);
  g_assert_cmpuint (n_stubs, ==, 1);
  check_no_overlap (scene);
  picture = sonde_test_image_new (500, 500);
  cr = cairo_create (picture);
  sonde_paint_graph (cr, sonde_theme_get (FALSE), scene, NULL, NULL);
  cairo_destroy (cr);
  g_assert_cmpint (sonde_test_image_count_ink (picture, 0, 0, 500, 500), >, 1000);
  cairo_surface_destroy (picture);
}

/* Thousands of nodes that one node waits for: no edge of theirs is laid out but the one that places
 * it. */
static void
test_many_controls (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("many");
  SondeGraphValue *value = add_node (graph, "n0", "Placeholder", NULL, NULL);
  g_autoptr (SondeGraphScene) scene = NULL;
  SondeNode *no_op = sonde_graph_add_node (graph, "all", "tensorflow", "NoOp", NULL, 0, 0);

  for (guint i = 1; i < 3000; i++)
    {
      g_autofree char *name = g_strdup_printf ("n%u", i), *order = g_strconcat ("^", name, NULL);
      SondeGraphValue *done = sonde_graph_add_value (graph, order, NULL);

      value = add_node (graph, name, "Relu", value, NULL);
      sonde_node_set_output (graph, value->producer, 1, done);
      sonde_node_set_input (graph, no_op, i - 1, done);
    }
  scene = sonde_graph_scene_new (graph, SONDE_GRAPH_SCENE_FORWARD, NULL, NULL);
  g_assert_cmpuint (scene->n_laid_out, ==, 3000);
  g_assert_cmpuint (scene->n_edges, ==, 2999 * 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/viewers/paint/graph/boxes", test_boxes);
  g_test_add_func ("/viewers/paint/graph/find", test_find);
  g_test_add_func ("/viewers/paint/graph/pick", test_pick);
  g_test_add_func ("/viewers/paint/graph/phases", test_phases);
  g_test_add_func ("/viewers/paint/graph/looks-back", test_looks_back);
  g_test_add_func ("/viewers/paint/graph/cancel", test_cancel);
  g_test_add_func ("/viewers/paint/graph/paint", test_paint);
  g_test_add_func ("/viewers/paint/graph/empty", test_empty);
  g_test_add_func ("/viewers/paint/graph/control", test_control);
  g_test_add_func ("/viewers/paint/graph/many-controls", test_many_controls);
  return g_test_run ();
}
