/* SPDX-License-Identifier: Apache-2.0
 * Scopes and depths of steps: what a plan alone says of where a step lies. */
#pragma once

#include "engine/plan/sonde-execution.h"

G_BEGIN_DECLS

/* Number of executions around it; 0: the outermost. */
guint sonde_execution_depth (SondeExecution *execution);
/* Scope of @step; (nullable) */
const char *sonde_step_scope (const SondeStep *step);
/* Scope of the node whose body @execution runs. (nullable) */
const char *sonde_execution_scope (SondeExecution *execution);
/* The scope that a call node's function becomes. Returns: (transfer full) */
char *sonde_call_scope (const SondeNode *node);
/* "a/b" lies in "a" and in "a/b"; everything lies in NULL. */
gboolean sonde_scope_contains (const char *scope, const char *other);

G_END_DECLS
