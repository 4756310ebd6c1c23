/* SPDX-License-Identifier: Apache-2.0
 * Thumbnails of samples, asked for when a list shows them: the last asked first, a few at a time, and
 * forgotten again when very many have been seen. */
#pragma once

#include "explain/browsing/sonde-explain-item.h"
#include "explain/browsing/sonde-explain-client.h"

G_BEGIN_DECLS

#define SONDE_TYPE_THUMBNAIL_LOADER (sonde_thumbnail_loader_get_type ())
G_DECLARE_FINAL_TYPE (SondeThumbnailLoader, sonde_thumbnail_loader, SONDE, THUMBNAIL_LOADER,
                      GObject)

/* @client: (nullable): without one only thumbnails of recorded samples come. Property "busy"
 * (boolean, notified): some were asked for and are not there. */
SondeThumbnailLoader *sonde_thumbnail_loader_new (SondeExplainClient *client);

/* A list shows it, or does not any more; calls pair. */
void sonde_thumbnail_loader_want (SondeThumbnailLoader *loader, SondeExplainItem *item);
void sonde_thumbnail_loader_drop (SondeThumbnailLoader *loader, SondeExplainItem *item);

gboolean sonde_thumbnail_loader_is_busy (SondeThumbnailLoader *loader);
/* Another session: whatever was asked is not wanted any more. */
void sonde_thumbnail_loader_reset (SondeThumbnailLoader *loader);

G_END_DECLS
