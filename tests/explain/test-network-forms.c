/* SPDX-License-Identifier: Apache-2.0
 * Networks of other forms than images to logits: what they end in, series, a fixed number of
 * samples, layers of any rank, and relevance through operators that spread an input. */
#include <string.h>

#include "engine/ops/sonde-build.h"
#include "explain/attribution/sonde-attribution-spec.h"
#include "explain/sonde-explainer.h"
#include "explain/sonde-network-score.h"
#include "tests/support/sonde-test-tensor.h"

/* @rows: −1: any */
static SondeGraph *
start_net (const char *input, gint64 rows, SondeGraphValue **x)
{
  SondeGraph *graph = sonde_graph_new ("net");
  g_autoptr (SondeTensor) like = sonde_test_tensor (SONDE_DTYPE_F32, input);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &like->shape);

  sonde_graph_set_opset (graph, "", 17);
  type.dims[0].size = rows;
  *x = sonde_graph_add_input (graph, "x", &type);
  return graph;
}

/* @x · weights + bias */
static SondeGraphValue *
dense (SondeGraph *graph, SondeGraphValue *x, const char *weights, const char *bias)
{
  g_autoptr (SondeTensor) w = sonde_test_tensor (SONDE_DTYPE_F32, weights),
                          b = sonde_test_tensor (SONDE_DTYPE_F32, bias);

  return sonde_build_op (graph, NULL, "", "Gemm", 3,
                         (SondeGraphValue *[]){ x, sonde_build_constant (graph, NULL, w),
                                                sonde_build_constant (graph, NULL, b) });
}

/* Takes @graph. */
static SondeExplainer *
finish_net (SondeGraph *graph, SondeGraphValue *y, GError **error)
{
  SondeExplainer *explainer;

  sonde_graph_add_output (graph, y);
  explainer = sonde_explainer_new (graph, "cpu", 1, error);
  sonde_graph_unref (graph);
  return explainer;
}

/* The maps of @samples, as the network takes them, for class 0. */
static void
assert_map (SondeExplainer *net, const char *spec, const char *samples, const char *map)
{
  g_autoptr (SondeTensor) given = sonde_test_tensor (SONDE_DTYPE_F32, samples),
                          want = sonde_test_tensor (SONDE_DTYPE_F32, map);
  g_autoptr (SondeTensor) targets = NULL, inputs = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeAttributionSpec) parsed = sonde_attribution_spec_parse (spec, &error);
  SondeShape shape = sonde_shape_from_array (1, given->shape.dims);
  g_auto (SondeAttributionResult) result = { 0 };
  g_autofree guint64 *numbers = g_new0 (guint64, shape.dims[0]);
  SondeAttributionRequest request = { .spec = parsed, .samples = numbers };

  g_assert_no_error (error);
  request.inputs = inputs = sonde_explainer_take_samples (net, given, &error);
  g_assert_no_error (error);
  request.targets = targets = sonde_tensor_new (SONDE_DTYPE_I64, &shape);
  sonde_attribution_compute (net, &request, &result, &error);
  g_assert_no_error (error);
  sonde_test_assert_close (result.maps, want, 0, 1e-6, spec);
}

static SondeExplainer *
make_ending (const char *ending)
{
  SondeGraphValue *x, *y;
  SondeGraph *graph = start_net ("1x2: 0", -1, &x);
  g_autoptr (GError) error = NULL;
  SondeExplainer *net;

  y = dense (graph, x, "2x2: 1 3 2 -1", "2: 0.5 -0.5");
  net = finish_net (graph, ending != NULL ? sonde_build_unary (graph, ending, y) : y, &error);
  g_assert_no_error (error);
  return net;
}

/* Logits (0.5, 3) at (1, −0.5). */
static void
test_endings (void)
{
  static const struct
  {
    const char *ending, *ablation, *slope;
    double probability;
  } cases[] = {
    { NULL, "1x2: -0.30168249 -0.19308324", "1x1x1x2: -0.14020743 0.21031115", 0.07585818 },
    { "Softmax", "1x2: -0.30168249 -0.19308324", "1x1x1x2: -0.14020743 0.21031115", 0.07585818 },
    { "LogSoftmax", "1x2: -0.30168249 -0.19308324", "1x1x1x2: -0.14020743 0.21031115", 0.07585818 },
    { "Sigmoid", "1x2: 0.24491866 -0.19511515", "1x1x1x2: 0.23500371 0.47000742", 0.62245933 },
  };
  const char *x = "1x2: 1 -0.5";

  for (gsize k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_autoptr (SondeExplainer) net = make_ending (cases[k].ending);
      g_autoptr (SondeTensor) image = sonde_test_tensor (SONDE_DTYPE_F32, "1x1x1x2: 1 -0.5");
      SondeNetworkScore score = { .explainer = net };
      g_autoptr (GError) error = NULL;
      double found;

      g_assert_cmpint (sonde_explainer_ends_in_softmax (net), ==, cases[k].ending != NULL);
      assert_map (net, "saliency", x, "1x1x1x2: 1 2");
      assert_map (net, "saliency:score=probability", x, cases[k].slope);
      assert_map (net, "feature-ablation", x, cases[k].ablation);
      assert_map (net, "feature-ablation:score=logit", x, "1x2: 1 -1");
      assert_map (net, "lrp:rule=epsilon:epsilon=1e-20", x, "1x1x1x2: 1 -1");
      g_assert_true (sonde_network_score (image, &found, &score, &error));
      g_assert_cmpfloat_with_epsilon (found, cases[k].probability, 1e-6);
    }
}

static void
test_series (void)
{
  SondeGraphValue *x;
  SondeGraph *graph = start_net ("1x2x3: 0", -1, &x);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeExplainer) net = finish_net (
      graph, dense (graph, sonde_build_unary (graph, "Flatten", x), "6x1: 1 2 3 4 5 6", "1: 0"),
      &error);

  g_assert_no_error (error);
  g_assert_cmpint (sonde_explainer_get_form (net), ==, SONDE_EXPLAINER_SERIES);
  assert_map (net, "saliency", "1x2x3: 1 1 1 1 1 2", "1x2x1x3: 1 2 3 4 5 6");
  assert_map (net, "input-x-gradient", "1x2x3: 1 1 1 1 1 2", "1x2x1x3: 1 2 3 4 5 12");
  assert_map (net, "feature-ablation:grid=1x3:score=logit", "1x2x3: 1 1 1 1 1 2", "1x3: 5 7 15");
}

/* A model of one sample, and one of four that takes any number. */
static void
test_fixed_rows (void)
{
  for (gint64 rows = 1; rows <= 4; rows += 3)
    {
      SondeGraphValue *x, *hidden;
      SondeGraph *graph = start_net ("1x2: 0", rows, &x);
      g_autoptr (SondeExplainer) net = NULL;
      g_autoptr (GError) error = NULL;
      g_autofree char *spec = NULL;

      hidden = sonde_build_unary (graph, "Relu", dense (graph, x, "2x2: 1 -1 1 1", "2: 0 0"));
      spec = g_strdup_printf ("saliency:layer=%s", hidden->name);
      net = finish_net (graph, dense (graph, hidden, "2x1: 2 3", "1: 0"), &error);
      g_assert_no_error (error);
      assert_map (net, "saliency", "3x2: 1 0 0 1 1 1", "3x1x1x2: 2 2 -1 5 2 2");
      assert_map (net, "feature-ablation:score=logit", "3x2: 1 0 0 1 1 1", "3x2: 2 0 0 5 -1 2");
      assert_map (net, spec, "3x2: 1 0 0 1 1 1", "3x2: 2 3 2 3 2 3");
    }
}

/* Four samples that cannot be another number are refused. */
static void
test_fixed_inside (void)
{
  SondeGraphValue *x, *inputs[2];
  SondeGraph *graph = start_net ("1x2: 0", 4, &x);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeExplainer) net = NULL;

  inputs[0] = x;
  inputs[1] = sonde_build_ints (graph, (const gint64[]){ 4, 2 }, 2);
  net = finish_net (
      graph,
      dense (graph, sonde_build_op (graph, NULL, "", "Reshape", 2, inputs), "2x1: 1 1", "1: 0"),
      &error);
  g_assert_null (net);
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE);
  g_assert_nonnull (strstr (error->message, "4 samples at once"));
}

/* Values (4, 1) at (1, 3), (0, 2) at 0. */
static void
test_layers (void)
{
  SondeGraphValue *x, *flat, *deep, *inputs[2];
  SondeGraph *graph = start_net ("1x2: 0", -1, &x);
  g_autoptr (SondeExplainer) net = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *flat_name = NULL, *deep_name = NULL;
  static const struct
  {
    const char *method, *map;
  } cases[] = { { "saliency", "2 2" },
                { "input-x-gradient", "8 2" },
                { "integrated-gradients:steps=3", "8 -2" },
                { "smoothgrad:samples=2", "2 2" },
                { "deeplift", "8 -2" },
                { "lrp:rule=epsilon:epsilon=1e-20", "8 2" },
                { "guided-backprop", "2 2" } };

  flat = sonde_build_unary (graph, "Relu", dense (graph, x, "2x2: 1 -1 1 0", "2: 0 2"));
  inputs[0] = flat;
  inputs[1] = sonde_build_ints (graph, (const gint64[]){ 1 }, 1);
  deep
      = sonde_build_unary (graph, "Relu", sonde_build_op (graph, NULL, "", "Unsqueeze", 2, inputs));
  flat_name = g_strdup (flat->name);
  deep_name = g_strdup (deep->name);
  net = finish_net (
      graph, dense (graph, sonde_build_unary (graph, "Flatten", deep), "2x1: 2 2", "1: 0"), &error);
  g_assert_no_error (error);
  for (gsize k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_autofree char *of_flat = g_strdup_printf ("%s:layer=%s", cases[k].method, flat_name);
      g_autofree char *of_deep = g_strdup_printf ("%s:layer=%s", cases[k].method, deep_name);
      g_autofree char *row = g_strdup_printf ("1x2: %s", cases[k].map),
                      *plane = g_strdup_printf ("1x1x2: %s", cases[k].map);

      assert_map (net, of_flat, "1x2: 1 3", row);
      assert_map (net, of_deep, "1x2: 1 3", plane);
    }
}

/* z = Σ x · max x at (3, 1): half of each product's relevance to x, the other halves together to
 * the largest. */
static void
test_spread_relevance (void)
{
  SondeGraphValue *x, *most;
  SondeGraph *graph = start_net ("1x2: 0", -1, &x);
  SondeNode *node = sonde_graph_add_node (graph, NULL, "", "ReduceMax", &x, 1, 1);
  g_autoptr (SondeExplainer) net = NULL;
  g_autoptr (GError) error = NULL;

  sonde_node_set_ints (node, "axes", (const gint64[]){ 1 }, 1);
  most = sonde_node_get_output (node, 0);
  net = finish_net (
      graph, dense (graph, sonde_build_binary (graph, "Mul", x, most), "2x1: 1 1", "1: 0"), &error);
  g_assert_no_error (error);
  assert_map (net, "lrp:rule=epsilon:epsilon=1e-20", "1x2: 3 1", "1x1x1x2: 10.5 1.5");
  g_clear_pointer (&net, sonde_explainer_free);
  graph = start_net ("1x2: 0", -1, &x);
  node = sonde_graph_add_node (graph, NULL, "", "ReduceMax", &x, 1, 1);
  sonde_node_set_ints (node, "axes", (const gint64[]){ 1 }, 1);
  net = finish_net (graph,
                    dense (graph,
                           sonde_build_binary (graph, "Add", x, sonde_node_get_output (node, 0)),
                           "2x1: 1 1", "1: 0"),
                    &error);
  g_assert_no_error (error);
  assert_map (net, "lrp:rule=epsilon:epsilon=1e-20", "1x2: 3 1", "1x1x1x2: 9 1");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/explain/forms/endings", test_endings);
  g_test_add_func ("/explain/forms/series", test_series);
  g_test_add_func ("/explain/forms/fixed-rows", test_fixed_rows);
  g_test_add_func ("/explain/forms/fixed-inside", test_fixed_inside);
  g_test_add_func ("/explain/forms/layers", test_layers);
  g_test_add_func ("/explain/forms/spread-relevance", test_spread_relevance);
  return g_test_run ();
}
