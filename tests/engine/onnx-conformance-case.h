/* SPDX-License-Identifier: Apache-2.0
 * One case of the standard's backend tests: a folder with model.onnx and test_data_set_N. */
#pragma once

#include "engine/devices/sonde-device.h"

G_BEGIN_DECLS

typedef enum
{
  ONNX_CASE_PASSED,
  ONNX_CASE_FAILED,
  ONNX_CASE_UNSUPPORTED,
} OnnxCaseVerdict;

/**
 * onnx_case_run:
 * @device: (nullable): to run on; NULL: the operators' own kernels one after the other, without a
 * plan
 * @op: (out) (transfer full): the operator that the case is about
 * @reason: (out) (transfer full): one line; NULL when it passed
 */
OnnxCaseVerdict onnx_case_run (const char *folder, SondeDevice *device, char **op, char **reason);

G_END_DECLS
