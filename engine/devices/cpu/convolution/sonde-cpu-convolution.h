/* SPDX-License-Identifier: Apache-2.0
 * Convolutions: their geometry, and those that oneDNN runs with what follows them. */
#pragma once

#include "engine/devices/cpu/sonde-cpu-fusion.h"

G_BEGIN_DECLS

/* Geometry of a convolution between @input and @output (values of a Conv, or of one of its
 * gradients). (sonde-cpu-window.c) */
gboolean sonde_cpu_fill_window (const SondeNode *node, const SondeGraphValue *input,
                                const SondeGraphValue *weight, const SondeGraphValue *output,
                                SondeDnnlWindow *result);
/* Weights are constant, and Winograd's algorithm is faster for such a convolution.
 * (sonde-cpu-window.c) */
gboolean sonde_cpu_suits_winograd (const SondePrepareRequest *request,
                                   const SondeDnnlWindow *window);

/* Conv, perhaps BatchNormalization, and what may follow them. (sonde-cpu-fused-convolution.c) */
gboolean sonde_cpu_match_convolution (SondeNode *const *nodes, guint n_nodes);
/* NULL: oneDNN cannot. */
SondeKernel *sonde_cpu_prepare_fused_convolution (SondeCpuDevice *device,
                                                  SondePrepareRequest *request);

G_END_DECLS
