/* SPDX-License-Identifier: Apache-2.0
 * What a program takes of memory for values, counted where it takes it: behind the device and behind the functions of
 * the system that tensors come from, which the linker leads here (--wrap). Nothing of the engine's own
 * accounts is asked. */
#pragma once

#include "engine/devices/sonde-device.h"

G_BEGIN_DECLS

/* Blocks smaller than this are no values of these tests. */
#define ALLOCATION_COUNTER_LEAST 4096

/* A device of one thread that is counted; one at a time. (transfer full) */
SondeDevice *allocation_counter_open (void);
/* From now on the most is looked for. */
void allocation_counter_begin (void);
/* Bytes that were out at once since then. */
guint64 allocation_counter_get_most (void);

G_END_DECLS
