/* SPDX-License-Identifier: Apache-2.0
 * What an operator is: one const row with its arity, attributes, shape rule, gradient, cost and
 * plain reference kernel, dependency rule and what passes go by. One folder a family; the build joins
 * the tables of their files (meson.build). A further operator is one more row. What does not live here: fast kernels (engine/devices), order and
 * memory (engine/plan). */
#pragma once

#include "data/graph/sonde-family.h"
#include "data/graph/sonde-graph.h"
#include "engine/ops/sonde-engine-error.h"
#include "engine/ops/sonde-op-id.h"

G_BEGIN_DECLS

/* Domain of our own operators: gradients, losses, optimiser updates, and what operators of other
 * domains become. Their forms: docs/operators.md, and the head of the file of each row. */
#define SONDE_DOMAIN "sonde"

typedef struct _SondeOpClass SondeOpClass;

/**
 * SondeAttributeRule: one attribute an operator knows
 * @required: must be there
 * @minimum, @maximum: of an INT or each of INTS; both 0: any
 * @choices: (nullable) (array zero-terminated=1): allowed strings
 */
typedef struct
{
  const char *name;
  SondeAttributeKind kind;
  gboolean required;
  gint64 minimum, maximum;
  const char *const *choices;
} SondeAttributeRule;

/**
 * SondeInferContext: shape and type inference of one node
 * @inputs: types as far as known (kind NONE for absent inputs)
 * @known: host value of an input when it is known before the run (constants, small integer
 *   tensors), else NULL
 * @outputs: (out): to be filled; starts as unknown
 * @known_outputs: (out): may be set (new reference) for small integer outputs, so that shape
 *   computations fold
 */
typedef struct
{
  const SondeNode *node;
  guint n_inputs;
  const SondeType *inputs;
  SondeTensor *const *known;
  guint n_outputs;
  SondeType *outputs;
  SondeTensor **known_outputs;
} SondeInferContext;

/**
 * SondeKernelContext: one call of a reference kernel
 * @inputs: contiguous tensors; NULL for absent inputs
 * @outputs: contiguous tensors of the inferred type, not initialised; NULL for unused outputs.
 * @seed, @step: for random operators: the value of an element is a hash of (seed, node name, step,
 *   element index), the same on every thread count and device
 * @prepared: what the row's @prepare made of the node; NULL for rows without, or when it could not
 */
typedef struct
{
  const SondeNode *node;
  guint n_inputs;
  SondeTensor *const *inputs;
  guint n_outputs;
  SondeTensor **outputs;
  guint64 seed, step;
  gconstpointer prepared;
} SondeKernelContext;

/**
 * SondeValueContext: one call of a kernel of values
 * @inputs: NULL for absent ones; tensors in them are contiguous
 * @outputs: (out): a new reference for every output that is named, NULL for the others
 * @seed, @step: as in SondeKernelContext
 */
typedef struct
{
  const SondeNode *node;
  guint n_inputs;
  SondeValue *const *inputs;
  guint n_outputs;
  SondeValue **outputs;
  guint64 seed, step;
} SondeValueContext;

/**
 * SondeGradientContext: builds the gradient of one node as ordinary nodes
 * @graph: extended by the rule (see engine/ops/sonde-build.h)
 * @output_gradients: value of d(target)/d(output k), or NULL when none flows
 * @wanted: which inputs need a gradient
 * @input_gradients: (out): to be filled for wanted inputs; NULL stays for "no dependence"
 * @by_decomposition: (out): set by a rule that cannot do what is wanted here: the row's @decompose serves
 * instead
 */
typedef struct
{
  SondeGraph *graph;
  SondeNode *node;
  SondeGraphValue *const *output_gradients;
  const gboolean *wanted;
  SondeGraphValue **input_gradients;
  gboolean by_decomposition;
} SondeGradientContext;

/**
 * SondeCost: of one execution
 * @flops: multiply and add count as two; @bytes_read, @bytes_written: of the plain tensors
 */
typedef struct
{
  double flops, bytes_read, bytes_written;
} SondeCost;

typedef enum
{
  SONDE_OP_NONE = 0,
  /* output element i depends on input element i only; keeps layouts */
  SONDE_OP_ELEMENTWISE = 1 << 0,
  /* output 0 may share input 0's memory, if their shapes are equal and no other input of the node
   * is the same value */
  SONDE_OP_IN_PLACE = 1 << 1,
  SONDE_OP_RANDOM = 1 << 2,
  SONDE_OP_DYNAMIC = 1 << 3, /* output sizes depend on values: has @compute_values */
  SONDE_OP_VIEW = 1 << 4,    /* output 0 is input 0's bytes with another shape */
  /* runs subgraphs (If, Loop, Scan): by the plan, there is no kernel */
  SONDE_OP_CONTROL = 1 << 5,
  /* the kernel takes float16 and bfloat16 as they are; rows of the families SHAPE and DATA do so
   * anyway */
  SONDE_OP_RAW_HALF = 1 << 6,
  /* each output may share the memory of a weight or state that it is the next one of: element i is
   * read before it is written, and never after that */
  SONDE_OP_UPDATES = 1 << 7,
} SondeOpFlags;

/* One question for the elements that an output element is made of: sonde-op-dependency-rules.h. */
typedef struct _SondeReachContext SondeReachContext;
/* FALSE: it cannot tell, everything is reached; what it added before does not count. */
typedef gboolean SondeReachRule (SondeReachContext *context);

/**
 * SondeOpReach: the dependency rule of a row
 * @rule: required (sonde_reach_everything where nothing nearer is known); NULL in rows with
 *   SONDE_OP_ELEMENTWISE means sonde_reach_elementwise
 * @mask: for the rule: which inputs, or how many dimensions
 */
typedef struct
{
  SondeReachRule *rule;
  guint mask;
} SondeOpReach;

/* How the element types of a node's operands and results hang together, for passes that compute in
 * another precision. Every row says it.
 * OWN: each has its own, or nobody may change it.
 * UNIFORM: results have the type of the float operands; other operands have that type or none of
 *   floats. Models of float16 may run it in float32.
 * LEADING (n): the first n inputs and the results have one type. */
#define SONDE_TYPING_OWN 0x100u
#define SONDE_TYPING_UNIFORM 0x200u
#define SONDE_TYPING_LEADING(n) (0x400u | (n))
#define SONDE_TYPING_ALL 0xffu

/* Facts of operators that passes, searches and explanations go by. */
typedef enum
{
  SONDE_TRAIT_NONE = 0,
  /* every number an output element is made of (@reach), when it is NaN, makes that NaN, and an
   * infinite one makes it NaN or infinite */
  SONDE_TRAIT_STRICT = 1 << 0,
  /* what users call an activation: output 0 belongs to the values "activation" */
  SONDE_TRAIT_ACTIVATION = 1 << 1,
  /* elements of output 0 are elements of input 0; further inputs only say which and where */
  SONDE_TRAIT_MOVES = 1 << 2,
  /* and each of them occurs once */
  SONDE_TRAIT_PERMUTES = 1 << 3,
  /* between convolutions and products in bfloat16 it is computed in that type, too, if its first
   * input (ALL: all of them) has it; TRAINING: only in a training */
  SONDE_TRAIT_AUTOCAST = 1 << 4,
  SONDE_TRAIT_AUTOCAST_ALL = 1 << 5,
  SONDE_TRAIT_AUTOCAST_TRAINING = 1 << 6,
  /* the first two inputs may change places */
  SONDE_TRAIT_COMMUTES = 1 << 7,
  /* no element of output 0 is below 0; KEEPS: where none of input 0 is. Said of what layer-wise
   * relevance meets; where it is not set, nothing is known */
  SONDE_TRAIT_POSITIVE = 1 << 8,
  SONDE_TRAIT_KEEPS_POSITIVE = 1 << 9,
  /* constants of two dimensions and more that it reads are weights of a layer */
  SONDE_TRAIT_WEIGHTS = 1 << 10,
} SondeOpTraits;

/**
 * SondeOpCause: why a result of good operands is NaN or infinite
 * @input: whose element it is
 * @explains: whether @number, that element, does; @other: the element beside it, of the other input
 *   of a binary operator
 * @message: its id (data/base/sonde-text.h); takes the element: "division by 0 at %s"
 */
typedef struct
{
  guint input;
  gboolean (*explains) (double number, double other);
  const char *message;
} SondeOpCause;

/* How attribution methods go back through a node where they do not take its gradient. */
typedef enum
{
  SONDE_ATTRIBUTION_GRADIENT = 0, /* LRP: no way through */
  SONDE_ATTRIBUTION_ACTIVATION,   /* DeepLift: rescale; LRP: relevance passes */
  SONDE_ATTRIBUTION_NONLINEAR,    /* DeepLift: rescale; LRP: no way through */
  SONDE_ATTRIBUTION_WEIGHTED,     /* linear in its first input, by weights */
  SONDE_ATTRIBUTION_MATMUL,       /* as WEIGHTED, or of two inputs that vary */
  SONDE_ATTRIBUTION_PRODUCT,      /* linear in each of two inputs */
  SONDE_ATTRIBUTION_QUOTIENT,
  SONDE_ATTRIBUTION_SUM,
  SONDE_ATTRIBUTION_LINEAR, /* linear in its one input, without weights */
  SONDE_ATTRIBUTION_NORMALISATION,
  SONDE_ATTRIBUTION_MOVE, /* moves or selects elements: relevance goes where the gradient does */
  SONDE_ATTRIBUTION_MAX_POOL, /* as MOVE; DeepLift shares between the winners of both runs */
  SONDE_N_ATTRIBUTION_CLASSES
} SondeAttributionClass;

/**
 * SondeOpClass:
 * @domain, @name: "" is ai.onnx
 * @since: lowest opset version this row's form serves after legalisation
 * @max_inputs, @max_outputs: -1 for any number
 * @attributes: (nullable): table ended by a NULL name
 * @infer: required. Errors: SONDE_ENGINE_ERROR_SHAPE, one sentence without the node's name (added
 *   by the pass)
 * @compute: required unless @compute_values: cannot fail, shapes were checked when the plan was
 * made
 * @compute_values: (nullable): instead of @compute, for operands that are sequences, optionals,
 *   maps or strings, and for outputs whose sizes depend on values; may fail: SHAPE, INVALID, one
 *   sentence without the node's name. A row with both gets here when an operand is no tensor
 * @check: (nullable): what only values can tell wrong (an index out of range), asked before
 *   @compute. Errors: INVALID, one sentence without the node's name
 * @gradient: (nullable): NULL: that of @decompose; without it not differentiable (gradient zero for
 *   integer outputs, else an error)
 * @cost: (nullable): NULL: bytes of inputs and outputs, no flops
 * @decompose: (nullable): makes outputs of the node again by other nodes, all of which have
 *   gradients, appended in an order in which they can run. The gradient pass goes back through
 *   these where there is no better rule. Needed are the outputs with output_gradients. @outputs:
 *   (out) (array): the new values, NULL for those that are not made
 * @count_parts: (nullable): how many items @compute_part can make, each without the others; -1: for
 * these operands only
 *   @compute will do. @cost: (out): elements touched for one item
 * @compute_part: (nullable): @compute for the items @begin to before @end; what it makes of an item
 *   does not depend on the part, so that a device may run parts on its threads. Not for strings
 * @prepare: (nullable): what @compute and @compute_part want to know of the node's attributes, made
 *   once when a kernel of it is: @prepared of their context, which several threads may read at a
 *   time. Returns: (transfer full) (nullable)
 * @prepared_free: required with @prepare; takes NULL
 * @shape_only: bit k (bit 31: all from 31 on): of input k only the type is looked at; its bytes may
 *   be gone when the node runs, and kernels get a tensor that must not be read. The planner may end
 *   the value's life earlier.
 * @reach: see SondeOpReach; @typing: required, one of SONDE_TYPING_*; @traits: of SondeOpTraits
 * @changes_nothing: (nullable): @node, whose output 0 has the type of its input 0, does not change
 *   the elements either: readers of the output may read the input
 * @attribution: see SondeAttributionClass
 * @causes: (nullable): in the order in which they are tried, ended by a NULL message
 * @id: NONE: nobody asks for it by itself
 */
struct _SondeOpClass
{
  const char *domain;
  const char *name;
  int since;
  int min_inputs, max_inputs, min_outputs, max_outputs;
  guint flags;
  SondeFamily family;
  const SondeAttributeRule *attributes;
  gboolean (*infer) (SondeInferContext *context, GError **error);
  void (*compute) (const SondeKernelContext *context);
  gboolean (*compute_values) (const SondeValueContext *context, GError **error);
  gboolean (*check) (const SondeKernelContext *context, GError **error);
  gboolean (*gradient) (SondeGradientContext *context, GError **error);
  void (*cost) (const SondeInferContext *context, SondeCost *cost);
  gboolean (*decompose) (SondeGradientContext *context, SondeGraphValue **outputs, GError **error);
  guint shape_only;
  gint64 (*count_parts) (const SondeKernelContext *context, gint64 *cost);
  void (*compute_part) (const SondeKernelContext *context, gint64 begin, gint64 end);
  gpointer (*prepare) (const SondeNode *node);
  void (*prepared_free) (gpointer prepared);
  SondeOpReach reach;
  guint typing;
  guint traits;
  gboolean (*changes_nothing) (const SondeNode *node);
  SondeAttributionClass attribution;
  const SondeOpCause *causes;
  SondeOpId id;
};

/* ONNX's numbers of element types (TensorProto.DataType); INVALID and 0 where there is none. */
SondeDtype sonde_dtype_from_onnx (gint64 number);
gint64 sonde_dtype_to_onnx (SondeDtype dtype);

/* The row of an operator in its current form, or NULL. */
const SondeOpClass *sonde_op_table_find (const char *domain, const char *name);

/* The row of @node's operator, or NULL for one without. The node keeps it, so that only the first
 * question looks it up; from any thread. */
const SondeOpClass *sonde_op_of_node (const SondeNode *node);
/* Whether @node is that operator; FALSE for NULL. @id: not NONE. From any thread. */
static inline gboolean
sonde_node_is (const SondeNode *node, SondeOpId id)
{
  const SondeOpClass *klass = node != NULL ? sonde_op_of_node (node) : NULL;

  return klass != NULL && klass->id == id;
}

/* What @value is in every run: its own constant, or that of the value it captures. (nullable)
 * (transfer none) */
SondeValue *sonde_fixed_value (const SondeGraphValue *value);

/* All rows, for tests and `sonde check`. Returns: (transfer container): free with g_free() */
const SondeOpClass **sonde_op_table_list (gsize *n);

/**
 * sonde_op_check_node:
 *
 * Arity, attribute names, kinds and ranges of @node against its row.
 * @problems: (element-type SondeMessage): one sentence each is appended, naming the node
 * Returns: no problem was found.
 */
gboolean sonde_op_check_node (const SondeNode *node, GPtrArray *problems);
/* Sets @error to INVALID with all problems, each a line. */
void sonde_op_set_problems (GError **error, const GPtrArray *problems);

/**
 * sonde_op_infer_node:
 * @known: (array) (nullable): host values of the inputs as far as known; NULL: of CONSTANT ones
 * only
 * @outputs: (out): one type per output of @node; unknown stays unknown
 * @known_outputs: (out) (array) (nullable): as in SondeInferContext; starts as NULLs
 *
 * Runs the shape rule of @node on the types that its input values have now, without storing
 * anything.
 * Errors: UNSUPPORTED for an operator without row; SHAPE, naming node and input types.
 */
gboolean sonde_op_infer_node (const SondeNode *node, SondeTensor *const *known, SondeType *outputs,
                              SondeTensor **known_outputs, GError **error);

/* The kernel takes float16 and bfloat16 as they are: RAW_HALF, and rows that only move elements. */
static inline gboolean
sonde_op_takes_half (const SondeOpClass *klass)
{
  return (klass->flags & SONDE_OP_RAW_HALF) != 0 || klass->family == SONDE_FAMILY_SHAPE
         || klass->family == SONDE_FAMILY_DATA;
}

/* What @klass's @check says, with the node's name; TRUE without one. */
gboolean sonde_op_check_values (const SondeOpClass *klass, const SondeKernelContext *context,
                                GError **error);

/* What @klass prepares for @node; NULL without. */
gpointer sonde_op_prepare (const SondeOpClass *klass, const SondeNode *node);
void sonde_op_prepared_free (const SondeOpClass *klass, gpointer prepared);

/* Runs @klass's kernel; float16 and bfloat16 tensors are computed in float32 and rounded once. A
 * context without @prepared gets it for this call. */
void sonde_op_compute (const SondeOpClass *klass, const SondeKernelContext *context);

/* Allocates outputs by @infer and computes one node alone from plain inputs: the reference.
 * @outputs: (out): n_outputs new references. Errors: SHAPE, UNSUPPORTED, naming the node. */
gboolean sonde_op_run_reference (const SondeNode *node, SondeTensor *const *inputs, guint n_inputs,
                                 SondeTensor **outputs, guint n_outputs, GError **error);

/* The same for any values: rows with @compute get and give tensors. @inputs: NULL for absent ones.
 * Errors: also those of @compute_values; UNSUPPORTED for SONDE_OP_CONTROL. */
gboolean sonde_op_run_reference_values (const SondeNode *node, SondeValue *const *inputs,
                                        guint n_inputs, guint64 seed, guint64 step,
                                        SondeValue **outputs, guint n_outputs, GError **error);

G_END_DECLS
