/* SPDX-License-Identifier: Apache-2.0
 * A sound as a curve over time, to be zoomed; the samples under the pointer. */
#pragma once

#include "data/values/sonde-tensor.h"
#include "viewers/sonde-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_WAVE_VIEW (sonde_wave_view_get_type ())
G_DECLARE_FINAL_TYPE (SondeWaveView, sonde_wave_view, SONDE, WAVE_VIEW, SondeView)

GtkWidget *sonde_wave_view_new (void);

/**
 * sonde_wave_view_set_sound:
 * @samples: (nullable): [frames, channels] float32, referenced; otherwise @message is shown
 * @sample_rate: frames a second, > 0
 * @message: (nullable): why there is no curve
 */
void sonde_wave_view_set_sound (SondeWaveView *view, SondeTensor *samples, double sample_rate,
                                const char *message);

G_END_DECLS
