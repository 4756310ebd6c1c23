/* SPDX-License-Identifier: Apache-2.0
 * Convolutions of few channels by loops of our own. */
#pragma once

#include "engine/devices/cpu/sonde-cpu-epilogue.h"

G_BEGIN_DECLS

/**
 * sonde_cpu_prepare_direct:
 * Conv of float32, alone or, with weights that never change, with functions behind it. A row of the
 * result does not depend in its bits on threads, nor on what is fused.
 *
 * Returns: NULL: oneDNN is better there, or something is not understood; the request is as it was
 */
SondeKernel *sonde_cpu_prepare_direct (SondeCpuDevice *device, SondePrepareRequest *request);

G_END_DECLS
