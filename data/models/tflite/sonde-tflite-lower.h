/* SPDX-License-Identifier: Apache-2.0
 * From the operators of a .tflite file to those of ONNX: one row an operator (sonde-tflite-rows.c),
 * whose function reads inputs and options of the operator that is open and emits nodes.
 * What does not live here: what is common to all formats (data/models/lowering). */
#pragma once

#include "data/models/lowering/sonde-lowering.h"
#include "data/models/tflite/sonde-tflite-file.h"

G_BEGIN_DECLS

/* The schema's numbers that options hold. */
enum
{
  SONDE_TFLITE_PADDING_SAME = 0,
  SONDE_TFLITE_PADDING_VALID = 1,
};

/**
 * SondeTfliteLower: a subgraph that is being lowered
 * @to: what is emitted into
 * @graph: the file's subgraph; @values: by tensor: NULL while nothing made it
 * @names: by tensor: what its value is called; owned
 * @op: the operator that is open
 * @floats: quantised inputs and outputs of @op are read and written as real numbers
 * @exact: convolutions add up integers
 * @first: the open operator works with channels first, see sonde_tflite_choose_layout()
 * @variables: name -> the value that a resource variable holds now
 * @taken: names of all values of the model; @operators_left: that may still be lowered, in all:
 *   subgraphs that are called twice are lowered twice
 * @outer: (nullable): of whoever runs this subgraph
 */
typedef struct _SondeTfliteLower SondeTfliteLower;
struct _SondeTfliteLower
{
  SondeLowering *to;
  SondeTfliteFile *file;
  const SondeTfliteSubgraph *graph;
  SondeGraphValue **values;
  char **names;
  const SondeTfliteOperator *op;
  gboolean floats, first, exact;
  GHashTable *taken, *variables;
  guint *operators_left;
  const SondeTfliteLower *outer;
};

/* Operators of a model, those of a subgraph once for each time that it is called. */
#define SONDE_TFLITE_MAX_OPERATORS 200000u

/**
 * SondeTfliteRow:
 * @inputs: @outputs: least number of them; the first @inputs are never absent when @build is called
 * @build: emits, and ends with sonde_tflite_out() for every output
 * @moves: elements are only moved: quantised ones stay as they are. Else @build gets real numbers
 *   of quantised tensors
 * @exact: (nullable): emits the arithmetic of TFLite's reference kernels for quantised tensors;
 *   FALSE, before anything is emitted: not for these
 */
typedef struct
{
  int code;
  guint inputs, outputs;
  void (*build) (SondeTfliteLower *lower);
  gboolean moves;
  gboolean (*exact) (SondeTfliteLower *lower);
} SondeTfliteRow;

/* (nullable) */
const SondeTfliteRow *sonde_tflite_row_find (int code);

/* ---- of the open operator ------------------------------------------------ */

/* NULL when it is absent or there are not so many. */
const SondeTfliteTensor *sonde_tflite_in_tensor (const SondeTfliteLower *lower, guint k);
const SondeTfliteTensor *sonde_tflite_out_tensor (const SondeTfliteLower *lower, guint k);
int sonde_tflite_in_rank (const SondeTfliteLower *lower, guint k); /* 0 when absent */

/* The value of input @k, as an operator in floats sees it: NULL when absent. */
SondeGraphValue *sonde_tflite_in (SondeTfliteLower *lower, guint k);
/* The same with channels first. */
SondeGraphValue *sonde_tflite_in_first (SondeTfliteLower *lower, guint k);
/* One number, of whatever rank, as a scalar. */
SondeGraphValue *sonde_tflite_in_scalar (SondeTfliteLower *lower, guint k);
/* As the file stores it, also where it is quantised. */
SondeGraphValue *sonde_tflite_in_raw (SondeTfliteLower *lower, guint k);
/* Tensor number @index of the subgraph; it must have been made. Never NULL */
SondeGraphValue *sonde_tflite_value (SondeTfliteLower *lower, guint index);

/* @value, channels last, is output @k. */
void sonde_tflite_out (SondeTfliteLower *lower, guint k, SondeGraphValue *value);
/* @value has channels first, which output @k has last. */
void sonde_tflite_out_first (SondeTfliteLower *lower, guint k, SondeGraphValue *value);

/* For operators that mean the same with channels first as with channels last: which it shall be for
 * the first @n inputs, so that changes of layout cancel; then inputs and outputs in that one. */
void sonde_tflite_choose_layout (SondeTfliteLower *lower, guint n);
/* The same where the output may have fewer dimensions than the one input. */
void sonde_tflite_choose_layout_of (SondeTfliteLower *lower);
SondeGraphValue *sonde_tflite_in_any (SondeTfliteLower *lower, guint k);
void sonde_tflite_out_any (SondeTfliteLower *lower, guint k, SondeGraphValue *value);

int sonde_tflite_option (const SondeTfliteLower *lower, guint slot, int fallback); /* 32 bits */
int sonde_tflite_option8 (const SondeTfliteLower *lower, guint slot);
gboolean sonde_tflite_option_bool (const SondeTfliteLower *lower, guint slot);
float sonde_tflite_option_float (const SondeTfliteLower *lower, guint slot);

/* The numbers of input @k when it is a constant of integers, else NULL. (transfer full) */
gint64 *sonde_tflite_dup_ints (SondeTfliteLower *lower, guint k, guint *n);
/* A number that has to be known now: FALSE after refusing the operator, as @what. */
gboolean sonde_tflite_need_int (SondeTfliteLower *lower, guint k, const char *what, gint64 *number);
gint64 *sonde_tflite_need_ints (SondeTfliteLower *lower, guint k, const char *what, guint *n);
/* An axis below @rank; negative ones count from the end. FALSE after a failure. */
gboolean sonde_tflite_check_axis (SondeTfliteLower *lower, gint64 *axis, int rank);

/* Has input @k that many dimensions? FALSE after a failure. */
gboolean sonde_tflite_check_rank (SondeTfliteLower *lower, guint k, int rank);

/* The one output is a handle, which has no type of ours. */
void sonde_tflite_set_handle (SondeTfliteLower *lower, SondeGraphValue *handle);

/* The open operator does not fit; its outputs are made all the same. @what: (transfer full) */
void sonde_tflite_refuse (SondeTfliteLower *lower, SondeMessage *what, SondeMessage *advice);

/* ---- emitting ------------------------------------------------------------ */

/* What the fused activation of that number does to @value. */
SondeGraphValue *sonde_tflite_activate (SondeTfliteLower *lower, SondeGraphValue *value,
                                        int activation);
/* Integers as ONNX wants them: int64 of one dimension. */
SondeGraphValue *sonde_tflite_as_ints (SondeTfliteLower *lower, SondeGraphValue *value);
/* Real numbers of a quantised value, and back. @tensor says the scales. */
SondeGraphValue *sonde_tflite_dequantise (SondeTfliteLower *lower, SondeGraphValue *value,
                                          const SondeTfliteTensor *tensor);
SondeGraphValue *sonde_tflite_quantise (SondeTfliteLower *lower, SondeGraphValue *value,
                                        const SondeTfliteTensor *tensor);
gboolean sonde_tflite_is_quantised (const SondeTfliteTensor *tensor); /* (nullable) */

/* ---- subgraphs ----------------------------------------------------------- */

/* Subgraph number @index, with @n_inputs inputs and @n_outputs outputs, that does not run itself;
 * NULL after a failure. */
const SondeTfliteSubgraph *sonde_tflite_get_subgraph (SondeTfliteLower *lower, int index,
                                                      guint n_inputs, guint n_outputs);

/**
 * sonde_tflite_lower_subgraph:
 * @inputs: (nullable): as many values as it has inputs; NULL: the current graph gets inputs
 *
 * Emits the operators of a subgraph into the current graph.
 * Returns: (transfer container): as many values as it has outputs: free with g_free()
 */
SondeGraphValue **sonde_tflite_lower_subgraph (SondeTfliteLower *lower,
                                               const SondeTfliteSubgraph *graph,
                                               SondeGraphValue *const *inputs);

/* An output of the graph of a branch or loop, with a name of its own. */
void sonde_tflite_add_body_output (SondeTfliteLower *lower, SondeGraphValue *value,
                                   const char *kind);

/* The root: inputs and outputs by signature. */
void sonde_tflite_lower_model (SondeLowering *to, SondeTfliteFile *file);

G_END_DECLS
