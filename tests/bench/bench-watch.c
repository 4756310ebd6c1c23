/* SPDX-License-Identifier: Apache-2.0
 * What watching costs: training steps of ResNet-20 with all 17 conditions armed and with none, in
 * turn, in one program. bench-watch [--threads N] [--rounds N] [--batch N] [--every]: --every: the
 * conditions on tensors look at whatever any node makes, not only at weights, gradients and
 * activations. For counting instructions: --count N runs N steps and measures nothing: --without:
 * no debugger, --present: one with nothing armed. */
#include "data/base/sonde-clock.h"
#include "engine/debug/sonde-watch.h"
#include "engine/nn/sonde-training-graph.h"
#include "engine/nn/sonde-zoo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEED 7

typedef struct
{
  int threads, rounds, count;
  guint batch;
  gboolean every, without, present;
} Options;

typedef struct
{
  SondeDevice *device;
  SondeTrainingGraph *training;
  SondePlan *plan;
  SondeExecution *execution;
} Net;

/* ---- the net ------------------------------------------------------------- */

static SondeTensor *
new_input (const SondeGraphValue *input, guint batch)
{
  SondeType type = input->type;
  SondeTensor *tensor;
  SondeShape shape;
  gint64 n;

  if (type.rank > 0 && type.dims[0].size < 0)
    type.dims[0] = (SondeDimension){ batch, NULL };
  if (!sonde_type_get_shape (&type, &shape))
    return NULL;

  tensor = sonde_tensor_new (type.dtype, &shape);
  n = sonde_tensor_n_elements (tensor);
  for (gint64 i = 0; i < n; i++)
    if (type.dtype == SONDE_DTYPE_F32)
      sonde_tensor_set_double (tensor, i,
                               (double) ((guint32) i * 2654435761u >> 8) / (1 << 23) - 1);
    else
      sonde_tensor_set_double (tensor, i, (double) (i % 10));
  return tensor;
}

static void
set_inputs (const Net *net, guint batch)
{
  const SondeGraph *graph = net->training->graph;

  for (guint i = 0; i < graph->inputs->len; i++)
    {
      const SondeGraphValue *input = g_ptr_array_index (graph->inputs, i);
      g_autoptr (SondeTensor) tensor = input == net->training->learning_rate
                                           ? sonde_tensor_new_f32 (1e-4f)
                                       : input == net->training->step ? sonde_tensor_new_i64 (1)
                                                                      : new_input (input, batch);

      if (tensor != NULL)
        sonde_execution_set_input (net->execution, input->name, tensor, NULL);
    }
}

static gboolean
net_init (Net *net, const Options *options, GError **error)
{
  const SondeTrainerOptions training
      = { .loss = "cross-entropy", .optimiser = "sgd", .momentum = 0.9, .batch = options->batch };
  const SondeZooInput input = { .channels = 3, .height = 32, .width = 32, .classes = 10 };
  SondePlanOptions plan = { .memory = SONDE_MEMORY_PLAN };
  g_autoptr (SondeGraph) model = sonde_zoo_build_for ("resnet20", &input, SEED, error);
  g_autoptr (GArray) bindings = NULL;

  net->device = model != NULL ? sonde_device_open ("cpu", options->threads, error) : NULL;
  net->training = net->device != NULL ? sonde_training_graph_build (
                      model, &training, options->batch, SONDE_TRAINING_STEP, error)
                                      : NULL;
  if (net->training == NULL)
    return FALSE;
  bindings = sonde_training_bind_inputs (net->training->graph, options->batch);
  plan.bindings = (SondeBinding *) (void *) bindings->data;
  plan.n_bindings = bindings->len;
  net->plan = sonde_plan_new (net->training->graph, net->device, &plan, error);
  net->execution = net->plan != NULL ? sonde_execution_new (net->plan, error) : NULL;
  if (net->execution != NULL)
    set_inputs (net, options->batch);
  return net->execution != NULL;
}

static void
net_clear (Net *net)
{
  g_clear_pointer (&net->execution, sonde_execution_free);
  g_clear_pointer (&net->plan, sonde_plan_unref);
  g_clear_pointer (&net->training, sonde_training_graph_free);
  g_clear_pointer (&net->device, sonde_device_unref);
}

/* ---- watches ------------------------------------------------------------- */

#define TOO_LARGE "abs_mean_gt=1e30 max_gt=1e30 min_gt=1e30 mean_gt=1e30"
#define TOO_SMALL "abs_mean_lt=-1e30 max_lt=-1e30 min_lt=-1e30 mean_lt=-1e30"
#define RANGE                                                                                      \
  "range_start_inclusive=-1 range_end_inclusive=0 range_percentage_lt=0 range_percentage_gt=100 "  \
  "max_min_gt=1e30"

static gboolean
add (SondeDebugger *debugger, const char *text, const char *kind, GError **error)
{
  g_autofree char *whole = g_strdup_printf (
      "preset %s%s%s nostop", text, kind != NULL ? " on kind:" : "", kind != NULL ? kind : "");
  g_autoptr (GPtrArray) added = sonde_debugger_add_watches (debugger, whole, error);

  return added != NULL;
}

static gboolean
arm (SondeDebugger *debugger, gboolean every, GError **error)
{
  static const char *const of_tensors[] = { "tensor_overflow",
                                            "operator_overflow",
                                            "tensor_too_large " TOO_LARGE,
                                            "tensor_too_small " TOO_SMALL,
                                            "tensor_all_zero",
                                            "tensor_range " RANGE };
  static const char *const others[] = { "weight_initialization",
                                        "weight_overflow",
                                        "weight_too_large " TOO_LARGE,
                                        "weight_too_small " TOO_SMALL,
                                        "weight_not_changed",
                                        "weight_change_too_large",
                                        "weight_change_too_small",
                                        "gradient_vanishing " TOO_SMALL,
                                        "gradient_too_large " TOO_LARGE,
                                        "gradient_exploding",
                                        "activation_range " RANGE };
  static const char *const kinds[] = { "weight", "gradient", "activation" };

  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    if (!add (debugger, others[i], NULL, error))
      return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (of_tensors); i++)
    {
      if (every && !add (debugger, of_tensors[i], NULL, error))
        return FALSE;
      for (gsize k = 0; k < G_N_ELEMENTS (kinds); k++)
        if ((!every || k == 0) && !add (debugger, of_tensors[i], kinds[k], error))
          return FALSE;
    }
  return TRUE;
}

/* ---- measuring ----------------------------------------------------------- */

static int
compare_times (gconstpointer a, gconstpointer b)
{
  return *(const gint64 *) a < *(const gint64 *) b ? -1 : *(const gint64 *) a > *(const gint64 *) b;
}

static gboolean
run_once (const Net *net, gint64 *ns, GError **error)
{
  gint64 started = sonde_clock_monotonic_ns (NULL);

  if (sonde_execution_run (net->execution, error) != SONDE_RUN_DONE)
    return FALSE;
  *ns = sonde_clock_monotonic_ns (NULL) - started;
  return TRUE;
}

static gboolean
measure (const Net *net, SondeDebugger *debugger, int rounds, GError **error)
{
  const gsize n = (gsize) rounds;
  g_autofree gint64 *armed = g_new (gint64, n), *plain = g_new (gint64, n);
  double ratio, median;
  gint64 ns;

  if (!run_once (net, &ns, error))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    {
      /* which one goes first changes, too */
      for (int k = 0; k < 2; k++)
        {
          gboolean on = (k + i) % 2 == 0;

          sonde_debugger_enable_breakpoint (debugger, 0, on, NULL);
          if (!run_once (net, on ? &armed[i] : &plain[i], error))
            return FALSE;
        }
    }

  qsort (armed, n, sizeof *armed, compare_times);
  qsort (plain, n, sizeof *plain, compare_times);
  ratio = (double) armed[0] / (double) plain[0];
  median = (double) armed[n / 2] / (double) plain[n / 2];
  printf ("watched min_ms %.3f median_ms %.3f, not watched min_ms %.3f median_ms %.3f: ratio of "
          "minima %.3f, of medians %.3f\n",
          (double) armed[0] * 1e-6, (double) armed[n / 2] * 1e-6, (double) plain[0] * 1e-6,
          (double) plain[n / 2] * 1e-6, ratio, median);
  return TRUE;
}

static void
print_watched (SondeDebugger *debugger)
{
  GPtrArray *watches = sonde_debugger_get_watches (debugger);
  guint64 values = 0, hits = 0;

  for (guint i = 0; i < watches->len; i++)
    {
      values += ((const SondeWatch *) g_ptr_array_index (watches, i))->n_values;
      hits += ((const SondeWatch *) g_ptr_array_index (watches, i))->hits;
    }
  printf ("%u watches on %" G_GUINT64_FORMAT " values, %" G_GUINT64_FORMAT " hits\n", watches->len,
          values, hits);
}

static gboolean
bench (const Options *options, Net *net, GError **error)
{
  g_autoptr (SondeDebugger) debugger = NULL;
  gint64 ns;

  if (!net_init (net, options, error))
    return FALSE;
  debugger = options->without ? NULL : sonde_debugger_new (NULL);
  if (debugger != NULL)
    sonde_debugger_attach_execution (debugger, net->execution);
  if (debugger != NULL && !options->present && !arm (debugger, options->every, error))
    return FALSE;

  if (options->count == 0)
    {
      if (!measure (net, debugger, options->rounds, error))
        return FALSE;
      print_watched (debugger);
    }
  for (int i = 0; i < options->count; i++)
    if (!run_once (net, &ns, error))
      return FALSE;
  return TRUE;
}

int
main (int argc, char **argv)
{
  Options options = { .threads = 1, .rounds = 20, .batch = 64 };
  g_autoptr (GError) error = NULL;
  Net net = { 0 };
  gboolean done;

  for (int i = 1; i < argc; i++)
    if (strcmp (argv[i], "--every") == 0)
      options.every = TRUE;
    else if (strcmp (argv[i], "--without") == 0)
      options.without = TRUE;
    else if (strcmp (argv[i], "--present") == 0)
      options.present = TRUE;
    else if (strcmp (argv[i], "--threads") == 0 && i + 1 < argc)
      options.threads = atoi (argv[++i]);
    else if (strcmp (argv[i], "--rounds") == 0 && i + 1 < argc)
      options.rounds = atoi (argv[++i]);
    else if (strcmp (argv[i], "--count") == 0 && i + 1 < argc)
      options.count = atoi (argv[++i]);
    else if (strcmp (argv[i], "--batch") == 0 && i + 1 < argc)
      options.batch = (guint) atoi (argv[++i]);
  options.rounds = CLAMP (options.rounds, 1, 10000);
  options.count = CLAMP (options.count, 0, 10000);
  options.batch = CLAMP (options.batch, 1, 4096);
  if ((options.without || options.present) && options.count == 0)
    options.count = 1;

  done = bench (&options, &net, &error);
  net_clear (&net);
  if (!done)
    fprintf (stderr, "%s\n", error->message);
  return done ? 0 : 1;
}
