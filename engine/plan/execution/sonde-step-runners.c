/* SPDX-License-Identifier: Apache-2.0
 * The runner of each kind of step. */
#include "engine/plan/execution/sonde-step-runner.h"

const SondeStepRunner *const sonde_step_runners[] = {
  [SONDE_STEP_KERNEL] = &sonde_kernel_runner,   [SONDE_STEP_REORDER] = &sonde_reorder_runner,
  [SONDE_STEP_VIEW] = &sonde_idle_runner,       [SONDE_STEP_EMPTY] = &sonde_idle_runner,
  [SONDE_STEP_RECORDED] = &sonde_idle_runner,   [SONDE_STEP_DEFERRED] = &sonde_deferred_runner,
  [SONDE_STEP_CONTROL] = &sonde_control_runner,
};
