/* SPDX-License-Identifier: Apache-2.0
 * Recordings of real networks, in inference and in training: what is in them, that it sums to the time
 * that passed, and that what was made slow is found. */
#include "engine/profile/sonde-recording.h"

#include <math.h>
#include <string.h>

#include "data/arrays/sonde-npz.h"
#include "data/base/sonde-clock.h"
#include "data/models/sonde-model-file.h"
#include "data/profiles/sonde-profile.h"
#include "engine/nn/sonde-trainer.h"
#include "engine/nn/sonde-zoo.h"
#include "engine/plan/sonde-execution-spans.h"
#include "engine/profile/sonde-memory-timeline.h"
#include "tests/engine/plan/graph-lines.h"

#define N_RUNS 12

/* ---- inference ------------------------------------------------------------------ */

/* @bindings: of its inputs */
static SondeExecution *
make_execution_on (SondeGraph *graph, const SondeBinding *bindings, guint n_bindings, int threads,
                   SondeSpanLog *log)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeDevice) device = sonde_device_open ("cpu", threads, &error);
  SondePlanOptions options = { .bindings = bindings, .n_bindings = n_bindings };
  g_autoptr (SondePlan) plan = sonde_plan_new (graph, device, &options, &error);
  SondeExecution *execution;

  g_assert_no_error (error);
  execution = sonde_execution_new (plan, &error);
  g_assert_no_error (error);
  sonde_execution_set_spans (execution, log, TRUE);
  return execution;
}

static SondeExecution *
make_execution (SondeGraph *graph, const SondeBinding *bindings, guint n_bindings,
                SondeSpanLog *log)
{
  return make_execution_on (graph, bindings, n_bindings, 1, log);
}

static SondeExecution *
open_model (const char *name, SondeSpanLog *log)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *file = g_strdup_printf ("%s.onnx", name);
  g_autofree char *path = g_build_filename (g_getenv ("SONDE_SHARED"), "models", name, file, NULL);
  g_autofree char *inputs
      = g_build_filename (g_getenv ("SONDE_SHARED"), "models", name, "inputs.npy", NULL);
  g_autoptr (SondeGraph) original = sonde_model_load (NULL, path, &error);
  g_autoptr (SondeTensor) tensor = sonde_npy_read (NULL, inputs, &error);
  g_autoptr (SondeGraph) graph = NULL;
  SondeBinding binding = { 0 };
  SondeExecution *execution;

  g_assert_no_error (error);
  binding.name = ((SondeGraphValue *) g_ptr_array_index (original->inputs, 0))->name;
  binding.type = sonde_type_tensor (tensor->dtype, &tensor->shape);
  graph = sonde_prepare_unwatched_inference (original, &binding, 1, &error);
  g_assert_no_error (error);
  execution = make_execution (graph, &binding, 1, log);
  g_assert_true (sonde_execution_set_input (execution, binding.name, tensor, &error));
  return execution;
}

static void
run (SondeExecution *execution, guint n)
{
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < n; i++)
    {
      g_assert_cmpint (sonde_execution_run (execution, &error), ==, SONDE_RUN_DONE);
      g_assert_no_error (error);
    }
}

/* The profile of what @log recorded. */
static SondeProfile *
make_profile (SondeSpanLog *log, const char *kind)
{
  SondeSpanLogStatus status;

  sonde_span_log_get_status (log, &status);
  g_assert_false (status.recording);
  g_assert_cmpuint (status.dropped, ==, 0);
  return sonde_profile_new (sonde_recording_make_trace (log),
                            sonde_recording_make_facts (log, kind), NULL);
}

/* Shares of the wall time that operators, and all parts, have. */
static void
check_sums (const SondeProfile *profile, double least)
{
  double ops = 0, parts = 0, classes = 0, beside;

  for (guint i = 0; i < profile->operators->len; i++)
    ops += sonde_profile_get_operator (profile, i)->mean_self_ns;
  for (guint i = 0; i < SONDE_STEP_N_PARTS; i++)
    parts += profile->part_ns[i];
  for (guint i = 0; i < SONDE_OPERATOR_N_CLASSES; i++)
    classes += profile->class_ns[i];
  beside
      = profile->part_ns[SONDE_STEP_PART_DATA_WAIT] + profile->part_ns[SONDE_STEP_PART_RECORDING];
  g_test_message ("operators %.4f of %.0f ns, of which waiting and recording %.0f",
                  ops / (profile->wall_ns - beside), profile->wall_ns, beside);
  g_assert_cmpfloat_with_epsilon (parts, profile->wall_ns, 0.005 * profile->wall_ns);
  g_assert_cmpfloat_with_epsilon (classes, profile->wall_ns, 0.005 * profile->wall_ns);
  g_assert_cmpfloat (ops, >=, least * (profile->wall_ns - beside));
  g_assert_cmpfloat (ops, <=, profile->wall_ns * 1.005);
}

/* ---- kernels and memory -------------------------------------------------------------- */

/* Wide enough for two threads; the sizes behind NonZero are known in the run alone. */
static SondeExecution *
open_wide (SondeSpanLog *log)
{
  static const char *const lines[] = { "Add x x > a", "NonZero a > i", "Neg i > y", NULL };
  g_autoptr (SondeGraph) graph = graph_of_lines ("wide", "256x1024", lines);
  g_autoptr (SondeTensor) x = graph_lines_random ("256x1024");
  g_autoptr (GError) error = NULL;
  SondeExecution *execution = make_execution_on (graph, NULL, 0, 2, log);

  g_assert_true (sonde_execution_set_input (execution, "x", x, &error));
  g_assert_no_error (error);
  return execution;
}

static guint
count_spans (SondeSpanLog *log, SondeSpanCategory category, const char *name)
{
  guint n = 0;

  for (guint t = 0; t < sonde_span_log_get_n_threads (log); t++)
    {
      SondeSpanThread thread;

      sonde_span_log_get_thread (log, t, &thread);
      for (guint64 i = 0; i < thread.n_spans; i++)
        {
          const SondeSpan *span = sonde_span_log_get_span (log, t, i);

          n += span->category == category
               && (name == NULL || strcmp (name, sonde_span_log_get_label (log, span->label)) == 0);
        }
    }
  return n;
}

/* Only where they are asked for; two parts of the wide kernel beside its whole, the memory of what has no
 * place in the plan, and the times of operators are with them what they are without. */
static void
test_kernels (void)
{
  g_autoptr (SondeSpanLog) log = sonde_span_log_new ();
  g_autoptr (SondeExecution) execution = open_wide (log);
  const SondeSpanLogOptions options = { .kernels = TRUE };
  g_autoptr (SondeProfile) profile = NULL;
  guint n_ops;

  run (execution, 1);
  sonde_span_log_start (log, NULL);
  run (execution, N_RUNS);
  sonde_span_log_stop (log);
  n_ops = count_spans (log, SONDE_SPAN_OP, NULL);
  g_assert_cmpuint (count_spans (log, SONDE_SPAN_KERNEL, NULL), ==, 0);
  g_assert_cmpuint (count_spans (log, SONDE_SPAN_ALLOCATION, NULL), ==, 0);

  sonde_span_log_start (log, &options);
  run (execution, N_RUNS);
  sonde_span_log_stop (log);
  g_assert_cmpuint (count_spans (log, SONDE_SPAN_OP, NULL), ==, n_ops);
  g_assert_cmpuint (count_spans (log, SONDE_SPAN_KERNEL, NULL), >=, (1 + 2 + 1) * N_RUNS);
  g_assert_cmpuint (count_spans (log, SONDE_SPAN_ALLOCATION, "allocate a result"), ==, N_RUNS);
  g_assert_cmpuint (sonde_span_log_get_n_threads (log), >=, 2);

  profile = make_profile (log, "model");
  check_sums (profile, 0.9);
  g_assert_cmpuint (profile->device.n_devices, ==, 0);
  run (execution, 1);
}

/* Spans of kernels on thread @thread. */
static guint
count_kernels (SondeSpanLog *log, guint thread)
{
  SondeSpanThread info;
  guint n = 0;

  sonde_span_log_get_thread (log, thread, &info);
  for (guint64 i = 0; i < info.n_spans; i++)
    n += sonde_span_log_get_span (log, thread, i)->category == SONDE_SPAN_KERNEL;
  return n;
}

/* On each of two threads as many parts, beside the whole of each run, at least @least of them. */
static void
check_parts (SondeSpanLog *log, guint least)
{
  g_assert_cmpuint (sonde_span_log_get_n_threads (log), ==, 2);
  g_assert_cmpuint (count_kernels (log, 1), >=, least * N_RUNS);
  g_assert_cmpuint (count_kernels (log, 0), ==, N_RUNS + count_kernels (log, 1));
}

/* A recurrent kernel opens regions of its own, behind oneDNN's product of all steps: units of a cell that wait for
 * each other, and directions beside each other. */
static void
test_recurrent_kernels (void)
{
  static const char *const nodes[] = {
    "LSTM x #1x1024x64 #1x1024x256 > y | hidden_size=256",
    "GRU x #1x1200x64 #1x1200x400 > y | hidden_size=400",
    "LSTM x #2x256x64 #2x256x64 > y | hidden_size=64 direction=bidirectional",
  };
  const SondeSpanLogOptions options = { .kernels = TRUE };

  for (gsize i = 0; i < G_N_ELEMENTS (nodes); i++)
    {
      const char *const lines[] = { nodes[i], NULL };
      g_autoptr (SondeSpanLog) log = sonde_span_log_new ();
      g_autoptr (SondeGraph) graph = graph_of_lines ("recurrent", "8x1x64", lines);
      g_autoptr (SondeTensor) x = graph_lines_random ("8x1x64");
      g_autoptr (SondeExecution) execution = make_execution_on (graph, NULL, 0, 2, log);
      g_autoptr (GError) error = NULL;

      sonde_execution_set_input (execution, "x", x, &error);
      g_assert_no_error (error);
      sonde_span_log_start (log, &options);
      run (execution, N_RUNS);
      sonde_span_log_stop (log);
      g_test_message ("%s", nodes[i]);
      check_parts (log, 2);
    }
}

/* What oneDNN shares out by itself is seen, too: a part on each thread inside the whole; and not while nobody asks
 * for kernels, nor on a device of one thread. */
static void
test_onednn_kernels (void)
{
  static const char *const lines[] = { "MatMul x #1024x1024 > y", NULL };
  const SondeSpanLogOptions options = { .kernels = TRUE };

  for (int n_threads = 1; n_threads <= 2; n_threads++)
    {
      g_autoptr (SondeSpanLog) log = sonde_span_log_new ();
      g_autoptr (SondeGraph) graph = graph_of_lines ("product", "256x1024", lines);
      g_autoptr (SondeTensor) x = graph_lines_random ("256x1024");
      g_autoptr (SondeExecution) execution = make_execution_on (graph, NULL, 0, n_threads, log);
      g_autoptr (GError) error = NULL;

      sonde_execution_set_input (execution, "x", x, &error);
      g_assert_no_error (error);
      run (execution, 1);
      sonde_span_log_start (log, NULL);
      run (execution, N_RUNS);
      sonde_span_log_stop (log);
      g_assert_cmpuint (count_spans (log, SONDE_SPAN_KERNEL, NULL), ==, 0);

      sonde_span_log_start (log, &options);
      run (execution, N_RUNS);
      sonde_span_log_stop (log);
      if (n_threads == 2)
        check_parts (log, 1);
      else
        g_assert_cmpuint (count_spans (log, SONDE_SPAN_KERNEL, NULL), ==, N_RUNS);
    }
}

static void
test_inference (gconstpointer data)
{
  const char *name = data;
  g_autoptr (SondeSpanLog) log = sonde_span_log_new ();
  g_autoptr (SondeExecution) execution = open_model (name, log);
  guint n_steps = sonde_plan_get_n_steps (sonde_execution_get_plan (execution));
  SondeSpanLogOptions options = { .n_steps = N_RUNS };
  g_autoptr (SondeProfile) profile = NULL;
  gint64 start;
  double wall_ns;

  run (execution, 1);
  sonde_span_log_start (log, &options);
  start = sonde_clock_monotonic_ns (NULL);
  run (execution, N_RUNS);
  wall_ns = (double) (sonde_clock_monotonic_ns (NULL) - start) / N_RUNS;
  run (execution, 2); /* it has stopped itself */
  profile = make_profile (log, "model");

  g_assert_cmpuint (profile->n_steps, ==, N_RUNS);
  g_assert_cmpstr (profile->trace->producer, ==, "sonde");
  g_assert_cmpuint (profile->trace->reasons[SONDE_TRACE_REASON_OVERLAPPING], ==, 0);
  g_assert_cmpfloat (profile->wall_ns, <=, wall_ns * 1.001);
  g_assert_cmpuint (profile->facts->operators->len, ==, n_steps);
  for (guint i = 0; i < n_steps; i++)
    {
      const SondeStep *step = sonde_plan_get_step (sonde_execution_get_plan (execution), i);
      const SondeProfileOperator *found = NULL;

      for (guint k = 0; k < profile->operators->len && found == NULL; k++)
        if (g_strcmp0 (sonde_profile_get_operator (profile, k)->node, step->name) == 0)
          found = sonde_profile_get_operator (profile, k);
      g_assert_nonnull (found);
      g_assert_cmpstr (found->category, ==, "op");
      g_assert_cmpstr (found->op, ==, step->op);
      g_assert_cmpuint (found->n_calls, ==, N_RUNS);
      g_assert_nonnull (found->facts);
      g_assert_cmpstr (found->facts->implementation, ==, step->implementation);
      g_assert_true (found->facts->is_copy == (step->n_nodes == 0));
      g_assert_true (step->n_nodes == 0 || found->facts->nodes[0] != NULL);
    }
  check_sums (profile, 0.9);
}

/* A plain loop over a net long enough that what lies between steps is nothing: 98 % of the wall time. */
static void
test_inference_sum (void)
{
  g_autoptr (SondeSpanLog) log = sonde_span_log_new ();
  g_autoptr (SondeExecution) execution = open_model ("unet", log);
  g_autoptr (SondeProfile) profile = NULL;
  double best = 0;

  /* the machine may take the thread away between steps: the best of some */
  for (guint i = 0; i < 5 && best < 0.98; i++)
    {
      double ops = 0;

      run (execution, 1);
      sonde_span_log_start (log, NULL);
      run (execution, N_RUNS);
      sonde_span_log_stop (log);
      g_clear_pointer (&profile, sonde_profile_free);
      profile = make_profile (log, "model");
      for (guint k = 0; k < profile->operators->len; k++)
        ops += sonde_profile_get_operator (profile, k)->mean_self_ns;
      best = MAX (best, ops / profile->wall_ns);
    }
  g_test_message ("operators are %.4f of the wall time", best);
  g_assert_cmpfloat (best, >=, 0.98);
}

/* The value of a counter at a moment; NaN before its first. */
static double
value_at (const SondeTrace *trace, const char *name, const char *key, gint64 at_ns)
{
  double value = NAN;

  for (guint i = 0; i < trace->counters->len; i++)
    {
      const SondeTraceCounter *counter = &g_array_index (trace->counters, SondeTraceCounter, i);

      for (guint k = 0; g_str_equal (counter->name, name) && g_str_equal (counter->key, key)
                        && k < counter->points->len;
           k++)
        if (g_array_index (counter->points, SondeTracePoint, k).at_ns <= at_ns)
          value = g_array_index (counter->points, SondeTracePoint, k).value;
    }
  return isnan (value) ? 0 : value;
}

/* What the curves say where a step begins is what the plan says of that step. */
static void
check_memory_at (const SondeTrace *trace, const SondeMemoryTimeline *memory, guint step,
                 gint64 at_ns)
{
  guint64 by_kind[SONDE_MEMORY_N_KINDS];
  double sum = 0;

  sonde_memory_timeline_count (memory, step, by_kind);
  for (guint kind = 0; kind < SONDE_MEMORY_N_KINDS; kind++)
    {
      double live
          = value_at (trace, SONDE_RECORDING_MEMORY, sonde_memory_kind_get_name (kind), at_ns);

      sum += live;
      if (kind != SONDE_MEMORY_OF_WORKSPACE)
        g_assert_cmpfloat (live, ==, (double) by_kind[kind]);
      else
        g_assert_cmpfloat (live, <=, (double) by_kind[kind]);
    }
  g_assert_cmpfloat (value_at (trace, SONDE_RECORDING_RESERVED, "value", at_ns), ==,
                     (double) memory->held_bytes[step]);
  g_assert_cmpfloat (sum, <=, (double) memory->held_bytes[step]);
}

static void
test_memory (void)
{
  g_autoptr (SondeSpanLog) log = sonde_span_log_new ();
  g_autoptr (SondeExecution) execution = open_model ("dwnet", log);
  g_autoptr (SondeProfileFacts) facts = NULL;
  g_autoptr (SondeTrace) trace = NULL, plain = NULL;
  guint n_ops = 0;

  sonde_span_log_start (log, NULL);
  run (execution, 2);
  sonde_span_log_stop (log);
  facts = sonde_recording_make_facts (log, "model");
  g_assert_cmpstr (facts->precision, ==, "float32");
  sonde_memory_timeline_of_plan (facts, sonde_execution_get_plan (execution), execution);
  trace = sonde_recording_make_trace_with_memory (log, &facts->memory);
  plain = sonde_recording_make_trace (log);
  g_assert_cmpuint (trace->n_spans, ==, plain->n_spans);
  g_assert_cmpuint (plain->counters->len, ==, 0);
  for (gsize i = 0; i < trace->n_spans; i++)
    {
      const SondeTraceLabel *label = sonde_trace_get_label (trace, trace->spans[i].label);

      for (guint k = 0; g_str_equal (label->category, "op") && k < facts->memory.n_steps; k++)
        if (g_str_equal (facts->memory.steps[k], label->name))
          {
            check_memory_at (trace, &facts->memory, k, trace->spans[i].start_ns);
            n_ops++;
            break;
          }
    }
  g_assert_cmpuint (n_ops, ==, 2 * facts->memory.n_steps);
}

/* Loops and branches: the operators of bodies lie inside their nodes. */
static void
test_bodies (void)
{
  g_autoptr (SondeSpanLog) log = sonde_span_log_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *folder
      = g_build_filename (g_getenv ("SONDE_SHARED"), "models", "control-flow", NULL);
  g_autofree char *file = g_build_filename (folder, "control-flow.onnx", NULL);
  g_autofree char *archive = g_build_filename (folder, "inputs.npz", NULL);
  g_autoptr (SondeGraph) original = sonde_model_load (NULL, file, &error);
  g_autoptr (SondeNamedTensors) inputs = sonde_npz_read (NULL, archive, &error);
  g_autoptr (SondeGraph) graph = sonde_prepare_inference (original, &error);
  g_autoptr (SondeExecution) execution = NULL;
  g_autoptr (SondeProfile) profile = NULL;
  SondeBinding bindings[8];
  SondeTensor *tensors[8];
  const SondeTrace *trace;
  guint n_inside = 0;

  g_assert_no_error (error);
  for (guint i = 0; i < graph->inputs->len; i++)
    {
      const SondeGraphValue *input = g_ptr_array_index (graph->inputs, i);
      g_autofree char *name = g_strdup_printf ("%s#0", input->name); /* the first example */

      g_assert_cmpuint (i, <, G_N_ELEMENTS (bindings));
      tensors[i] = sonde_named_tensors_lookup (inputs, name);
      g_assert_nonnull (tensors[i]);
      bindings[i] = (SondeBinding){ input->name,
                                    sonde_type_tensor (tensors[i]->dtype, &tensors[i]->shape) };
    }
  execution = make_execution (graph, bindings, graph->inputs->len, log);
  for (guint i = 0; i < graph->inputs->len; i++)
    g_assert_true (sonde_execution_set_input (execution, bindings[i].name, tensors[i], &error));
  sonde_span_log_start (log, NULL);
  run (execution, 3);
  sonde_span_log_stop (log);
  profile = make_profile (log, "model");
  trace = profile->trace;
  g_assert_cmpuint (profile->n_steps, ==, 3);
  g_assert_cmpuint (trace->reasons[SONDE_TRACE_REASON_OVERLAPPING], ==, 0);
  for (gsize i = 0; i < trace->n_spans; i++)
    {
      guint32 parent = trace->nesting[i].parent;
      const SondeTraceLabel *label = sonde_trace_get_label (trace, trace->spans[i].label);

      n_inside += parent != SONDE_TRACE_NONE && g_str_equal (label->category, "op")
                  && g_str_equal (
                      sonde_trace_get_label (trace, trace->spans[parent].label)->category, "op");
    }
  g_assert_cmpuint (n_inside, >=, 3);
}

/* One large product among small sums is first, whatever else there is. */
static void
test_slow_operator (void)
{
  static const char *const lines[] = { "Add x =1 > a",
                                       "Mul a =2 > b",
                                       "MatMul b #512x2048 > c",
                                       "MatMul c #2048x8 > d",
                                       "Add d =1 > e",
                                       "Relu e > y",
                                       NULL };
  g_autoptr (SondeSpanLog) log = sonde_span_log_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) original = graph_of_lines ("slow", "256x512", lines);
  g_autoptr (SondeGraph) graph = sonde_prepare_inference (original, &error);
  g_autoptr (SondeExecution) execution = make_execution (graph, NULL, 0, log);
  g_autoptr (SondeTensor) x = graph_lines_random ("256x512");
  g_autoptr (SondeProfile) profile = NULL;
  const SondeProfileOperator *first;

  g_assert_true (sonde_execution_set_input (execution, "x", x, &error));
  run (execution, 1);
  sonde_span_log_start (log, NULL);
  run (execution, N_RUNS);
  sonde_span_log_stop (log);
  profile = make_profile (log, "model");
  first = sonde_profile_get_operator (profile, 0);
  g_assert_cmpfloat (first->share, >, 0.5);
  g_assert_cmpint (first->facts->flops, >=, 2 * 256 * 512 * (gint64) 2048);
  g_assert_cmpint (first->facts->bytes, >=, 4 * (256 * 512 + 512 * 2048 + 256 * (gint64) 2048));
}

/* ---- training --------------------------------------------------------------------- */

/* @spin_ns: how long a batch takes to load */
typedef struct
{
  SondeBatchSource base;
  gint64 spin_ns;
} Source;

static gboolean
load (SondeBatchSource *base, gboolean test, guint epoch, guint batch, SondeTensor **inputs,
      SondeTensor **labels, GError **error)
{
  const Source *source = (const Source *) base;
  gint64 start = sonde_clock_monotonic_ns (NULL);
  SondeShape shape = sonde_shape_make (4, 32, 3, 16, 16), label_shape = sonde_shape_make (1, 32);

  inputs[0] = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  *labels = sonde_tensor_new (SONDE_DTYPE_I64, &label_shape);
  for (gint64 i = 0; i < 32; i++)
    {
      ((gint64 *) (void *) (*labels)->data)[i] = i % 10;
      sonde_tensor_set_double (inputs[0], i * 768 + i % 10, 1);
    }
  while (sonde_clock_monotonic_ns (NULL) - start < source->spin_ns)
    ;
  return TRUE;
}

static SondeTrainer *
make_trainer (Source *source, SondeSpanLog *log)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) model = sonde_zoo_build ("resnet20", 3, 16, 16, 10, 3, &error);
  SondeTrainerOptions options = { .optimiser = "adam",
                                  .learning_rate = 0.001,
                                  .steps = 20,
                                  .batch = 32,
                                  .update_in_place = TRUE,
                                  .threads = 1 };
  SondeTrainer *trainer;

  g_assert_no_error (error);
  source->base = (SondeBatchSource){ 32 * 8, 0, load };
  trainer = sonde_trainer_new (model, &source->base, &options, &error);
  g_assert_no_error (error);
  sonde_trainer_set_spans (trainer, log);
  return trainer;
}

static double
share (const SondeProfile *profile, SondeStepPart part)
{
  return profile->part_ns[part] / profile->wall_ns;
}

static void
test_training (void)
{
  g_autoptr (SondeSpanLog) log = sonde_span_log_new ();
  g_autoptr (GError) error = NULL;
  Source source = { .spin_ns = 0 };
  g_autoptr (SondeTrainer) trainer = make_trainer (&source, log);
  SondeSpanLogOptions options = { .first = 3, .n_steps = 10 };
  g_autoptr (SondeProfile) profile = NULL;
  guint n_parts[SONDE_STEP_N_PARTS] = { 0 };

  sonde_span_log_start (log, &options);
  g_assert_cmpint (sonde_trainer_run (trainer, &error), ==, SONDE_RUN_DONE);
  profile = make_profile (log, "recipe");
  g_assert_cmpuint (profile->n_steps, ==, 10);
  for (guint i = 0; i < profile->facts->operators->len; i++)
    n_parts[g_array_index (profile->facts->operators, SondeOperatorFacts, i).part]++;
  g_assert_cmpuint (n_parts[SONDE_STEP_PART_FORWARD], >, 0);
  g_assert_cmpuint (n_parts[SONDE_STEP_PART_BACKWARD], >, 0);
  g_assert_cmpuint (n_parts[SONDE_STEP_PART_OPTIMISER], >, 0);
  g_assert_cmpfloat (share (profile, SONDE_STEP_PART_FORWARD), >, 0.05);
  g_assert_cmpfloat (share (profile, SONDE_STEP_PART_BACKWARD), >, 0.05);
  check_sums (profile, 0.9);
  for (guint i = 0; i < profile->trace->labels->len; i++)
    {
      const SondeTraceLabel *label = sonde_trace_get_label (profile->trace, i);

      g_assert_false (g_str_equal (label->category, "step") && g_str_equal (label->name, "step 2"));
      g_assert_false (g_str_equal (label->category, "step")
                      && g_str_equal (label->name, "step 13"));
    }
}

/* A loader that takes longer than the step itself is what a step waits for. */
static void
test_slow_loader (void)
{
  g_autoptr (SondeSpanLog) log = sonde_span_log_new ();
  g_autoptr (GError) error = NULL;
  Source source = { .spin_ns = 0 };
  g_autoptr (SondeTrainer) trainer = make_trainer (&source, log);
  SondeSpanLogOptions options = { .first = 1, .n_steps = 3 };
  g_autoptr (SondeProfile) fast = NULL, slow = NULL;

  sonde_span_log_start (log, &options);
  for (guint i = 0; i < 5; i++)
    g_assert_cmpint (sonde_trainer_run_step (trainer, &error), ==, SONDE_RUN_DONE);
  fast = make_profile (log, "recipe");
  source.spin_ns = (gint64) (fast->wall_ns * 4);
  sonde_span_log_start (log, &options);
  for (guint i = 0; i < 5; i++)
    g_assert_cmpint (sonde_trainer_run_step (trainer, &error), ==, SONDE_RUN_DONE);
  slow = make_profile (log, "recipe");
  g_assert_cmpfloat (share (fast, SONDE_STEP_PART_DATA_WAIT), <, 0.5);
  g_assert_cmpfloat (share (slow, SONDE_STEP_PART_DATA_WAIT), >, 0.5);
}

int
main (int argc, char *argv[])
{
  static const char *const models[]
      = { "bn-resnet", "dwnet", "transformer", "unet", "lstm-classifier" };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (models); i++)
    {
      g_autofree char *path = g_strdup_printf ("/engine/profile/recording/inference/%s", models[i]);

      g_test_add_data_func (path, models[i], test_inference);
    }
  g_test_add_func ("/engine/profile/recording/inference-sum", test_inference_sum);
  g_test_add_func ("/engine/profile/recording/kernels", test_kernels);
  g_test_add_func ("/engine/profile/recording/recurrent-kernels", test_recurrent_kernels);
  g_test_add_func ("/engine/profile/recording/onednn-kernels", test_onednn_kernels);
  g_test_add_func ("/engine/profile/recording/memory", test_memory);
  g_test_add_func ("/engine/profile/recording/bodies", test_bodies);
  g_test_add_func ("/engine/profile/recording/slow-operator", test_slow_operator);
  g_test_add_func ("/engine/profile/recording/training", test_training);
  g_test_add_func ("/engine/profile/recording/slow-loader", test_slow_loader);
  return g_test_run ();
}
