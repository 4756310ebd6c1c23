/* SPDX-License-Identifier: Apache-2.0
 * A graph on a device in one call, and its runs, for tests in which that cannot fail. */
#include "tests/engine/plan/plan-fixture.h"

SondeExecution *
plan_fixture_start (SondeGraph *graph, const char *device_name, const SondePlanOptions *options)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeDevice) device = sonde_device_open (device_name, 1, &error);
  g_autoptr (SondePlan) plan = NULL;
  SondeExecution *execution;

  g_assert_no_error (error);
  plan = sonde_plan_new (graph, device, options, &error);
  g_assert_no_error (error);
  execution = sonde_execution_new (plan, &error);
  g_assert_no_error (error);
  return execution;
}

void
plan_fixture_give (SondeExecution *execution, const char *name, SondeTensor *tensor)
{
  g_autoptr (GError) error = NULL;

  sonde_execution_set_input (execution, name, tensor, &error);
  g_assert_no_error (error);
  sonde_tensor_unref (tensor);
}

void
plan_fixture_run (SondeExecution *execution)
{
  g_autoptr (GError) error = NULL;

  sonde_execution_run (execution, &error);
  g_assert_no_error (error);
}
