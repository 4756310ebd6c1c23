/* SPDX-License-Identifier: Apache-2.0
 * A profile as a page to keep and to send: one HTML file in the user's language that needs no network, no
 * other file and no script. */
#pragma once

#include "data/profiles/sonde-comparison.h"
#include "data/profiles/sonde-profile.h"

G_BEGIN_DECLS

#define SONDE_PROFILE_REPORT_ENDING ".html"

/**
 * sonde_profile_report_write:
 * @title: what was profiled, as the file's name
 * @comparison: (nullable)
 *
 * Names are escaped; control and bidi characters in them are shown as symbols. Errors: of
 * sonde_replacement_begin() and its kin.
 */
gboolean sonde_profile_report_write (const SondeProfile *profile,
                                     const SondeProfileComparison *comparison, const char *title,
                                     const char *path, GError **error);

G_END_DECLS
