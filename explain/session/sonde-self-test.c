/* SPDX-License-Identifier: Apache-2.0
 * Methods on nets whose maps are known without a computer: computed by the same code that explains
 * images. Cases of metrics stand in sonde-self-test-metrics.c. */
#include <math.h>
#include <string.h>

#include "data/base/sonde-text.h"
#include "engine/ops/sonde-build.h"
#include "explain/attribution/sonde-attribution-spec.h"
#include "explain/session/sonde-self-test-private.h"

#define MOST_NUMBERS 16

/* ---- nets ---------------------------------------------------------------- */

static SondeGraph *
start_net (gint64 side_y, gint64 side_x, SondeGraphValue **x)
{
  SondeGraph *graph = sonde_graph_new ("self-test");
  SondeShape shape = sonde_shape_make (4, 1, 1, (int) side_y, (int) side_x);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);

  sonde_graph_set_opset (graph, "", 17);
  type.dims[0].size = -1;
  *x = sonde_graph_add_input (graph, "x", &type);
  return graph;
}

/* @numbers: repeated until the shape is full */
static SondeGraphValue *
constant (SondeGraph *graph, const SondeShape *shape, const double *numbers, gsize n)
{
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F32, shape);

  for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
    sonde_tensor_set_double (tensor, i, numbers[(gsize) i % n]);
  return sonde_build_constant (graph, NULL, tensor);
}

/* Nodes of the net go by @name: layers are chosen by it. */
static SondeGraphValue *
add (SondeGraph *graph, const char *name, const char *op, SondeGraphValue *x,
     SondeGraphValue *second, SondeGraphValue *third)
{
  SondeGraphValue *inputs[] = { x, second, third };
  guint n = second == NULL ? 1 : third == NULL ? 2 : 3;

  return sonde_node_get_output (sonde_graph_add_node (graph, name, "", op, inputs, n, 1), 0);
}

static SondeGraphValue *
dense (SondeGraph *graph, SondeGraphValue *x, int rows, int columns, const double *weights,
       gsize n_weights, const double *bias, gsize n_bias)
{
  SondeShape shape = sonde_shape_make (2, rows, columns), line = sonde_shape_make (1, columns);

  return add (graph, NULL, "Gemm", x, constant (graph, &shape, weights, n_weights),
              constant (graph, &line, bias, n_bias));
}

/* relu (s − 10) + 3 · relu (s + 1) − 1, s = Σ x, of three numbers */
static SondeGraph *
make_net_a (void)
{
  static const double one[] = { 1 }, bias[] = { -10, 1, 1, 1 }, less[] = { -1 };
  SondeGraphValue *x;
  SondeGraph *graph = start_net (1, 3, &x);
  SondeGraphValue *y
      = dense (graph, add (graph, NULL, "Flatten", x, NULL, NULL), 3, 4, one, 1, bias, 4);

  y = dense (graph, add (graph, NULL, "Relu", y, NULL, NULL), 4, 1, one, 1, less, 1);
  sonde_graph_add_output (graph, y);
  return graph;
}

/* Convolution 1 → 2 of ones, 3 × 3, bias (−50, −75); ReLU; dense (1 1 1 1 1 −1 −1 −1); ReLU; on 4 ×
 * 4 pixels */
static SondeGraph *
make_net_b (void)
{
  static const double one[] = { 1 }, bias[] = { -50, -75 },
                      weights[] = { 1, 1, 1, 1, 1, -1, -1, -1 }, zero[] = { 0 };
  SondeShape kernel = sonde_shape_make (4, 2, 1, 3, 3), line = sonde_shape_make (1, 2);
  SondeGraphValue *x;
  SondeGraph *graph = start_net (4, 4, &x);
  SondeGraphValue *y = add (graph, "conv", "Conv", x, constant (graph, &kernel, one, 1),
                            constant (graph, &line, bias, 2));

  y = add (graph, "relu", "Relu", y, NULL, NULL);
  y = dense (graph, add (graph, NULL, "Flatten", y, NULL, NULL), 8, 1, weights, 8, zero, 1);
  sonde_graph_add_output (graph, add (graph, NULL, "Relu", y, NULL, NULL));
  return graph;
}

/* relu (relu (x₁) − 1 − relu (x₂)) */
static SondeGraph *
make_net_c (void)
{
  static const double weights[] = { 1, -1 }, bias[] = { -1 };
  SondeGraphValue *x;
  SondeGraph *graph = start_net (1, 2, &x);
  SondeGraphValue *y
      = add (graph, NULL, "Flatten", add (graph, NULL, "Relu", x, NULL, NULL), NULL, NULL);

  sonde_graph_add_output (
      graph, add (graph, NULL, "Relu", dense (graph, y, 2, 1, weights, 2, bias, 1), NULL, NULL));
  return graph;
}

/* 3 x₁ − x₂ + 2 */
static SondeGraph *
make_linear (void)
{
  static const double weights[] = { 3, -1 }, bias[] = { 2 };
  SondeGraphValue *x;
  SondeGraph *graph = start_net (1, 2, &x);

  sonde_graph_add_output (
      graph, dense (graph, add (graph, NULL, "Flatten", x, NULL, NULL), 2, 1, weights, 2, bias, 1));
  return graph;
}

/* ---- cases --------------------------------------------------------------- */

typedef struct
{
  const char *sentence;
  SondeGraph *(*make) (void);
  gint64 height, width;
  double input[MOST_NUMBERS];
} Net;

#define COUNTING                                                                                   \
  {                                                                                                \
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15                                           \
  }

enum
{
  NET_A,
  NET_A_SMALL,
  NET_B,
  NET_C,
  LINEAR,
};

static const Net nets[] = {
  [NET_A] = { N_ ("relu(s − 10) + 3 relu(s + 1) − 1, s = Σx, at (20, 50, 30)"),
              make_net_a,
              1,
              3,
              { 20, 50, 30 } },
  [NET_A_SMALL] = { N_ ("relu(s − 10) + 3 relu(s + 1) − 1, s = Σx, at (2, 10, 3)"),
                    make_net_a,
                    1,
                    3,
                    { 2, 10, 3 } },
  [NET_B]
  = { N_ ("a convolution of ones with two biases, ReLU, a dense layer of ±1, on the image 0…15"),
      make_net_b, 4, 4, COUNTING },
  [NET_C] = { N_ ("relu(relu(x₁) − 1 − relu(x₂)) at (3, 1)"), make_net_c, 1, 2, { 3, 1 } },
  [LINEAR] = { N_ ("3x₁ − x₂ + 2 at (2, 5)"), make_linear, 1, 2, { 2, 5 } },
};

#define LAYER ":size=layer:relu=no:score=logit"

static const struct
{
  guint net;
  const char *spec;
  gsize n;
  double expected[MOST_NUMBERS];
  double tolerance;
} cases[] = {
  { LINEAR, "saliency", 2, { 3, -1 }, 1e-6 },
  { LINEAR, "input-x-gradient", 2, { 6, -5 }, 1e-5 },
  { LINEAR, "integrated-gradients:steps=1", 2, { 6, -5 }, 1e-5 },
  { LINEAR, "smoothgrad:samples=8", 2, { 3, -1 }, 1e-5 },
  { LINEAR, "guided-backprop", 2, { 3, -1 }, 1e-6 },
  { LINEAR, "occlusion:window=1x1:stride=1x1:score=logit", 2, { 6, -5 }, 1e-5 },
  { LINEAR, "shapley:grid=1x2:score=logit", 2, { 6, -5 }, 1e-5 },
  { NET_A, "occlusion:window=1x1:stride=1x1:score=logit", 3, { 80, 200, 120 }, 1e-3 },
  { NET_A, "feature-ablation:grid=1x3:score=logit", 3, { 80, 200, 120 }, 1e-3 },
  { NET_A, "shapley:grid=1x3:score=logit", 3, { 76.666667, 196.666667, 116.666667 }, 1e-3 },
  { NET_A, "kernelshap:grid=1x3:score=logit", 3, { 76.666667, 196.666667, 116.666667 }, 1e-2 },
  { NET_A_SMALL, "occlusion:window=1x1:stride=1x1:score=logit", 3, { 8, 35, 12 }, 1e-4 },
  { NET_B, "saliency", 16, { 0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 0 }, 1e-6 },
  { NET_B, "input-x-gradient", 16, { 0, 1, 2, 3, 0, 5, 6, 7, 0, 9, 10, 11, 0, 0, 0, 0 }, 1e-5 },
  { NET_B, "deconvolution", 16, { 2, 3, 3, 1, 3, 5, 5, 2, 3, 5, 5, 2, 1, 2, 2, 1 }, 1e-5 },
  { NET_B, "guided-backprop", 16, { 0, 1, 1, 1, 1, 3, 3, 2, 1, 3, 3, 2, 1, 2, 2, 1 }, 1e-5 },
  { NET_B,
    "integrated-gradients:steps=4000",
    16,
    { 0, .074074, .148148, .222222, 1.234568, 3.302469, 3.962963, 2.462963, 2.469136, 5.944444,
      6.604938, 3.870370, 3.703704, 7.623457, 8.209877, 4.166667 },
    0.02 },
  { NET_B, "gradcam:layer=conv" LAYER, 4, { 11.25, 13.5, 20.25, 22.5 }, 1e-5 },
  { NET_B, "gradcam:layer=relu" LAYER, 4, { 0, 4, 28, 32.5 }, 1e-5 },
  { NET_B,
    "gradcam:relu=no",
    16,
    { 0, 1, 3, 4, 7, 8.03125, 10.09375, 11.125, 21, 22.09375, 24.28125, 25.375, 28, 29.125, 31.375,
      32.5 },
    1e-4 },
  { NET_B, "hirescam:layer=conv" LAYER, 4, { 0, 4, 25, 25 }, 1e-5 },
  { NET_B, "layercam:layer=relu" LAYER, 4, { 0, 4, 31, 40 }, 1e-5 },
  { NET_B, "gradcam++:layer=relu" LAYER, 4, { 0, .207792, 1.871259, 2.730096 }, 2e-6 },
  { NET_B, "xgradcam:layer=relu" LAYER, 4, { 0, 4, 25, 25 }, 1e-5 },
  { NET_B, "ablationcam:layer=relu" LAYER, 4, { 0, 4, 28.666667, 34.166667 }, 1e-4 },
  { NET_B,
    "occlusion:window=1x1:stride=1x1:score=logit",
    16,
    { 0, 1, 2, 3, 0, 4, 4, 4, 2, 7, 8, 4, 6, 7, 8, 0 },
    1e-4 },
  { NET_B,
    "occlusion:window=2x2:stride=2x2:score=logit",
    16,
    { 7, 7, 4, 4, 7, 7, 4, 4, 36, 36, 47, 47, 36, 36, 47, 47 },
    1e-4 },
  { NET_C, "integrated-gradients:steps=4000", 2, { 1.5, -0.5 }, 2e-3 },
  { NET_C, "deeplift", 2, { 1.5, -0.5 }, 1e-5 },
};

static SondeTensor *
make_input (const Net *net)
{
  SondeShape shape = sonde_shape_make (4, 1, 1, (int) net->height, (int) net->width);
  SondeTensor *input = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  for (gint64 i = 0; i < net->height * net->width; i++)
    sonde_tensor_set_double (input, i, net->input[i]);
  return input;
}

static gboolean
compute (const Net *net, const char *text, double *got, gsize n, GError **error)
{
  g_autoptr (SondeGraph) graph = net->make ();
  g_autoptr (SondeExplainer) explainer = sonde_explainer_new (graph, NULL, 1, error);
  g_autoptr (SondeAttributionSpec) spec
      = explainer != NULL ? sonde_attribution_spec_parse (text, error) : NULL;
  g_autoptr (SondeTensor) input = make_input (net), targets = NULL;
  SondeShape one = sonde_shape_make (1, 1);
  g_auto (SondeAttributionResult) result = { 0 };
  SondeAttributionRequest request = { .inputs = input, .spec = spec };

  targets = sonde_tensor_new (SONDE_DTYPE_I64, &one);
  request.targets = targets;
  if (spec == NULL || !sonde_attribution_compute (explainer, &request, &result, error))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    got[i] = (gint64) i < sonde_tensor_n_elements (result.maps)
                 ? sonde_tensor_get_double (result.maps, (gint64) i)
                 : NAN;
  return TRUE;
}

static SondeSelfTestCheck *
run_case (gsize i)
{
  const Net *net = &nets[cases[i].net];
  SondeMessage *sentence
      = sonde_message_new ("The net is %-s; its map follows by hand.", net->sentence);
  g_autoptr (GError) error = NULL;
  double got[MOST_NUMBERS];

  if (!compute (net, cases[i].spec, got, cases[i].n, &error))
    return sonde_self_test_check_new_failed (cases[i].spec, sentence, error);
  return sonde_self_test_check_new (cases[i].spec, sentence, cases[i].expected, got, cases[i].n,
                                    cases[i].tolerance);
}

GPtrArray *
sonde_self_test (const SondeExplainListener *listener, GError **error)
{
  g_autoptr (GPtrArray) checks
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_self_test_check_free);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      if (listener != NULL && listener->tick != NULL
          && !listener->tick (N_ ("Testing methods"), (double) i / G_N_ELEMENTS (cases), -1.0,
                              listener->data, error))
        return NULL;
      g_ptr_array_add (checks, run_case (i));
    }
  sonde_self_test_add_metrics (checks);
  return g_steal_pointer (&checks);
}
