/* SPDX-License-Identifier: Apache-2.0
 * The weights of a program in the model that was exported from it. */
#pragma once

#include "data/arrays/sonde-npz.h"
#include "data/graph/sonde-graph.h"

G_BEGIN_DECLS

/* A weight of the program: owned. @is_transposed: the model has it so */
typedef struct
{
  char *name;
  gboolean is_transposed;
} SondeStepWeight;

/* For the table below. (element-type utf8 SondeStepWeight) (transfer full) */
GHashTable *sonde_step_weights_table_new (void);

/**
 * sonde_step_weights_take:
 * @model: as loaded; its initialisers are replaced
 * @weights: parameters and buffers by their paths ("layers.0.weight")
 * @kept: (element-type utf8): filled with the names of weights that stay as the file has them: those
 *   that an exporter made of several ("onnx::Conv_27", or "conv.weight" in the place of which a
 *   normalisation was folded in), and those that @weights lacks
 * @taken: sonde_step_weights_table_new(): filled: name of an initialiser -> the weight in its place
 *
 * A Linear layer on three dimensions has its weight transposed, under another name. Floats of another
 * width are converted. Errors: INVALID for another size, naming both.
 */
gboolean sonde_step_weights_take (SondeGraph *model, const SondeNamedTensors *weights,
                                  GPtrArray *kept, GHashTable *taken, GError **error);

/* Whose they are: "layers.0" of "layers.0.weight". @modules: (element-type utf8): filled, each once */
void sonde_step_weights_list_modules (const SondeNamedTensors *weights, GPtrArray *modules);

G_END_DECLS
