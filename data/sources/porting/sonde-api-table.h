/* SPDX-License-Identifier: Apache-2.0
 * What takes the place of a framework's names: the table api-map.tsv, which is part of the program. Its
 * first lines say where each column comes from. */
#pragma once

#include "data/sources/python/sonde-source-resolver.h"

G_BEGIN_DECLS

/**
 * SondeApiRow: one name of PyTorch and its sisters; texts are never NULL, "" where the table is empty
 * @api: dotted, in full
 * @mindspore: its counterpart in MindSpore
 * @relation: "same", "differs" or "none"
 * @difference: how it differs
 * @kind: "pointwise", "module", "data" …
 * @onnx: operators in the graph that an export of it has, with commas between
 * @source: how the row is known
 * @also: a second counterpart, with its relation
 * @platforms: of the counterpart: letters of Ascend, GPU, CPU
 */
typedef struct
{
  const char *api, *mindspore, *relation, *difference, *kind, *onnx, *source, *also, *platforms;
} SondeApiRow;

typedef struct _SondeApiTable SondeApiTable;

/* The table of the program; read at the first call, kept until the end. Any thread. */
const SondeApiTable *sonde_api_table_get (void);

guint sonde_api_table_get_n_rows (const SondeApiTable *table);
const SondeApiRow *sonde_api_table_get_row (const SondeApiTable *table, guint i);

/* The row of @api, or of its longest known prefix; NULL when there is none. "tensorflow.x" is tf.x of the
 * table. */
const SondeApiRow *sonde_api_table_find (const SondeApiTable *table, const char *api);

/* Does "from MODULE import *" bring NAME? For the modules of PyTorch that are often imported so what they
 * export is listed; of others what the table has of them. */
gboolean sonde_api_table_star_has (const SondeApiTable *table, const char *module,
                                   const char *name);

/* What MindSpore calls the function that is one operator of ONNX; NULL when no row says. */
const char *sonde_api_table_find_operator (const SondeApiTable *table, const char *onnx);

/* Methods of torch.Tensor. (array zero-terminated=1) */
const char *const *sonde_api_table_get_methods (const SondeApiTable *table);

/* Has a type of Python, NumPy, or a module or distribution of PyTorch a method of that name, too? */
gboolean sonde_api_method_collides (const char *method);

G_END_DECLS
