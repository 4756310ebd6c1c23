/* SPDX-License-Identifier: Apache-2.0
 * The debugger's keys, which are the whole window's while its page is open. */
#pragma once

#include "app/debugger/sonde-debug-actions.h"
#include "app/debugger/sonde-debug-listing.h"

G_BEGIN_DECLS

typedef struct _SondeDebugKeys SondeDebugKeys;

/* Keys of the window that @widget is in, until they are freed. NULL: it is in none. */
SondeDebugKeys *sonde_debug_keys_new (GtkWidget *widget, SondeDebugActions *actions,
                                      SondeDebugListing *listing);
void sonde_debug_keys_free (SondeDebugKeys *keys);

G_END_DECLS
