/* SPDX-License-Identifier: Apache-2.0
 * A change that somebody made to a run: what it was, what it did to the value, who will read it. */
#pragma once

#include "engine/debug/sonde-debugger.h"

G_BEGIN_DECLS

/**
 * SondeEdit: one change; strings are owned
 * @number: in the order of the session, from 1; 0 before it is logged
 * @kind: "set", "take", "attr", "bypass"; static
 * @text: the command as it was given
 * @step, @position, @node: where the run stood
 * @branch: in which branch
 * @value: that was changed; of "attr" and "bypass" the node
 * @slice: (nullable): which part of it
 * @dtype, @shape: of the whole value
 * @count, @changed, @truncated: see SondeAssignment
 * @has_statistics: @before and @after are there: statistics of the whole value
 * @is_single: the part is one element, @before_number and @after_number
 * @readers: (array zero-terminated=1): steps from here on that read it
 * @stale: (array zero-terminated=1): steps that have read what it was before: what they made stays
 * as it is
 * @effect: something that is still to come depends on it
 * @warning: (nullable): a sentence, where something is not as one may expect
 */
typedef struct
{
  guint number;
  const char *kind;
  char *text;
  guint64 step;
  guint position;
  char *node;
  guint branch;
  char *value;
  char *slice;
  SondeDtype dtype;
  SondeShape shape;
  guint64 count, changed, truncated;
  gboolean has_statistics;
  SondeStatistics before, after;
  gboolean is_single;
  double before_number, after_number;
  char **readers;
  char **stale;
  gboolean effect;
  char *warning;
} SondeEdit;

SondeEdit *sonde_edit_copy (const SondeEdit *edit);
void sonde_edit_free (SondeEdit *edit);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeEdit, sonde_edit_free)

/* The static text of a kind; "set" for what is none. */
const char *sonde_edit_kind (const char *kind);

/**
 * sonde_debugger_set:
 * @target: "VALUE" or "VALUE[slice]", see sonde_debugger_find_value()
 * @source: broadcast onto it and converted, see sonde_assign_slice()
 *
 * What was computed from the value already stays what it was, as does what the value was computed
 * from; what is computed from here on reads the new numbers. Inputs, parameters and states keep
 * them beyond this run.
 * Returns: (transfer full): a change of kind "set", not logged. Errors, with nothing changed: of
 * finding and reading the value; of the assignment; STATE for what is inside a fused step.
 */
SondeEdit *sonde_debugger_set (SondeDebugger *debugger, const char *target, SondeTensor *source,
                               GError **error);

/* "VALUE[slice] = WHAT" -> "VALUE[slice]" and "WHAT". FALSE without an “=” outside of brackets, or
 * with nothing beside it. */
gboolean sonde_edit_split (const char *text, char **target, char **what);

G_END_DECLS
