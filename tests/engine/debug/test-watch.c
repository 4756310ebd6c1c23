/* SPDX-License-Identifier: Apache-2.0
 * Watches in runs: on a small training, in loops, and what becomes of their hits. What conditions
 * mean is tested in test-condition.c. */
#include "engine/debug/watches/sonde-watch-values.h"
#include "engine/debug/sonde-watch.h"

#include <math.h>
#include <string.h>

#include "engine/nn/sonde-training-graph.h"
#include "engine/nn/sonde-zoo.h"
#include "tests/engine/debug/nested-net.h"
#include "tests/engine/plan/training-net.h"

typedef struct
{
  TrainingNet *net;
  SondeDevice *device;
  SondePlan *plan;
  SondeExecution *execution;
  SondeDebugger *debugger;
} Training;

static void
training_init_on (Training *training, const char *device, gboolean fused)
{
  const SondePlanOptions options = { .memory = SONDE_MEMORY_PLAN, .no_fusion = !fused };
  g_autoptr (GError) error = NULL;

  training->net = training_net_new (4, 16, "sgd");
  training->device = sonde_device_open (device, 1, &error);
  training->plan = sonde_plan_new (training->net->graph, training->device, &options, &error);
  g_assert_no_error (error);
  training->execution = sonde_execution_new (training->plan, &error);
  g_assert_no_error (error);
  training->debugger = sonde_debugger_new (NULL);
  sonde_debugger_attach_execution (training->debugger, training->execution);
}

static void
training_init (Training *training)
{
  training_init_on (training, "cpu", TRUE);
}

static void
training_clear (Training *training)
{
  sonde_debugger_free (training->debugger);
  sonde_execution_free (training->execution);
  sonde_plan_unref (training->plan);
  sonde_device_unref (training->device);
  training_net_free (training->net);
}

static void
set_batch (Training *training, guint32 seed, float learning_rate)
{
  g_autoptr (SondeTensor) images = training_net_images (training->net, seed);
  g_autoptr (SondeTensor) labels = training_net_labels (training->net, seed);
  g_autoptr (SondeTensor) rate = sonde_tensor_new_f32 (learning_rate);
  g_autoptr (GError) error = NULL;

  sonde_execution_set_input (training->execution, "x", images, &error);
  sonde_execution_set_input (training->execution, "labels", labels, &error);
  sonde_execution_set_input (training->execution, "rate", rate, &error);
  g_assert_no_error (error);
}

/* One training step, or the rest of it. */
static SondeRunResult
go (Training *training)
{
  const SondeResume on = { .kind = SONDE_RESUME_CONTINUE };
  g_autoptr (GError) error = NULL;
  SondeRunResult result;

  g_assert_true (sonde_debugger_resume (training->debugger, &on, &error));
  result = sonde_execution_run (training->execution, &error);
  g_assert_no_error (error);
  return result;
}

/* Steps @from … @to, over all stops; returns how many stops there were. */
static guint
train (Training *training, guint from, guint to, float learning_rate)
{
  guint stops = 0;

  for (guint i = from; i <= to; i++)
    {
      set_batch (training, i, learning_rate);
      while (go (training) == SONDE_RUN_PAUSED)
        stops++;
    }
  return stops;
}

static const SondeWatch *
watch (SondeDebugger *debugger, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) added = sonde_debugger_add_watches (debugger, text, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (added->len, ==, 1);
  return g_ptr_array_index (added, 0);
}

/* The one value that stopped the run. */
static const SondeWatchHit *
stopped_by (SondeDebugger *debugger)
{
  SondeStop stop;

  sonde_debugger_get_stop (debugger, &stop);
  g_assert_cmpstr (sonde_stop_reason_name (stop.reason), ==, "watchpoint");
  g_assert_cmpuint (stop.watchpoints->len, ==, 1);
  return g_ptr_array_index (stop.watchpoints, 0);
}

static SondeTensor *
read_value (Training *training, const char *name)
{
  g_autoptr (GError) error = NULL;
  SondeTensor *tensor = sonde_execution_read (
      training->execution, sonde_graph_find_value (training->net->graph, name), &error);

  g_assert_no_error (error);
  return tensor;
}

static void
write_element (Training *training, const char *name, gint64 index, double number)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTensor) tensor = read_value (training, name);
  g_autoptr (SondeTensor) copy = sonde_tensor_copy (tensor);

  sonde_tensor_set_double (copy, index, number);
  g_assert_true (sonde_execution_write (
      training->execution, sonde_graph_find_value (training->net->graph, name), copy, &error));
}

/* ---- conditions in a run ------------------------------------------------- */

/* A stop stands right after the node that made the value, with the numbers that statistics give. */
static void
test_gradient (void)
{
  Training training;
  const SondeWatch *info;
  const SondeWatchHit *hit;
  g_autoptr (SondeTensor) gradient = NULL;
  SondeStatistics statistics;
  SondeStop stop;

  training_init (&training);
  info = watch (training.debugger,
                "preset gradient_too_large max_gt=-1 abs_mean_gt=1e9 on grad(fc2.bias)");
  g_assert_cmpstr (info->text, ==, "preset gradient_too_large max_gt=-1 abs_mean_gt=1e9");
  g_assert_cmpstr (info->pattern, ==, "grad(fc2.bias)");
  g_assert_cmpuint (info->n_values, ==, 1);
  set_batch (&training, 1, 0.1f);
  g_assert_cmpint (go (&training), ==, SONDE_RUN_PAUSED);

  hit = stopped_by (training.debugger);
  sonde_debugger_get_stop (training.debugger, &stop);
  g_assert_cmpuint (hit->watch, ==, info->id);
  g_assert_cmpstr (hit->value, ==, "grad(fc2.bias)");
  g_assert_cmpstr (hit->condition, ==, "gradient_too_large");
  g_assert_cmpstr (hit->parameter, ==, "max_gt");
  g_assert_cmpfloat (hit->threshold, ==, -1);
  g_assert_cmpint (stop.moment, ==, SONDE_MOMENT_AFTER);
  g_assert_cmpuint (hit->step, ==, 1);
  gradient = read_value (&training, "grad(fc2.bias)");
  sonde_statistics_compute (gradient, &statistics);
  g_assert_cmpfloat (hit->actual, ==, statistics.max);
  g_assert_cmpint (go (&training), ==, SONDE_RUN_DONE); /* once a step */
  g_assert_cmpuint (info->hits, ==, 1);
  g_assert_cmpfloat (info->last->actual, ==, statistics.max);
  training_clear (&training);
}

/* A NaN in a weight is the weight's where weights are watched, and of the node that reads it where
 * tensors are. */
static void
test_injected_nan (void)
{
  static const char *const texts[]
      = { "preset weight_overflow", "preset tensor_overflow", "nan(x) > 0 on kind:tensor" };
  static const char *const parameters[] = { "non_finite", "non_finite", "nan(x)" };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      Training training;
      const SondeWatchHit *hit;
      SondeStop stop;

      training_init_on (&training, "reference", FALSE);
      watch (training.debugger, texts[i]);
      g_assert_cmpuint (train (&training, 1, 2, 0.05f), ==, 0);
      write_element (&training, "fc1.weight", 1, NAN);
      set_batch (&training, 3, 0.05f);
      g_assert_cmpint (go (&training), ==, SONDE_RUN_PAUSED);
      hit = stopped_by (training.debugger);
      sonde_debugger_get_stop (training.debugger, &stop);
      g_assert_cmpuint (hit->step, ==, 3);
      g_assert_cmpstr (hit->parameter, ==, parameters[i]);
      g_assert_cmpstr (stop.node, ==, hit->node);
      if (i > 0)
        g_assert_cmpstr (hit->node, ==, "fc1");
      else
        g_assert_cmpstr (stop.op, ==, "SgdUpdate");
      if (i == 0) /* NaN gradients spread: conv1 is updated first */
        g_assert_nonnull (strstr (hit->value, "weight"));
      training_clear (&training);
    }
}

static void
test_infinity_of_operator (void)
{
  Training training;
  const SondeWatchHit *hit;

  training_init_on (&training, "reference", FALSE);
  watch (training.debugger, "preset operator_overflow");
  g_assert_cmpuint (train (&training, 1, 1, 0.05f), ==, 0);
  for (int i = 0; i < 120; i++)
    {
      write_element (&training, "fc1.bias", i, 3e38);
      write_element (&training, "fc2.weight", i, 1);
    }
  set_batch (&training, 2, 0.05f);
  g_assert_cmpint (go (&training), ==, SONDE_RUN_PAUSED);
  hit = stopped_by (training.debugger);
  g_assert_cmpstr (hit->node, ==, "fc2"); /* what comes of it is not the fault of others */
  g_assert_cmpstr (hit->parameter, ==, "non_finite");
  training_clear (&training);
}

/* Without a learning rate nothing changes (momentum begins at 0); with one, all that have a
 * gradient do. */
static void
test_changes (void)
{
  Training training;
  const SondeWatch *unchanged, *small, *large;
  guint n;

  training_init (&training);
  n = training.net->parameters->len;
  unchanged = watch (training.debugger, "preset weight_not_changed nostop");
  small = watch (training.debugger, "preset WCS nostop");
  large = watch (training.debugger, "preset WCL nostop");
  g_assert_cmpuint (unchanged->n_values, ==, n);
  g_assert_cmpuint (train (&training, 1, 1, 0), ==, 0);
  g_assert_cmpuint (unchanged->hits, ==, n);
  g_assert_cmpuint (small->hits, ==, n);
  g_assert_cmpuint (large->hits, ==, 0);
  g_assert_cmpuint (unchanged->unchecked, ==, 0);
  g_assert_cmpuint (train (&training, 2, 2, 1000), ==, 0);
  g_assert_cmpuint (unchanged->hits, <, 2 * n);
  g_assert_cmpuint (large->hits, >, 0);
  g_assert_cmpstr (large->last->parameter, ==, "abs_mean_update_ratio_gt");
  training_clear (&training);
}

/* Weights before the first step, and only there. */
static void
test_initial (void)
{
  Training training;
  const SondeWatch *info;
  const SondeWatchHit *hit;
  SondeStop stop;

  training_init (&training);
  info = watch (training.debugger, "preset weight_initialization max_gt=-1 on conv1.weight");
  set_batch (&training, 1, 0.1f);
  g_assert_cmpint (go (&training), ==, SONDE_RUN_PAUSED);
  hit = stopped_by (training.debugger);
  g_assert_cmpstr (hit->value, ==, "conv1.weight");
  sonde_debugger_get_stop (training.debugger, &stop);
  g_assert_cmpuint (stop.position, ==, 0);
  g_assert_cmpint (stop.moment, ==, SONDE_MOMENT_BEFORE);
  g_assert_cmpint (go (&training), ==, SONDE_RUN_DONE);
  g_assert_cmpuint (train (&training, 2, 3, 0.1f), ==, 0);
  g_assert_cmpuint (info->hits, ==, 1);
  training_clear (&training);
}

static void
test_inputs (void)
{
  Training training;
  const SondeWatchHit *hit;
  SondeStop stop;

  training_init_on (&training, "reference", FALSE);
  watch (training.debugger, "preset tensor_too_large max_gt=-1e9 on fc2 inputs nostop");
  watch (training.debugger, "max(x) > -1e9 on fc2.weight inputs");
  set_batch (&training, 1, 0.1f);
  g_assert_cmpint (go (&training), ==, SONDE_RUN_PAUSED);
  hit = stopped_by (training.debugger);
  sonde_debugger_get_stop (training.debugger, &stop);
  g_assert_cmpstr (hit->value, ==, "fc2.weight");
  g_assert_cmpstr (stop.node, ==, "fc2");
  g_assert_cmpint (stop.moment, ==, SONDE_MOMENT_BEFORE);
  g_assert_cmpuint (
      ((SondeWatch *) g_ptr_array_index (sonde_debugger_get_watches (training.debugger), 0))->hits,
      ==, 3);
  training_clear (&training);
}

/* ---- expressions --------------------------------------------------------- */

static void
test_expressions (void)
{
  Training training;
  const SondeWatch *same, *prev, *changed, *two;
  const SondeWatchHit *last;

  training_init (&training);
  same = watch (training.debugger, "mean(abs(x - prev(x))) < 1e-12 on kind:weight nostop");
  changed = watch (training.debugger, "mean(abs(x - prev(x))) > 1e-12 on kind:weight nostop");
  prev = watch (training.debugger, "loss == prev(loss) nostop");
  two = watch (training.debugger, "absmax(grad(fc1.weight)) >= 0 && absmax(loss) > 0 nostop");
  train (&training, 1, 1, 0);
  g_assert_cmpuint (same->hits, ==, training.net->parameters->len);
  g_assert_cmpuint (changed->hits, ==, 0);
  g_assert_cmpuint (prev->hits, ==, 0);
  g_assert_cmpuint (prev->unchecked, ==, 1); /* no previous value */
  g_assert_cmpuint (two->hits, ==, 1);
  g_assert_cmpstr (two->last->node, !=, "loss"); /* evaluated when the gradient is there */
  set_batch (&training, 1, 0.5f);
  g_assert_cmpint (go (&training), ==, SONDE_RUN_DONE);
  g_assert_cmpuint (prev->hits, ==, 1);
  last = changed->last;
  g_assert_nonnull (last);
  g_assert_cmpfloat (last->threshold, ==, 1e-12);
  g_assert_cmpfloat (last->actual, >, 1e-12);
  g_assert_nonnull (strstr (sonde_message_get_english (last->explanation), " > "));
  set_batch (&training, 1, 0.5f);
  g_assert_cmpint (go (&training), ==, SONDE_RUN_DONE);
  g_assert_cmpuint (prev->hits, ==, 1); /* the loss is another after an update */
  training_clear (&training);
}

/* ---- the list ------------------------------------------------------------ */

static void
assert_error (SondeDebugger *debugger, const char *text, int code, const char *part)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (sonde_debugger_add_watches (debugger, text, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, code);
  if (strstr (error->message, part) == NULL)
    g_error ("“%s” does not say “%s”", error->message, part);
}

static void
test_errors (void)
{
  Training training;
  g_autoptr (SondeDebugger) nothing = sonde_debugger_new (NULL);

  training_init (&training);
  assert_error (nothing, "preset tensor_overflow", SONDE_ENGINE_ERROR_STATE, "Nothing is open");
  assert_error (training.debugger, "preset tensor_overflw", SONDE_ENGINE_ERROR_NOT_FOUND,
                "“tensor_overflow”");
  assert_error (training.debugger, "preset tensor_overflow on fc7", SONDE_ENGINE_ERROR_NOT_FOUND,
                "nearest name is “fc");
  assert_error (training.debugger, "preset tensor_overflow on op:Tan*",
                SONDE_ENGINE_ERROR_NOT_FOUND, "matches “op:Tan*”");
  assert_error (training.debugger, "preset tensor_overflow on kind:nose",
                SONDE_ENGINE_ERROR_NOT_FOUND, "kind:weight|");
  assert_error (training.debugger, "preset tensor_overflow inputs", SONDE_ENGINE_ERROR_INVALID,
                "on PATTERN inputs");
  assert_error (training.debugger, "nan(los) > 0", SONDE_ENGINE_ERROR_NOT_FOUND,
                "the nearest is “loss”");
  assert_error (training.debugger, "nan(x", SONDE_ENGINE_ERROR_INVALID, "");
  assert_error (training.debugger, "", SONDE_ENGINE_ERROR_INVALID, "");
  g_assert_cmpuint (sonde_debugger_get_watches (training.debugger)->len, ==, 0);
  training_clear (&training);
}

/* Breakpoints and watches share ids and what changes them. */
static void
test_changing (void)
{
  const SondeBreakpointSpec spec = { .pattern = "fc1" };
  Training training;
  const SondeBreakpoint *breakpoint;
  const SondeWatch *info;
  g_autoptr (GError) error = NULL;

  training_init (&training);
  breakpoint = sonde_debugger_add_breakpoint (training.debugger, &spec, &error);
  info = watch (training.debugger, "preset tensor_too_large max_gt=-1e9 on loss");
  g_assert_cmpuint (info->id, ==, breakpoint->id + 1);
  g_assert_true (
      sonde_debugger_enable_breakpoint (training.debugger, breakpoint->id, FALSE, &error));
  g_assert_true (info->enabled);
  g_assert_cmpuint (train (&training, 1, 1, 0.1f), ==, 1);
  g_assert_true (sonde_debugger_ignore_breakpoint (training.debugger, info->id, 1, &error));
  g_assert_cmpuint (train (&training, 2, 3, 0.1f), ==, 1);
  g_assert_cmpuint (info->hits, ==, 3);
  g_assert_true (sonde_debugger_enable_breakpoint (training.debugger, info->id, FALSE, &error));
  g_assert_cmpuint (train (&training, 4, 4, 0.1f), ==, 0);
  g_assert_cmpuint (info->hits, ==, 3);
  g_assert_true (sonde_debugger_enable_breakpoint (training.debugger, 0, TRUE, &error));
  g_assert_cmpuint (train (&training, 5, 5, 0.1f), ==, 2);
  g_assert_true (sonde_debugger_remove_breakpoint (training.debugger, info->id, &error));
  g_assert_cmpuint (train (&training, 6, 6, 0.1f), ==, 1);
  g_assert_false (sonde_debugger_remove_breakpoint (training.debugger, 2, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND);
  g_clear_error (&error);
  watch (training.debugger, "preset tensor_too_large max_gt=-1e9 on loss");
  g_assert_true (sonde_debugger_remove_breakpoint (training.debugger, 0, &error));
  g_assert_cmpuint (train (&training, 7, 7, 0.1f), ==, 0);
  training_clear (&training);
}

static void
test_limits (void)
{
  Training training;

  training_init (&training);
  for (guint i = 0; i < SONDE_DEBUGGER_MAX_WATCHES; i++)
    {
      g_autofree char *text
          = g_strdup_printf ("preset tensor_too_large max_gt=%u on loss nostop", 1000 + i);

      watch (training.debugger, text);
    }
  assert_error (training.debugger, "preset tensor_overflow", SONDE_ENGINE_ERROR_MEMORY,
                "10000 watches already");
  g_assert_cmpuint (train (&training, 1, 1, 0.1f), ==, 0);
  sonde_debugger_remove_breakpoint (training.debugger, 0, NULL);

  watch (training.debugger, "preset tensor_too_large max_gt=-1e9 nostop");
  train (&training, 2, 40, 0.001f);
  {
    g_autoptr (GPtrArray) hits = sonde_debugger_get_watch_hits (training.debugger, 0);

    g_assert_cmpuint (hits->len, ==, SONDE_DEBUGGER_MAX_WATCH_HITS);
    g_assert_cmpuint (((SondeWatchHit *) g_ptr_array_index (hits, hits->len - 1))->step, ==, 40);
  }
  training_clear (&training);
}

/* ---- again --------------------------------------------------------------- */

static void
test_recheck (void)
{
  Training training;
  const SondeWatch *info;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) none = NULL;
  g_autoptr (GPtrArray) now = NULL;
  g_autoptr (GPtrArray) past = NULL;
  g_autoptr (GPtrArray) unknown = NULL;
  const SondeWatchHit *hit;

  training_init (&training);
  g_assert_null (sonde_debugger_recheck (training.debugger, 0, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE);
  g_clear_error (&error);
  watch (training.debugger, "preset tensor_too_large max_gt=1e9 on loss");
  train (&training, 1, 3, 0.1f);
  none = sonde_debugger_recheck (training.debugger, 0, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (none->len, ==, 0);

  info = watch (training.debugger, "preset tensor_too_large max_gt=-5 on loss");
  now = sonde_debugger_recheck (training.debugger, 0, &error);
  g_assert_cmpuint (now->len, ==, 1);
  hit = g_ptr_array_index (now, 0);
  g_assert_cmpuint (hit->watch, ==, info->id);
  g_assert_cmpuint (hit->step, ==, 3);
  g_assert_cmpfloat (hit->threshold, ==, -5);
  g_assert_cmpuint (info->hits, ==, 0);

  past = sonde_debugger_recheck (training.debugger, 2, &error);
  g_assert_cmpuint (past->len, ==, 1);
  hit = g_ptr_array_index (past, 0);
  g_assert_cmpuint (hit->step, ==, 2);
  g_assert_cmpfloat (hit->actual, !=, ((SondeWatchHit *) g_ptr_array_index (now, 0))->actual);

  watch (training.debugger, "preset tensor_too_large max_gt=-5 on grad(fc1.weight)");
  unknown = sonde_debugger_recheck (training.debugger, 2, &error);
  g_assert_cmpuint (unknown->len, ==, 2);
  g_assert_cmpuint (((SondeWatchHit *) g_ptr_array_index (unknown, 1))->unchecked, ==,
                    SONDE_UNCHECKED_NO_HISTORY);

  g_assert_null (sonde_debugger_recheck (training.debugger, 77, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE);
  g_clear_error (&error);
  sonde_debugger_restarted (training.debugger);
  train (&training, 1, 1, 0.1f);
  g_assert_null (sonde_debugger_recheck (training.debugger, 3, &error)); /* not of the run before */
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE);
  training_clear (&training);
}

/* ---- bodies -------------------------------------------------------------- */

static void
test_loop (void)
{
  NestedNet net;
  const SondeWatch *info, *deep;
  guint stops = 0;

  nested_net_init (&net, "loops");
  info = watch (net.debugger, "preset tensor_too_large max_gt=-1e9 on v_mul");
  deep = watch (net.debugger, "max(v_mul) > -1e9 nostop");
  while (nested_net_resume (&net, SONDE_RESUME_CONTINUE, 0, NULL, NULL) == SONDE_RUN_PAUSED)
    {
      SondeStop stop;

      sonde_debugger_get_stop (net.debugger, &stop);
      g_assert_cmpstr (sonde_stop_reason_name (stop.reason), ==, "watchpoint");
      g_assert_cmpuint (stop.n_iterations, >=, 1);
      stops++;
    }
  g_assert_cmpuint (stops, ==, info->hits);
  g_assert_cmpuint (info->hits, ==, 6); /* 3 × 2 iterations */
  g_assert_cmpuint (deep->hits, ==, 6);
  nested_net_clear (&net);
}

/* ---- nothing changes ----------------------------------------------------- */

static void
arm_everything (Training *training)
{
  static const char *const texts[] = {
    "preset tensor_overflow nostop",
    "preset operator_overflow nostop",
    "preset tensor_too_large abs_mean_gt=1 max_gt=1 min_gt=1 mean_gt=1 nostop",
    "preset tensor_too_small abs_mean_lt=1 max_lt=1 min_lt=1 mean_lt=1",
    "preset tensor_all_zero nostop",
    "preset tensor_range range_start_inclusive=0 range_end_inclusive=1 range_percentage_lt=10 "
    "max_min_gt=1 nostop",
    "preset weight_initialization",
    "preset weight_overflow",
    "preset weight_too_large max_gt=0.1 nostop",
    "preset weight_too_small max_lt=0.1 nostop",
    "preset weight_not_changed nostop",
    "preset weight_change_too_large nostop",
    "preset weight_change_too_small nostop",
    "preset gradient_vanishing abs_mean_lt=1e-3 nostop",
    "preset gradient_too_large max_gt=1e-3",
    "preset gradient_exploding nostop",
    "preset activation_range range_start_inclusive=-1 range_end_inclusive=0 range_percentage_gt=10 "
    "nostop",
    "mean(x) > 0 on op:Relu inputs nostop",
    "mean(abs(x - prev(x))) < 1e-9 on kind:gradient nostop",
  };
  guint n_steps = sonde_plan_get_n_steps (training->plan);

  for (guint i = 0; i < 81; i++)
    watch (training->debugger, texts[i % G_N_ELEMENTS (texts)]);
  for (guint k = 0; k < n_steps; k++)
    {
      const SondeBreakpointSpec spec
          = { .pattern = sonde_plan_get_step (training->plan, k)->name,
              .moment = k % 2 == 0 ? SONDE_MOMENT_AFTER : SONDE_MOMENT_BEFORE };

      sonde_debugger_add_breakpoint (training->debugger, &spec, NULL);
    }
  g_assert_cmpuint (sonde_debugger_get_watches (training->debugger)->len
                        + sonde_debugger_get_breakpoints (training->debugger)->len,
                    >, 100);
}

static void
test_bits (void)
{
  Training plain, watched;
  GPtrArray *values;
  guint compared = 0, stops;

  training_init (&plain);
  training_init (&watched);
  arm_everything (&watched);
  g_assert_cmpuint (train (&plain, 1, 4, 0.05f), ==, 0);
  stops = train (&watched, 1, 4, 0.05f);
  g_assert_cmpuint (stops, >, 100);
  values = plain.net->graph->values;
  for (guint i = 0; i < values->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (values, i);
      g_autoptr (SondeTensor) a = NULL;
      g_autoptr (SondeTensor) b = NULL;

      if (value == NULL
          || (value->role != SONDE_ROLE_PARAMETER && value->role != SONDE_ROLE_STATE
              && !g_str_equal (value->name, "loss")))
        continue;
      a = read_value (&plain, value->name);
      b = read_value (&watched, value->name);
      g_assert_cmpmem (a->data, sonde_tensor_n_bytes (a), b->data, sonde_tensor_n_bytes (b));
      compared++;
    }
  g_assert_cmpuint (compared, >=, 2 * plain.net->parameters->len);
  training_clear (&plain);
  training_clear (&watched);
}

static void
test_recommended (void)
{
  static const char *const expected[] = {
    "preset weight_initialization zero_percentage_ge=100",
    "preset weight_change_too_large abs_mean_update_ratio_gt=1",
    "preset gradient_vanishing abs_mean_lt=1e-09",
    "preset operator_overflow",
    "preset tensor_overflow",
    "preset tensor_all_zero zero_percentage_ge=100",
    "preset activation_range range_start_inclusive=-1 range_end_inclusive=0 "
    "range_percentage_gt=99.9",
  };
  Training training;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) added = NULL;

  training_init (&training);
  added = sonde_debugger_add_watches (training.debugger, "preset  recommended nostop", &error);
  g_assert_no_error (error);
  g_assert_cmpuint (added->len, ==, G_N_ELEMENTS (expected));
  for (guint i = 0; i < added->len; i++)
    {
      const SondeWatch *info = g_ptr_array_index (added, i);

      g_assert_cmpstr (info->text, ==, expected[i]);
      g_assert_true (info->log_only);
      g_assert_cmpuint (info->n_values, >, 0);
    }
  g_assert_cmpstr (((SondeWatch *) g_ptr_array_index (added, 6))->pattern, ==, "op:Relu");
  g_assert_cmpuint (train (&training, 1, 2, 0.05f), ==, 0);
  training_clear (&training);
}

/* "WI WCL …": abbreviations of what is recommended for a built-in net. */
static char *
recommend (const char *name, gboolean training)
{
  const SondeZooModel *row = sonde_zoo_find (name);
  const SondeTrainerOptions how = { .optimiser = "sgd", .batch = 2 };
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) model = sonde_zoo_build_for (name, &row->usual, 1, &error);
  g_autoptr (SondeTrainingGraph) step
      = training ? sonde_training_graph_build (model, &how, 2, SONDE_TRAINING_STEP, &error) : NULL;
  g_autoptr (SondeGraph) inference = training ? NULL : sonde_prepare_inference (model, &error);
  SondeGraph *graph = training ? step->graph : inference;
  g_autoptr (GArray) bindings = sonde_training_bind_inputs (graph, 2);
  const SondePlanOptions options
      = { .bindings = (SondeBinding *) (void *) bindings->data, .n_bindings = bindings->len };
  g_autoptr (SondeDevice) device = sonde_device_open ("cpu", 1, &error);
  g_autoptr (SondePlan) plan = sonde_plan_new (graph, device, &options, &error);
  g_auto (GStrv) texts = NULL;
  GString *found = g_string_new (NULL);

  g_assert_no_error (error);
  texts = sonde_watch_recommend (plan);
  for (guint i = 0; texts[i] != NULL; i++)
    {
      g_auto (GStrv) words = g_strsplit (texts[i], " ", 3);
      const char *on = strstr (texts[i], " on op:");

      g_string_append_printf (found, "%s%s%s", i > 0 ? " " : "",
                              sonde_condition_find (words[1], NULL)->abbreviation,
                              on != NULL ? on + strlen (" on op") : "");
    }
  return g_string_free (found, FALSE);
}

static void
test_recommended_nets (void)
{
  g_autofree char *training = recommend ("lenet", TRUE), *inference = recommend ("lenet", FALSE);
  g_autofree char *residual = recommend ("resnet20", TRUE);

  g_assert_cmpstr (training, ==, "WI WCL GV OO TO TZ AR:Relu");
  g_assert_cmpstr (inference, ==, "WI OO TO TZ AR:Relu");
  g_assert_cmpstr (residual, ==, "WI WCL GV OO TO TZ AR:Relu");
}

/* A weight during a step against the weight during the step before. */
static void
test_previous (void)
{
  Training training;
  const SondeWatch *info;

  training_init (&training);
  info = watch (training.debugger, "max(fc1.bias) == max(prev(fc1.bias)) nostop");
  train (&training, 1, 2, 0.1f);
  g_assert_cmpuint (info->hits, ==, 0);
  g_assert_cmpuint (info->unchecked, ==, 1);
  /* momentum goes on without a learning rate, which the update is multiplied with */
  train (&training, 3, 3, 0);
  set_batch (&training, 3, 0);
  g_assert_cmpint (go (&training), ==, SONDE_RUN_DONE);
  g_assert_cmpuint (info->hits, ==, 1);
  training_clear (&training);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/debug/watch/gradient", test_gradient);
  g_test_add_func ("/engine/debug/watch/injected-nan", test_injected_nan);
  g_test_add_func ("/engine/debug/watch/infinity-of-operator", test_infinity_of_operator);
  g_test_add_func ("/engine/debug/watch/changes", test_changes);
  g_test_add_func ("/engine/debug/watch/initial", test_initial);
  g_test_add_func ("/engine/debug/watch/inputs", test_inputs);
  g_test_add_func ("/engine/debug/watch/expressions", test_expressions);
  g_test_add_func ("/engine/debug/watch/errors", test_errors);
  g_test_add_func ("/engine/debug/watch/changing", test_changing);
  g_test_add_func ("/engine/debug/watch/limits", test_limits);
  g_test_add_func ("/engine/debug/watch/recheck", test_recheck);
  g_test_add_func ("/engine/debug/watch/loop", test_loop);
  g_test_add_func ("/engine/debug/watch/bits", test_bits);
  g_test_add_func ("/engine/debug/watch/recommended", test_recommended);
  g_test_add_func ("/engine/debug/watch/recommended-nets", test_recommended_nets);
  g_test_add_func ("/engine/debug/watch/previous", test_previous);
  return g_test_run ();
}
