/* SPDX-License-Identifier: Apache-2.0
 * Variables references: numbers by which an editor asks for the children of what it was shown. They
 * are valid until the run goes on. */
#pragma once

#include "data/graph/sonde-graph.h"
#include "data/values/sonde-tensor.h"

G_BEGIN_DECLS

/* What the children of a variables reference are. */
typedef enum
{
  SONDE_DAP_INPUTS,
  SONDE_DAP_OUTPUTS,
  SONDE_DAP_WEIGHTS,
  SONDE_DAP_ATTRIBUTES,
  SONDE_DAP_STATISTICS,       /* one child a value of the node */
  SONDE_DAP_VALUE_STATISTICS, /* of @value */
  SONDE_DAP_ELEMENTS,         /* of @value, below @indices */
} SondeDapReferenceKind;

/**
 * SondeDapReference:
 * @node: (nullable): name of the node, of the scopes
 * @value: (nullable): name of a value; @indices: "" or "3, 0": the leading indices that are chosen
 * @shape: of the elements
 */
typedef struct
{
  SondeDapReferenceKind kind;
  char *node, *value, *indices;
  SondeShape shape;
} SondeDapReference;

/**
 * SondeDapVariables:
 * @references: (element-type SondeDapReference): number k + 1
 * @graph: (nullable): the executed graph: what nodes read, make and are set to; filled when first
 *   asked for
 */
typedef struct
{
  GPtrArray *references;
  SondeGraph *graph;
} SondeDapVariables;

SondeDapVariables *sonde_dap_variables_new (void);
void sonde_dap_variables_free (SondeDapVariables *variables);

/* All references become invalid. */
void sonde_dap_variables_forget (SondeDapVariables *variables);
/* The graph is another. */
void sonde_dap_variables_forget_graph (SondeDapVariables *variables);
/* @node, @value, @indices: (nullable). Returns: the number */
guint sonde_dap_variables_add (SondeDapVariables *variables, SondeDapReferenceKind kind,
                               const char *node, const char *value, const char *indices);
guint sonde_dap_variables_add_elements (SondeDapVariables *variables, const char *value,
                                        const char *indices, const SondeShape *shape);
/* (nullable): NULL where there is no such number */
const SondeDapReference *sonde_dap_variables_find (const SondeDapVariables *variables,
                                                   gint64 number);
/* "x[3, 0]" of x and "3, 0". (transfer full) */
char *sonde_dap_slice (const char *value, const char *indices);
/* "3, 0" of "3" and 0. (transfer full) */
char *sonde_dap_add_index (const char *indices, gint64 index);

G_END_DECLS
