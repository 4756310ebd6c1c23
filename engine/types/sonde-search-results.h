/* SPDX-License-Identifier: Apache-2.0
 * What the debugger's searches find, as values: where a bad number comes from, where two runs
 * diverge, which nodes need float32, a small model that still fails. The searches are engine/debug
 * (sonde-origin.h, sonde-diverge.h, sonde-precision.h, sonde-reduce.h). */
#pragma once

#include "data/base/sonde-message.h"
#include "data/graph/sonde-graph.h"

G_BEGIN_DECLS

/**
 * SondeOriginLink: one element of the chain; all owned
 * @node, @op: (nullable): what made it, as in the session's own model; NULL of inputs, parameters,
 * constants
 * @value: its name, as in the executed graph
 * @shape, @element: place, row-major
 * @iteration: of the loop whose body it lies in, -1 outside
 * @step: training step (or run), see SondeStop
 */
typedef struct
{
  char *node, *op, *value;
  SondePhase phase;
  SondeShape shape;
  gint64 element;
  gint64 iteration;
  double number;
  guint64 step;
} SondeOriginLink;

void sonde_origin_link_free (SondeOriginLink *link);

/**
 * SondeOrigin:
 * @chain: (element-type SondeOriginLink): from the element that was asked for to the earliest bad
 * one
 * @first_bad_node: (nullable): NULL when an input, parameter or constant was bad
 * @cause: one sentence: "log of 0 at h[3, 7] = 0"
 * @cause_value: (nullable): the element of an input of the first bad node that is to blame, with
 * @cause_shape, @cause_element,
 *   @cause_number
 * @executed_node: (nullable): name of the first bad node in the executed graph, or of the node in
 *   whose body it lies; NULL when it was folded
 * @step: training step (or run) in which it was asked, see SondeStop; the links say where it leads
 */
typedef struct
{
  GPtrArray *chain;
  char *first_bad_node;
  SondeMessage *cause;
  char *cause_value;
  SondeShape cause_shape;
  gint64 cause_element;
  double cause_number;
  char *executed_node;
  guint64 step;
} SondeOrigin;

void sonde_origin_free (SondeOrigin *origin);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeOrigin, sonde_origin_free)

/**
 * SondeDivergedValue: one value, with the node of the debugged run that makes it
 * @node, @op, @value: names; owned
 * @reference: (nullable): name on the other side, where it is another
 * @own_error: largest difference that the node makes on the debugged side's kernels and weights
 *   when it reads what the reference read. Where the reference lacks what it reads, that is
 *   computed from the nearest values that it has. Infinity where one side is NaN or infinite and
 *   the other is not, and for other sizes; NaN: cannot be said
 * @inherited_error: largest difference as both ran: of all nodes up to here
 * @largest: largest |number| of the reference
 * @tolerance: rtol × @largest
 * @over: @own_error is above the tolerance; of an own error that cannot be said: the other one is
 * @n_fused: nodes that the step stands for, 1 of one alone
 * @n_nodes: nodes between the nearest reference values and this one, 1 where all that it reads is
 * known
 * @index: row-major index of the element with @own_error, -1: none; @number, @wanted: there
 * @made_by: (nullable) (array zero-terminated=1): of a gradient in a step of another program: the
 *   modules whose backward makes it
 */
typedef struct
{
  char *node, *op, *value, *reference;
  SondePhase phase;
  double own_error, inherited_error, largest, tolerance;
  gboolean over;
  guint n_fused, n_nodes;
  gint64 index;
  SondeShape shape;
  double number, wanted;
  char **made_by;
} SondeDivergedValue;

/**
 * SondeDivergence:
 * @values: (element-type SondeDivergedValue): in the order of the debugged run
 * @unmatched: (element-type utf8): nodes of the debugged run of which the reference has no value
 * @unused: (element-type utf8): reference values that belong to none, of @tensors
 * @first: index in @values of the first that is over, -1: none
 *
 * Of a step of another program also:
 * @is_step: it is one
 * @n_weights: weights of the model that are the program's
 * @file_weights: (element-type utf8): those that are the model file's, having no counterpart
 * @absent: (element-type utf8): values of the step that could not be had: sentences of the program
 */
typedef struct
{
  GPtrArray *values, *unmatched, *unused;
  int first;
  gboolean is_step;
  guint n_weights;
  GPtrArray *file_weights, *absent;
} SondeDivergence;

SondeDivergence *sonde_divergence_new (void); /* with nothing in it */
void sonde_divergence_free (SondeDivergence *divergence);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeDivergence, sonde_divergence_free)

/**
 * SondePrecisionFound:
 * @reached: error with @kept; @lowest: with every node in @precision; both as @tolerance
 * @kept: (element-type utf8): nodes that stay float32, in order; without any one of them the
 * tolerance is not kept
 * @values: (element-type utf8): that were judged
 * @n_nodes: nodes that could compute in @precision
 * @n_runs: sets that were tried; @whole_runs: what that took, in runs of the whole graph: of each
 * only what changed ran
 */
typedef struct
{
  SondeDtype precision;
  double tolerance, reached, lowest;
  GPtrArray *kept, *values;
  guint n_nodes, n_runs;
  double whole_runs;
} SondePrecisionFound;

SondePrecisionFound *sonde_precision_found_new (void);
void sonde_precision_found_free (SondePrecisionFound *found);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondePrecisionFound, sonde_precision_found_free)

/**
 * SondeReducedCase: the files of a small model that fails as the run did; everything is owned
 * @model: its file
 * @names: (array zero-terminated=1): of its inputs; @files: (array zero-terminated=1): what they
 * were
 * @command: shows the failure
 * @node, @value: what fails, as in the session's model
 */
typedef struct
{
  char *model;
  char **names, **files;
  guint n_nodes;
  char *command;
  char *node, *value;
} SondeReducedCase;

void sonde_reduced_case_free (SondeReducedCase *reduced);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeReducedCase, sonde_reduced_case_free)

G_END_DECLS
