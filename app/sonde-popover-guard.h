/* SPDX-License-Identifier: Apache-2.0
 * An open popover lets go of pointer and keyboard when its widgets go.
 *
 * GTK 4.8 closes a popover that is taken off the screen with the next frame. One whose window is destroyed before that,
 * or that leaves its parent, is never closed: it keeps the grab, no other window of the program gets input any more,
 * and it is never freed. The guard closes it in time. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Guards all popovers of the program from now on; once is enough. */
void sonde_popover_guard_start (void);

G_END_DECLS
