/* SPDX-License-Identifier: Apache-2.0
 * Small nets with bodies inside bodies, and one run of them. */
#pragma once

#include "engine/debug/sonde-debugger.h"

G_BEGIN_DECLS

/**
 * NestedNet: a net that is debugged
 * @names: what to set breakpoints on: nodes and values, of bodies too (array zero-terminated=1)
 */
typedef struct
{
  const char *const *names;
  SondeGraph *original, *graph;
  SondeDevice *device;
  SondePlan *plan;
  SondeExecution *execution;
  SondeDebugger *debugger;
} NestedNet;

/* The graph of a net, and its inputs. (transfer full) */
SondeGraph *nested_net_make (const char *which);
void nested_net_set_inputs (SondeExecution *execution);

/* "loops": a Loop of 3 with a Loop of 2 inside, "y ← 2·y + i", then "rest"; "scan": a Scan over 4
 * rows with an If inside; "fails": a Loop whose second iteration cannot be; "chain": nodes one
 * after the other; "fused": the same on the CPU, where some run together; "scopes": a Loop in scope
 * "enc" whose body has a scope of its own. */
void nested_net_init (NestedNet *net, const char *which);
void nested_net_clear (NestedNet *net);

/* Resumes and runs; the end is told to the debugger. @error: (nullable): a failure is expected */
SondeRunResult nested_net_resume (NestedNet *net, SondeResumeKind kind, guint64 count,
                                  const char *target, GError **error);

G_END_DECLS
