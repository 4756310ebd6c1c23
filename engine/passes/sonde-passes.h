/* SPDX-License-Identifier: Apache-2.0
 * Graph -> graph, one file a pass. Passes rewrite the executed graph in place; the original stays
 * untouched beside it, and every rewritten node names its origins. */
#pragma once

#include "engine/ops/sonde-op.h"

G_BEGIN_DECLS

/**
 * sonde_pass_check:
 *
 * Everything that can be known wrong before running: unknown operators, arity, attributes, values
 * nobody makes, cycles, duplicate names.
 * @problems: (element-type SondeMessage): at most 1,000 sentences, each with the node's name
 * Returns: no problem.
 */
gboolean sonde_pass_check (SondeGraph *graph, GPtrArray *problems);

/* The functions of the model that @graph belongs to, as sonde_function_of_node() wants them; they
 * are borrowed.
 * Returns: (transfer full) */
GHashTable *sonde_functions_by_name (const SondeGraph *graph);

/* The function of the model that @node calls: by domain, name, overload. In the domains that Sonde
 * implements, its own operators win. Returns: (nullable) */
SondeFunction *sonde_function_of_node (GHashTable *functions, const SondeNode *node);

/**
 * sonde_pass_inline:
 *
 * Replaces every node that calls a function of the model by the function's body, in subgraphs too,
 * until no call is left; then the graph has no functions any more. Attributes that refer to the
 * caller's get its value, or the default, or go; inputs that a call leaves out are absent inside.
 * Versions are those that the function imports. What a node called "call" contains is named
 * "call/inner" and lies in that scope; its origin is the call.
 * Errors: INVALID, before anything is changed: a function that calls itself (naming the cycle),
 * calls more than 100 deep, graphs more than 32 deep in each other, more than 200,000 nodes;
 * SONDE_DATA_ERROR_LIMIT: more than 1 GiB of nodes. The graph is then of no use any more.
 */
gboolean sonde_pass_inline (SondeGraph *graph, GError **error);

/* Has a row, or is legalised into operators that have: what sonde_pass_legalise() does not
 * refuse. */
gboolean sonde_pass_knows_operator (const char *domain, const char *op);

/* Old opset forms -> the current one; records provenance. Errors: UNSUPPORTED listing every
 * operator that has no row (name, domain, version, number of nodes). */
gboolean sonde_pass_legalise (SondeGraph *graph, GError **error);

/**
 * sonde_pass_expand_gradient:
 * @graph: legalised
 *
 * Replaces nodes Gradient (xs, zs, y) of ai.onnx.preview.training by what sonde_pass_gradient()
 * makes. Their inputs must be the values that xs and zs name. Errors: UNSUPPORTED, INVALID, naming
 * the node.
 */
gboolean sonde_pass_expand_gradient (SondeGraph *graph, GError **error);

/**
 * SondeBinding: what is known of the inputs when a plan is made
 */
typedef struct
{
  const char *name; /* graph input */
  SondeType type;
} SondeBinding;

/**
 * sonde_pass_infer:
 * @bindings: (array length=n_bindings) (nullable): actual types of inputs; must agree with the
 *   declared ones. A symbol that two of them contradict holds for the first, which is said once as
 *   a message; so is the declared size of an output that its node contradicts
 *
 * Shapes and types of every value, symbolic dimensions bound; small integer tensors are computed on
 * the way. May run again with other bindings: a bound dimension keeps its symbol beside its size.
 * Errors: SHAPE with node, value and both shapes.
 */
gboolean sonde_pass_infer (SondeGraph *graph, const SondeBinding *bindings, guint n_bindings,
                           GError **error);

/* Computes nodes whose inputs are all CONSTANT (parameters, inputs and state may change). The nodes
 * go, their outputs stay under their names with role CONSTANT, so they stay positions of the
 * original graph. */
gboolean sonde_pass_fold (SondeGraph *graph, GError **error);

/* The same, but DequantizeLinear of large constants stays, so that sonde_pass_quantise() can take
 * the integers; what it leaves is folded afterwards. */
gboolean sonde_pass_fold_but_weights (SondeGraph *graph, GError **error);

/* Shape and Size of values whose sizes are known become constants: the graph is then only good for
 * the bindings that it was inferred with. Before sonde_pass_fold(). */
gboolean sonde_pass_fold_sizes (SondeGraph *graph, GError **error);

typedef gboolean (*SondeOperatorFunc) (const char *domain, const char *op);

/* Nodes that their rows take apart become what those make, but for operators that @stays holds for; values
 * keep their names. For writing other formats; types must be known, and are to be inferred anew.
 * Errors: UNSUPPORTED, naming the node and what had to be known. */
gboolean sonde_pass_decompose (SondeGraph *graph, SondeOperatorFunc stays, GError **error);

/* Removes nodes that no output (or update) needs. */
void sonde_pass_dce (SondeGraph *graph);
/* The same, but what makes values of the outermost graph with these names stays, as far as they are
 * there.
 * @names: (element-type utf8) */
void sonde_pass_dce_keeping (SondeGraph *graph, GPtrArray *names);

/**
 * sonde_pass_quantise:
 * @graph: legalised, inferred, folded; @original: what it was made from, for integers that became
 * floats
 *
 * Convolutions between DequantizeLinear and QuantizeLinear become QLinearConv; the values between
 * are then no longer in the graph. For runs in which nobody looks at them.
 */
gboolean sonde_pass_quantise (SondeGraph *graph, const SondeGraph *original, GError **error);

/**
 * sonde_pass_quantise_kept:
 * @kept: (array zero-terminated=1) (nullable): names of values that are wanted; others that nobody
 * reads any more go
 *
 * For runs in which values are looked at, but not changed: every value of @graph stays, and a
 * convolution of dequantised data and weights reads DequantizeLinear nodes of its own, so that a
 * device can run it on the integers.
 */
gboolean sonde_pass_quantise_kept (SondeGraph *graph, const SondeGraph *original,
                                   const char *const *kept, GError **error);

/**
 * sonde_pass_fuse:
 * @graph: legalised, inferred, folded
 *
 * Chains of plain operators become the operator of the standard that means the same:
 * normalisations, Gelu and others of the table in docs/engine.md. The values between are then no
 * longer in the graph, but no chain is taken of which another node or an output wants one. For runs
 * in which nobody looks at them. Errors: of sonde_graph_sort()
 */
gboolean sonde_pass_fuse (SondeGraph *graph, GError **error);

/* Squeeze behind a convolution goes behind functions of single elements, sums and products with
 * constants and global pools; the values before it are then others. For runs in which nobody looks
 * at them. Errors: of sonde_graph_sort() */
gboolean sonde_pass_sink_squeeze (SondeGraph *graph, GError **error);

/* Readers of what an Identity makes, or another node that changes nothing at these sizes, read its
 * input; the node stays, to be looked at. Types must be known. */
void sonde_pass_forward_identity (SondeGraph *graph);

/**
 * sonde_pass_autocast:
 * @graph: legalised, inferred, folded
 *
 * Convolutions in bfloat16 with float32 sums, and what lies between them; casts are nodes. The
 * original float32 values that are still read are made from the bfloat16 ones. Weights become
 * constants.
 */
gboolean sonde_pass_autocast (SondeGraph *graph, GError **error);

/**
 * sonde_pass_mix:
 * @graph: legalised, inferred; what a training is made of, before the gradient pass
 *
 * Mixed precision: convolutions and products of matrices read and give bfloat16, with float32 sums,
 * and so does what lies between them as far as it selects, moves, adds, scales or normalises by
 * batch. Parameters stay float32, a Cast makes their bfloat16 in every step, and by its gradient
 * rule their gradients are float32 again. Statistics, other normalisations, Softmax, losses and
 * sums over axes stay float32. Values keep names and types: what was "V" is made from "V_bf16"
 * where something still reads it. Errors: of sonde_graph_sort()
 */
gboolean sonde_pass_mix (SondeGraph *graph, GError **error);

/**
 * sonde_pass_upcast:
 * @graph: legalised, inferred, folded
 *
 * Operators on float16 compute in float32 without rounding between them; inputs and outputs of the
 * graph stay float16. What overflows float16 inside does not overflow then: for runs nobody looks
 * into. Values that nobody reads any more go.
 */
gboolean sonde_pass_upcast (SondeGraph *graph, GError **error);

/**
 * sonde_pass_insert_casts:
 * @graph: legalised, inferred, folded; a training's too, gradients and updates included
 * @to: bfloat16, float16 or float64
 * @kept: (nullable): set of names of nodes that stay float32
 * @cast: (out) (optional) (element-type utf8): names of the nodes that compute in @to, in order;
 * @graph's own
 *
 * Every node that may computes in @to instead of float32: its operands are converted where another
 * did not make them so, each result is rounded to it. Values keep names and types, also where
 * nobody reads them any more: "V" is made from "V_bfloat16". Parameters and states stay float32 and
 * are converted in every run. Operators without a form in @to, losses, updates and bodies of
 * control nodes stay as they are. Errors: of sonde_graph_sort()
 */
gboolean sonde_pass_insert_casts (SondeGraph *graph, SondeDtype to, GHashTable *kept,
                                  GPtrArray *cast, GError **error);

/**
 * SondeGradientRule: another rule than the operator's own, for nodes that match all of
 * @domain, @op: (nullable): any; @node: (nullable): a glob of node names; any
 * @name: what the nodes it makes say of their origin, beside "gradient of node N, input k"
 * @build: required; as SondeOpClass.gradient, with @data
 */
typedef struct
{
  const char *domain, *op, *node;
  const char *name;
  gboolean (*build) (SondeGradientContext *context, gpointer data, GError **error);
  gpointer data;
} SondeGradientRule;

/**
 * SondeGradientRequest: what to differentiate; zero-initialise
 * @targets: (array length=n_targets): scalars, or any float values; several are summed
 * @seeds: (nullable) (array length=n_targets): d/d(target) of each, of its shape; NULL entries:
 * ones
 * @with_respect_to: (array length=n): values of the graph (parameters, inputs, any inside) whose
 * gradients are wanted
 * @stop: (nullable) (array length=n_stop): values, also of bodies, that count as constants: nothing
 *   flows to what they were made from
 * @rules: (nullable) (array length=n_rules): the first that matches a node, in bodies too, is taken
 */
typedef struct
{
  SondeGraphValue *const *targets;
  SondeGraphValue *const *seeds;
  guint n_targets;
  SondeGraphValue *const *with_respect_to;
  guint n;
  SondeGraphValue *const *stop;
  guint n_stop;
  const SondeGradientRule *rules;
  guint n_rules;
} SondeGradientRequest;

/**
 * sonde_pass_gradient_of:
 * @graph: legalised and inferred, without calls of functions
 * @gradients: (out): request->n values, named "grad(V)"; a value that no target depends on gets
 * zeros
 *
 * Appends nodes of phase BACKWARD, provenance "gradient of node N, input k", only those that the
 * wanted gradients need. Several paths are summed in the order of the users' ids. Sizes that are
 * still symbols stay so: one gradient graph serves every batch size. A rule may add outputs to a
 * forward node (batch statistics, log-probabilities) that its gradient reads.
 *
 * The gradient of an If is an If with the same condition; of a Loop or Scan a Scan over its
 * iterations, the last first, as many as there were. Their bodies read what the forward bodies
 * made: If, Loop and Scan get outputs "saved(V)", of loops with one entry an iteration, as a
 * sequence where sizes may change from iteration to iteration. What a body captures gets the sum
 * over all iterations.
 *
 * Errors: UNSUPPORTED naming the first operator without gradient on a needed path, and the path;
 * SHAPE for a target that is not float. @graph is then half extended.
 */
gboolean sonde_pass_gradient_of (SondeGraph *graph, const SondeGradientRequest *request,
                                 SondeGraphValue **gradients, GError **error);

/* The same of one target. @target_gradient: (nullable): its seed */
gboolean sonde_pass_gradient (SondeGraph *graph, SondeGraphValue *target,
                              SondeGraphValue *target_gradient,
                              SondeGraphValue *const *with_respect_to, guint n,
                              SondeGraphValue **gradients, GError **error);

/**
 * SondeRematerialiseRequest:
 * @budget: bytes that a step may take
 * @measure: required: the peak of @graph in bytes, as it would be planned; @graph is the pass's own
 *   copy, or the graph itself, and stays as it is
 */
typedef struct
{
  guint64 budget;
  gboolean (*measure) (SondeGraph *graph, guint64 *peak, gpointer data, GError **error);
  gpointer data;
} SondeRematerialiseRequest;

/**
 * sonde_pass_rematerialise:
 * @graph: a training graph, its sizes known: forward, backward and optimiser nodes
 * @peak: (out): what it then takes; on MEMORY the least that was found
 *
 * Time for memory: as long as the peak is above the budget, forward values that the backward phase
 * reads are dropped and computed again there, by clones of their nodes called "recompute(NODE)",
 * whose origin is the node and which give "recompute(V)". First those that take no products, then
 * all but each n-th one. Results stay equal: a clone computes the same from the same. What random
 * numbers, control nodes, or nodes of open sizes make is kept. Nothing changes where the graph fits
 * as it is. Errors: MEMORY, with the peak and what would lower it; of measuring.
 */
gboolean sonde_pass_rematerialise (SondeGraph *graph, const SondeRematerialiseRequest *request,
                                   guint64 *peak, GError **error);

G_END_DECLS
