/* SPDX-License-Identifier: Apache-2.0
 * What the cards of the Media page hold together, in words for the status line. */
#pragma once

#include "app/pages/cards/sonde-card-grid.h"

G_BEGIN_DECLS

/**
 * sonde_media_status_describe:
 * @kind: of the records that the cards of @grid show
 * @n_tags, @n_steps: that are shown, that there are
 * @n_judged: (out): images of which class and prediction are known
 *
 * Returns: (transfer full) (nullable)
 */
char *sonde_media_status_describe (SondeCardGrid *grid, SondeRecordKind kind, guint n_tags,
                                   guint n_steps, guint *n_judged);

G_END_DECLS
