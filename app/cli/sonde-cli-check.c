/* SPDX-License-Identifier: Apache-2.0
 * `sonde check`: devices, libraries, versions, and analytic self-tests of what the answers rest
 * on. */
#include <math.h>

#include "app/cli/sonde-cli-check-roofline.h"
#include "data/base/sonde-lapack.h"
#include "data/base/sonde-text.h"
#include "data/records/sonde-record-frame.h"
#include "data/values/sonde-statistics.h"
#include "engine/devices/sonde-device.h"
#include "engine/nn/sonde-zoo.h"
#include "engine/ops/sonde-build.h"
#include "engine/passes/sonde-passes.h"
#include "engine/plan/sonde-execution.h"

/* One self-test: what is claimed, and whether it holds. */
typedef struct
{
  const char *name;
  const char *claim;
  gboolean (*holds) (void);
} SelfTest;

/* RFC 3720, appendix B.4: 32 zero bytes have CRC-32C 0x8A9136AA; then TFRecord's mask. */
static gboolean
crc_holds (void)
{
  const guint8 zeros[32] = { 0 };
  guint32 crc = 0x8A9136AAu;

  return sonde_frame_masked_crc (zeros, sizeof zeros) == ((crc >> 15) | (crc << 17)) + 0xA282EAD8u;
}

/* 0, 1, …, 999: mean 499.5, population deviation √((1000² − 1) / 12). */
static gboolean
statistics_hold (void)
{
  SondeShape shape = sonde_shape_make (1, 1000);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  SondeStatistics statistics;

  for (int i = 0; i < 1000; i++)
    sonde_tensor_set_double (tensor, i, i);
  sonde_statistics_compute (tensor, &statistics);
  return fabs (statistics.mean - 499.5) < 1e-9
         && fabs (statistics.std - sqrt (999999.0 / 12.0)) < 1e-6 && statistics.zeros == 1;
}

/* y = Σ tanh (x)²: dy/dx = 2 tanh (x) (1 − tanh² (x)), on the device named. */
static gboolean
gradient_holds_on (const char *name)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("check");
  SondeShape shape = sonde_shape_make (1, 4);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  SondeGraphValue *x, *y, *sum, *gradient = NULL;
  g_autoptr (SondeDevice) device = sonde_device_open (name, 1, NULL);
  g_autoptr (SondePlan) plan = NULL;
  g_autoptr (SondeExecution) execution = NULL;
  g_autoptr (SondeTensor) input = sonde_tensor_new (SONDE_DTYPE_F32, &shape), result = NULL;
  SondePlanOptions options = { .memory = SONDE_MEMORY_KEEP };
  SondeNode *reduce;

  sonde_graph_set_opset (graph, "", 17);
  x = sonde_graph_add_input (graph, "x", &type);
  y = sonde_build_unary (graph, "Tanh", x);
  y = sonde_build_binary (graph, "Mul", y, y);
  reduce = sonde_graph_add_node (graph, "sum", "", "ReduceSum", &y, 1, 1);
  sonde_node_set_int (reduce, "keepdims", 0);
  if (device == NULL || !sonde_build_infer (graph, reduce, NULL))
    return FALSE;
  sum = sonde_node_get_output (reduce, 0);
  if (!sonde_pass_gradient (graph, sum, NULL, &x, 1, &gradient, NULL))
    return FALSE;
  sonde_graph_add_output (graph, gradient);
  for (int i = 0; i < 4; i++)
    sonde_tensor_set_double (input, i, 0.5 * i - 0.7);
  plan = sonde_plan_new (graph, device, &options, NULL);
  execution = plan != NULL ? sonde_execution_new (plan, NULL) : NULL;
  if (execution == NULL || !sonde_execution_set_input (execution, "x", input, NULL)
      || sonde_execution_run (execution, NULL) != SONDE_RUN_DONE)
    return FALSE;
  result = sonde_execution_read (execution, gradient, NULL);
  for (int i = 0; result != NULL && i < 4; i++)
    {
      double t = tanh (0.5 * i - 0.7);

      if (fabs (sonde_tensor_get_double (result, i) - 2.0 * t * (1.0 - t * t)) > 1e-5)
        return FALSE;
    }
  return result != NULL;
}

static gboolean
cpu_gradient_holds (void)
{
  return gradient_holds_on ("cpu");
}

static gboolean
reference_gradient_holds (void)
{
  return gradient_holds_on ("reference");
}

/* 2 on the diagonal of [8, 8], −1 beside it: the largest eigenvalue is 2 + 2 cos (π / 9). */
static gboolean
lapack_holds (void)
{
  double a[8 * 8] = { 0 }, values[8], vector[8];

  for (int i = 0; i < 8; i++)
    {
      a[i * 8 + i] = 2;
      if (i > 0)
        a[i * 8 + i - 1] = -1;
    }
  return sonde_lapack_find_eigenvectors (a, 8, 1, values, vector, NULL)
         && fabs (values[0] - 2 - 2 * cos (G_PI / 9)) < 1e-12;
}

static const SelfTest tests[] = {
  { "crc", N_ ("CRC-32C of 32 zero bytes equals the value in RFC 3720"), crc_holds },
  { "statistics", N_ ("mean and std of 0…999 equal the closed forms"), statistics_hold },
  { "gradient-cpu", N_ ("gradient of Σ tanh² equals 2 tanh (1 − tanh²) on the CPU device"),
    cpu_gradient_holds },
  { "gradient-reference", N_ ("the same with the reference kernels"), reference_gradient_holds },
  { "lapack", N_ ("largest eigenvalue of the second differences equals 2 + 2 cos (π / 9)"),
    lapack_holds },
};

static const char *const devices[] = { "cpu", "reference" };

static void
add_device (JsonBuilder *builder, const char *name, gboolean json)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeDevice) device = sonde_device_open (name, 0, &error);
  g_autofree char *text
      = device != NULL ? device->klass->describe (device) : g_strdup (error->message);

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "name");
  json_builder_add_string_value (builder, name);
  json_builder_set_member_name (builder, "available");
  json_builder_add_boolean_value (builder, device != NULL);
  json_builder_set_member_name (builder, "description");
  json_builder_add_string_value (builder, text);
  json_builder_end_object (builder);
  if (!json)
    g_print (_ ("device %-12s %s\n"), name, text);
}

static int
run_check (const SondeCliCommand *command, int argc, char **argv)
{
  gboolean json = FALSE, roofline = FALSE, forget = FALSE, all = TRUE;
  int threads = 0;
  const GOptionEntry entries[] = {
    { "roofline", 0, 0, G_OPTION_ARG_NONE, &roofline,
      N_ ("Instead: measure what this machine can do at best; the better of that and what is kept"),
      NULL },
    { "forget", 0, 0, G_OPTION_ARG_NONE, &forget,
      N_ ("With --roofline: forget what was measured before"), NULL },
    { "threads", 0, 0, G_OPTION_ARG_INT, &threads,
      N_ ("With --roofline: threads that compute (default: all)"), "N" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, N_ ("Print one JSON object"), NULL },
    { NULL },
  };
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_auto (GStrv) operands = NULL;
  int status;

  if (!sonde_cli_parse (command, argc, argv, entries, 0, 0, &operands, &status))
    return status;
  if (threads < 0 || (threads > 0 && !roofline))
    return sonde_cli_misuse (command, threads < 0 ? _ ("--threads takes a number from 0 on")
                                                  : _ ("--threads goes with --roofline"));
  if (forget && !roofline)
    return sonde_cli_misuse (command, _ ("--forget goes with --roofline"));
  if (roofline)
    return sonde_check_roofline (command, (guint) threads, forget, json);
  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "version");
  json_builder_add_string_value (builder, SONDE_VERSION);
  json_builder_set_member_name (builder, "devices");
  json_builder_begin_array (builder);
  for (gsize i = 0; i < G_N_ELEMENTS (devices); i++)
    add_device (builder, devices[i], json);
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "tests");
  json_builder_begin_array (builder);
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    {
      gboolean holds = tests[i].holds ();

      all = all && holds;
      json_builder_begin_object (builder);
      json_builder_set_member_name (builder, "name");
      json_builder_add_string_value (builder, tests[i].name);
      json_builder_set_member_name (builder, "passed");
      json_builder_add_boolean_value (builder, holds);
      json_builder_end_object (builder);
      if (!json)
        g_print (_ ("test   %-20s %s (%s)\n"), tests[i].name, holds ? _ ("ok") : _ ("FAILED"),
                 _ (tests[i].claim));
    }
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  if (json)
    sonde_cli_print_json (json_builder_get_root (builder), TRUE);
  return all ? SONDE_EXIT_DONE : SONDE_EXIT_FAILED;
}

const SondeCliCommand sonde_cli_command_check = {
  .name = "check",
  .synopsis = "",
  .summary = N_ ("List devices and libraries and run the analytic self-tests."),
  .run = run_check,
  .computes = TRUE,
};
