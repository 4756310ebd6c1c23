/* SPDX-License-Identifier: Apache-2.0
 * The node tests of ONNX that must pass; folders below the package's data folder. */
#pragma once

extern const char *const onnx_node_list[];
