/* SPDX-License-Identifier: Apache-2.0
 * The form of the operators' table of cases. */
#pragma once

#include "tests/support/sonde-test-gradient.h"
#include "tests/support/sonde-test-tensor.h"

G_BEGIN_DECLS

#define OP_CASE_INPUTS 8
#define OP_CASE_OUTPUTS 5
#define OP_CASE_TWICE (1u << 31)

/**
 * OpCase: one operator with given inputs
 * @name: "Conv/groups"; the operator is what stands before the slash, a domain ("sonde.",
 *   "ai.onnx.ml.") before it
 * @attributes: (nullable): "axis=1 alpha=0.5 perm=[1,0] mode='edge' activations=['Relu','Tanh']
 * value={f32_2:_1_2}"
 * @inputs: texts of sonde_test_tensor(), after a dtype: "i64 2: 0 1", "bool 2: 1 0"; without dtype
 *   the float type that the case runs in (float32, then float64). "~2x3" is drawn from [-1, 1),
 *   "+2x3" from [0.5, 2); "-" is absent; a leading "=" makes it a constant of the graph
 * @outputs: the same: values wanted; "2x3" alone: only the shape; "-" or NULL: not named
 * @gradient: bit k: d/d(input k) is compared with differences (in float64); with OP_CASE_TWICE, the
 *   gradient of that gradient, too
 * @source: where the wanted values come from
 */
typedef struct
{
  const char *name;
  const char *attributes;
  const char *inputs[OP_CASE_INPUTS];
  const char *outputs[OP_CASE_OUTPUTS];
  guint gradient;
  const char *source;
} OpCase;

/**
 * OpCaseBuilt: a row as a graph of one node
 * @feeds: tensors of its inputs by name; constants are in the graph
 */
typedef struct
{
  SondeGraph *graph;
  GHashTable *feeds;
  SondeNode *node;
} OpCaseBuilt;

void op_case_built_clear (OpCaseBuilt *built);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (OpCaseBuilt, op_case_built_clear)

/* @dtype: what inputs without a dtype become */
void op_case_build (const OpCase *row, SondeDtype dtype, OpCaseBuilt *built);

/* Adds one test for each row; the table ends with a NULL name. */
void op_cases_add (const OpCase *cases);

/* The tables, a file a group of families. */
extern const OpCase op_cases_elementwise[];
extern const OpCase op_cases_gradient_elements[];
extern const OpCase op_cases_gradient_linear[];
extern const OpCase op_cases_gradient_move[];
extern const OpCase op_cases_image[];
extern const OpCase op_cases_index[];
extern const OpCase op_cases_machine_learning[];
extern const OpCase op_cases_matrix[];
extern const OpCase op_cases_neural[];
extern const OpCase op_cases_quantise[];
extern const OpCase op_cases_shape[];
extern const OpCase op_cases_training[];

G_END_DECLS
