/* SPDX-License-Identifier: Apache-2.0
 * One sample of a session or of a run's records: the image, what the network says, maps side by
 * side, counterfactuals, neighbours, edits, the user's annotation. It scrolls by itself. What does
 * not live here: which sample (app/pages/sonde-explain-page.c). */
#pragma once

#include <adwaita.h>

#include "explain/browsing/sonde-explain-client.h"
#include "data/explanations/sonde-annotations.h"
#include "explain/recorded/sonde-explained-sample.h"

G_BEGIN_DECLS

#define SONDE_TYPE_SAMPLE_VIEW (sonde_sample_view_get_type ())
G_DECLARE_FINAL_TYPE (SondeSampleView, sonde_sample_view, SONDE, SAMPLE_VIEW, AdwBin)

/* @client: (nullable): whom what needs a network is asked; referenced. Without one only recorded
 * samples are shown.
 *
 * Signals: "session-wanted" (): the user asks for what a recorded sample cannot show: open a model
 * with its data; "busy-changed" (): see sonde_sample_view_is_busy(). */
GtkWidget *sonde_sample_view_new (SondeExplainClient *client);
void sonde_sample_view_set_client (SondeSampleView *view, SondeExplainClient *client);

/**
 * sonde_sample_view_show:
 * @row: (nullable): of the client's open session; copied. NULL shows nothing
 *
 * Asks the client for the image and the maps, and for the other parts when they are looked at;
 * what was still asked for another sample is cancelled. Of the same sample with a new category
 * nothing is asked again.
 */
void sonde_sample_view_show (SondeSampleView *view, const SondeSampleResult *row);

/* A sample as a run's records hold it (nullable): its maps; what needs the network says how to get
 * it. */
void sonde_sample_view_show_recorded (SondeSampleView *view, SondeExplainedSample *sample);

/* "maps", "counterfactual", "neighbours", "edit", "annotation" */
void sonde_sample_view_show_part (SondeSampleView *view, const char *part);
/* Methods of the maps; SPECs that do not parse are left out. */
void sonde_sample_view_set_methods (SondeSampleView *view, const char *const *specs);
/* Is something that it shows still asked for? */
gboolean sonde_sample_view_is_busy (SondeSampleView *view);
/* Of the session whose sample is shown, for reports and lists. (nullable) (transfer none) */
SondeAnnotations *sonde_sample_view_get_annotations (SondeSampleView *view);

G_END_DECLS
