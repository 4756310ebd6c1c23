/* SPDX-License-Identifier: Apache-2.0
 * The steps of the plan that is debugged, as a GListModel of SondeDebugStep, found by what the user
 * sees of them: a line of the listing, the name of a node, a value. */
#pragma once

#include <gio/gio.h>

#include "data/graph/sonde-graph.h"
#include "engine/session/sonde-session-requests.h"

G_BEGIN_DECLS

#define SONDE_DEBUG_NO_STEP G_MAXUINT

#define SONDE_TYPE_DEBUG_STEP (sonde_debug_step_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebugStep, sonde_debug_step, SONDE, DEBUG_STEP, GObject)

guint sonde_debug_step_get_position (SondeDebugStep *step);
const SondeStepInfo *sonde_debug_step_get_info (SondeDebugStep *step);
/* Whether a breakpoint's pattern means it; patterns that are no name are matched as globs over
 * names and op types. */
gboolean sonde_debug_step_is_meant (const SondeStepInfo *step, const char *pattern);

#define SONDE_TYPE_DEBUG_STEPS (sonde_debug_steps_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebugSteps, sonde_debug_steps, SONDE, DEBUG_STEPS, GObject)

SondeDebugSteps *sonde_debug_steps_new (void);

/* @infos: (element-type SondeStepInfo) (transfer full) (nullable): by position; NULL: none */
void sonde_debug_steps_set (SondeDebugSteps *steps, GPtrArray *infos);
/* @lines: (array length=n) (transfer full) (nullable): by position: line in the listing, from 1;
 * 0: none */
void sonde_debug_steps_set_lines (SondeDebugSteps *steps, guint *lines, guint n);

/* What the plan inserted is no node of the listing @text: a line for each such step, before that of the
 * next node, and the lines of all steps are those of what is returned. (transfer full) */
char *sonde_debug_steps_insert_lines (SondeDebugSteps *steps, const char *text);
/* The plan put it between nodes; no node of the graph is it. */
gboolean sonde_debug_step_is_inserted (const SondeStepInfo *step);
/* The step from @position on that stands for a node; what a graph can show of an inserted one.
 * SONDE_DEBUG_NO_STEP: none */
guint sonde_debug_steps_find_shown (SondeDebugSteps *steps, guint position);

guint sonde_debug_steps_get_n (SondeDebugSteps *steps);
/* (nullable): NULL behind the last */
const SondeStepInfo *sonde_debug_steps_get (SondeDebugSteps *steps, guint position);
/* The name by which the user knows a step: its first node. (nullable) */
const char *sonde_debug_steps_get_name (SondeDebugSteps *steps, guint position);
/* 0: none */
guint sonde_debug_steps_get_line (SondeDebugSteps *steps, guint position);

/* Step on a line, of a node (nullable), of the node that makes a value (nullable);
 * SONDE_DEBUG_NO_STEP. @graph: (nullable): the executed graph, for values inside of fused steps */
guint sonde_debug_steps_find_line (SondeDebugSteps *steps, guint line);
guint sonde_debug_steps_find_node (SondeDebugSteps *steps, const char *name);
guint sonde_debug_steps_find_producer (SondeDebugSteps *steps, const char *value,
                                       SondeGraph *graph);
/* A node of the middle of the forward pass, for a first look: before it something worth seeing was
 * made. (nullable) */
const char *sonde_debug_steps_find_middle (SondeDebugSteps *steps);

G_END_DECLS
