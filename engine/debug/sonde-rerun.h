/* SPDX-License-Identifier: Apache-2.0
 * One node of a run once more, beside it, under another condition. */
#pragma once

#include "engine/debug/sonde-difference.h"
#include "engine/debug/sonde-edit.h"

G_BEGIN_DECLS

/**
 * SondeRerunOptions: zero-initialise
 * @node: its name, or that of a value it makes; of the executed graph, or of the body in which the
 * run stands
 * @precision: what it computes in: F64, F32, BF16, F16; INVALID: as in the run
 * @device: (nullable): NULL: that of the run, for F64 "reference"
 * @take: the results take the place of the run's, which goes on with them
 */
typedef struct
{
  const char *node;
  SondeDtype precision;
  const char *device;
  gboolean take;
} SondeRerunOptions;

/**
 * sonde_debugger_rerun:
 * @note: (out) (transfer full): how it was computed, a sentence
 * @edits: (out) (transfer full) (element-type SondeEdit): with @take: of kind "take", not logged;
 * else empty
 *
 * With the inputs as they are now, random numbers of the run, subgraphs too. Where the node has not
 * run, it is compared with what the run will make of it.
 * Returns: (transfer full) (element-type SondeDifference): one for each output that is a tensor: a:
 * computed again, b: of the run. Errors: NOT_FOUND for node and device; STATE for inputs that are
 * not there; UNSUPPORTED, SHAPE.
 */
GPtrArray *sonde_debugger_rerun (SondeDebugger *debugger, const SondeRerunOptions *options,
                                 char **note, GPtrArray **edits, GError **error);

/* "f64", "f32", "bf16", "f16", or NumPy's names; INVALID with @error for others. */
SondeDtype sonde_rerun_parse_precision (const char *text, GError **error);

/* It has a subgraph: its step cannot run beside a run that may stand in it
 * (sonde_execution_run_alone()). */
gboolean sonde_node_has_body (const SondeNode *node);

G_END_DECLS
