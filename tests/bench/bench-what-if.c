/* SPDX-License-Identifier: Apache-2.0
 * What-if runs against the real thing: for each step that takes a tenth of a run or more (else the longest one), the saving
 * that sonde_what_if_run_new() tells, that of a second execution of the same plan to which the
 * results of the step are given all the time, and that of a graph in which they are constants, which gets a plan of
 * its own: layouts, groups and reorders around the step may become others, and how many steps do is said.
 * bench-what-if [--threads N] [--rounds N] [MODEL|train:lenet|train:NAME…]; without one train:lenet.
 * NAME is a built-in model, on images of 32 × 32. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "data/base/sonde-clock.h"
#include "data/models/sonde-model-file.h"
#include "data/profiles/sonde-rank-test.h"
#include "engine/nn/sonde-trainer.h"
#include "engine/nn/sonde-zoo.h"
#include "engine/plan/sonde-given-steps.h"
#include "engine/profile/sonde-what-if-run.h"
#include "tests/engine/plan/training-net.h"

#define SHARE 0.1
#define TIMED_RUNS 20
#define BATCH 16
#define MOST_PAIRS 4000
#define ROUND_MS 400.0

typedef struct
{
  SondeDevice *device;
  int rounds;
  GArray *bindings; /* (element-type SondeBinding) */
} Bench;

static void
stop (const GError *error)
{
  if (error == NULL)
    return;
  fprintf (stderr, "bench-what-if: %s\n", error->message);
  exit (1);
}

/* ---- runs -------------------------------------------------------------------- */

static SondeExecution *
start (const Bench *bench, SondeGraph *graph, SondeMemoryMode memory)
{
  g_autoptr (GError) error = NULL;
  SondePlanOptions options = { .memory = memory,
                               .bindings = (const SondeBinding *) (void *) bench->bindings->data,
                               .n_bindings = bench->bindings->len };
  g_autoptr (SondePlan) plan = sonde_plan_new (graph, bench->device, &options, &error);
  SondeExecution *execution = plan != NULL ? sonde_execution_new (plan, &error) : NULL;

  stop (error);
  return execution;
}

/* One with the values of @from. */
static SondeExecution *
start_like (const Bench *bench, SondeGraph *graph, SondeMemoryMode memory, SondeExecution *from)
{
  g_autoptr (GError) error = NULL;
  SondeExecution *execution = start (bench, graph, memory);

  sonde_execution_copy_sources (execution, from, &error);
  stop (error);
  return execution;
}

static double
run_ms (SondeExecution *execution)
{
  g_autoptr (GError) error = NULL;
  gint64 begin = sonde_clock_monotonic_ns (NULL);

  sonde_execution_run (execution, &error);
  stop (error);
  return (double) (sonde_clock_monotonic_ns (NULL) - begin) / 1e6;
}

static long
count_interruptions (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

/* Difference of the medians of runs in turns, each behind one of the same that nobody times: both have
 * memory of their own, and would push each other out of the caches. Pairs in which somebody else took
 * the processor are left out as long as time allows. */
static double
compare (SondeExecution *base, SondeExecution *fed)
{
  g_autofree double *a = g_new (double, MOST_PAIRS), *b = g_new (double, MOST_PAIRS);
  gint64 begin = sonde_clock_monotonic_ns (NULL);
  double spent = 0;
  guint n = 0;

  for (guint i = 0; n < MOST_PAIRS && (n < TIMED_RUNS || spent < ROUND_MS); i++)
    {
      SondeExecution *const sides[] = { base, fed };
      double *const times[] = { a, b };
      long interrupted = 0;

      for (guint k = 0; k < 2; k++)
        {
          guint side = (k + i) % 2;
          long before;

          run_ms (sides[side]);
          before = count_interruptions ();
          times[side][n] = run_ms (sides[side]);
          interrupted += count_interruptions () - before;
        }
      spent = (double) (sonde_clock_monotonic_ns (NULL) - begin) / 1e6;
      if (interrupted == 0 || spent > 4 * ROUND_MS)
        n++;
    }
  return sonde_quantile (a, n, 0.5) - sonde_quantile (b, n, 0.5);
}

/* ---- one step ------------------------------------------------------------------ */

/* A copy of @graph in which what @step makes are constants, with what it made in @kept. */
static SondeGraph *
make_fed (SondeGraph *graph, const SondeStep *step, SondeExecution *kept)
{
  SondeGraph *fed = sonde_graph_copy (graph, FALSE);
  SondeGraph *kept_graph = sonde_plan_get_graph (sonde_execution_get_plan (kept));

  for (guint i = 0; i < step->n_nodes; i++)
    for (guint k = 0; k < step->nodes[i]->outputs->len; k++)
      {
        const SondeGraphValue *output = sonde_node_get_output (step->nodes[i], k);
        SondeGraphValue *value = output != NULL ? sonde_graph_find_value (fed, output->name) : NULL;
        g_autoptr (SondeTensor) tensor = NULL;
        g_autoptr (GError) error = NULL;

        if (value == NULL)
          continue;
        tensor = sonde_execution_read (kept, sonde_graph_find_value (kept_graph, output->name),
                                       &error);
        stop (error);
        sonde_graph_replace_value (
            fed, value, sonde_graph_add_initialiser (fed, NULL, tensor, SONDE_ROLE_CONSTANT));
      }
  for (guint i = 0; i < step->n_nodes; i++)
    sonde_graph_remove_node (fed, sonde_graph_find_node (fed, step->nodes[i]->name));
  return fed;
}

static char *
dup_step_key (const SondeStep *step)
{
  return g_strdup_printf ("%s %s", step->n_nodes > 0 ? step->name : "reorder",
                          step->n_nodes > 0 ? step->implementation : "");
}

/* How many steps of one plan the other has not, @left of the first left out. */
static guint
count_other_steps (const SondePlan *plan, guint left, const SondePlan *fed)
{
  g_autoptr (GHashTable) counts
      = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL); /* key -> difference */
  const SondePlan *both[] = { plan, fed };
  GHashTableIter iter;
  gpointer count;
  guint n = 0;

  for (int side = 0; side < 2; side++)
    for (guint i = 0; i < sonde_plan_get_n_steps (both[side]); i++)
      if (side == 1 || i != left)
        {
          char *key = dup_step_key (sonde_plan_get_step (both[side], i));
          int before = GPOINTER_TO_INT (g_hash_table_lookup (counts, key));

          g_hash_table_insert (counts, key, GINT_TO_POINTER (before + (side == 0 ? 1 : -1)));
        }
  g_hash_table_iter_init (&iter, counts);
  while (g_hash_table_iter_next (&iter, NULL, &count))
    n += (guint) ABS (GPOINTER_TO_INT (count));
  return n;
}

/* One execution of the same plan as it is, one that is given the step, one of a graph of constants. */
typedef struct
{
  SondeExecution *base, *other, *fed;
  SondeGivenSteps *given;
  guint n_other_steps;
} Reference;

static void
reference_init (Reference *reference, const Bench *bench, SondeExecution *base,
                SondeExecution *kept, guint index)
{
  SondePlan *plan = sonde_execution_get_plan (base);
  g_autoptr (SondeGraph) graph
      = make_fed (sonde_plan_get_graph (plan), sonde_plan_get_step (plan, index), kept);
  g_autoptr (GError) error = NULL;

  reference->base = sonde_execution_branch (base, &error);
  stop (error);
  reference->other = sonde_execution_branch (base, &error);
  stop (error);
  sonde_execution_abandon (reference->base);
  sonde_execution_abandon (reference->other);
  reference->given = sonde_given_steps_new (reference->other, &index, 1, &error);
  stop (error);
  sonde_given_steps_set (reference->given, TRUE);
  reference->fed = start_like (bench, graph, SONDE_MEMORY_PLAN, base);
  reference->n_other_steps
      = count_other_steps (plan, index, sonde_execution_get_plan (reference->fed));
}

static void
reference_clear (Reference *reference)
{
  sonde_given_steps_free (reference->given);
  sonde_execution_free (reference->base);
  sonde_execution_free (reference->other);
  sonde_execution_free (reference->fed);
}

static void
measure_step (const Bench *bench, SondeExecution *base, SondeExecution *kept, guint index,
              double share)
{
  const SondeStep *step = sonde_plan_get_step (sonde_execution_get_plan (base), index);
  const gsize n = (gsize) bench->rounds;
  g_autofree double *values = g_new (double, 5 * n);
  double *told = values, *real = told + n, *ratio = real + n, *fed = ratio + n, *width = fed + n;
  Reference reference;

  reference_init (&reference, bench, base, kept, index);
  for (int round = 0; round < bench->rounds; round++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeWhatIfRun) run = sonde_what_if_run_new (base, step->name, 0, &error);

      stop (error);
      told[round] = (run->result.base_ns - run->result.without_ns) / 1e6;
      width[round] = (run->result.high_ns - run->result.low_ns) / 2e6 / told[round];
      real[round] = compare (reference.base, reference.other);
      ratio[round] = told[round] / real[round];
      fed[round] = told[round] / compare (reference.base, reference.fed);
    }
  printf (
      "  %-34.34s %4.1f %% of the run: told %.4f ms (± %.1f %%), same plan %.4f ms, ratio %.3f; "
      "as constants %.3f, other steps: %u\n",
      step->name, 100 * share, sonde_quantile (told, bench->rounds, 0.5),
      100 * sonde_quantile (width, bench->rounds, 0.5), sonde_quantile (real, bench->rounds, 0.5),
      sonde_quantile (ratio, bench->rounds, 0.5), sonde_quantile (fed, bench->rounds, 0.5),
      reference.n_other_steps);
  fflush (stdout);
  reference_clear (&reference);
}

/* Of each step the median, in ns; their sum. @times: (out) */
static double
time_steps (SondeExecution *execution, double *times)
{
  guint n = sonde_plan_get_n_steps (sonde_execution_get_plan (execution));
  g_autofree double *all = g_new (double, (gsize) n *TIMED_RUNS);
  double sum = 0;

  sonde_execution_set_timing (execution, TRUE);
  for (guint k = 0; k < TIMED_RUNS; k++)
    {
      run_ms (execution);
      for (guint i = 0; i < n; i++)
        all[i * TIMED_RUNS + k] = sonde_execution_get_last_step_ns (execution, i);
    }
  for (guint i = 0; i < n; i++)
    sum += times[i] = sonde_quantile (all + i * TIMED_RUNS, TIMED_RUNS, 0.5);
  sonde_execution_set_timing (execution, FALSE);
  return sum;
}

static void
measure (const Bench *bench, SondeExecution *base, const char *title)
{
  SondePlan *plan = sonde_execution_get_plan (base);
  g_autoptr (SondeGraph) copy = sonde_graph_copy (sonde_plan_get_graph (plan), FALSE);
  g_autoptr (SondeExecution) kept = NULL;
  guint n = sonde_plan_get_n_steps (plan);
  g_autofree double *times = g_new0 (double, n);
  double sum, most = 0;

  kept = start_like (bench, copy, SONDE_MEMORY_KEEP, base);
  run_ms (kept);
  sum = time_steps (base, times);
  printf ("%s\n", title);
  for (guint i = 0; i < n; i++)
    if (sonde_plan_get_step (plan, i)->n_nodes > 0)
      most = MAX (most, times[i]);
  for (guint i = 0; i < n; i++)
    if (times[i] >= MIN (SHARE * sum, most) && sonde_plan_get_step (plan, i)->n_nodes > 0)
      measure_step (bench, base, kept, i, times[i] / sum);
}

/* ---- what is run --------------------------------------------------------------- */

static void
give_model (SondeExecution *execution)
{
  SondeGraph *graph = sonde_plan_get_graph (sonde_execution_get_plan (execution));

  for (guint i = 0; i < graph->inputs->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (graph->inputs, i);
      g_autoptr (SondeTensor) tensor = NULL;
      g_autoptr (GError) error = NULL;
      SondeShape shape;

      if (value->role != SONDE_ROLE_INPUT || !sonde_type_get_shape (&value->type, &shape))
        continue;
      tensor = sonde_tensor_new (value->type.dtype, &shape);
      for (gint64 k = 0; k < sonde_tensor_n_elements (tensor); k++)
        sonde_tensor_set_double (
            tensor, k,
            sonde_dtype_is_float (tensor->dtype) ? (double) (k * 7 % 23) / 11.0 - 1.0 : 0.0);
      sonde_execution_set_input (execution, value->name, tensor, &error);
      stop (error);
    }
}

static void
give_batch (SondeExecution *execution, TrainingNet *net)
{
  g_autoptr (SondeTensor) images = training_net_images (net, 1);
  g_autoptr (SondeTensor) labels = training_net_labels (net, 1);
  g_autoptr (SondeTensor) rate = sonde_tensor_new_f32 (0.01f);
  g_autoptr (GError) error = NULL;

  sonde_execution_set_input (execution, "x", images, &error);
  stop (error);
  sonde_execution_set_input (execution, "labels", labels, &error);
  stop (error);
  sonde_execution_set_input (execution, "rate", rate, &error);
  stop (error);
}

static void
measure_model (Bench *bench, const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) model = sonde_model_load (NULL, path, &error);
  g_autoptr (SondeGraph) graph = NULL;
  g_autoptr (SondeExecution) execution = NULL;

  stop (error);
  graph = sonde_prepare_inference (model, &error);
  stop (error);
  for (guint i = 0; i < graph->inputs->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (graph->inputs, i);
      SondeBinding binding = { value->name, value->type };

      for (int d = 0; d < binding.type.rank; d++)
        if (binding.type.dims[d].size < 0)
          binding.type.dims[d].size = 1;
      if (value->role == SONDE_ROLE_INPUT)
        g_array_append_val (bench->bindings, binding);
    }
  execution = start (bench, graph, SONDE_MEMORY_PLAN);
  give_model (execution);
  measure (bench, execution, path);
}

static void
measure_lenet (Bench *bench)
{
  g_autoptr (TrainingNet) net = training_net_new (64, 28, "sgd");
  g_autoptr (SondeExecution) execution = start (bench, net->graph, SONDE_MEMORY_PLAN);

  give_batch (execution, net);
  measure (bench, execution, "a training step of LeNet, batch 64");
}

static gboolean
load (SondeBatchSource *source, gboolean test, guint epoch, guint batch, SondeTensor **inputs,
      SondeTensor **labels, GError **error)
{
  SondeShape shape = sonde_shape_make (4, BATCH, 3, 32, 32),
             label_shape = sonde_shape_make (1, BATCH);

  inputs[0] = random_f32 (&shape, 1, 1);
  *labels = sonde_tensor_new (SONDE_DTYPE_I64, &label_shape);
  return TRUE;
}

/* The step of a trainer, its first batch in it. */
static void
measure_training (Bench *bench, const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) model = sonde_zoo_build (name, 3, 32, 32, 10, 1, &error);
  g_autofree char *title = g_strdup_printf ("a training step of %s, batch %d", name, BATCH);
  SondeBatchSource source = { BATCH, 0, load };
  SondeTrainerOptions options = { .learning_rate = 0.001,
                                  .steps = 2,
                                  .batch = BATCH,
                                  .on_nan = SONDE_NAN_WARN,
                                  .threads = (int) bench->device->n_threads };
  g_autoptr (SondeTrainer) trainer = NULL;

  stop (error);
  trainer = sonde_trainer_new (model, &source, &options, &error);
  stop (error);
  sonde_trainer_run_step (trainer, &error);
  stop (error);
  measure (bench, sonde_trainer_get_execution (trainer), title);
}

int
main (int argc, char **argv)
{
  static const char *const usual[] = { "train:lenet", NULL };
  const char *const *nets = usual;
  Bench bench = { .rounds = 5 };
  g_autoptr (GError) error = NULL;
  int threads = 1, i = 1;

  for (; i + 1 < argc && g_str_has_prefix (argv[i], "--"); i += 2)
    if (strcmp (argv[i], "--threads") == 0)
      threads = MAX (atoi (argv[i + 1]), 1);
    else
      bench.rounds = MAX (atoi (argv[i + 1]), 1);
  bench.device = sonde_device_open ("cpu", threads, &error);
  stop (error);
  printf ("what if, %d threads, medians of %d rounds\n", threads, bench.rounds);
  for (nets = i < argc ? (const char *const *) argv + i : usual; *nets != NULL; nets++)
    {
      bench.bindings = g_array_new (FALSE, FALSE, sizeof (SondeBinding));
      if (strcmp (*nets, "train:lenet") == 0)
        measure_lenet (&bench);
      else if (g_str_has_prefix (*nets, "train:"))
        measure_training (&bench, *nets + strlen ("train:"));
      else
        measure_model (&bench, *nets);
      g_array_unref (bench.bindings);
    }
  sonde_device_unref (bench.device);
  return 0;
}
