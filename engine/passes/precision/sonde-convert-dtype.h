/* SPDX-License-Identifier: Apache-2.0
 * Values of a graph in another element type. */
#pragma once

#include "data/graph/sonde-graph.h"

G_BEGIN_DECLS

/**
 * SondeDtypeConversion:
 * @to: the other element type
 * @parameters_change: those that learn, and states, are converted by a Cast, in every run
 * @converted: value -> the same in that type
 */
typedef struct
{
  SondeGraph *graph;
  SondeDtype to;
  gboolean parameters_change;
  GHashTable *converted;
} SondeDtypeConversion;

void sonde_convert_dtype_init (SondeDtypeConversion *conversion, SondeGraph *graph, SondeDtype to);
void sonde_convert_dtype_clear (SondeDtypeConversion *conversion);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SondeDtypeConversion, sonde_convert_dtype_clear)

/* Operators of ai.onnx whose results have the element type of their inputs, and whose other
 * operands have that type or are no floats. */
gboolean sonde_convert_dtype_is_uniform (const SondeNode *node);

/* @value is there in the other type already. */
gboolean sonde_convert_dtype_has (const SondeDtypeConversion *conversion,
                                  const SondeGraphValue *value);
/* @node reads input @k in the other type: one that is there, a converted constant, or by a Cast. */
void sonde_convert_dtype_input (SondeDtypeConversion *conversion, SondeNode *node, guint k);
/* @node makes output @k in the other type, from which a Cast makes the value it made. */
void sonde_convert_dtype_output (SondeDtypeConversion *conversion, SondeNode *node, guint k);

G_END_DECLS
