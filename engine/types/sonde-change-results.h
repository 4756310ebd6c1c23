/* SPDX-License-Identifier: Apache-2.0
 * What changes of a run and comparisons give, as values: edits, differences, branches. Making them is
 * engine/debug (sonde-edit.h, sonde-changes.h, sonde-difference.h, sonde-rerun.h). */
#pragma once

#include "data/base/sonde-message.h"
#include "data/values/sonde-statistics.h"

G_BEGIN_DECLS

/**
 * SondeEdit: one change that somebody made to a run; strings are owned
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
  SondeMessage *warning;
} SondeEdit;

SondeEdit *sonde_edit_copy (const SondeEdit *edit);
void sonde_edit_free (SondeEdit *edit);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeEdit, sonde_edit_free)

/* The static text of a kind; "set" for what is none. */
const char *sonde_edit_kind (const char *kind);

/**
 * SondeComparison: of a tensor a with a reference b
 * @count: elements
 * @differing: of them, those that are not the same number; NaN is the same as NaN, -0 as 0
 * @nan_mismatch: of those, the ones where one is NaN and the other is not
 * @max_abs: largest |a - b|; infinity where one is infinite and the other another number. Elements
 * of
 *   @nan_mismatch are left out; so they are of the means
 * @max_rel: largest |a - b| / |b|; elements with b = 0 are left out (@max_abs has them)
 * @mean_abs: mean of |a - b|
 * @rms: square root of the mean of (a - b)²
 * @cosine: cosine of the angle between both, over the elements that are finite in both: 1 when both
 *   are zero everywhere, 0 when one of them is
 * @max_reference: largest finite |b|
 * @max_ulp: largest number of steps from one representable number to the next between a and b; NaN
 *   unless both are the same type of float, one that kernels calculate with
 * @index: row-major index of the element that is furthest off: the first of @nan_mismatch, else the
 *   first with @max_abs; -1 when nothing differs
 * @a, @b: the numbers there
 */
typedef struct
{
  guint64 count, differing, nan_mismatch;
  double max_abs, max_rel, mean_abs, rms, cosine, max_reference, max_ulp;
  gint64 index;
  double a, b;
} SondeComparison;

/**
 * SondeDifference: one value of two runs, or two values of one, side by side; strings are owned
 * @value: its name, or both as they were asked for
 * @node, @op: (nullable): what makes it
 * @place: (nullable): of the element that is furthest off, as "[0, 2]"
 * @a, @b: statistics of both; @b is the reference
 * @problem: (nullable): why they could not be compared; the numbers are not valid then
 */
typedef struct
{
  char *value;
  char *node;
  char *op;
  char *place;
  SondeDtype dtype;
  SondeShape shape;
  SondeComparison comparison;
  SondeStatistics a, b;
  SondeMessage *problem;
} SondeDifference;

void sonde_difference_free (SondeDifference *difference);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeDifference, sonde_difference_free)

/**
 * SondeBranch: one branch of what is debugged; strings are owned
 * @number: from 1; @parent: that it came from, 0 of the first
 * @name: "branch 2" unless it was given
 * @text: the command that made it
 * @current: it is the one that runs
 * @position, @n_steps, @node: where it stands; @node: "" at its end
 * @bytes: memory that it takes
 */
typedef struct
{
  guint number, parent;
  char *name;
  char *text;
  gboolean current;
  guint position, n_steps;
  char *node;
  guint64 bytes;
} SondeBranch;

void sonde_branch_clear (SondeBranch *branch); /* frees what it holds */
void sonde_branch_free (SondeBranch *branch);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeBranch, sonde_branch_free)

/**
 * SondeRerunOptions: how a node is to be run once more; zero-initialise
 * @node: its name, or that of a value it makes; of the executed graph, or of the body in which the
 * run stands
 * @precision: (nullable): what it computes in: "f64", "f32", "bf16", "f16" or NumPy's names; NULL:
 * as in the run
 * @device: (nullable): NULL: that of the run, for f64 "reference"
 * @take: the results take the place of the run's, which goes on with them
 */
typedef struct
{
  const char *node;
  const char *precision;
  const char *device;
  gboolean take;
} SondeRerunOptions;

G_END_DECLS
