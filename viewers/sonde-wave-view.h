/* SPDX-License-Identifier: Apache-2.0
 * A sound as a curve over time, to be zoomed; the samples under the pointer; where it plays. */
#pragma once

#include "data/values/sonde-tensor.h"
#include "viewers/sonde-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_WAVE_VIEW (sonde_wave_view_get_type ())
G_DECLARE_FINAL_TYPE (SondeWaveView, sonde_wave_view, SONDE, WAVE_VIEW, SondeView)

/* Signals: "seek" (double seconds): a click, or an arrow key (1 %, with Shift 10 %, of the sound), Home, End;
 *   "toggle" (): Space: play or pause. */

GtkWidget *sonde_wave_view_new (void);

/* A line where the sound plays; < 0: none, as at first. */
void sonde_wave_view_set_position (SondeWaveView *view, double seconds);

/**
 * sonde_wave_view_set_sound:
 * @samples: (nullable): [frames, channels] float32, referenced; otherwise @message is shown
 * @sample_rate: frames a second, > 0
 * @message: (nullable): why there is no curve
 */
void sonde_wave_view_set_sound (SondeWaveView *view, SondeTensor *samples, double sample_rate,
                                const char *message);

G_END_DECLS
