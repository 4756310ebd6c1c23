/* SPDX-License-Identifier: Apache-2.0
 * Gradients of convolutions with respect to inputs of few channels. */
#pragma once

#include "engine/devices/cpu/sonde-cpu-kernel.h"

G_BEGIN_DECLS

/* ConvGradInput (dy, w, like x) of @window; NULL: oneDNN is faster. */
SondeKernel *sonde_cpu_prepare_columns (SondeCpuDevice *device, SondePrepareRequest *request,
                                        const SondeDnnlWindow *window);

G_END_DECLS
