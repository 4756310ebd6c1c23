/* SPDX-License-Identifier: Apache-2.0
 * A profile as the object that `sonde profile --json` prints and the session protocol carries. Fields:
 * docs/profiler.md. */
#pragma once

#include <json-glib/json-glib.h>

#include "data/profiles/sonde-comparison.h"
#include "data/profiles/sonde-profile.h"
#include "data/profiles/sonde-what-if.h"

G_BEGIN_DECLS

/* @comparison, @what_if: (nullable): null in JSON. (transfer full) */
JsonNode *sonde_profile_to_json (const SondeProfile *profile,
                                 const SondeProfileComparison *comparison,
                                 const SondeWhatIf *what_if);

G_END_DECLS
