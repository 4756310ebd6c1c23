/* SPDX-License-Identifier: Apache-2.0
 * Pictures of samples, asked for when a list shows them: the last asked first, a few at a time, and
 * forgotten again when very many have been seen. */
#pragma once

#include "app/explain/browser/sonde-explain-item.h"
#include "app/explain/sonde-explain-client.h"

G_BEGIN_DECLS

#define SONDE_TYPE_EXPLAIN_PICTURES (sonde_explain_pictures_get_type ())
G_DECLARE_FINAL_TYPE (SondeExplainPictures, sonde_explain_pictures, SONDE, EXPLAIN_PICTURES,
                      GObject)

/* @client: (nullable): without one only pictures of recorded samples come. Property "busy"
 * (boolean, notified): some were asked for and are not there. */
SondeExplainPictures *sonde_explain_pictures_new (SondeExplainClient *client);

/* A list shows it, or does not any more; calls pair. */
void sonde_explain_pictures_want (SondeExplainPictures *pictures, SondeExplainItem *item);
void sonde_explain_pictures_drop (SondeExplainPictures *pictures, SondeExplainItem *item);

gboolean sonde_explain_pictures_is_busy (SondeExplainPictures *pictures);
/* Another study: whatever was asked is not wanted any more. */
void sonde_explain_pictures_reset (SondeExplainPictures *pictures);

G_END_DECLS
