/* SPDX-License-Identifier: Apache-2.0
 * What operators are like that a graph does not say: their outputs by name, and why some of them do
 * not fit. */
#pragma once

#include "data/models/tensorflow/sonde-tensorflow-file.h"

G_BEGIN_DECLS

/* Number of the output @port of @node, of a list the first one; 0 for NULL; −1: it has none of that
 * name. */
int sonde_tensorflow_find_port (const Tensorflow__NodeDef *node, const char *port);

/* Why an operator without a row does not fit, and what to do: message ids. */
void sonde_tensorflow_explain (const Tensorflow__NodeDef *node, const char **what,
                               const char **advice);

/* A meeting of ways of version 1, in a loop one that comes from behind: its inputs are not followed. */
gboolean sonde_tensorflow_is_meeting (const Tensorflow__NodeDef *node);

/* Has it an effect, or an output, in inference? Assert, NoOp, writing of files and the like have not. */
gboolean sonde_tensorflow_is_idle (const Tensorflow__NodeDef *node);

G_END_DECLS
