/* SPDX-License-Identifier: Apache-2.0
 * How near ResNet-50 at 224×224 comes to its convolutions: each of them runs alone on data in the
 * layout that it wants, in turns with the whole net. Their sum is the machine's rate for just these
 * convolutions, and a floor. bench-convolution [--threads N] [--rounds N] */
#include "data/base/sonde-clock.h"
#include "engine/plan/sonde-execution.h"
#include "tests/bench/resnet-net.h"

#include <stdio.h>
#include <string.h>

/* One convolution of the net as a graph of its own; @best: of the step alone. */
typedef struct
{
  SondeObserver base;
  SondeExecution *execution;
  guint step;
  double flops;
  gint64 started, best;
} Single;

static guint
single_wants (SondeObserver *observer, SondeExecution *execution, guint step)
{
  return step == ((Single *) observer)->step ? SONDE_WANT_BEFORE | SONDE_WANT_AFTER
                                             : SONDE_WANT_NOTHING;
}

static SondeAnswer
single_before (SondeObserver *observer, SondeExecution *execution, guint step)
{
  ((Single *) observer)->started = sonde_clock_monotonic_ns (NULL);
  return SONDE_ANSWER_CONTINUE;
}

static SondeAnswer
single_after (SondeObserver *observer, SondeExecution *execution, guint step)
{
  Single *single = (Single *) observer;

  single->best = MIN (single->best, sonde_clock_monotonic_ns (NULL) - single->started);
  return SONDE_ANSWER_CONTINUE;
}

static void
single_free (void *data)
{
  Single *single = data;

  sonde_execution_free (single->execution);
  g_free (single);
}

static Single *
single_new (SondeDevice *device, const SondeNode *conv, GError **error)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("convolution");
  const SondeGraphValue *x = sonde_node_get_input (conv, 0), *w = sonde_node_get_input (conv, 1);
  SondeGraphValue *inputs[]
      = { sonde_graph_add_input (graph, "x", &x->type),
          sonde_graph_add_initialiser (graph, "w", sonde_value_get_tensor (w->constant),
                                       SONDE_ROLE_CONSTANT) };
  SondeNode *node = sonde_graph_add_node (graph, "conv", "", "Conv", inputs, 2, 1);
  g_autoptr (SondePlan) plan = NULL;
  g_autoptr (SondeTensor) image = NULL;
  Single *single;
  SondeShape shape;
  int step;

  for (guint i = 0; i < conv->attributes->len; i++)
    sonde_node_take_attribute (node, sonde_attribute_copy (conv->attributes->pdata[i]));
  sonde_graph_add_output (graph, sonde_node_get_output (node, 0));
  plan = sonde_plan_new (graph, device, NULL, error);
  if (plan == NULL)
    return NULL;

  step = sonde_plan_find_step (plan, node);
  single = g_new0 (Single, 1);
  single->base
      = (SondeObserver){ .wants = single_wants, .before = single_before, .after = single_after };
  single->step = (guint) step;
  single->flops = sonde_plan_get_step (plan, (guint) step)->cost.flops;
  single->best = G_MAXINT64;
  single->execution = sonde_execution_new (plan, error);
  if (single->execution == NULL)
    {
      single_free (single);
      return NULL;
    }

  sonde_type_get_shape (&x->type, &shape);
  image = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  for (gint64 i = 0; i < sonde_tensor_n_elements (image); i++)
    ((float *) (void *) image->data)[i] = (float) (i % 17) * 0.1f - 0.8f;
  sonde_execution_set_input (single->execution, "x", image, NULL);
  sonde_execution_add_observer (single->execution, &single->base);
  return single;
}

/* Every convolution of @graph; those that repeat stand as often as they do. */
static GPtrArray *
list_singles (SondeGraph *graph, SondeDevice *device, GError **error)
{
  g_autoptr (GPtrArray) singles = g_ptr_array_new_with_free_func (single_free);

  for (guint i = 0; i < graph->nodes->len; i++)
    {
      const SondeNode *node = graph->nodes->pdata[i];
      Single *single;

      if (node == NULL || strcmp (node->op, "Conv") != 0)
        continue;
      single = single_new (device, node, error);
      if (single == NULL)
        return NULL;
      g_ptr_array_add (singles, single);
    }
  return g_steal_pointer (&singles);
}

static gint64
run (SondeExecution *execution)
{
  gint64 started = sonde_clock_monotonic_ns (NULL);

  sonde_execution_run (execution, NULL);
  return sonde_clock_monotonic_ns (NULL) - started;
}

static gboolean
bench (SondeDevice *device, int rounds, GError **error)
{
  g_autoptr (SondeGraph) graph = resnet_net_new (1, 224);
  g_autoptr (SondePlan) plan = sonde_plan_new (graph, device, NULL, error);
  g_autoptr (SondeExecution) net = plan != NULL ? sonde_execution_new (plan, error) : NULL;
  g_autoptr (GPtrArray) singles = net != NULL ? list_singles (graph, device, error) : NULL;
  SondeShape shape = sonde_shape_make (4, 1, 3, 224, 224);
  g_autoptr (SondeTensor) image = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  gint64 whole = G_MAXINT64, sum = 0;
  double flops = 0;

  if (singles == NULL)
    return FALSE;

  sonde_execution_set_input (net, "x", image, NULL);
  for (int i = 0; i < rounds; i++)
    {
      whole = MIN (whole, run (net));
      for (guint k = 0; k < singles->len; k++)
        run (((Single *) singles->pdata[k])->execution);
    }
  for (guint k = 0; k < singles->len; k++)
    {
      const Single *single = singles->pdata[k];

      sum += single->best;
      flops += single->flops;
    }
  printf ("%u convolutions alone: %.2f ms, %.2f GFLOP, %.1f GFLOP/s\n", singles->len,
          (double) sum * 1e-6, flops * 1e-9, flops / (double) sum);
  printf ("the whole net: %.2f ms, ratio %.3f\n", (double) whole * 1e-6,
          (double) whole / (double) sum);
  return TRUE;
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeDevice) device = NULL;
  int threads = 0, rounds = 10;

  for (int i = 1; i + 1 < argc; i += 2)
    if (strcmp (argv[i], "--threads") == 0)
      threads = (int) g_ascii_strtoll (argv[i + 1], NULL, 10);
    else if (strcmp (argv[i], "--rounds") == 0)
      rounds = (int) g_ascii_strtoll (argv[i + 1], NULL, 10);

  device = sonde_device_open ("cpu", threads, &error);
  if (device != NULL && bench (device, rounds, &error))
    return 0;

  fprintf (stderr, "%s\n", error->message);
  return 1;
}
