/* SPDX-License-Identifier: Apache-2.0
 * What the points of a training's path are called: "step 320". */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* @steps: (array length=n) (nullable): NULL gives NULL; @unit: (nullable): "step", "epoch" or a file's own word, for
 * which the number stands alone. (transfer full) (nullable) (array zero-terminated=1) */
char **sonde_path_names_new (const double *steps, gsize n, const char *unit);

/* @name: (nullable): of the last point; "step 320: loss 0.4479", or what of it is known. @loss: (nullable): as
 * it is written. (transfer full) */
char *sonde_path_name_end (const char *name, const char *loss);

G_END_DECLS
