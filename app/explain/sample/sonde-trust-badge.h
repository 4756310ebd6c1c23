/* SPDX-License-Identifier: Apache-2.0
 * Whether a map can be trusted: a shape, a colour and a word; a click says why, number by
 * number. */
#pragma once

#include <adwaita.h>

#include "explain/metrics/sonde-map-trust.h"

G_BEGIN_DECLS

#define SONDE_TYPE_TRUST_BADGE (sonde_trust_badge_get_type ())
G_DECLARE_FINAL_TYPE (SondeTrustBadge, sonde_trust_badge, SONDE, TRUST_BADGE, AdwBin)

/* Emits "wanted" when the user asks for numbers that are not there. */
GtkWidget *sonde_trust_badge_new (void);

/* @map: (nullable): NULL: nothing to judge yet; the room stays */
void sonde_trust_badge_set_map (SondeTrustBadge *badge, const SondeAttributionMap *map);
/* Numbers are being computed, or could not be (@why, nullable). The next set_map() ends it. */
void sonde_trust_badge_set_asking (SondeTrustBadge *badge);
void sonde_trust_badge_set_failed (SondeTrustBadge *badge, const char *why);
/* Asks without a click, unless it did or the numbers are there. */
void sonde_trust_badge_ask (SondeTrustBadge *badge);

G_END_DECLS
