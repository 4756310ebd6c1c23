/* SPDX-License-Identifier: Apache-2.0
 * Training graphs against PyTorch (models/training of the shared folder): the loss and every
 * parameter's gradient at step 0, and five steps of SGD and Adam made of update nodes. */
#include "data/arrays/sonde-npz.h"
#include "data/models/sonde-model-file.h"
#include "engine/ops/sonde-build.h"
#include "tests/support/sonde-test-gradient.h"
#include "tests/support/sonde-test-tensor.h"

#include <math.h>
#include <string.h>

#define N_STEPS 5

static char *
training_path (const char *net, const char *file)
{
  g_autofree char *relative = g_build_filename ("models", "training", net, file, NULL);

  return sonde_test_shared_path (relative);
}

static SondeNamedTensors *
read_arrays (const char *net, const char *file)
{
  g_autofree char *path = training_path (net, file);
  g_autoptr (GError) error = NULL;
  SondeNamedTensors *tensors = sonde_npz_read (NULL, path, &error);

  g_assert_no_error (error);
  return tensors;
}

/**
 * Net: a loaded forward graph with its gradients
 * @parameters: (element-type SondeGraphValue)
 */
typedef struct
{
  SondeGraph *graph;
  GPtrArray *parameters;
  SondeGraphValue **gradients;
  SondeGraphValue *loss;
  GHashTable *feeds;
} Net;

static void
net_clear (Net *net)
{
  g_clear_pointer (&net->graph, sonde_graph_unref);
  g_clear_pointer (&net->parameters, g_ptr_array_unref);
  g_clear_pointer (&net->gradients, g_free);
  g_clear_pointer (&net->feeds, g_hash_table_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Net, net_clear)

static gboolean
net_load (Net *net, const char *name)
{
  g_autofree char *path = training_path (name, "forward.onnx");
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) original = NULL;

  if (path == NULL)
    return FALSE;
  original = sonde_model_load (NULL, path, &error);
  g_assert_no_error (error);
  net->graph = sonde_graph_copy (original, TRUE);
  sonde_pass_legalise (net->graph, &error);
  g_assert_no_error (error);
  sonde_pass_fold (net->graph, &error);
  g_assert_no_error (error);
  sonde_pass_infer (net->graph, NULL, 0, &error);
  g_assert_no_error (error);
  net->loss = sonde_graph_find_value (net->graph, "loss");
  net->parameters = g_ptr_array_new ();
  for (guint i = 0; i < net->graph->values->len; i++)
    {
      SondeGraphValue *value = net->graph->values->pdata[i];

      if (value != NULL && value->role == SONDE_ROLE_PARAMETER)
        g_ptr_array_add (net->parameters, value);
    }
  net->gradients = g_new0 (SondeGraphValue *, net->parameters->len);
  sonde_pass_gradient (net->graph, net->loss, NULL,
                       (SondeGraphValue *const *) net->parameters->pdata, net->parameters->len,
                       net->gradients, &error);
  g_assert_no_error (error);
  net->feeds = sonde_test_feeds_new ();
  return TRUE;
}

static void
feed_batch (Net *net, SondeNamedTensors *batches, guint step)
{
  for (guint i = 0; i < 2; i++)
    {
      g_autofree char *key = g_strdup_printf ("%c%u", i == 0 ? 'x' : 'y', step);

      sonde_test_feeds_set (net->feeds, ((SondeGraphValue *) net->graph->inputs->pdata[i])->name,
                            sonde_named_tensors_lookup (batches, key));
    }
}

static double
norm (SondeTensor *tensor)
{
  gint64 n = sonde_tensor_n_elements (tensor);
  double sum = 0;

  for (gint64 i = 0; i < n; i++)
    sum += sonde_tensor_get_double (tensor, i) * sonde_tensor_get_double (tensor, i);
  return sqrt (sum);
}

/* ---- gradients ----------------------------------------------------------- */

/* models/README.md: gradients with rtol 1e-4 of their norm. A bias before a normalisation has a
 * gradient of nothing but rounding, hence the small floor. */
static void
compare_gradient (const char *name, SondeTensor *got, SondeTensor *want)
{
  g_assert_nonnull (want);
  sonde_test_assert_close (got, want, 0, 1e-4 * norm (want) + 1e-7, name);
}

static void
test_gradients (gconstpointer data)
{
  g_auto (Net) net = { NULL };
  g_autoptr (SondeNamedTensors) batches = NULL, sgd = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) values = NULL;

  if (!net_load (&net, data))
    return;
  batches = read_arrays (data, "batches.npz");
  sgd = read_arrays (data, "sgd.npz");
  feed_batch (&net, batches, 0);
  values = sonde_test_evaluate (net.graph, net.feeds, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (fabs (sonde_tensor_get_double (g_hash_table_lookup (values, net.loss), 0)
                           - sonde_tensor_get_double (sonde_named_tensors_lookup (sgd, "loss"), 0)),
                     <, 2e-6);
  g_assert_cmpuint (net.parameters->len, >=, 6);
  for (guint i = 0; i < net.parameters->len; i++)
    {
      SondeGraphValue *parameter = net.parameters->pdata[i];
      g_autofree char *key = g_strdup_printf ("grad0/%s", parameter->name);
      g_autofree char *name = g_strdup_printf ("grad(%s)", parameter->name);

      g_assert_cmpstr (net.gradients[i]->name, ==, name);
      compare_gradient (name, g_hash_table_lookup (values, net.gradients[i]),
                        sonde_named_tensors_lookup (sgd, key));
    }
}

/* ---- steps --------------------------------------------------------------- */

typedef struct
{
  const char *net, *optimiser;
  double loss_tolerance;
} StepsCase;

static SondeGraphValue *
add_state (SondeGraph *graph, const SondeGraphValue *parameter, const char *kind, GHashTable *feeds)
{
  g_autofree char *name = g_strdup_printf ("state(%s, %s)", parameter->name, kind);
  SondeTensor *tensor = sonde_value_get_tensor (parameter->constant);
  g_autoptr (SondeTensor) zeros = sonde_tensor_new (tensor->dtype, &tensor->shape);
  SondeGraphValue *state = sonde_graph_add_input (graph, name, &parameter->type);

  sonde_test_feeds_set (feeds, name, zeros);
  return state;
}

/* w' (and v' or m', v') in the order of the node's outputs; @states likewise. */
static SondeNode *
add_update (Net *net, const StepsCase *row, guint i, SondeGraphValue *rate, SondeGraphValue *step,
            SondeGraphValue **states)
{
  SondeGraphValue *w = net->parameters->pdata[i];
  gboolean sgd = strcmp (row->optimiser, "sgd") == 0;
  SondeNode *node = NULL;

  states[0] = w;
  states[1] = add_state (net->graph, w, sgd ? "momentum" : "m", net->feeds);
  if (sgd)
    {
      SondeGraphValue *inputs[] = { w, net->gradients[i], states[1], rate };

      node = sonde_graph_add_node (net->graph, NULL, "sonde", "SgdUpdate", inputs, 4, 2);
      sonde_node_set_float (node, "momentum", 0.9);
      sonde_node_set_float (node, "weight_decay", 0.0005);
      return node;
    }
  states[2] = add_state (net->graph, w, "v", net->feeds);
  {
    SondeGraphValue *inputs[] = { w, net->gradients[i], states[1], states[2], rate, step };

    node = sonde_graph_add_node (net->graph, NULL, "sonde", "AdamUpdate", inputs, 6, 3);
  }
  if (strcmp (row->optimiser, "adamw") == 0)
    {
      sonde_node_set_float (node, "weight_decay", 0.01);
      sonde_node_set_int (node, "decoupled", 1);
    }
  return node;
}

/* What the executor does at the end of a step: new values take the places of the old ones. */
static void
carry_over (Net *net, GHashTable *values, SondeNode **updates, SondeGraphValue **states)
{
  for (guint i = 0; i < net->parameters->len; i++)
    for (guint k = 0; k < updates[i]->outputs->len; k++)
      sonde_test_feeds_set (net->feeds, states[3 * i + k]->name,
                            g_hash_table_lookup (values, updates[i]->outputs->pdata[k]));
}

static void
compare_weights (Net *net, const StepsCase *row, SondeNamedTensors *wanted)
{
  double tolerance
      = 4 * sonde_tensor_get_double (sonde_named_tensors_lookup (wanted, "err32"), 0) + 1e-6;

  for (guint i = 0; i < net->parameters->len; i++)
    {
      SondeGraphValue *parameter = net->parameters->pdata[i];
      g_autofree char *key = g_strdup_printf ("final/%s", parameter->name);
      SondeTensor *want = sonde_named_tensors_lookup (wanted, key);
      SondeTensor *got = g_hash_table_lookup (net->feeds, parameter->name);
      /* Adam's files keep the first rows of large ones. */
      g_autoptr (SondeTensor) part = sonde_tensor_view (got, &want->shape, got->strides, 0);
      g_autoptr (SondeTensor) plain = sonde_tensor_contiguous (part);

      sonde_test_assert_close (plain, want, 0, tolerance, key);
    }
}

static void
test_steps (gconstpointer data)
{
  const StepsCase *row = data;
  g_auto (Net) net = { NULL };
  g_autofree char *file = g_strconcat (row->optimiser, ".npz", NULL);
  g_autoptr (SondeNamedTensors) batches = NULL, wanted = NULL;
  g_autofree SondeNode **updates = NULL;
  g_autofree SondeGraphValue **states = NULL;
  SondeType number = { SONDE_VALUE_TENSOR, SONDE_DTYPE_I64, 0, { { 0 } } };
  SondeGraphValue *rate = NULL, *step = NULL;

  if (!net_load (&net, row->net))
    return;
  batches = read_arrays (row->net, "batches.npz");
  wanted = read_arrays (row->net, file);
  updates = g_new0 (SondeNode *, net.parameters->len);
  states = g_new0 (SondeGraphValue *, 3 * net.parameters->len);
  rate = sonde_build_scalar (net.graph, SONDE_DTYPE_F32,
                             strcmp (row->optimiser, "sgd") == 0 ? 0.05 : 0.001);
  step = sonde_graph_add_input (net.graph, "step", &number);
  for (guint i = 0; i < net.parameters->len; i++)
    updates[i] = add_update (&net, row, i, rate, step, states + 3 * i);

  for (guint s = 0; s < N_STEPS; s++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeTensor) count = sonde_tensor_new_i64 (s + 1);
      g_autoptr (GHashTable) values = NULL;
      double got, want = sonde_tensor_get_double (sonde_named_tensors_lookup (wanted, "loss"), s);

      feed_batch (&net, batches, s);
      sonde_test_feeds_set (net.feeds, "step", count);
      values = sonde_test_evaluate (net.graph, net.feeds, &error);
      g_assert_no_error (error);
      got = sonde_tensor_get_double (g_hash_table_lookup (values, net.loss), 0);
      if (!(fabs (got - want) < row->loss_tolerance))
        {
          g_test_message ("loss of step %u is %.9g, want %.9g", s, got, want);
          g_test_fail ();
        }
      carry_over (&net, values, updates, states);
    }
  compare_weights (&net, row, wanted);
}

static const StepsCase steps[] = {
  { "mlp", "sgd", 2e-6 },        { "mlp", "adam", 2e-6 },    { "mlp", "adamw", 2e-6 },
  { "lenet", "sgd", 2e-6 },      { "lenet", "adam", 2e-6 },  { "bn-resnet", "sgd", 2e-6 },
  { "bn-resnet", "adam", 2e-6 }, { "encoder", "sgd", 2e-6 }, { "encoder", "adamw", 2e-6 },
};
static const char *const nets[] = { "mlp", "lenet", "bn-resnet", "encoder" };

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (nets); i++)
    {
      g_autofree char *path = g_strdup_printf ("/engine/passes/training/%s/gradients", nets[i]);

      g_test_add_data_func (path, nets[i], test_gradients);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (steps); i++)
    {
      g_autofree char *path
          = g_strdup_printf ("/engine/passes/training/%s/%s", steps[i].net, steps[i].optimiser);

      g_test_add_data_func (path, &steps[i], test_steps);
    }
  return g_test_run ();
}
