/* SPDX-License-Identifier: Apache-2.0
 * Training in less memory: a small net of many layers planned with and without, the same bits, a
 * lower peak, errors. */
#include "engine/ops/sonde-build.h"
#include "engine/plan/sonde-execution.h"
#include "tests/support/sonde-test-tensor.h"

#include <string.h>

#define N_LAYERS 12
#define WIDTH 16
#define BATCH 64

/**
 * Net: N_LAYERS of Dropout (Tanh (MatMul (x, w) + b)), the mean of squares, gradients and SGD
 */
typedef struct
{
  SondeGraph *graph;
  SondeDevice *device;
  guint n_measured;
} Net;

static void
net_clear (Net *net)
{
  g_clear_pointer (&net->graph, sonde_graph_unref);
  g_clear_pointer (&net->device, sonde_device_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Net, net_clear)

static SondeGraphValue *
add_parameter (SondeGraph *graph, const char *stem, guint layer, const char *like,
               GPtrArray *parameters)
{
  g_autofree char *name = g_strdup_printf ("%s%u", stem, layer);
  g_autoptr (SondeTensor) zeros = sonde_test_tensor (SONDE_DTYPE_F32, like);
  g_autoptr (SondeTensor) tensor
      = sonde_test_tensor_random (SONDE_DTYPE_F32, &zeros->shape, layer + 1, -0.4, 0.4);
  SondeGraphValue *value = sonde_graph_add_initialiser (graph, name, tensor, SONDE_ROLE_PARAMETER);

  g_ptr_array_add (parameters, value);
  return value;
}

static SondeGraphValue *
add_layer (SondeGraph *graph, SondeGraphValue *x, guint layer, GPtrArray *parameters)
{
  SondeGraphValue *product = sonde_build_binary (
      graph, "MatMul", x, add_parameter (graph, "w", layer, "16x16: 0", parameters));
  SondeGraphValue *sum = sonde_build_binary (
      graph, "Add", product, add_parameter (graph, "b", layer, "16: 0", parameters));
  SondeGraphValue *y = sonde_build_unary (graph, "Tanh", sum);

  if (layer % 5 == 3)
    {
      SondeGraphValue *inputs[] = { y, sonde_build_scalar (graph, SONDE_DTYPE_F32, 0.25),
                                    sonde_build_scalar (graph, SONDE_DTYPE_BOOL, 1) };

      y = sonde_build_op (graph, NULL, "", "Dropout", 3, inputs);
    }
  return y;
}

static void
net_init (Net *net)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) parameters = g_ptr_array_new ();
  SondeShape shape = { .rank = 2, .dims = { BATCH, WIDTH } };
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  SondeGraphValue *x, *loss, *gradients[2 * N_LAYERS];

  *net = (Net){ .graph = sonde_graph_new ("net"), .device = sonde_device_open ("cpu", 1, &error) };
  g_assert_no_error (error);
  sonde_graph_set_opset (net->graph, "", 22);
  x = sonde_graph_add_input (net->graph, "x", &type);
  for (guint i = 0; i < N_LAYERS; i++)
    x = add_layer (net->graph, x, i, parameters);
  loss = sonde_build_unary (net->graph, "ReduceMean", sonde_build_binary (net->graph, "Mul", x, x));
  sonde_node_set_int (loss->producer, "keepdims", 0);
  (void) sonde_build_infer (net->graph, loss->producer, NULL);
  sonde_graph_rename_value (net->graph, loss, "loss");
  sonde_pass_gradient (net->graph, loss, NULL, (SondeGraphValue *const *) parameters->pdata,
                       parameters->len, gradients, &error);
  g_assert_no_error (error);
  sonde_graph_add_output (net->graph, loss);
  for (guint i = 0; i < parameters->len; i++)
    {
      SondeGraphValue *update[] = { parameters->pdata[i], gradients[i], NULL,
                                    sonde_build_scalar (net->graph, SONDE_DTYPE_F32, 0.5) };
      SondeNode *node
          = sonde_graph_add_node (net->graph, NULL, SONDE_DOMAIN, "SgdUpdate", update, 4, 1);

      node->phase = SONDE_PHASE_OPTIMISER;
      sonde_node_get_output (node, 0)->update_of = parameters->pdata[i];
      g_assert_true (sonde_build_infer (net->graph, node, NULL));
    }
}

static gboolean
measure (SondeGraph *graph, guint64 *peak, gpointer data, GError **error)
{
  Net *net = data;
  g_autoptr (SondeGraph) copy = sonde_graph_copy (graph, FALSE);
  g_autoptr (SondePlan) plan = sonde_plan_new (copy, net->device, &(SondePlanOptions){ 0 }, error);

  net->n_measured++;
  if (plan == NULL)
    return FALSE;
  *peak = sonde_plan_get_arena_bytes (plan);
  return TRUE;
}

/* Three steps; the bits of loss and weights. */
static GByteArray *
train (Net *net)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) copy = sonde_graph_copy (net->graph, FALSE);
  g_autoptr (SondePlan) plan = sonde_plan_new (copy, net->device, &(SondePlanOptions){ 0 }, &error);
  g_autoptr (SondeExecution) execution = NULL;
  GByteArray *bits = g_byte_array_new ();
  SondeShape shape = { .rank = 2, .dims = { BATCH, WIDTH } };
  g_autoptr (SondeTensor) x = sonde_test_tensor_random (SONDE_DTYPE_F32, &shape, 5, -1, 1);

  g_assert_no_error (error);
  execution = sonde_execution_new (plan, &error);
  g_assert_no_error (error);
  for (guint step = 0; step < 3; step++)
    {
      static const char *const names[] = { "loss", "w0", "b3", "w11" };

      sonde_execution_set_counter (execution, 7, step);
      g_assert_true (sonde_execution_set_input (execution, "x", x, &error));
      g_assert_cmpint (sonde_execution_run (execution, &error), ==, SONDE_RUN_DONE);
      for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
        {
          g_autoptr (SondeTensor) tensor
              = sonde_execution_read (execution, sonde_graph_find_value (copy, names[i]), &error);

          g_assert_no_error (error);
          g_byte_array_append (bits, tensor->data, (guint) sonde_tensor_n_bytes (tensor));
        }
    }
  return bits;
}

static guint
count_clones (const SondeGraph *graph, const char *op)
{
  guint n = 0;

  for (guint i = 0; i < graph->nodes->len; i++)
    {
      const SondeNode *node = graph->nodes->pdata[i];

      if (node == NULL || !g_str_has_prefix (node->name, "recompute(")
          || (op != NULL && strcmp (node->op, op) != 0))
        continue;
      g_assert_cmpint (node->phase, ==, SONDE_PHASE_BACKWARD);
      g_assert_cmpuint (node->origins->len, ==, 1);
      n++;
    }
  return n;
}

static void
test_peak_and_bits (void)
{
  static const double shares[] = { 1, 0.85, 0.7, 0.6 };
  g_autoptr (GByteArray) want = NULL;
  guint64 plain = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (shares); i++)
    {
      g_auto (Net) net = { NULL };
      g_autoptr (GError) error = NULL;
      g_autoptr (GByteArray) got = NULL;
      SondeRematerialiseRequest request = { .measure = measure, .data = &net };
      guint64 peak = 0, planned = 0;

      net_init (&net);
      if (i == 0)
        g_assert_true (measure (net.graph, &plain, &net, &error));
      request.budget = (guint64) ((double) plain * shares[i]);
      sonde_pass_rematerialise (net.graph, &request, &peak, &error);
      g_assert_no_error (error);
      g_assert_true (measure (net.graph, &planned, &net, &error));
      g_test_message ("%.2f of %" G_GUINT64_FORMAT ": %" G_GUINT64_FORMAT ", %u clones", shares[i],
                      plain, peak, count_clones (net.graph, NULL));
      g_assert_cmpuint (peak, ==, planned);
      g_assert_cmpuint (peak, <=, request.budget);
      g_assert_cmpint (count_clones (net.graph, NULL) > 0, ==, i > 0);
      g_assert_cmpuint (count_clones (net.graph, "Dropout"), ==, 0);
      got = train (&net);
      if (want == NULL)
        want = g_steal_pointer (&got);
      else
        g_assert_cmpmem (got->data, got->len, want->data, want->len);
    }
}

static void
test_impossible (void)
{
  g_auto (Net) net = { NULL };
  g_autoptr (GError) error = NULL;
  SondeRematerialiseRequest request = { .measure = measure, .data = &net, .budget = 1000 };
  guint64 peak = 0;

  net_init (&net);
  g_assert_false (sonde_pass_rematerialise (net.graph, &request, &peak, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY);
  g_assert_nonnull (strstr (error->message, "smaller batch"));
  g_assert_cmpuint (count_clones (net.graph, NULL), ==, 0);
  g_assert_cmpuint (peak, >, 1000);
  g_assert_cmpuint (net.n_measured, <, 20);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/passes/rematerialise/peak-and-bits", test_peak_and_bits);
  g_test_add_func ("/passes/rematerialise/impossible", test_impossible);
  return g_test_run ();
}
