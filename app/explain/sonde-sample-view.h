/* SPDX-License-Identifier: Apache-2.0
 * One sample of a study or of a run's records: the picture, what the network says, maps side by side,
 * what would flip it, neighbours, edits, the user's verdict. It scrolls by itself.
 * What does not live here: which sample (app/pages/sonde-explain-page.c). */
#pragma once

#include <adwaita.h>

#include "app/pages/sonde-explained-sample.h"

G_BEGIN_DECLS

typedef struct _SondeStudyClient SondeStudyClient;

#define SONDE_TYPE_SAMPLE_VIEW (sonde_sample_view_get_type ())
G_DECLARE_FINAL_TYPE (SondeSampleView, sonde_sample_view, SONDE, SAMPLE_VIEW, AdwBin)

/* @client: (nullable): whom what needs a network is asked; without one only recorded samples are shown. */
GtkWidget *sonde_sample_view_new (SondeStudyClient *client);

/**
 * sonde_sample_view_show:
 * @row: (nullable): a SondeStudyRow of the client's open study; copied. NULL shows nothing
 *
 * Asks the client for the picture, the maps and the rest; what was still asked for another sample is
 * cancelled.
 */
void sonde_sample_view_show (SondeSampleView *view,
                             gconstpointer    row);

/* A sample as a run's records hold it (nullable): its maps; what needs the network says how to get it. */
void sonde_sample_view_show_recorded (SondeSampleView      *view,
                                      SondeExplainedSample *sample);

G_END_DECLS
