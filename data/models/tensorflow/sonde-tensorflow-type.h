/* SPDX-License-Identifier: Apache-2.0
 * Element types and shapes of TensorFlow as ours. */
#pragma once

#include "data/graph/sonde-graph.h"
#include "data/models/tensorflow/tensorflow.pb-c.h"

G_BEGIN_DECLS

/* INVALID: complex, resource, variant, quantised and what else nothing is calculated with; references
 * of version 1 are the type they refer to. */
SondeDtype sonde_tensorflow_dtype (int number);
/* As the format calls it: "DT_COMPLEX64" */
const char *sonde_tensorflow_dtype_name (int number);
/* @shape: (nullable): a rank that is not known */
SondeType sonde_tensorflow_type (SondeDtype dtype, const Tensorflow__TensorShapeProto *shape);

G_END_DECLS
