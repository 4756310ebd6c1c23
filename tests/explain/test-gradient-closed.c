/* SPDX-License-Identifier: Apache-2.0
 * The gradient family on small nets whose maps are known by hand, and info that hold on any
 * net. */
#include <math.h>
#include <string.h>

#include "engine/nn/sonde-zoo.h"
#include "engine/ops/sonde-build.h"
#include "explain/attribution/sonde-attribution-spec.h"
#include "explain/sonde-explainer-model.h"
#include "tests/support/sonde-test-tensor.h"

/* ---- nets ---------------------------------------------------------------- */

static SondeGraph *
start_net (const char *input, SondeGraphValue **x)
{
  SondeGraph *graph = sonde_graph_new ("net");
  g_autoptr (SondeTensor) like = sonde_test_tensor (SONDE_DTYPE_F32, input);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &like->shape);

  sonde_graph_set_opset (graph, "", 17);
  type.dims[0].size = -1;
  *x = sonde_graph_add_input (graph, "x", &type);
  return graph;
}

static SondeGraphValue *
constant (SondeGraph *graph, const char *text)
{
  g_autoptr (SondeTensor) tensor = sonde_test_tensor (SONDE_DTYPE_F32, text);

  return sonde_build_constant (graph, NULL, tensor);
}

/* @third: (nullable) */
static SondeGraphValue *
op (SondeGraph *graph, const char *name, SondeGraphValue *first, const char *second,
    const char *third)
{
  SondeGraphValue *inputs[3] = { first };
  guint n = 1;

  if (second != NULL)
    inputs[n++] = constant (graph, second);
  if (third != NULL)
    inputs[n++] = constant (graph, third);
  return sonde_build_op (graph, NULL, "", name, n, inputs);
}

static SondeExplainer *
finish_net (SondeGraph *graph, SondeGraphValue *y)
{
  g_autoptr (GError) error = NULL;
  SondeExplainer *explainer;

  sonde_graph_add_output (graph, y);
  explainer = sonde_explainer_new (graph, "cpu", 1, &error);
  g_assert_no_error (error);
  sonde_graph_unref (graph);
  return explainer;
}

/* explain-methods: convolution 1→2 of ones with bias (−50, −75), ReLU, dense (1 1 1 1 1 −1 −1 −1),
 * ReLU. */
static SondeExplainer *
make_net_b (void)
{
  SondeGraphValue *x;
  SondeGraph *graph = start_net ("1x1x4x4: 0", &x);
  SondeGraphValue *y = op (graph, "Conv", x, "2x1x3x3: 1", "2: -50 -75");

  y = op (graph, "Flatten", sonde_build_unary (graph, "Relu", y), NULL, NULL);
  y = op (graph, "MatMul", y, "8x1: 1 1 1 1 1 -1 -1 -1", NULL);
  return finish_net (graph, sonde_build_unary (graph, "Relu", y));
}

/* One dense layer on two numbers. */
static SondeExplainer *
make_dense (const char *weights)
{
  SondeGraphValue *x;
  SondeGraph *graph = start_net ("1x1x1x2: 0", &x);

  return finish_net (graph,
                     op (graph, "Gemm", op (graph, "Flatten", x, NULL, NULL), weights, NULL));
}

/* Convolutions, pooling and a residual sum without biases; @last: (nullable): operator behind
 * it. */
static SondeExplainer *
make_residual (const char *last)
{
  SondeGraphValue *x, *y, *z;
  SondeGraph *graph = start_net ("1x2x6x6: 0", &x);

  y = sonde_build_unary (
      graph, "Relu",
      op (graph, "Conv", x, "4x2x3x3: 0.5 -0.25 0.75 0.1 -0.4 0.3 0.2 0.6 -0.1 0.3", NULL));
  z = op (graph, "Conv", y,
          "4x4x1x1: 0.5 -0.3 0.2 0.7 -0.6 0.4 0.1 0.9 0.3 -0.2 0.8 -0.5 0.6 0.2 -0.7 0.4", NULL);
  y = sonde_build_unary (graph, "Relu", sonde_build_binary (graph, "Add", y, z));
  y = op (graph, "Flatten", sonde_build_unary (graph, "GlobalAveragePool", y), NULL, NULL);
  y = op (graph, "MatMul", y, "4x3: 0.9 -0.4 0.3 0.5 0.8 -0.6 0.2 -0.3 0.7 0.4 0.6 -0.2", NULL);
  return finish_net (graph, last != NULL ? sonde_build_unary (graph, last, y) : y);
}

/* ---- calls --------------------------------------------------------------- */

static gboolean
try_explain (SondeExplainer *explainer, const char *text, SondeTensor *inputs, const char *targets,
             const guint64 *samples, SondeAttributionResult *result, GError **error)
{
  g_autoptr (SondeAttributionSpec) spec = sonde_attribution_spec_parse (text, error);
  g_autoptr (SondeTensor) classes = sonde_test_tensor (SONDE_DTYPE_I64, targets);
  SondeAttributionRequest request
      = { .inputs = inputs, .targets = classes, .spec = spec, .samples = samples, .seed = 3 };

  return spec != NULL && sonde_attribution_compute (explainer, &request, result, error);
}

static void
explain (SondeExplainer *explainer, const char *text, SondeTensor *inputs, const char *targets,
         SondeAttributionResult *result)
{
  g_autoptr (GError) error = NULL;

  try_explain (explainer, text, inputs, targets, NULL, result, &error);
  g_assert_no_error (error);
}

static void
check (SondeExplainer *explainer, const char *text, const char *input, const char *expected,
       double tolerance)
{
  g_autoptr (SondeTensor) inputs = sonde_test_tensor (SONDE_DTYPE_F32, input);
  g_autoptr (SondeTensor) want = sonde_test_tensor (SONDE_DTYPE_F32, expected);
  g_auto (SondeAttributionResult) result = { 0 };

  explain (explainer, text, inputs, "1: 0", &result);
  sonde_test_assert_close (result.maps, want, 0, tolerance, text);
}

static SondeTensor *
random_inputs (gint64 n, gint64 channels, gint64 side, guint64 seed)
{
  SondeShape shape = sonde_shape_make (4, (int) n, (int) channels, (int) side, (int) side);

  return sonde_test_tensor_random (SONDE_DTYPE_F32, &shape, seed, -1, 1);
}

#define COUNTING "1x1x4x4: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15"

static void
test_net_b (void)
{
  g_autoptr (SondeExplainer) net = make_net_b ();

  check (net, "saliency", COUNTING, "1x1x4x4: 0 1 1 1 0 1 1 1 0 1 1 1 0 0 0 0", 0);
  check (net, "input-x-gradient", COUNTING, "1x1x4x4: 0 1 2 3 0 5 6 7 0 9 10 11 0 0 0 0", 0);
  check (net, "deconvolution", COUNTING, "1x1x4x4: 2 3 3 1 3 5 5 2 3 5 5 2 1 2 2 1", 0);
  check (net, "guided-backprop", COUNTING, "1x1x4x4: 0 1 1 1 1 3 3 2 1 3 3 2 1 2 2 1", 0);
  check (net, "integrated-gradients:steps=4000", COUNTING,
         "1x1x4x4: 0 0.074074 0.148148 0.222222 1.234568 3.302469 3.962963 2.462963 2.469136 "
         "5.944444 6.604938 3.870370 3.703704 "
         "7.623457 8.209877 4.166667",
         0.02);
}

/* relu (relu (x₁) − 1 − relu (x₂)) at (3, 1) */
static void
test_net_c (void)
{
  SondeGraphValue *x, *y;
  SondeGraph *graph = start_net ("1x1x1x2: 0", &x);
  g_autoptr (SondeExplainer) net = NULL;

  y = op (graph, "Flatten", sonde_build_unary (graph, "Relu", x), NULL, NULL);
  net = finish_net (graph,
                    sonde_build_unary (graph, "Relu", op (graph, "Gemm", y, "2x1: 1 -1", "1: -1")));
  check (net, "deeplift", "1x1x1x2: 3 1", "1x1x1x2: 1.5 -0.5", 1e-6);
  check (net, "integrated-gradients:steps=4000", "1x1x1x2: 3 1", "1x1x1x2: 1.5 -0.5", 2e-3);
  check (net, "deeplift:baseline=3", "1x1x1x2: 3 1", "1x1x1x2: 0 1", 1e-6);
}

/* A linear net: gradient w, whatever the noise; x − b times w. */
static void
test_linear (void)
{
  g_autoptr (SondeExplainer) net = make_dense ("2x1: 3 -1");

  check (net, "saliency", "1x1x1x2: 1 2", "1x1x1x2: 3 -1", 0);
  check (net, "smoothgrad:samples=5", "1x1x1x2: 1 2", "1x1x1x2: 3 -1", 1e-6);
  check (net, "smoothgrad-sq:samples=5", "1x1x1x2: 1 2", "1x1x1x2: 9 1", 1e-6);
  check (net, "vargrad:samples=5", "1x1x1x2: 1 2", "1x1x1x2: 0", 1e-6);
  check (net, "integrated-gradients:steps=1:baseline=-1", "1x1x1x2: 1 2", "1x1x1x2: 6 -3", 1e-6);
  check (net, "integrated-gradients:steps=7:rule=gauss-legendre:baseline=mean", "1x1x1x2: 1 2",
         "1x1x1x2: -1.5 -0.5", 1e-6);
  check (net, "expected-gradients:samples=3", "1x1x1x2: 1 2", "1x1x1x2: 3 -2", 1e-6);
  check (net, "deeplift:baseline=-1", "1x1x1x2: 1 2", "1x1x1x2: 6 -3", 1e-6);
  check (net, "guided-backprop", "1x1x1x2: 1 2", "1x1x1x2: 3 -1", 0);
}

/* z = 3·1 − 1·2 = 1: γ: (3·1.25, −2) / 1.75; αβ: 2·3/3 and −(−2)/(−2); z^B: (3 + 3, −2 + 2) / 6. */
static void
test_lrp_by_hand (void)
{
  g_autoptr (SondeExplainer) net = make_dense ("2x1: 3 -1"), below = make_dense ("2x1: -3 1");

  check (net, "lrp:rule=epsilon:epsilon=1e-9", "1x1x1x2: 1 2", "1x1x1x2: 3 -2", 1e-6);
  check (net, "lrp:rule=epsilon:epsilon=1", "1x1x1x2: 1 2", "1x1x1x2: 1.5 -1", 1e-6);
  check (net, "lrp:rule=gamma", "1x1x1x2: 1 2", "1x1x1x2: 2.142857 -1.142857", 1e-5);
  check (below, "lrp:rule=gamma", "1x1x1x2: 1 2", "1x1x1x2: -2.142857 1.142857", 1e-5);
  check (net, "lrp:rule=gamma", "1x1x1x2: -1 -4", "1x1x1x2: -1.5 2.5", 1e-5);
  check (net, "lrp:rule=alpha-beta", "1x1x1x2: 1 2", "1x1x1x2: 2 -1", 1e-5);
  check (net, "lrp:rule=alpha-beta:alpha=1", "1x1x1x2: 1 2", "1x1x1x2: 1 0", 1e-5);
  check (net, "lrp:low=-1:high=2", "1x1x1x2: 1 2", "1x1x1x2: 1 0", 1e-5);
}

/* Without biases Σ R = z_c; and LRP with a small ε is input × gradient where all is linear or
 * ReLU. */
static void
test_lrp_conserves (void)
{
  static const char *const rules[]
      = { "lrp:epsilon=1e-9", "lrp:rule=epsilon:epsilon=1e-9", "lrp:rule=gamma:epsilon=1e-9" };
  g_autoptr (SondeExplainer) net = make_residual (NULL);
  g_autoptr (SondeTensor) inputs = random_inputs (5, 2, 6, 4);
  g_auto (SondeAttributionResult) product = { 0 };

  explain (net, "input-x-gradient", inputs, "5: 0 1 2 0 1", &product);
  for (gsize k = 0; k < G_N_ELEMENTS (rules); k++)
    {
      g_auto (SondeAttributionResult) result = { 0 };

      explain (net, rules[k], inputs, "5: 0 1 2 0 1", &result);
      for (gint64 i = 0; i < 5; i++)
        {
          double size = 0.0;

          for (gint64 p = 0; p < 72; p++)
            size += fabs (sonde_tensor_get_double (result.maps, i * 72 + p));
          g_assert_cmpfloat (fabs (result.gaps[i]), <=, 0.01 * size);
          g_assert_cmpfloat (size, >, 1e-3);
        }
      if (k == 1)
        sonde_test_assert_close (result.maps, product.maps, 1e-3, 1e-5, rules[k]);
    }
}

/* Σ a = z (x) − z (b) through max pooling, tanh and products, for one baseline and for one a
 * image. */
static void
test_deeplift_sums (void)
{
  g_autoptr (GError) error = NULL;
  SondeGraphValue *x, *y, *z;
  SondeGraph *graph = start_net ("1x2x6x6: 0", &x);
  g_autoptr (SondeExplainer) net = NULL;
  g_autoptr (SondeTensor) inputs = random_inputs (4, 2, 6, 9);
  const gint64 window[] = { 2, 2 };

  y = op (graph, "Conv", x, "3x2x3x3: 0.5 -0.25 0.75 0.1 -0.4 0.3 0.2 0.6 -0.1 0.3",
          "3: 0.1 -0.2 0.3");
  z = sonde_build_unary (graph, "Tanh", y);
  y = sonde_build_binary (graph, "Mul", sonde_build_unary (graph, "Sigmoid", y), z);
  y = op (graph, "MaxPool", y, NULL, NULL);
  sonde_node_set_ints (y->producer, "kernel_shape", window, 2);
  g_assert_true (sonde_build_infer (graph, y->producer, &error));
  y = op (graph, "Flatten", sonde_build_unary (graph, "Relu", y), NULL, NULL);
  net = finish_net (graph,
                    op (graph, "MatMul", y, "27x2: 0.5 -0.3 0.8 0.1 -0.6 0.4 0.9 -0.2 0.3", NULL));
  for (int each = 0; each < 2; each++)
    {
      g_auto (SondeAttributionResult) result = { 0 };

      explain (net, each ? "deeplift:baseline=mean" : "deeplift:baseline=0.5,-0.25", inputs,
               "4: 0 1 1 0", &result);
      for (int i = 0; i < 4; i++)
        g_assert_cmpfloat (fabs (result.gaps[i]), <=, 1e-4);
    }
}

/* steps=auto ends complete; what is left at 50 is said. */
static void
test_completeness (void)
{
  g_autoptr (SondeExplainer) net = make_net_b ();
  g_autoptr (SondeTensor) inputs = sonde_test_tensor (SONDE_DTYPE_F32, COUNTING);
  g_auto (SondeAttributionResult) coarse = { 0 }, fine = { 0 };

  explain (net, "integrated-gradients:steps=3", inputs, "1: 0", &coarse);
  g_assert_cmpfloat (fabs (coarse.gaps[0]), >, 0.54);
  g_assert_nonnull (coarse.note);
  explain (net, "integrated-gradients:steps=auto", inputs, "1: 0", &fine);
  g_assert_cmpfloat (fabs (fine.gaps[0]), <=, 0.54);
  g_assert_null (fine.note);
}

/* Random numbers belong to the sample, not to its place in a batch; a batch of many gives what each
 * alone does. */
static void
test_batches (void)
{
  static const char *const specs[] = { "saliency",
                                       "smoothgrad:samples=6",
                                       "vargrad:samples=6",
                                       "expected-gradients:samples=9",
                                       "deeplift",
                                       "deeplift:baseline=mean",
                                       "lrp",
                                       "guided-backprop",
                                       "input-x-gradient:score=probability",
                                       "integrated-gradients:steps=7" };
  g_autoptr (SondeExplainer) net = make_residual (NULL);
  g_autoptr (SondeTensor) inputs = random_inputs (70, 2, 6, 12);

  for (gsize k = 0; k < G_N_ELEMENTS (specs); k++)
    {
      g_auto (SondeAttributionResult) all = { 0 };

      explain (net, specs[k], inputs, "70: 1", &all);
      for (guint64 i = 0; i < 70; i += 23)
        {
          g_autofree char *at = g_strdup_printf ("%d:%d", (int) i, (int) i + 1);
          g_autoptr (SondeTensor) view = sonde_tensor_slice (inputs, at, NULL),
                                  one = sonde_tensor_contiguous (view);
          g_autoptr (SondeTensor) want = sonde_tensor_slice (all.maps, at, NULL);
          g_auto (SondeAttributionResult) alone = { 0 };
          g_autoptr (GError) error = NULL;

          try_explain (net, specs[k], one, "1: 1", &i, &alone, &error);
          g_assert_no_error (error);
          sonde_test_assert_close (alone.maps, want, 1e-4, 1e-5, specs[k]);
        }
    }
}

/* A network that ends in Softmax: its logits are explained, or what it gives. ∂p/∂x against
 * differences. */
static void
test_softmax (void)
{
  g_autoptr (SondeExplainer) plain = make_residual (NULL), net = make_residual ("Softmax");
  g_autoptr (SondeTensor) inputs = random_inputs (2, 2, 6, 21);
  g_auto (SondeAttributionResult) logit = { 0 }, same = { 0 }, own = { 0 }, added = { 0 };
  const double h = 1e-2;

  g_assert_true (sonde_explainer_ends_in_softmax (net));
  g_assert_false (sonde_explainer_ends_in_softmax (plain));
  explain (plain, "saliency", inputs, "2: 1 2", &logit);
  explain (net, "saliency", inputs, "2: 1 2", &same);
  sonde_test_assert_close (same.maps, logit.maps, 1e-5, 1e-7, "logit");
  explain (net, "saliency:score=probability", inputs, "2: 1 2", &own);
  explain (plain, "saliency:score=probability", inputs, "2: 1 2", &added);
  sonde_test_assert_close (own.maps, added.maps, 1e-5, 1e-7, "probability");
  for (gint64 p = 72; p < 144; p += 17)
    {
      double sides[2], x = sonde_tensor_get_double (inputs, p);

      for (int side = 0; side < 2; side++)
        {
          g_auto (SondeAttributionResult) moved = { 0 };

          sonde_tensor_set_double (inputs, p, side == 0 ? x + h : x - h);
          explain (net, "saliency:score=probability", inputs, "2: 1 2", &moved);
          sides[side] = sonde_tensor_get_double (moved.scores, 1);
        }
      sonde_tensor_set_double (inputs, p, x);
      g_assert_cmpfloat_with_epsilon (sonde_tensor_get_double (own.maps, p),
                                      (sides[0] - sides[1]) / (2 * h), 2e-3);
    }
}

/* A sum of classes in the place of the target: maps are linear in it, and gaps follow. */
static void
test_sums (void)
{
  static const char *const methods[] = { "saliency", "input-x-gradient", "smoothgrad:samples=4",
                                         "integrated-gradients:steps=5", "deeplift" };
  g_autoptr (SondeExplainer) net = make_residual (NULL);
  g_autoptr (SondeTensor) inputs = random_inputs (2, 2, 6, 31);

  for (gsize k = 0; k < G_N_ELEMENTS (methods); k++)
    {
      g_autofree char *text = g_strdup_printf ("%s:target=2-0.5*1", methods[k]);
      g_auto (SondeAttributionResult) both = { 0 }, two = { 0 }, one = { 0 };

      explain (net, text, inputs, "2: 0 0", &both);
      explain (net, methods[k], inputs, "2: 2 2", &two);
      explain (net, methods[k], inputs, "2: 1 1", &one);
      for (gint64 i = 0; i < sonde_tensor_n_elements (both.maps); i++)
        g_assert_cmpfloat_with_epsilon (sonde_tensor_get_double (both.maps, i),
                                        sonde_tensor_get_double (two.maps, i)
                                            - 0.5 * sonde_tensor_get_double (one.maps, i),
                                        1e-5);
      for (gint64 i = 0; i < 2; i++)
        g_assert_cmpfloat_with_epsilon (sonde_tensor_get_double (both.scores, i),
                                        sonde_tensor_get_double (two.scores, i)
                                            - 0.5 * sonde_tensor_get_double (one.scores, i),
                                        1e-5);
      if (both.gaps != NULL)
        g_assert_cmpfloat_with_epsilon (both.gaps[1], two.gaps[1] - 0.5 * one.gaps[1], 1e-5);
    }
}

/* What a linear net gives for each kind of baseline: w ⊙ (x − b). */
static void
test_baselines (void)
{
  static const struct
  {
    const char *word;
    double b[2];
    double tolerance;
  } cases[] = {
    { "2", { 2, 2 }, 1e-5 },       { "mean", { 2, 2 }, 1e-5 },   { "least", { 1, 1 }, 1e-5 },
    { "largest", { 3, 3 }, 1e-5 }, { "noise", { 2, 2 }, 2.001 }, { "blur:50", { 2, 2 }, 0.05 },
  };
  g_autoptr (SondeExplainer) net = make_dense ("2x2: 2 0 -1 1");
  g_autoptr (SondeTensor) inputs = sonde_test_tensor (SONDE_DTYPE_F32, "1x1x1x2: 1 3");
  const double x[] = { 1, 3 }, w[] = { 2, -1 };

  for (gsize k = 0; k < G_N_ELEMENTS (cases); k++)
    for (int method = 0; method < 2; method++)
      {
        g_autofree char *text = g_strdup_printf (
            "%s:baseline=%s", method == 0 ? "deeplift" : "integrated-gradients", cases[k].word);
        g_auto (SondeAttributionResult) result = { 0 }, again = { 0 };

        explain (net, text, inputs, "1: 0", &result);
        explain (net, text, inputs, "1: 0", &again);
        for (int i = 0; i < 2; i++)
          {
            g_assert_cmpfloat_with_epsilon (sonde_tensor_get_double (result.maps, i),
                                            w[i] * (x[i] - cases[k].b[i]), cases[k].tolerance);
            g_assert_cmpfloat (sonde_tensor_get_double (result.maps, i), ==,
                               sonde_tensor_get_double (again.maps, i));
          }
        g_assert_cmpfloat_with_epsilon (result.gaps[0], 0, 1e-5);
      }
}

/* Random numbers by seed, sample and element alone: the same on one thread and on two. */
static void
test_threads (void)
{
  static const char *const specs[] = {
    "smoothgrad:samples=8",       "expected-gradients:samples=8",   "rise:samples=64",
    "shapley:samples=4:grid=6x6", "kernelshap:grid=4x4:samples=64", "lime:grid=3x3:samples=64"
  };
  g_autoptr (SondeGraph) graph = sonde_zoo_build ("resnet20", 3, 16, 16, 4, 1, NULL);
  g_autoptr (SondeExplainer) one = sonde_explainer_new (graph, "cpu", 1, NULL),
                             two = sonde_explainer_new (graph, "cpu", 2, NULL);
  g_autoptr (SondeTensor) inputs = random_inputs (3, 3, 16, 5);

  for (gsize k = 0; k < G_N_ELEMENTS (specs); k++)
    {
      g_auto (SondeAttributionResult) first = { 0 }, second = { 0 };
      double largest = 0;

      explain (one, specs[k], inputs, "3: 0 1 2", &first);
      explain (two, specs[k], inputs, "3: 0 1 2", &second);
      for (gint64 i = 0; i < sonde_tensor_n_elements (first.maps); i++)
        largest = fmax (largest, fabs (sonde_tensor_get_double (first.maps, i)));
      sonde_test_assert_close (second.maps, first.maps, 0, 1e-3 * largest, specs[k]);
    }
}

/* relu (2 x₁ − 1, x₁ + x₂) read by (4, −1), with the input passing by: + 5 x₁. At (1, 2): A = (1,
 * 3), of 0: (0, 0). */
static SondeExplainer *
make_passing (void)
{
  SondeGraphValue *x, *y, *sum;
  SondeGraph *graph = start_net ("1x2x1x1: 0", &x);

  y = op (graph, "Conv", x, "2x2x1x1: 2 0 1 1", "2: -1 0");
  y = sonde_build_unary (graph, "Relu", y);
  sonde_graph_rename_value (graph, y, "layer");
  sum = op (graph, "MatMul", op (graph, "Flatten", y, NULL, NULL), "2x1: 4 -1", NULL);
  y = op (graph, "MatMul", op (graph, "Flatten", x, NULL, NULL), "2x1: 5 0", NULL);
  return finish_net (graph, sonde_build_binary (graph, "Add", sum, y));
}

/* Behind the layer the net is linear: every method is exact there, and what passes by does not
 * count. */
static void
test_layers (void)
{
  static const struct
  {
    const char *spec, *map;
    double gap;
  } cases[] = {
    { "saliency:layer=layer", "1x2x1x1: 4 -1", NAN },
    { "input-x-gradient:layer=layer", "1x2x1x1: 4 -3", NAN },
    { "integrated-gradients:layer=layer:steps=3", "1x2x1x1: 4 -3", 0 },
    { "integrated-gradients:layer=layer:steps=3:baseline=1", "1x2x1x1: 0 -1", 0 },
    { "expected-gradients:layer=layer:samples=5", "1x2x1x1: 4 -3", 0 },
    { "smoothgrad:layer=layer:samples=4", "1x2x1x1: 4 -1", NAN },
    { "vargrad:layer=layer:samples=4", "1x2x1x1: 0", NAN },
    { "deeplift:layer=layer", "1x2x1x1: 4 -3", -5 },
    { "lrp:rule=epsilon:layer=layer:epsilon=1e-9", "1x2x1x1: 4 -3", NAN },
    { "integrated-gradients:neuron=layer[1,0,0]", "1x2x1x1: 1 2", 0 },
    { "saliency:neuron=layer[0,0,0]", "1x2x1x1: 2 0", NAN },
    { "input-x-gradient:neuron=layer[0,0,0]", "1x2x1x1: 2 0", NAN },
    { "guided-backprop:neuron=layer[1,0,0]", "1x2x1x1: 1 1", NAN },
    { "deeplift:neuron=layer[1,0,0]", "1x2x1x1: 1 2", 0 },
    { "saliency:neuron=layer[*,0,0]", "1x2x1x1: 1.5 0.5", NAN },
    { "deeplift:neuron=layer[*,*,*]", "1x2x1x1: 1 1", 0 },
  };
  g_autoptr (SondeExplainer) net = make_passing ();
  g_autoptr (SondeTensor) inputs = sonde_test_tensor (SONDE_DTYPE_F32, "1x2x1x1: 1 2");

  for (gsize k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_auto (SondeAttributionResult) result = { 0 };
      g_autoptr (SondeTensor) want = sonde_test_tensor (SONDE_DTYPE_F32, cases[k].map);

      explain (net, cases[k].spec, inputs, "1: 0", &result);
      sonde_test_assert_close (result.maps, want, 0, 1e-5, cases[k].spec);
      if (!isnan (cases[k].gap) && fabs (result.gaps[0] - cases[k].gap) > 1e-5)
        g_error ("%s: gap %g, not %g", cases[k].spec, result.gaps[0], cases[k].gap);
    }
}

/* At the image itself the layer's way gives what the plain way does; and a layer's path is
 * complete in any batch. */
static void
test_layer_paths (void)
{
  static const char *const scores[] = { "logit", "probability" };
  g_autoptr (SondeExplainer) net = make_residual (NULL);
  g_autoptr (SondeTensor) inputs = random_inputs (5, 2, 6, 3);

  for (gsize k = 0; k < G_N_ELEMENTS (scores); k++)
    {
      g_autofree char *plain
          = g_strdup_printf ("integrated-gradients:steps=20:score=%s", scores[k]);
      g_autofree char *moved = g_strdup_printf ("%s:layer=x", plain);
      g_autofree char *noise = g_strdup_printf ("smoothgrad:samples=3:score=%s", scores[k]);
      g_autofree char *moved_noise = g_strdup_printf ("%s:layer=x", noise);
      g_auto (SondeAttributionResult) a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 };

      explain (net, plain, inputs, "5: 0 1 2 1 0", &a);
      explain (net, moved, inputs, "5: 0 1 2 1 0", &b);
      sonde_test_assert_close (b.maps, a.maps, 1e-4, 1e-6, moved);
      explain (net, noise, inputs, "5: 0 1 2 1 0", &c);
      explain (net, moved_noise, inputs, "5: 0 1 2 1 0", &d);
      sonde_test_assert_close (d.maps, c.maps, 1e-4, 1e-6, moved_noise);
    }
}

/* The sum of classes of methods that see a network with that output: as the difference of their
 * maps, where they are linear. */
static void
test_other_sums (void)
{
  static const char *const specs[] = { "feature-ablation:grid=2x2:score=probability",
                                       "feature-ablation:grid=2x2:score=logit",
                                       "occlusion:window=2x2:stride=2x2",
                                       "gradcam:relu=no",
                                       "hirescam:relu=no:size=layer",
                                       "shapley:grid=2x2" };
  g_autoptr (SondeExplainer) net = make_residual (NULL);
  g_autoptr (SondeTensor) inputs = random_inputs (2, 2, 6, 4);

  for (gsize k = 0; k < G_N_ELEMENTS (specs); k++)
    {
      g_autofree char *text = g_strdup_printf ("%s:target=2*1-0.5*2", specs[k]);
      g_auto (SondeAttributionResult) one = { 0 }, two = { 0 }, sum = { 0 };

      explain (net, specs[k], inputs, "2: 1 1", &one);
      explain (net, specs[k], inputs, "2: 2 2", &two);
      explain (net, text, inputs, "2: 0 0", &sum);
      for (gint64 i = 0; i < sonde_tensor_n_elements (one.maps); i++)
        sonde_tensor_set_double (one.maps, i,
                                 2 * sonde_tensor_get_double (one.maps, i)
                                     - 0.5 * sonde_tensor_get_double (two.maps, i));
      sonde_test_assert_close (sum.maps, one.maps, 1e-4, 1e-6, text);
    }
}

/* A margin's map is the class's probability's less that of the class that comes next; of the
 * largest class and of others. */
static void
test_margins (void)
{
  static const char *const methods[] = { "saliency", "gradcam:relu=no", "hirescam:relu=no" };
  g_autoptr (SondeExplainer) net = make_residual (NULL);
  g_autoptr (SondeTensor) inputs = random_inputs (1, 2, 6, 4);
  int n_largest = 0;

  for (gsize k = 0; k < G_N_ELEMENTS (methods); k++)
    for (int t = 0; t < 3; t++)
      {
        g_autofree char *probability = g_strdup_printf ("%s:score=probability", methods[k]);
        g_autofree char *margin = g_strdup_printf ("%s:score=margin", methods[k]);
        g_auto (SondeAttributionResult) got = { 0 };
        SondeAttributionResult of[3] = { { 0 } };
        int next = t == 0 ? 1 : 0;

        for (int c = 0; c < 3; c++)
          {
            g_autofree char *target = g_strdup_printf ("1: %d", c);

            explain (net, probability, inputs, target, &of[c]);
            if (c == t)
              explain (net, margin, inputs, target, &got);
          }
        for (int c = 0; c < 3; c++)
          if (c != t
              && sonde_tensor_get_double (of[c].scores, 0)
                     > sonde_tensor_get_double (of[next].scores, 0))
            next = c;
        n_largest += sonde_tensor_get_double (got.scores, 0) > 0;
        g_assert_cmpfloat_with_epsilon (sonde_tensor_get_double (got.scores, 0),
                                        sonde_tensor_get_double (of[t].scores, 0)
                                            - sonde_tensor_get_double (of[next].scores, 0),
                                        1e-6);
        for (gint64 i = 0; i < sonde_tensor_n_elements (got.maps); i++)
          sonde_tensor_set_double (of[t].maps, i,
                                   sonde_tensor_get_double (of[t].maps, i)
                                       - sonde_tensor_get_double (of[next].maps, i));
        sonde_test_assert_close (got.maps, of[t].maps, 1e-4, 1e-7, margin);
        for (int c = 0; c < 3; c++)
          sonde_attribution_result_clear (&of[c]);
      }
  g_assert_cmpint (n_largest, ==, G_N_ELEMENTS (methods));
}

/* Columns are images of one row: 3 x₁ − x₂ + 2 at (1, 2, 5), x₃ unread. */
static void
test_columns (void)
{
  static const struct
  {
    const char *spec, *map;
  } cases[] = {
    { "saliency", "1x1x1x3: 3 -1 0" },
    { "input-x-gradient", "1x1x1x3: 3 -2 0" },
    { "integrated-gradients:steps=4:baseline=1", "1x1x1x3: 0 -1 0" },
    { "deeplift", "1x1x1x3: 3 -2 0" },
    { "feature-ablation:score=logit", "1x3: 3 -2 0" },
    { "shapley:score=logit", "1x3: 3 -2 0" },
    { "kernelshap:score=logit", "1x3: 3 -2 0" },
    { "occlusion:window=1x1:stride=1x1:score=logit", "1x1x3: 3 -2 0" },
  };
  SondeGraphValue *x;
  SondeGraph *graph = start_net ("1x3: 0", &x);
  g_autoptr (SondeExplainer) net
      = finish_net (graph, op (graph, "Gemm", x, "3x2: 3 0 -1 1 0 0", "2: 2 0"));
  g_autoptr (SondeTensor) columns = sonde_test_tensor (SONDE_DTYPE_F32, "1x3: 1 2 5"), image = NULL,
                          inputs = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (sonde_explainer_get_form (net), ==, SONDE_EXPLAINER_COLUMNS);
  inputs = sonde_explainer_take_samples (net, columns, &error);
  g_assert_no_error (error);
  for (gsize k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_auto (SondeAttributionResult) result = { 0 };
      g_autoptr (SondeTensor) want = sonde_test_tensor (SONDE_DTYPE_F32, cases[k].map);

      explain (net, cases[k].spec, inputs, "1: 0", &result);
      sonde_test_assert_close (result.maps, want, 0, 1e-5, cases[k].spec);
    }
  image = sonde_explainer_take_samples (net, inputs, &error);
  g_assert_null (image);
  g_assert_nonnull (strstr (error->message, "float32 [N, F]"));
}

/* Tokens are explained at their embeddings: the mean of (1, 0), (0, 2), (3, −1) by token, read by
 * (2, 4). */
static void
test_tokens (void)
{
  SondeGraph *graph = sonde_graph_new ("tokens");
  SondeShape shape = sonde_shape_make (2, 1, 4);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_I64, &shape);
  SondeGraphValue *x, *y;
  g_autoptr (SondeExplainer) net = NULL, other = NULL;
  g_autoptr (SondeTensor) tokens = sonde_test_tensor (SONDE_DTYPE_I64, "1x4: 2 0 1 -1"),
                          inputs = NULL;
  g_autoptr (SondeTensor) beyond = sonde_test_tensor (SONDE_DTYPE_I64, "1x4: 2 0 3 0");
  g_autoptr (SondeTensor) gradient
      = sonde_test_tensor (SONDE_DTYPE_F32, "1x2x1x4: 0.5 0.5 0.5 0.5 1 1 1 1");
  g_autoptr (SondeTensor) removed = sonde_test_tensor (SONDE_DTYPE_F32, "1x4: 0.5 0.5 2 0.5");
  g_autoptr (GError) error = NULL;
  g_auto (SondeAttributionResult) saliency = { 0 }, ablation = { 0 }, product = { 0 };

  sonde_graph_set_opset (graph, "", 17);
  type.dims[0].size = -1;
  x = sonde_graph_add_input (graph, "x", &type);
  y = sonde_build_binary (graph, "Gather", constant (graph, "3x2: 1 0 0 2 3 -1"), x);
  y = sonde_build_op (graph, NULL, "", "MatMul", 2,
                      (SondeGraphValue *[]){ y, constant (graph, "2x1: 0.5 1") });
  y = sonde_build_unary (graph, "Flatten", y);
  net = finish_net (graph, op (graph, "MatMul", y, "4x1: 1 1 1 1", NULL));
  g_assert_cmpint (sonde_explainer_get_form (net), ==, SONDE_EXPLAINER_TOKENS);
  inputs = sonde_explainer_take_samples (net, tokens, &error);
  g_assert_no_error (error);
  explain (net, "saliency", inputs, "1: 0", &saliency);
  sonde_test_assert_close (saliency.maps, gradient, 0, 1e-5, "saliency");
  explain (net, "feature-ablation:score=logit", inputs, "1: 0", &ablation);
  sonde_test_assert_close (ablation.maps, removed, 0, 1e-5, "ablation");
  explain (net, "input-x-gradient", inputs, "1: 0", &product);
  for (gint64 t = 0; t < 4; t++)
    g_assert_cmpfloat_with_epsilon (sonde_tensor_get_double (product.maps, t)
                                        + sonde_tensor_get_double (product.maps, 4 + t),
                                    sonde_tensor_get_double (removed, t), 1e-5);
  g_assert_null (sonde_explainer_take_samples (net, beyond, &error));
  g_assert_nonnull (strstr (error->message, "token 3 at position 2"));
  g_clear_error (&error);
  /* tokens that are counted too */
  graph = sonde_graph_new ("counted");
  sonde_graph_set_opset (graph, "", 17);
  x = sonde_graph_add_input (graph, "x", &type);
  y = sonde_build_binary (graph, "Gather", constant (graph, "3x1: 1 2 3"), x);
  y = sonde_build_binary (graph, "Add", sonde_build_unary (graph, "Flatten", y),
                          sonde_build_cast (graph, x, SONDE_DTYPE_F32));
  sonde_graph_add_output (graph, y);
  other = sonde_explainer_new (graph, "cpu", 1, &error);
  sonde_graph_unref (graph);
  g_assert_null (other);
  g_assert_nonnull (strstr (error->message, "(Cast)"));
}

/* A batch that finds no memory is halved until it does, which is said; the maps are the same. Where
 * one sample finds none, it fails. */
static void
test_memory (void)
{
  g_autoptr (SondeExplainer) free_net = make_residual (NULL), tight = make_residual (NULL);
  g_autoptr (SondeTensor) inputs = random_inputs (24, 2, 6, 5);
  g_auto (SondeAttributionResult) want = { 0 }, got = { 0 }, none = { 0 };
  g_autoptr (GError) error = NULL;
  const char *targets = "24: 0 1 2 0 1 2 0 1 2 0 1 2 0 1 2 0 1 2 0 1 2 0 1 2";

  explain (free_net, "saliency", inputs, targets, &want);
  g_assert_null (want.note);
  sonde_explainer_set_memory_limit (tight, 20000);
  explain (tight, "saliency", inputs, targets, &got);
  g_assert_nonnull (got.note);
  g_assert_nonnull (strstr (sonde_message_get_english (got.note), "Memory did not suffice"));
  g_assert_cmpint (sonde_explainer_get_batch (tight, inputs, TRUE), <, 24);
  sonde_test_assert_close (got.maps, want.maps, 1e-5, 1e-6, "halved");
  sonde_explainer_set_memory_limit (tight, 1);
  g_assert_false (try_explain (tight, "input-x-gradient:score=probability", inputs, targets, NULL,
                               &none, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY);
  g_assert_nonnull (strstr (error->message, "1 samples at once"));
}

static void
test_refused (void)
{
  static const struct
  {
    const char *spec, *part;
  } cases[] = {
    { "lrp", "Sin" },
    { "deeplift:baseline=1,2,3", "3 numbers" },
    { "lrp:rule=epsilon:low=1,2,3", "low has 3" },
    { "smoothgrad:noise=missing.npy", "missing.npy" },
    { "saliency:layer=nowhere", "nowhere" },
    { "saliency:target=1-2", "no class 2" },
    { "deeplift:target=5", "no class 5" },
    { "occlusion:target=5", "no class 5" },
    { "occlusion:layer=x", "Methods that have it: saliency, " },
    { "lrp:neuron=x[0,0,0]", "Methods that have it: saliency, " },
    { "integrated-gradients:layer=nowhere", "nowhere" },
    { "saliency:neuron=x", "must name a value and an element" },
    { "saliency:neuron=x[0,0]", "give an index" },
    { "saliency:neuron=x[0,0,2]", "counted from 0" },
    { "saliency:neuron=nowhere[0]", "no value or node" },
    { "saliency:neuron=x[0,0,1]:target=1", "omit target" },
    { "saliency:neuron=x[0,0,1]:score=margin", "omit neuron or" },
    { "lime:target=1-0:score=margin", "omit target or" },
    { "occlusion:window=1x1",
      NULL }, /* needs no gradient: an operator without one does not matter */
    { "saliency", NULL },
  };
  SondeGraphValue *x, *y;
  SondeGraph *graph = start_net ("1x1x1x2: 0", &x);
  g_autoptr (SondeExplainer) net = NULL;
  g_autoptr (SondeTensor) inputs = sonde_test_tensor (SONDE_DTYPE_F32, "1x1x1x2: 1 2");

  y = op (graph, "Flatten", sonde_build_unary (graph, "Sin", x), NULL, NULL);
  net = finish_net (graph, op (graph, "MatMul", y, "2x2: 1 2 3 4", NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto (SondeAttributionResult) result = { 0 };
      g_autoptr (GError) error = NULL;
      gboolean good = try_explain (net, cases[i].spec, inputs, "1: 0", NULL, &result, &error);

      g_assert_cmpint (good, ==, cases[i].part == NULL);
      if (!good && strstr (error->message, cases[i].part) == NULL)
        g_error ("%s: %s", cases[i].spec, error->message);
      g_assert_cmpint (good, ==, result.maps != NULL);
    }
}

/* Maps without content, and an operator that stops gradients but not what needs none. */
static void
test_words (void)
{
  SondeGraphValue *x, *y, *parts[3] = { NULL };
  SondeGraph *graph = start_net ("1x1x1x2: 0", &x);
  SondeNode *node;
  g_autoptr (SondeExplainer) flat = make_dense ("2x2: 0"), net = NULL;
  g_autoptr (SondeTensor) inputs = sonde_test_tensor (SONDE_DTYPE_F32, "1x1x1x2: 1 3");
  g_autoptr (SondeTensor) nothing = sonde_test_tensor (SONDE_DTYPE_F32, "1x1x1x2: nan 3");
  g_auto (SondeAttributionResult) failed = { 0 }, zero = { 0 }, refused = { 0 }, occluded = { 0 };
  g_autoptr (GError) error = NULL;

  explain (flat, "saliency", inputs, "1: 0", &zero);
  g_assert_nonnull (strstr (sonde_message_get_english (zero.note), "1 of 1 maps are 0 everywhere"));
  explain (flat, "input-x-gradient", nothing, "1: 0", &failed);
  g_assert_nonnull (strstr (sonde_message_get_english (failed.note),
                            "1 of 1 maps hold numbers that are not finite"));
  y = op (graph, "Flatten", x, NULL, NULL);
  node = sonde_graph_add_node (graph, "quantised here", "", "DynamicQuantizeLinear", &y, 1, 3);
  for (guint k = 0; k < 3; k++)
    parts[k] = sonde_node_get_output (node, k);
  y = sonde_build_op (graph, NULL, "", "DequantizeLinear", 3, parts);
  net = finish_net (graph, op (graph, "MatMul", y, "2x2: 1 2 3 4", NULL));
  g_assert_false (try_explain (net, "saliency", inputs, "1: 0", NULL, &refused, &error));
  g_assert_nonnull (strstr (error->message, "DynamicQuantizeLinear"));
  g_clear_error (&error);
  try_explain (net, "occlusion:window=1x1:stride=1x1:score=logit", inputs, "1: 0", NULL, &occluded,
               &error);
  g_assert_no_error (error);
  g_assert_cmpfloat_with_epsilon (sonde_tensor_get_double (occluded.maps, 1), 9, 0.1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/explain/gradient/closed/net-b", test_net_b);
  g_test_add_func ("/explain/gradient/closed/net-c", test_net_c);
  g_test_add_func ("/explain/gradient/closed/linear", test_linear);
  g_test_add_func ("/explain/gradient/closed/lrp-by-hand", test_lrp_by_hand);
  g_test_add_func ("/explain/gradient/closed/lrp-conserves", test_lrp_conserves);
  g_test_add_func ("/explain/gradient/closed/deeplift-sums", test_deeplift_sums);
  g_test_add_func ("/explain/gradient/closed/completeness", test_completeness);
  g_test_add_func ("/explain/gradient/closed/batches", test_batches);
  g_test_add_func ("/explain/gradient/closed/softmax", test_softmax);
  g_test_add_func ("/explain/gradient/closed/sums", test_sums);
  g_test_add_func ("/explain/gradient/closed/baselines", test_baselines);
  g_test_add_func ("/explain/gradient/closed/threads", test_threads);
  g_test_add_func ("/explain/gradient/closed/layers", test_layers);
  g_test_add_func ("/explain/gradient/closed/layer-paths", test_layer_paths);
  g_test_add_func ("/explain/gradient/closed/other-sums", test_other_sums);
  g_test_add_func ("/explain/gradient/closed/margins", test_margins);
  g_test_add_func ("/explain/gradient/closed/columns", test_columns);
  g_test_add_func ("/explain/gradient/closed/tokens", test_tokens);
  g_test_add_func ("/explain/gradient/closed/memory", test_memory);
  g_test_add_func ("/explain/gradient/closed/refused", test_refused);
  g_test_add_func ("/explain/gradient/closed/words", test_words);
  return g_test_run ();
}
