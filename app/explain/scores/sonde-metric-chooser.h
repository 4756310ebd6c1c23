/* SPDX-License-Identifier: Apache-2.0
 * Which metrics score the maps: a menu button with a check box and a sentence for each. */
#pragma once

#include <adwaita.h>

#include "explain/session/sonde-explain-types.h"

G_BEGIN_DECLS

#define SONDE_TYPE_METRIC_CHOOSER (sonde_metric_chooser_get_type ())
/* Signals: "changed" (). All are chosen at first. */
G_DECLARE_FINAL_TYPE (SondeMetricChooser, sonde_metric_chooser, SONDE, METRIC_CHOOSER, AdwBin)

void sonde_metric_chooser_set (SondeMetricChooser *chooser, const char *metric, gboolean chosen);
guint sonde_metric_chooser_get_n (SondeMetricChooser *chooser);
/* Names between commas, as --metrics takes them; "" for none. (transfer full) */
char *sonde_metric_chooser_dup_list (SondeMetricChooser *chooser);

/* Seconds that scoring @samples maps of each of @specs takes, about; NaN where that cannot be told.
 * @info: (nullable) */
double sonde_metric_chooser_estimate (SondeMetricChooser *chooser, const SondeExplainInfo *info,
                                      const char *const *specs, guint samples);

G_END_DECLS
