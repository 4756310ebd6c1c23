/* SPDX-License-Identifier: Apache-2.0
 * Derivatives as functions of graphs: which values, seeds, what comes along, where they stop, other
 * rules, errors. */
#include "data/models/sonde-model-file.h"
#include "engine/nn/sonde-grad.h"
#include "engine/ops/sonde-build.h"
#include "tests/engine/model-text.h"
#include "tests/support/sonde-test-tensor.h"

#include <string.h>

#define NET                                                                                        \
  "in x f64 2; in w f64 2; node Mul x,w a; node Relu a h; node Mul h,h y; node ReduceSum y,_ "     \
  "loss keepdims=0; "                                                                              \
  "node Neg w unused; node Greater x,w other; out loss; out y; out other; out unused"

static SondeGraph *
parse (const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GByteArray) bytes = model_of_text (text);
  SondeGraph *graph = sonde_model_parse (bytes->data, bytes->len, "net.onnx", &error);

  g_assert_no_error (error);
  return graph;
}

/* Runs with x = (2, -3), w = (1.5, 0.5) and what @more says: "NAME=TENSOR;…"; compares output @k
 * with @want. */
static void
check (SondeGraph *graph, const char *more, guint k, const char *want)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTensor) wanted = sonde_test_tensor (SONDE_DTYPE_F64, want);
  g_auto (GStrv) parts = g_strsplit (more, ";", -1);
  g_autoptr (GPtrArray) names = g_ptr_array_new (),
                        tensors
                        = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
  SondeTensor *outputs[8] = { NULL };

  g_ptr_array_add (names, (char *) "x");
  g_ptr_array_add (tensors, sonde_test_tensor (SONDE_DTYPE_F64, "2: 2 -3"));
  g_ptr_array_add (names, (char *) "w");
  g_ptr_array_add (tensors, sonde_test_tensor (SONDE_DTYPE_F64, "2: 1.5 0.5"));
  for (guint i = 0; parts[i] != NULL; i++)
    {
      char *tensor = strchr (parts[i], '=');

      *tensor++ = '\0';
      g_ptr_array_add (names, parts[i]);
      g_ptr_array_add (tensors, sonde_test_tensor (SONDE_DTYPE_F64, tensor));
    }
  sonde_graph_run (graph, NULL, (const char *const *) names->pdata,
                   (SondeTensor *const *) tensors->pdata, names->len, outputs, &error);
  g_assert_no_error (error);
  sonde_test_assert_close (outputs[k], wanted, 1e-12, 0,
                           ((SondeGraphValue *) graph->outputs->pdata[k])->name);
  for (gsize i = 0; i < G_N_ELEMENTS (outputs); i++)
    sonde_tensor_unref (outputs[i]);
}

static SondeGraph *
differentiate (SondeGraph *graph, const char *output, const char *input,
               const SondeGradOptions *options)
{
  g_autoptr (GError) error = NULL;
  SondeValueRef outputs[] = { SONDE_VALUE (output) }, inputs[] = { SONDE_VALUE (input) };
  SondeGraph *gradient = sonde_grad (graph, outputs, 1, inputs, 1, options, &error);

  g_assert_no_error (error);
  return gradient;
}

/* ---- values -------------------------------------------------------------- */

static void
test_names_and_positions (void)
{
  g_autoptr (SondeGraph) graph = parse (NET);
  g_autofree char *before = sonde_graph_listing (graph, NULL), *after = NULL;
  g_autoptr (SondeGraph) by_name = differentiate (graph, "loss", "w", NULL), by_position = NULL;
  g_autoptr (GError) error = NULL;
  SondeValueRef outputs[] = { SONDE_POSITION (0) }, inputs[] = { SONDE_POSITION (1) };

  by_position = sonde_grad (graph, outputs, 1, inputs, 1, NULL, &error);
  g_assert_no_error (error);
  check (by_name, "", 0, "2: 12 0");
  check (by_position, "", 0, "2: 12 0");
  g_assert_cmpstr (((SondeGraphValue *) by_name->outputs->pdata[0])->name, ==, "grad(w)");
  /* Only what the gradient needs; what it comes from is said. */
  g_assert_null (sonde_graph_find_value (by_name, "unused"));
  g_assert_null (sonde_graph_find_value (by_name, "other"));
  g_assert_nonnull (sonde_graph_find_value (by_name, "h"));
  for (guint i = 0; i < by_name->nodes->len; i++)
    if (by_name->nodes->pdata[i] != NULL)
      g_assert_cmpint (((SondeNode *) by_name->nodes->pdata[i])->phase == SONDE_PHASE_BACKWARD, ==,
                       ((SondeNode *) by_name->nodes->pdata[i])->origin_kind
                           == SONDE_ORIGIN_GRADIENT);
  after = sonde_graph_listing (graph, NULL);
  g_assert_cmpstr (before, ==, after);
}

static void
test_values_inside (void)
{
  g_autoptr (SondeGraph) graph = parse (NET);
  g_autoptr (SondeGraph) inside = differentiate (graph, "loss", "a", NULL);
  g_autoptr (SondeGraph) of_tensor = differentiate (graph, "h", "x", NULL);
  g_autoptr (SondeGraph) independent = differentiate (graph, "unused", "x", NULL);

  check (inside, "", 0, "2: 6 0");
  check (of_tensor, "", 0, "2: 1.5 0");
  check (independent, "", 0, "2: 0 0");
}

static void
test_value_and_grad (void)
{
  g_autoptr (SondeGraph) graph = parse (NET), both = NULL;
  g_autoptr (GError) error = NULL;
  SondeValueRef outputs[] = { SONDE_VALUE ("loss"), SONDE_VALUE ("unused") };
  SondeValueRef inputs[] = { SONDE_VALUE ("w"), SONDE_VALUE ("h") },
                auxiliary[] = { SONDE_VALUE ("a") };

  both = sonde_value_and_grad (graph, outputs, 2, inputs, 2,
                               &(SondeGradOptions){ .auxiliary = auxiliary, .n_auxiliary = 1 },
                               &error);
  g_assert_no_error (error);
  g_assert_cmpuint (both->outputs->len, ==, 5);
  check (both, "", 0, "scalar: 9");
  check (both, "", 1, "2: -1.5 -0.5");
  check (both, "", 2, "2: 3 -1.5");
  check (both, "", 3, "2: 11 -1");
  check (both, "", 4, "2: 6 0");
}

/* Of a transposed matrix the gradient reads the matrix: the transposition is done with after the
 * forward phase. */
static void
test_transposed (void)
{
  g_autoptr (SondeGraph) graph = parse (
      "in x f64 2; in w f64 2; in t f64 1x2x2; in m f64 3x2; node Transpose m mt perm=[1,0]; "
      "node MatMul t,mt y; node Mul y,y z; out z");
  g_autoptr (SondeGraph) by_rows = differentiate (graph, "z", "t", NULL),
                         of_matrix = differentiate (graph, "z", "m", NULL);
  SondeGraphValue *transposed = sonde_graph_find_value (by_rows, "mt");

  g_assert_cmpuint (transposed->users->len, ==, 1);
  g_assert_cmpstr (((SondeNode *) transposed->users->pdata[0])->op, ==, "MatMul");
  check (by_rows, "t=1x2x2: 1 2 3 4;m=3x2: 1 0 2 1 0 3", 0, "1x2x2: 18 44 46 92");
  check (of_matrix, "t=1x2x2: 1 2 3 4;m=3x2: 1 0 2 1 0 3", 0, "3x2: 20 28 68 96 84 120");
}

static void
test_seeds (void)
{
  g_autoptr (SondeGraph) graph = parse (NET);
  g_autoptr (SondeGraph) product
      = differentiate (graph, "y", "x", &(SondeGradOptions){ .give_seeds = TRUE });

  check (product, "seed(y)=2: 0.5 7", 0, "2: 4.5 0");
}

static void
test_jacobian_vector (void)
{
  g_autoptr (SondeGraph) graph = parse (
      "in x f64 2; in w f64 2; node Mul x,w a; node Sin a s; node Mul s,x y; node Exp w e; "
      "out y; out e");
  g_autoptr (SondeGraph) product = NULL;
  g_autoptr (GError) error = NULL;
  SondeValueRef outputs[] = { SONDE_VALUE ("y"), SONDE_VALUE ("e") },
                inputs[] = { SONDE_VALUE ("x"), SONDE_VALUE ("w") };

  product = sonde_jacobian_vector (graph, outputs, 2, inputs, 2, NULL, &error);
  g_assert_no_error (error);
  /* dy = (sin xw + x w cos xw) tx + x² cos xw tw; de = exp w tw */
  check (product, "tangent(x)=2: 1 0;tangent(w)=2: 0 1", 0,
         "2: -2.828857481741448 0.636634815009327");
  check (product, "tangent(x)=2: 1 0;tangent(w)=2: 0 1", 1, "2: 0 1.648721270700128");
}

static void
test_higher_orders (void)
{
  g_autoptr (SondeGraph) graph
      = parse ("in x f64 2; in w f64 2; node Mul x,x a; node Mul a,a y; out y");
  g_autoptr (SondeGraph) first = differentiate (graph, "y", "x", NULL);
  g_autoptr (SondeGraph) second = differentiate (first, "grad(x)", "x", NULL);
  g_autoptr (SondeGraph) third = NULL;
  g_autoptr (GError) error = NULL;
  SondeValueRef outputs[] = { SONDE_POSITION (0) }, inputs[] = { SONDE_VALUE ("x") };

  third = sonde_grad (second, outputs, 1, inputs, 1, NULL, &error);
  g_assert_no_error (error);
  check (first, "", 0, "2: 32 -108");
  check (second, "", 0, "2: 48 108");
  check (third, "", 0, "2: 48 -72");
}

/* ---- stops and rules ----------------------------------------------------- */

static void
test_stop (void)
{
  SondeValueRef stop[] = { SONDE_VALUE ("h") };
  g_autoptr (SondeGraph) graph
      = parse ("in x f64 2; in w f64 2; node Mul x,w h; node Mul h,x y; out y");
  g_autoptr (SondeGraph) marked = parse ("opset sonde 1; opset - 17; in x f64 2; in w f64 2; node "
                                         "Mul x,w a; node sonde:StopGradient a h; "
                                         "node Mul h,x y; out y");
  g_autoptr (SondeGraph) whole = differentiate (graph, "y", "x", NULL);
  g_autoptr (SondeGraph) stopped
      = differentiate (graph, "y", "x", &(SondeGradOptions){ .stop = stop, .n_stop = 1 });
  g_autoptr (SondeGraph) to_itself
      = differentiate (graph, "y", "h", &(SondeGradOptions){ .stop = stop, .n_stop = 1 });
  g_autoptr (SondeGraph) by_operator = differentiate (marked, "y", "x", NULL);
  g_autoptr (SondeGraph) behind = differentiate (marked, "y", "w", NULL);

  check (whole, "", 0, "2: 6 -3");
  check (stopped, "", 0, "2: 3 -1.5");
  check (to_itself, "", 0, "2: 2 -3");
  check (by_operator, "", 0, "2: 3 -1.5");
  check (behind, "", 0, "2: 0 0");
}

/* Guided back-propagation: what comes back through a Relu is rectified too. */
static gboolean
guide (SondeGradientContext *context, gpointer data, GError **error)
{
  guint *n = data;
  SondeGraphValue *x = sonde_node_get_input (context->node, 0);
  SondeGraphValue *positive
      = sonde_build_unary (context->graph, "Relu", context->output_gradients[0]);
  SondeGraphValue *pair[]
      = { sonde_build_unary (context->graph, "Sign", sonde_build_unary (context->graph, "Relu", x)),
          positive };

  (*n)++;
  context->input_gradients[0] = sonde_build_op (context->graph, NULL, "", "Mul", 2, pair);
  return TRUE;
}

static gboolean
refuse (SondeGradientContext *context, gpointer data, GError **error)
{
  g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID, "not this one");
  return FALSE;
}

static void
test_rules (void)
{
  guint n = 0;
  SondeGradientRule rules[]
      = { { .op = "Relu", .node = "no*", .build = refuse },
          { .domain = "", .op = "Relu", .name = "guided", .build = guide, .data = &n } };
  SondeGradientRule refusing = { .node = "Relu_*", .name = "refusing", .build = refuse };
  SondeValueRef outputs[] = { SONDE_VALUE ("y") }, inputs[] = { SONDE_VALUE ("x") };
  g_autoptr (SondeGraph) graph
      = parse ("in x f64 2; in w f64 2; const m f64 2 1,-1; node Mul x,m a; node Relu a h; "
               "node Mul h,w b; node Neg b c; node Relu h g; node Mul g,w e; node Add c,e f; "
               "node Mul e,m y; out y");
  g_autoptr (SondeGraph) plain = differentiate (graph, "y", "x", NULL);
  g_autoptr (SondeGraph) guided
      = differentiate (graph, "y", "x", &(SondeGradOptions){ .rules = rules, .n_rules = 2 });
  g_autoptr (SondeGraph) refused = NULL;
  g_autoptr (GError) error = NULL;
  guint n_marked = 0;

  check (plain, "", 0, "2: 1.5 0.5");
  check (guided, "", 0, "2: 1.5 -0");
  g_assert_cmpuint (n, ==, 2);
  for (guint i = 0; i < guided->nodes->len; i++)
    if (guided->nodes->pdata[i] != NULL && ((SondeNode *) guided->nodes->pdata[i])->doc != NULL)
      {
        g_assert_cmpstr (((SondeNode *) guided->nodes->pdata[i])->doc, ==, "by the rule “guided”");
        g_assert_cmpint (((SondeNode *) guided->nodes->pdata[i])->origin_kind, ==,
                         SONDE_ORIGIN_GRADIENT);
        n_marked++;
      }
  g_assert_cmpuint (n_marked, ==, 8);
  refused = sonde_grad (graph, outputs, 1, inputs, 1,
                        &(SondeGradOptions){ .rules = &refusing, .n_rules = 1 }, &error);
  g_assert_null (refused);
  g_assert_nonnull (strstr (error->message, "rule “refusing”: not this one"));
}

static void
test_rules_in_bodies (void)
{
  guint n = 0;
  SondeGradientRule rule = { .op = "Relu", .name = "guided", .build = guide, .data = &n };
  SondeGradOptions options = { .give_seeds = TRUE, .rules = &rule, .n_rules = 1 };
  g_autoptr (SondeGraph) graph
      = parse ("in x f64 2; in w f64 2; const n i64 - 2; node Loop n,_,x y body={in i i64 -; "
               "in c bool -; in v f64 2; node Identity c d; node Relu v r; node Mul r,w q; "
               "out d; out q}; out y");
  g_autoptr (SondeGraph) plain
      = differentiate (graph, "y", "x", &(SondeGradOptions){ .give_seeds = TRUE });
  g_autoptr (SondeGraph) guided = differentiate (graph, "y", "x", &options);

  check (plain, "seed(y)=2: -1 1", 0, "2: -2.25 0");
  check (guided, "seed(y)=2: -1 1", 0, "2: 0 0");
  check (guided, "seed(y)=2: 1 1", 0, "2: 2.25 0");
  g_assert_cmpuint (n, ==, 1);
}

/* Of a value whose type alone the gradient looks at, nothing is kept. */
static void
test_kept_in_loops (void)
{
  g_autoptr (SondeGraph) graph = parse (
      "in x f64 2; in w f64 2; const n i64 - 3; const row i64 2 1,2; node Loop n,_,x y "
      "body={in i i64 -; in c bool -; in v f64 2; node Identity c d; node Reshape v,row r; "
      "node Mul r,w p; const flat i64 1 2; node Reshape p,flat q; out d; out q}; out y");
  g_autoptr (SondeGraph) of_state = differentiate (graph, "y", "x", NULL);
  g_autoptr (SondeGraph) of_weight = differentiate (graph, "y", "w", NULL);

  check (of_state, "", 0, "2: 3.375 0.125");
  check (of_weight, "", 0, "2: 13.5 -2.25");
  g_assert_null (sonde_graph_find_value (of_state, "saved(r)"));
  g_assert_null (sonde_graph_find_value (of_state, "saved(v)"));
  g_assert_null (sonde_graph_find_value (of_state, "saved(p)"));
  g_assert_nonnull (sonde_graph_find_value (of_weight, "saved(r)"));
  g_assert_null (sonde_graph_find_value (of_weight, "saved(p)"));
}

/* ---- functions ----------------------------------------------------------- */

static void
test_function (void)
{
  g_autoptr (SondeGraph) graph = parse (
      "opset own 1; opset - 17; in x f64 2; in w f64 2; node own:Wave x u; node Mul u,w y; out y; "
      "function own Wave p q {node Sin p s; node Mul s,p q}");
  g_autoptr (SondeGraph) gradient = differentiate (graph, "y", "x", NULL);

  /* w (sin x + x cos x) */
  check (gradient, "", 0, "2: 0.11550563059709534 1.4144287408707346");
}

/* ---- errors -------------------------------------------------------------- */

static void
test_errors (void)
{
  static const struct
  {
    const char *output, *input;
    int code;
    const char *message;
  } rows[] = {
    { "nothing", "x", SONDE_ENGINE_ERROR_NOT_FOUND, "“nothing”" },
    { "y", "nothing", SONDE_ENGINE_ERROR_NOT_FOUND, "“nothing”" },
    { NULL, "x", SONDE_ENGINE_ERROR_NOT_FOUND, "no output number 9: it has 3" },
    { "y", "k", SONDE_ENGINE_ERROR_SHAPE, "“k” is int64" },
    { "d", "x", SONDE_ENGINE_ERROR_UNSUPPORTED,
      "the operator BitCast has no gradient, but “d” depends on it: x → Mul_m → BitCast_e → Neg_d "
      "→ d" },
    { "l", "x", SONDE_ENGINE_ERROR_UNSUPPORTED,
      "node “Loop_l” (Loop): “q”, which it reads from outside, is not a tensor, and “l” depends on "
      "it" },
    { "i", "x", SONDE_ENGINE_ERROR_UNSUPPORTED,
      "in the then_branch of node “If_i”: node “BitCast_t”: the operator BitCast has no gradient" },
  };
  g_autoptr (SondeGraph) graph = parse (
      "in x f64 2x2; in k i64 2; in c bool -; node Mul x,x m; node BitCast m e to=11; node Neg e "
      "d; "
      "node Sin x y; node If c i then_branch={node BitCast m t to=11; out t} "
      "else_branch={node ReduceSum x,_ s keepdims=0; out s}; "
      "const n i64 - 2; node SequenceConstruct x,x q; node Loop n,_,x l body={in j i64 -; in b "
      "bool -; "
      "in v f64 2x2; node Identity b f; node SequenceAt q,j r; node Mul v,r u; out f; out u}; "
      "out y; out d; out i");

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      SondeValueRef outputs[] = { { rows[i].output, 9 } },
                    inputs[] = { SONDE_VALUE (rows[i].input) };
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeGraph) gradient = sonde_grad (graph, outputs, 1, inputs, 1, NULL, &error);

      g_assert_null (gradient);
      g_assert_error (error, SONDE_ENGINE_ERROR, rows[i].code);
      if (strstr (error->message, rows[i].message) == NULL)
        {
          g_test_message ("“%s” lacks “%s”", error->message, rows[i].message);
          g_test_fail ();
        }
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/nn/grad/names-and-positions", test_names_and_positions);
  g_test_add_func ("/nn/grad/values-inside", test_values_inside);
  g_test_add_func ("/nn/grad/value-and-grad", test_value_and_grad);
  g_test_add_func ("/nn/grad/transposed", test_transposed);
  g_test_add_func ("/nn/grad/seeds", test_seeds);
  g_test_add_func ("/nn/grad/jacobian-vector", test_jacobian_vector);
  g_test_add_func ("/nn/grad/higher-orders", test_higher_orders);
  g_test_add_func ("/nn/grad/stop", test_stop);
  g_test_add_func ("/nn/grad/rules", test_rules);
  g_test_add_func ("/nn/grad/rules-in-bodies", test_rules_in_bodies);
  g_test_add_func ("/nn/grad/kept-in-loops", test_kept_in_loops);
  g_test_add_func ("/nn/grad/function", test_function);
  g_test_add_func ("/nn/grad/errors", test_errors);
  return g_test_run ();
}
