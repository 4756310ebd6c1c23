/* SPDX-License-Identifier: Apache-2.0
 * From the operators of TensorFlow to those of ONNX: one row an operator, whose function reads inputs
 * and attributes of the node that is open and emits nodes. A graph says no shapes: what is needed of
 * them is inferred from what was emitted.
 * What does not live here: what is common to all formats (data/models/lowering). */
#pragma once

#include "data/models/lowering/sonde-lowering-types.h"
#include "data/models/tensorflow/sonde-tensorflow-file.h"

G_BEGIN_DECLS

/* Nodes of a model, those of a function once for each time that it is called. */
#define SONDE_TENSORFLOW_MAX_NODES 200000u

typedef struct _SondeTensorflowLower SondeTensorflowLower;

/**
 * SondeTensorflowRow:
 * @inputs: least number of them
 * @to: (nullable): for @build: the operator of ONNX that does most of it
 * @build: emits, and ends with sonde_tensorflow_out() for every output
 */
typedef struct
{
  const char *op;
  guint inputs;
  void (*build) (SondeTensorflowLower *lower);
  const char *to;
} SondeTensorflowRow;

extern const SondeTensorflowRow sonde_tensorflow_elementwise_rows[]; /* each ends with NULL */
extern const SondeTensorflowRow sonde_tensorflow_arithmetic_rows[];
extern const SondeTensorflowRow sonde_tensorflow_window_rows[];
extern const SondeTensorflowRow sonde_tensorflow_image_rows[];
extern const SondeTensorflowRow sonde_tensorflow_matrix_rows[];
extern const SondeTensorflowRow sonde_tensorflow_reduce_rows[];
extern const SondeTensorflowRow sonde_tensorflow_shape_rows[];
extern const SondeTensorflowRow sonde_tensorflow_slice_rows[];
extern const SondeTensorflowRow sonde_tensorflow_join_rows[];
extern const SondeTensorflowRow sonde_tensorflow_index_rows[];
extern const SondeTensorflowRow sonde_tensorflow_scatter_rows[];
extern const SondeTensorflowRow sonde_tensorflow_quantise_rows[];
extern const SondeTensorflowRow sonde_tensorflow_function_rows[];
extern const SondeTensorflowRow sonde_tensorflow_variable_rows[];
extern const SondeTensorflowRow sonde_tensorflow_flow_rows[];
extern const SondeTensorflowRow sonde_tensorflow_list_rows[];

typedef enum
{
  SONDE_TENSORFLOW_UNSEEN,
  SONDE_TENSORFLOW_OPEN, /* its inputs are being lowered */
  SONDE_TENSORFLOW_MADE,
} SondeTensorflowState;

/* What became of a node. @refused: it does not fit, and every output is the first */
typedef struct
{
  SondeGraphValue **outputs;
  guint n_outputs;
  SondeTensorflowState state;
  gboolean refused;
} SondeTensorflowResult;

/**
 * SondeTensorflowLower: a graph or function that is being lowered
 * @to: what is emitted into
 * @results: by number of the node
 * @arguments: (nullable): of the function, in the order of its signature
 * @prefix: in front of all names: of the nodes that call this function
 * @node: @row: @number: the node that is open; @inputs: the values that it reads, @n_inputs of them
 * @first: it works with channels first, see sonde_tensorflow_choose_layout()
 * @rows: operator -> SondeTensorflowRow
 * @reserved: names that only inputs and outputs of the model have
 * @nodes_left: that may still be lowered, in all
 * @outer: (nullable): what calls this function
 */
struct _SondeTensorflowLower
{
  SondeLowering *to;
  SondeTensorflowFile *file;
  const SondeTensorflowBody *body;
  SondeTensorflowResult *results;
  SondeGraphValue *const *arguments;
  char *prefix;
  const Tensorflow__NodeDef *node;
  const SondeTensorflowRow *row;
  guint number;
  SondeGraphValue **inputs;
  guint n_inputs;
  gboolean first;
  GHashTable *rows, *reserved;
  guint *nodes_left;
  const SondeTensorflowLower *outer;
};

/* ---- of the open node ---------------------------------------------------- */

/* Value of input @k, with its type; an input that is not there is the last one. */
SondeGraphValue *sonde_tensorflow_in (SondeTensorflowLower *lower, guint k);
int sonde_tensorflow_in_rank (SondeTensorflowLower *lower, guint k); /* −1: not known */
SondeDtype sonde_tensorflow_in_dtype (SondeTensorflowLower *lower, guint k);
/* One number, of whatever rank, as a scalar. */
SondeGraphValue *sonde_tensorflow_in_scalar (SondeTensorflowLower *lower, guint k);
/* Integers as ONNX wants them: int64 of one dimension. */
SondeGraphValue *sonde_tensorflow_in_ints (SondeTensorflowLower *lower, guint k);
/* With channels first, of @rank dimensions. */
SondeGraphValue *sonde_tensorflow_in_first (SondeTensorflowLower *lower, guint k, int rank);

/* @value is output @k. */
void sonde_tensorflow_out (SondeTensorflowLower *lower, guint k, SondeGraphValue *value);
/* @value has channels first, which output @k has last. */
void sonde_tensorflow_out_first (SondeTensorflowLower *lower, guint k, SondeGraphValue *value);
/* @value, which has its name already, is output @k as well. */
void sonde_tensorflow_alias (SondeTensorflowLower *lower, guint k, SondeGraphValue *value);
/* Every output of a node that made as many. */
void sonde_tensorflow_out_all (SondeTensorflowLower *lower, SondeNode *node);

/* For operators that mean the same with channels first as with channels last: which it shall be for
 * the first @n inputs, so that changes of layout cancel; then inputs and outputs in that one. */
void sonde_tensorflow_choose_layout (SondeTensorflowLower *lower, guint n);
SondeGraphValue *sonde_tensorflow_in_any (SondeTensorflowLower *lower, guint k);
void sonde_tensorflow_out_any (SondeTensorflowLower *lower, guint k, SondeGraphValue *value);

/* The numbers of input @k where all of them are known, else NULL. (transfer full) */
gint64 *sonde_tensorflow_dup_ints (SondeTensorflowLower *lower, guint k, guint *n);
/* Numbers that have to be known now: FALSE or NULL after refusing the node. @what: a message id */
gint64 *sonde_tensorflow_need_ints (SondeTensorflowLower *lower, guint k, const char *what,
                                    guint *n);
gboolean sonde_tensorflow_need_int (SondeTensorflowLower *lower, guint k, const char *what,
                                    gint64 *number);
/* The rank of input @k has to be known: −1 after refusing. */
int sonde_tensorflow_need_rank (SondeTensorflowLower *lower, guint k);
/* Is its rank that, as far as it is known? FALSE after a failure */
gboolean sonde_tensorflow_check_rank (SondeTensorflowLower *lower, guint k, int rank);
/* An axis below @rank; negative ones count from the end. FALSE after a failure. */
gboolean sonde_tensorflow_check_axis (SondeTensorflowLower *lower, gint64 *axis, int rank);

/* Does attribute data_format say that channels are first? */
gboolean sonde_tensorflow_has_channels_first (const SondeTensorflowLower *lower);

/* The open node does not fit; its outputs are made all the same. @what: (transfer full) */
void sonde_tensorflow_refuse (SondeTensorflowLower *lower, SondeMessage *what,
                              SondeMessage *advice);

/* ---- emitting ------------------------------------------------------------ */

SondeGraphValue *sonde_tensorflow_op1 (SondeTensorflowLower *lower, const char *op,
                                       SondeGraphValue *a);
SondeGraphValue *sonde_tensorflow_op2 (SondeTensorflowLower *lower, const char *op,
                                       SondeGraphValue *a, SondeGraphValue *b);
SondeGraphValue *sonde_tensorflow_op3 (SondeTensorflowLower *lower, const char *op,
                                       SondeGraphValue *a, SondeGraphValue *b, SondeGraphValue *c);
/* A number of the type of @like. */
SondeGraphValue *sonde_tensorflow_number (SondeTensorflowLower *lower, const SondeGraphValue *like,
                                          double number);
/* A Cast where @value has another type. */
SondeGraphValue *sonde_tensorflow_cast (SondeTensorflowLower *lower, SondeGraphValue *value,
                                        SondeDtype dtype);
/* Its type, inferred. */
const SondeType *sonde_tensorflow_type_of (SondeTensorflowLower *lower, SondeGraphValue *value);
/* The sizes of @value as int64. */
SondeGraphValue *sonde_tensorflow_shape_of (SondeTensorflowLower *lower, SondeGraphValue *value);

/* ---- nodes --------------------------------------------------------------- */

void sonde_tensorflow_lower_init (SondeTensorflowLower *lower, const SondeTensorflowLower *outer,
                                  const SondeTensorflowBody *body, const char *prefix);
void sonde_tensorflow_lower_clear (SondeTensorflowLower *lower);

/* What @text refers to, after everything that it needs was lowered: never NULL. */
SondeGraphValue *sonde_tensorflow_evaluate (SondeTensorflowLower *lower, const char *text);

/**
 * sonde_tensorflow_lower_model:
 * @add_inputs: @add_outputs: of the graph: what the format calls so; neither is called after a failure
 */
typedef void (*SondeTensorflowEdges) (SondeTensorflowLower *lower, gconstpointer data);
void sonde_tensorflow_lower_model (SondeLowering *to, SondeTensorflowFile *file,
                                   SondeTensorflowEdges add_inputs,
                                   SondeTensorflowEdges add_outputs, gconstpointer data);

/* Node @number becomes an input of the model. @type: as the file says */
void sonde_tensorflow_add_input (SondeTensorflowLower *lower, guint number, const char *name,
                                 const SondeType *type);
void sonde_tensorflow_add_output (SondeTensorflowLower *lower, SondeGraphValue *value,
                                  const char *name);

G_END_DECLS
