/* SPDX-License-Identifier: Apache-2.0
 * Inside real models: values in a loop's body against what the loop collected elsewhere, and values
 * behind calls of functions against those of another program. */
#include <math.h>
#include <string.h>

#include "data/arrays/sonde-npy.h"
#include "data/arrays/sonde-npz.h"
#include "data/models/sonde-model-file.h"
#include "engine/debug/sonde-debugger.h"

typedef struct
{
  SondeGraph *original, *graph;
  SondeDevice *device;
  SondePlan *plan;
  SondeExecution *execution;
  SondeDebugger *debugger;
  SondeNamedTensors *known;
} Model;

static char *
shared_path (const char *folder, const char *name)
{
  const char *shared = g_getenv ("SONDE_SHARED");

  return g_build_filename (shared != NULL ? shared : "nowhere", "models", folder, name, NULL);
}

static void
give (Model *model, const char *name, SondeTensor *tensor)
{
  g_autoptr (GError) error = NULL;

  sonde_execution_set_input (model->execution, name, tensor, &error);
  g_assert_no_error (error);
}

/* FALSE: it is not there. @x: of the first input */
static gboolean
model_open (Model *model, const char *folder, SondeTensor *x)
{
  g_autofree char *file = g_strconcat (folder, ".onnx", NULL);
  g_autofree char *path = shared_path (folder, file),
                  *known = shared_path (folder, "intermediates.npz");
  SondePlanOptions options = { .memory = SONDE_MEMORY_KEEP, .no_fusion = TRUE, .n_bindings = 1 };
  g_autoptr (GError) error = NULL;
  SondeBinding binding;

  memset (model, 0, sizeof *model);
  model->original = sonde_model_load (NULL, path, &error);
  g_assert_no_error (error);
  model->known = sonde_npz_read (NULL, known, &error);
  g_assert_no_error (error);
  model->graph = sonde_prepare_inference (model->original, &error);
  g_assert_no_error (error);
  model->device = sonde_device_open ("cpu", 1, &error);
  g_assert_no_error (error);
  binding.name = NULL;
  for (guint i = 0; i < model->graph->inputs->len && binding.name == NULL; i++)
    if (strcmp (((SondeGraphValue *) g_ptr_array_index (model->graph->inputs, i))->name, "trip")
        != 0)
      binding.name = ((SondeGraphValue *) g_ptr_array_index (model->graph->inputs, i))->name;
  binding.type = sonde_type_tensor (x->dtype, &x->shape);
  options.bindings = &binding;
  model->plan = sonde_plan_new (model->graph, model->device, &options, &error);
  g_assert_no_error (error);
  model->execution = sonde_execution_new (model->plan, &error);
  g_assert_no_error (error);
  give (model, binding.name, x);
  model->debugger = sonde_debugger_new (model->original);
  sonde_debugger_attach_execution (model->debugger, model->execution);
  return TRUE;
}

static void
model_close (Model *model)
{
  sonde_debugger_free (model->debugger);
  sonde_execution_free (model->execution);
  sonde_plan_unref (model->plan);
  sonde_device_unref (model->device);
  sonde_graph_unref (model->graph);
  sonde_graph_unref (model->original);
  sonde_named_tensors_free (model->known);
}

static gboolean
is_there (const char *folder)
{
  g_autofree char *path = shared_path (folder, "intermediates.npz");

  if (g_file_test (path, G_FILE_TEST_EXISTS))
    return TRUE;
  g_test_skip ("SONDE_SHARED does not hold this model");
  return FALSE;
}

static SondeTensor *
read_value (Model *model, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *slice = NULL;
  SondeExecution *execution;
  SondeGraphValue *value
      = sonde_debugger_find_value (model->debugger, text, &execution, &slice, &error);
  SondeTensor *tensor;

  g_assert_no_error (error);
  tensor = sonde_execution_read (execution, value, &error);
  g_assert_no_error (error);
  return tensor;
}

/* @ours against element @first and on of @theirs. */
static void
compare (const SondeTensor *ours, const SondeTensor *theirs, gint64 first)
{
  for (gint64 i = 0; i < sonde_tensor_n_elements (ours); i++)
    {
      double a = sonde_tensor_get_double (ours, i), b = sonde_tensor_get_double (theirs, first + i);

      g_assert_cmpfloat_with_epsilon (a, b, 1e-5 * (1 + fabs (b)));
    }
}

static SondeRunResult
resume (Model *model, SondeResumeKind kind, const char *target)
{
  const SondeResume how = { .kind = kind, .target = target };
  g_autoptr (GError) error = NULL;
  SondeRunResult result;

  sonde_debugger_resume (model->debugger, &how, &error);
  g_assert_no_error (error);
  if (sonde_debugger_has_stopped (model->debugger))
    return SONDE_RUN_PAUSED;
  result = sonde_execution_run (model->execution, &error);
  g_assert_no_error (error);
  if (result == SONDE_RUN_DONE)
    sonde_debugger_run_is_over (model->debugger);
  return result;
}

static void
break_after (Model *model, const char *pattern)
{
  const SondeBreakpointSpec spec = { .pattern = pattern, .moment = SONDE_MOMENT_AFTER };
  g_autoptr (GError) error = NULL;

  g_assert_nonnull (sonde_debugger_add_breakpoint (model->debugger, &spec, &error));
  g_assert_no_error (error);
}

/* ---- control flow -------------------------------------------------------- */

static gint64
current_iteration (Model *model)
{
  SondeStop stop;

  sonde_debugger_get_stop (model->debugger, &stop);
  g_assert_cmpuint (stop.n_iterations, ==, 1);
  return (gint64) stop.iterations[0];
}

/* Every iteration's state is the row that the loop collects. */
static void
check_iterations (Model *model)
{
  SondeTensor *trace = sonde_named_tensors_lookup (model->known, "v001");
  gint64 n = trace->shape.dims[0], row = sonde_tensor_n_elements (trace) / n;

  break_after (model, "h_out");
  for (gint64 k = 0; k < n; k++)
    {
      g_autoptr (SondeTensor) state = NULL;

      g_assert_cmpint (resume (model, SONDE_RESUME_CONTINUE, NULL), ==, SONDE_RUN_PAUSED);
      g_assert_cmpint (current_iteration (model), ==, k);
      state = read_value (model, "h_out");
      g_assert_cmpint (sonde_tensor_n_elements (state), ==, row);
      compare (state, trace, k * row);
    }
}

static void
test_control_flow (void)
{
  g_autofree char *path = shared_path ("control-flow", "inputs.npz");
  g_autoptr (SondeNamedTensors) inputs = NULL;
  g_autoptr (SondeTensor) result = NULL, sum = NULL;
  Model model;

  if (!is_there ("control-flow"))
    return;
  inputs = sonde_npz_read (NULL, path, NULL);
  model_open (&model, "control-flow", sonde_named_tensors_lookup (inputs, "x#0"));
  give (&model, "trip", sonde_named_tensors_lookup (inputs, "trip#0"));
  check_iterations (&model);
  g_assert_cmpint (resume (&model, SONDE_RESUME_OUT, NULL), ==, SONDE_RUN_PAUSED);
  break_after (&model, "y");
  break_after (&model, "then_out");
  g_assert_cmpint (resume (&model, SONDE_RESUME_CONTINUE, NULL), ==, SONDE_RUN_PAUSED);
  result = read_value (&model, "then_out");
  compare (result, sonde_named_tensors_lookup (model.known, "v004"), 0);
  g_assert_cmpint (resume (&model, SONDE_RESUME_CONTINUE, NULL), ==, SONDE_RUN_PAUSED);
  g_assert_cmpint (resume (&model, SONDE_RESUME_CONTINUE, NULL), ==, SONDE_RUN_DONE);
  sum = read_value (&model, "trace_sum");
  compare (sum, sonde_named_tensors_lookup (model.known, "v005"), 0);
  model_close (&model);
}

/* ---- functions ----------------------------------------------------------- */

/* Behind each call: what another program found there. Inside: its first node, in a scope of the
 * function. */
static void
check_calls (const char *folder, const char *domain, guint n_calls)
{
  g_autofree char *path = shared_path (folder, "inputs.npy");
  g_autoptr (SondeTensor) x = sonde_npy_read (NULL, path, NULL);
  guint n = 0, n_scopes = 0;
  Model model;

  model_open (&model, folder, x);
  for (guint i = 0; i < model.original->nodes->len; i++)
    {
      const SondeNode *node = g_ptr_array_index (model.original->nodes, i);
      g_autofree char *key = g_strdup_printf ("v%03u", i);
      const GPtrArray *scopes;
      g_autoptr (SondeTensor) value = NULL;
      g_autoptr (GPtrArray) frames = NULL;
      SondeStop stop;

      if (strcmp (node->domain, domain) != 0)
        continue;
      g_assert_cmpint (resume (&model, SONDE_RESUME_UNTIL, node->name), ==, SONDE_RUN_PAUSED);
      g_assert_cmpint (resume (&model, SONDE_RESUME_INTO, NULL), ==, SONDE_RUN_PAUSED);
      sonde_debugger_get_stop (model.debugger, &stop);
      g_assert_cmpstr (stop.node, !=, node->name);
      frames = sonde_debugger_get_frames (model.debugger);
      scopes = ((const SondeFrame *) g_ptr_array_index (frames, 0))->scopes;
      for (guint s = 0; s < scopes->len; s++)
        {
          const SondeFrameScope *scope = g_ptr_array_index (scopes, s);

          if (g_strcmp0 (scope->call, node->name) == 0)
            g_assert_cmpstr (scope->function, ==, node->op);
          n_scopes += g_strcmp0 (scope->call, node->name) == 0;
        }
      break_after (&model, node->name);
      g_assert_cmpint (resume (&model, SONDE_RESUME_CONTINUE, NULL), ==, SONDE_RUN_PAUSED);
      value = read_value (&model, sonde_node_get_output (node, 0)->name);
      g_assert_nonnull (sonde_named_tensors_lookup (model.known, key));
      compare (value, sonde_named_tensors_lookup (model.known, key), 0);
      n++;
      sonde_debugger_remove_breakpoint (model.debugger, 0, NULL);
      sonde_execution_abandon (model.execution);
      sonde_debugger_restarted (model.debugger);
    }
  g_assert_cmpuint (n, ==, n_calls);
  g_assert_cmpuint (n_scopes, ==, n_calls);
  model_close (&model);
}

static void
test_functions (void)
{
  if (is_there ("local-functions"))
    check_calls ("local-functions", "sonde.test", 3);
}

/* Inside a function the names of its own nodes do. */
static void
test_local_names (void)
{
  g_autofree char *path = shared_path ("local-functions", "inputs.npy");
  g_autoptr (SondeTensor) x = NULL, inner = NULL, whole = NULL;
  Model model;

  if (!is_there ("local-functions"))
    return;
  x = sonde_npy_read (NULL, path, NULL);
  model_open (&model, "local-functions", x);
  g_assert_cmpint (resume (&model, SONDE_RESUME_UNTIL, "n1_Dense"), ==, SONDE_RUN_PAUSED);
  g_assert_cmpint (resume (&model, SONDE_RESUME_STEP, NULL), ==, SONDE_RUN_PAUSED);
  inner = read_value (&model, "m");
  whole = read_value (&model, "n1_Dense/m");
  g_assert_true (sonde_tensor_equal (inner, whole));
  model_close (&model);
}

static void
test_module_functions (void)
{
  if (is_there ("module-functions"))
    check_calls ("module-functions", "nets", 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/debug/nest/models/control-flow", test_control_flow);
  g_test_add_func ("/engine/debug/nest/models/functions", test_functions);
  g_test_add_func ("/engine/debug/nest/models/local-names", test_local_names);
  g_test_add_func ("/engine/debug/nest/models/module-functions", test_module_functions);
  return g_test_run ();
}
