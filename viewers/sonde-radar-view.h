/* SPDX-License-Identifier: Apache-2.0
 * Methods by metrics as a radar with its legend. */
#pragma once

#include "viewers/sonde-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_RADAR_VIEW (sonde_radar_view_get_type ())
G_DECLARE_FINAL_TYPE (SondeRadarView, sonde_radar_view, SONDE, RADAR_VIEW, SondeView)

/* The selection is a method (its index), drawn strongly; a click on its line or name, or the arrow
 * keys, choose it. */

/* @axes: (array length=n_axes); @names: (array length=n_series); @values: (array
 * length=n_series*n_axes): in [0, 1], a row a series, NaN not known. All copied. */
void sonde_radar_view_set_content (SondeRadarView *view, const char *const *axes, guint n_axes,
                                   const char *const *names, guint n_series, const double *values);

G_END_DECLS
