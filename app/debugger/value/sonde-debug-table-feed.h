/* SPDX-License-Identifier: Apache-2.0
 * Fills a tensor table with a value of the session: only what is in sight is fetched from the
 * engine. What is typed into the table changes the value. */
#pragma once

#include "engine/frontend/sonde-debug-session.h"
#include "app/widgets/sonde-tensor-table.h"

G_BEGIN_DECLS

#define SONDE_TYPE_DEBUG_TABLE_FEED (sonde_debug_table_feed_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebugTableFeed, sonde_debug_table_feed, SONDE, DEBUG_TABLE_FEED, GObject)

/* Both are borrowed and outlive it. */
SondeDebugTableFeed *sonde_debug_table_feed_new (SondeTensorTable *table,
                                                 SondeDebugSession *session);

/* @name: (nullable): NULL empties the table. @shape: of the value */
void sonde_debug_table_feed_show (SondeDebugTableFeed *feed, const char *name,
                                  const SondeShape *shape);

G_END_DECLS
