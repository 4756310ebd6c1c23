/* SPDX-License-Identifier: Apache-2.0
 * Optimisers over five steps against PyTorch's weights (lamb, lars, lion: the papers' formulas in
 * NumPy, in double); clipping; parameter groups. */
#include <glib.h>
#include <math.h>

#include "engine/nn/sonde-clip.h"
#include "engine/nn/sonde-optimiser.h"
#include "engine/nn/sonde-parameter-group.h"
#include "engine/plan/sonde-execution.h"

#define N 4
#define STEPS 5
#define RATE 0.05

static const double start[N] = { 0.5, -1.25, 2.0, 0.0 };
static const double gradients[STEPS][N] = {
  { 0.1, -0.2, 0.3, 0.5 },   { 0.4, 0.1, -0.6, 0.25 }, { -0.3, 0.2, 0.1, -0.125 },
  { 0.05, -0.4, 0.2, 0.75 }, { 0.2, 0.3, -0.1, -0.5 },
};

typedef struct
{
  const char *text;
  double weights[N];
} Wanted;

static const Wanted wanted[] = {
  { "sgd:momentum=0.9;weight-decay=0.1",
    { 0.40522528618281239, -1.1496975912085936, 1.884372146234375, -0.17191082470312505 } },
  { "sgd:momentum=0.9;weight-decay=0.1;dampening=0.3",
    { 0.42427679236178073, -1.1598018915395147, 1.8884576299672484, -0.15118072410734534 } },
  { "sgd:momentum=0.9;weight-decay=0.1;nesterov=1",
    { 0.38140227062130161, -1.1302788930951431, 1.8528073258189843, -0.19511111245060922 } },
  { "adam:weight-decay=0.1",
    { 0.34666399017109056, -1.0942776730557093, 1.8832867069253507, -0.17451591930154442 } },
  { "adamw:0.8:0.95:1e-6:0.1",
    { 0.36265209911056301, -1.1633213039271926, 1.9323705472116826, -0.16747504205665165 } },
  { "rmsprop",
    { -0.42317081676486945, -1.1669527426718096, 1.8017120865517626, -0.7778836078781326 } },
  { "rmsprop:weight-decay=0.1;momentum=0.9",
    { -2.1120665601100885, 0.50741996002039624, 0.28782018011643551, -2.4902175201664667 } },
  { "rmsprop:alpha=0.9;centred=1",
    { 0.18047738887453296, -1.2228933258448418, 1.9292834337171902, -0.27212691514003207 } },
  { "rmsprop:centred=1;momentum=0.5",
    { -1.1316210177219317, -0.93997788242451707, 1.5935530687633519, -1.5733782598239434 } },
  { "adagrad:weight-decay=0.1;rate-decay=0.01;initial=0.1",
    { 0.43489063048665366, -1.1959538817117488, 1.9395459038429852, -0.065945456650168377 } },
  { "adadelta:weight-decay=0.1",
    { 0.49955981456320986, -1.2497699531951811, 1.9996738051917717, -0.00024979664715920073 } },
  { "lamb:weight-decay=0.1",
    { 0.20534546068579912, -1.1112830308672434, 1.889266822007075, -0.38949245134940619 } },
  { "lars:weight-decay=0.1;trust=0.02",
    { 0.49606724007244174, -1.2451970567980861, 1.9925820751209351, -0.0081453448875971751 } },
  { "lion:weight-decay=0.1",
    { 0.33911440777968749, -1.2690584601210937, 1.9014925249624999, -0.048509968781249996 } },
};

static SondeTensor *
tensor_of (SondeDtype dtype, const double *numbers)
{
  SondeShape shape = sonde_shape_make (1, N);
  SondeTensor *tensor = sonde_tensor_new (dtype, &shape);

  for (gint64 i = 0; i < N; i++)
    sonde_tensor_set_double (tensor, i, numbers[i]);
  return tensor;
}

static SondeExecution *
execute (SondeGraph *graph)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeDevice) device = sonde_device_open ("cpu", 1, &error);
  SondePlanOptions options = { .memory = SONDE_MEMORY_KEEP };
  g_autoptr (SondePlan) plan = sonde_plan_new (graph, device, &options, &error);
  SondeExecution *execution;

  g_assert_no_error (error);
  execution = sonde_execution_new (plan, &error);
  g_assert_no_error (error);
  return execution;
}

static void
feed (SondeExecution *execution, const char *name, SondeTensor *tensor)
{
  g_autoptr (GError) error = NULL;

  sonde_execution_set_input (execution, name, tensor, &error);
  g_assert_no_error (error);
  sonde_tensor_unref (tensor);
}

/* A graph of the parameter "w", its gradient "g" and the update. */
static SondeGraph *
build (const char *text, SondeDtype dtype)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeOptimiser) optimiser = sonde_optimiser_new (text, NAN, NAN, &error);
  SondeGraph *graph = sonde_graph_new ("update");
  SondeShape shape = sonde_shape_make (1, N), scalar = sonde_shape_scalar ();
  SondeType type = sonde_type_tensor (dtype, &shape),
            rate = sonde_type_tensor (SONDE_DTYPE_F32, &scalar);
  SondeType step = sonde_type_tensor (SONDE_DTYPE_I64, &scalar);
  g_autoptr (SondeTensor) tensor = tensor_of (dtype, start);
  SondeGraphValue *w, *g, *r, *s;

  g_assert_no_error (error);
  sonde_graph_set_opset (graph, "", 17);
  w = sonde_graph_add_initialiser (graph, "w", tensor, SONDE_ROLE_PARAMETER);
  g = sonde_graph_add_input (graph, "g", &type);
  r = sonde_graph_add_input (graph, "rate", &rate);
  s = sonde_graph_add_input (graph, "step", &step);
  sonde_optimiser_build (optimiser, graph, w, g, r, s, NAN, &error);
  g_assert_no_error (error);
  return graph;
}

static void
check_steps (const Wanted *row, SondeDtype dtype, double tolerance)
{
  g_autoptr (SondeGraph) graph = build (row->text, dtype);
  g_autoptr (SondeExecution) execution = execute (graph);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTensor) result = NULL;

  for (int step = 0; step < STEPS; step++)
    {
      feed (execution, "g", tensor_of (dtype, gradients[step]));
      feed (execution, "rate", sonde_tensor_new_f32 ((float) RATE));
      feed (execution, "step", sonde_tensor_new_i64 (step + 1));
      g_assert_cmpint (sonde_execution_run (execution, &error), ==, SONDE_RUN_DONE);
    }
  result = sonde_execution_read (execution, sonde_graph_find_value (graph, "w"), &error);
  g_assert_no_error (error);
  for (int i = 0; i < N; i++)
    if (fabs (sonde_tensor_get_double (result, i) - row->weights[i]) > tolerance)
      g_error ("%s: w[%d] is %.9g, not %.9g", row->text, i, sonde_tensor_get_double (result, i),
               row->weights[i]);
}

/* In double the learning rate is still float32: 0.05 is off by 7e-10. */
static void
test_steps (void)
{
  for (gsize k = 0; k < G_N_ELEMENTS (wanted); k++)
    {
      check_steps (&wanted[k], SONDE_DTYPE_F32, 2e-6);
      check_steps (&wanted[k], SONDE_DTYPE_F64, 2e-7);
    }
}

static void
test_refusals (void)
{
  static const char *const texts[] = { "sgdd", "adam:momentum=1", "sgd:momentum=2", "lion:beta1" };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (sonde_optimiser_new (texts[i], NAN, NAN, &error));
      g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID);
    }
}

/* ---- clipping ------------------------------------------------------------ */

typedef struct
{
  const char *text;
  double factors[2][N]; /* wanted, of the gradients 1 and 2 */
} Clipped;

/* Gradients (3, 4, 0, 0) and (0, 0, 0, 12): norms 5 and 12, together 13. */
static const Clipped clipped[] = {
  { "none", { { 3, 4, 0, 0 }, { 0, 0, 0, 12 } } },
  { "value:3.5", { { 3, 3.5, 0, 0 }, { 0, 0, 0, 3.5 } } },
  { "norm:6", { { 3, 4, 0, 0 }, { 0, 0, 0, 6 } } },
  { "global-norm:6.5", { { 1.5, 2, 0, 0 }, { 0, 0, 0, 6 } } },
  { "global-norm:14", { { 3, 4, 0, 0 }, { 0, 0, 0, 12 } } },
};

static void
check_clip (const Clipped *row, SondeDtype dtype)
{
  static const double numbers[2][N] = { { 3, 4, 0, 0 }, { 0, 0, 0, 12 } };
  g_autoptr (SondeGraph) graph = sonde_graph_new ("clip");
  g_autoptr (SondeExecution) execution = NULL;
  g_autoptr (GError) error = NULL;
  SondeShape shape = sonde_shape_make (1, N);
  SondeType type = sonde_type_tensor (dtype, &shape);
  SondeGraphValue *values[2]
      = { sonde_graph_add_input (graph, "a", &type), sonde_graph_add_input (graph, "b", &type) };
  SondeClip clip;

  sonde_graph_set_opset (graph, "", 17);
  g_assert_true (sonde_clip_parse (row->text, &clip, &error));
  g_assert_true (sonde_clip_build (&clip, graph, values, 2, NULL, &error));
  g_assert_no_error (error);
  for (int k = 0; k < 2; k++)
    {
      if (clip.kind == SONDE_CLIP_NONE)
        values[k] = sonde_build_unary (graph, "Identity", values[k]);
      else
        g_assert_cmpstr (values[k]->name, ==, k == 0 ? "clipped(a)" : "clipped(b)");
      sonde_graph_add_output (graph, values[k]);
    }
  execution = execute (graph);
  feed (execution, "a", tensor_of (dtype, numbers[0]));
  feed (execution, "b", tensor_of (dtype, numbers[1]));
  g_assert_cmpint (sonde_execution_run (execution, &error), ==, SONDE_RUN_DONE);
  for (int k = 0; k < 2; k++)
    {
      g_autoptr (SondeTensor) result = sonde_execution_read (execution, values[k], &error);

      for (int i = 0; i < N; i++)
        g_assert_cmpfloat_with_epsilon (sonde_tensor_get_double (result, i), row->factors[k][i],
                                        1e-5);
    }
}

static void
test_clip (void)
{
  static const char *const wrong[] = { "value", "none:1", "norm:-1", "norms:1" };

  for (gsize i = 0; i < G_N_ELEMENTS (clipped); i++)
    {
      check_clip (&clipped[i], SONDE_DTYPE_F32);
      check_clip (&clipped[i], SONDE_DTYPE_F64);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (GError) error = NULL;
      SondeClip clip;

      g_assert_false (sonde_clip_parse (wrong[i], &clip, &error));
      g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID);
    }
}

/* ---- groups -------------------------------------------------------------- */

static void
test_groups (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) groups = sonde_parameter_groups_parse (
      "*.bias weight-decay=0; backbone.* rate=0.1 weight-decay=1e-5 ;stem.* frozen;", &error);
  const SondeParameterGroup *group;

  g_assert_no_error (error);
  g_assert_cmpuint (groups->len, ==, 3);
  group = sonde_parameter_groups_find (groups, "backbone.0.weight");
  g_assert_cmpfloat (group->rate, ==, 0.1);
  g_assert_cmpfloat (group->weight_decay, ==, 1e-5);
  group = sonde_parameter_groups_find (groups, "backbone.0.bias");
  g_assert_cmpfloat (group->weight_decay, ==, 0);
  g_assert_cmpfloat (group->rate, ==, 1);
  g_assert_true (sonde_parameter_groups_find (groups, "stem.weight")->frozen);
  g_assert_null (sonde_parameter_groups_find (groups, "head.weight"));
  g_assert_null (sonde_parameter_groups_parse ("head.* speed=2", &error));
  g_assert_nonnull (g_strrstr (error->message, "“speed=2”"));
  g_clear_error (&error);
  g_assert_null (sonde_parameter_groups_parse ("head.*", &error));
  g_assert_nonnull (g_strrstr (error->message, "sets nothing"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/nn/optimiser/steps", test_steps);
  g_test_add_func ("/engine/nn/optimiser/refusals", test_refusals);
  g_test_add_func ("/engine/nn/clip", test_clip);
  g_test_add_func ("/engine/nn/parameter-groups", test_groups);
  return g_test_run ();
}
