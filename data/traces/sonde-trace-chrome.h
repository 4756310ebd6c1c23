/* SPDX-License-Identifier: Apache-2.0
 * The Trace Event Format: JSON of Chrome, PyTorch (Kineto), ONNX Runtime, MindSpore, viztracer and
 * many others. Source of the keys and phases: "Trace Event Format", Google, 2016. */
#pragma once

#include "data/json/sonde-json-scanner.h"
#include "data/traces/sonde-trace-builder.h"

G_BEGIN_DECLS

/**
 * sonde_trace_read_chrome:
 * @scanner: at the beginning of the file
 *
 * Reads events as far as they are JSON; where they end too early the trace is marked as truncated.
 * Returns FALSE with @error set when the file cannot be read, or holds no events at all and is no JSON.
 */
gboolean sonde_trace_read_chrome (SondeTraceBuilder *builder, SondeJsonScanner *scanner,
                                  GError **error);

G_END_DECLS
