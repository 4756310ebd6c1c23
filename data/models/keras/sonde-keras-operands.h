/* SPDX-License-Identifier: Apache-2.0
 * Operators on tensors that a model of Keras has among its layers: keras.ops in Keras 3, functions of
 * TensorFlow in Keras 2. What their rows share. */
#pragma once

#include "data/models/keras/sonde-keras-lower.h"

G_BEGIN_DECLS

/**
 * SondeKerasOperator:
 * @class_name: in Keras 3; @function: (nullable): in Keras 2: "math.add"
 * @op: (nullable): for rows that share a function
 */
typedef struct
{
  const char *class_name, *function;
  void (*lower) (SondeKerasLowering *self, const char *op);
  const char *op;
} SondeKerasOperator;

extern const SondeKerasOperator sonde_keras_math_operators[]; /* each list ends with NULL, NULL */
extern const SondeKerasOperator sonde_keras_shape_operators[];

/* (nullable): the operator that the open layer is; it then has at least one input */
const SondeKerasOperator *sonde_keras_find_operator (const SondeKerasLayer *layer);

/* Parameter @name of the call, that at @position (-1: by name only), or of the configuration.
 * (nullable) */
JsonNode *sonde_keras_param (SondeKerasLowering *self, int position, const char *name);
gint64 sonde_keras_param_int (SondeKerasLowering *self, int position, const char *name,
                              gint64 fallback);
gboolean sonde_keras_param_bool (SondeKerasLowering *self, int position, const char *name,
                                 gboolean fallback);
/* A number or a list of them: how many, -1 where there is none of them; SONDE_MAX_RANK at most */
int sonde_keras_param_ints (SondeKerasLowering *self, int position, const char *name,
                            gint64 *values);
/* A tensor, or numbers as a constant of @dtype; (nullable) */
SondeGraphValue *sonde_keras_operand (SondeKerasLowering *self, int position, const char *name,
                                      SondeDtype dtype);
/* @value, typed, is the output. */
void sonde_keras_set_inferred (SondeKerasLowering *self, guint index, SondeGraphValue *value);

G_END_DECLS
