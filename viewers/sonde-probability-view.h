/* SPDX-License-Identifier: Apache-2.0
 * What a network says of an image: the likeliest classes and the true one, as bars. */
#pragma once

#include "viewers/sonde-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_PROBABILITY_VIEW (sonde_probability_view_get_type ())
G_DECLARE_FINAL_TYPE (SondeProbabilityView, sonde_probability_view, SONDE, PROBABILITY_VIEW,
                      SondeView)

/* The selection is a class, marked: the one whose maps are shown. A click or the arrow keys (up and
 * down too) choose another. */

/**
 * sonde_probability_view_set_values:
 * @names: (array length=n): of the classes; copied
 * @values: (array length=n) (nullable): probabilities; copied. NULL: not known yet, the room stays
 * @before: (array length=n) (nullable): what they were; their five likeliest are shown, so that
 * rows stay where they are
 * @label: true class, -1 unknown
 *
 * Shows the five largest, the true class and the selected one.
 */
void sonde_probability_view_set_values (SondeProbabilityView *view, const char *const *names,
                                        guint n, const float *values, const float *before,
                                        gint64 label);

/* Classes of the rows from above, gint64. (transfer full) */
GArray *sonde_probability_view_get_rows (SondeProbabilityView *view);

G_END_DECLS
