/* SPDX-License-Identifier: Apache-2.0
 * Work that takes long for one widget and longer for all of them: each comes in turn, one a main loop iteration, and
 * behind the frames, so that what was done is on the screen before the next begins. */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

typedef void (*SondeTurnFunc) (void *data);

/**
 * sonde_turns_take:
 * @owner: whose turns these are; what waits goes with it
 * @data: of whom; it has one turn, however often it asks
 *
 * Calls @func with @data behind those that asked before.
 */
void sonde_turns_take (GObject *owner, SondeTurnFunc func, void *data);
gboolean sonde_turns_waits (GObject *owner, void *data);
/* @data is going, or was done by itself. */
void sonde_turns_give_up (GObject *owner, void *data);

G_END_DECLS
