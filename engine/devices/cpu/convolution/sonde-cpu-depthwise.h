/* SPDX-License-Identifier: Apache-2.0
 * Convolutions of each channel alone by loops of our own. */
#pragma once

#include "engine/devices/cpu/sonde-cpu-epilogue.h"

G_BEGIN_DECLS

/**
 * sonde_cpu_prepare_depthwise:
 * Conv of float32 with as many groups as channels and results, along one dimension, three, or with
 * dilation, alone or with what may follow it. A result does not depend in its bits on threads, nor
 * on what is fused.
 *
 * Returns: NULL: oneDNN is better there, or something is not understood; the request is as it was
 */
SondeKernel *sonde_cpu_prepare_depthwise (SondeCpuDevice *device, SondePrepareRequest *request);

G_END_DECLS
