/* SPDX-License-Identifier: Apache-2.0
 * ATen -> operators of ONNX: what the rows share. Arguments go by the names of
 * native_functions.yaml; what a file leaves out has the default that the row gives. */
#pragma once

#include "data/models/lowering/sonde-lowering-shapes.h"
#include "data/models/pt2/sonde-pt2-archive.h"

G_BEGIN_DECLS

/**
 * SondePt2Lowering:
 * @values: name -> SondeGraphValue, also of sizes (int64 scalars)
 * @metas: TensorMeta by name
 * @node: the open node; @arguments: its arguments by name, JsonNode of the union's value; @kinds: the
 *   union's member: "as_tensor"
 * @op: (nullable): that of the open node's row
 * @prefix: (nullable): what names of nodes and values begin with: those of a graph in an operator
 * @depth: of graphs in each other
 * @lower_nodes: lowers the nodes of a graph, in order, into the current graph
 */
typedef struct _SondePt2Lowering SondePt2Lowering;
struct _SondePt2Lowering
{
  SondeLowering *out;
  SondePt2Archive *archive;
  GHashTable *values;
  JsonObject *metas;
  JsonObject *node;
  GHashTable *arguments, *kinds;
  const char *op;
  char *prefix;
  guint depth;
  void (*lower_nodes) (SondePt2Lowering *self, JsonObject *graph);
};

typedef struct
{
  const char *target; /* "relu.default", without its namespace */
  void (*lower) (SondePt2Lowering *self);
  const char *op; /* (nullable): for rows that share a function */
} SondePt2Row;

extern const SondePt2Row sonde_pt2_elementwise_rows[]; /* each list ends with a target of NULL */
extern const SondePt2Row sonde_pt2_binary_rows[];
extern const SondePt2Row sonde_pt2_matrix_rows[];
extern const SondePt2Row sonde_pt2_window_rows[];
extern const SondePt2Row sonde_pt2_shape_rows[];
extern const SondePt2Row sonde_pt2_index_rows[];
extern const SondePt2Row sonde_pt2_reduce_rows[];
extern const SondePt2Row sonde_pt2_recurrent_rows[];
extern const SondePt2Row sonde_pt2_quantised_rows[];

/* ---- arguments ----------------------------------------------------------- */

gboolean sonde_pt2_has (SondePt2Lowering *self, const char *name); /* and is not None */
gint64 sonde_pt2_arg_int (SondePt2Lowering *self, const char *name, gint64 fallback);
double sonde_pt2_arg_number (SondePt2Lowering *self, const char *name, double fallback);
gboolean sonde_pt2_arg_bool (SondePt2Lowering *self, const char *name, gboolean fallback);
const char *sonde_pt2_arg_text (SondePt2Lowering *self, const char *name, const char *fallback);
/* How many there are, -1 when absent; more than @most is a failure. */
int sonde_pt2_arg_ints (SondePt2Lowering *self, const char *name, gint64 *values, int most);
gboolean sonde_pt2_is_tensor (SondePt2Lowering *self, const char *name);

/* (nullable): the value of a tensor argument; a missing one that is @needed is a failure */
SondeGraphValue *sonde_pt2_tensor (SondePt2Lowering *self, const char *name);
SondeGraphValue *sonde_pt2_needed (SondePt2Lowering *self, const char *name);
/* "self", or "input" as composite operators call it. */
SondeGraphValue *sonde_pt2_self (SondePt2Lowering *self);
/* A tensor, or a number as a constant of @dtype. */
SondeGraphValue *sonde_pt2_operand (SondePt2Lowering *self, const char *name, SondeDtype dtype);
/* Tensors of a list. (element-type SondeGraphValue), NULL entries are None. (transfer full) */
GPtrArray *sonde_pt2_tensors (SondePt2Lowering *self, const char *name);
/* A list of sizes, some of which may be computed: int64 of rank 1. */
SondeGraphValue *sonde_pt2_sizes (SondePt2Lowering *self, const char *name);
/* One size or index: int64 of rank 1 and one element. */
SondeGraphValue *sonde_pt2_size (SondePt2Lowering *self, const char *name, gint64 fallback);

/* ---- types --------------------------------------------------------------- */

int sonde_pt2_rank (SondePt2Lowering *self, const SondeGraphValue *value);
/* @axis from the front; a wrong one is a failure and 0. */
int sonde_pt2_axis (SondePt2Lowering *self, gint64 axis, int rank);
/* Number of ONNX's data type. */
gint64 sonde_pt2_onnx_type (SondeDtype dtype);
/* Of a TensorMeta; sizes that are computed have a symbol where they are one. */
SondeType sonde_pt2_type_of_meta (JsonObject *meta);
/* Of the @index-th output. */
SondeDtype sonde_pt2_out_dtype (SondePt2Lowering *self, guint index);
SondeGraphValue *sonde_pt2_cast (SondePt2Lowering *self, SondeGraphValue *value, SondeDtype dtype);

/* ---- results ------------------------------------------------------------- */

guint sonde_pt2_count_outputs (SondePt2Lowering *self);
/* @value: (nullable): an output that nobody makes */
void sonde_pt2_set_out (SondePt2Lowering *self, guint index, SondeGraphValue *value);
void sonde_pt2_refuse (SondePt2Lowering *self, SondeMessage *what, SondeMessage *advice);

/* ---- short forms --------------------------------------------------------- */

SondeGraphValue *sonde_pt2_op (SondePt2Lowering *self, const char *op, SondeGraphValue *a);
SondeGraphValue *sonde_pt2_op2 (SondePt2Lowering *self, const char *op, SondeGraphValue *a,
                                SondeGraphValue *b);
/* A constant of @like's type. */
SondeGraphValue *sonde_pt2_number (SondePt2Lowering *self, const SondeGraphValue *like,
                                   double number);
G_END_DECLS
