/* SPDX-License-Identifier: Apache-2.0
 * The samples most like one in the network's own features, with what they are labelled and
 * answered. */
#pragma once

#include <adwaita.h>

#include "explain/session/sonde-explain-types.h"

G_BEGIN_DECLS

#define SONDE_TYPE_SAMPLE_NEIGHBOURS (sonde_sample_neighbours_get_type ())
G_DECLARE_FINAL_TYPE (SondeSampleNeighbours, sonde_sample_neighbours, SONDE, SAMPLE_NEIGHBOURS,
                      AdwBin)

GtkWidget *sonde_sample_neighbours_new (void);

/* @sentence: in place of neighbours: "Searching…", or why there are none */
void sonde_sample_neighbours_set_message (SondeSampleNeighbours *view, const char *sentence);
/* @neighbours: (element-type SondeNeighbourSample); @row: the sample itself; @classes: (array
 * length=n_classes). Marks conflicts: a near duplicate with another label, and neighbours that say
 * the label is wrong. */
void sonde_sample_neighbours_set (SondeSampleNeighbours *view, GPtrArray *neighbours,
                                  const SondeSampleResult *row, const char *const *classes,
                                  guint n_classes);

G_END_DECLS
