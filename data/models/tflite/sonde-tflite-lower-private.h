/* SPDX-License-Identifier: Apache-2.0
 * Shared by the files that lower subgraphs and operators. */
#pragma once

#include "data/models/tflite/sonde-tflite-lower.h"

G_BEGIN_DECLS

/* @name, or with the tensor's number where it is empty or taken. (transfer full) */
char *sonde_tflite_take_name (GHashTable *taken, const char *name, guint index);
/* Names for the tensors of the subgraph that have none yet. */
void sonde_tflite_take_names (SondeTfliteLower *lower);
SondeType sonde_tflite_type_of_tensor (const SondeTfliteTensor *tensor);

/* @value is what tensor number @index holds from here on. */
void sonde_tflite_set_value (SondeTfliteLower *lower, guint index, SondeGraphValue *value);

G_END_DECLS
