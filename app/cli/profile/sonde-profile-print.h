/* SPDX-License-Identifier: Apache-2.0
 * A profile as tables on stdout that fit a terminal. */
#pragma once

#include "data/profiles/sonde-comparison.h"
#include "data/profiles/sonde-profile.h"
#include "data/profiles/sonde-what-if.h"

G_BEGIN_DECLS

/* @path: what was profiled; the advice comes first, then where a step goes, operators, devices, memory */
void sonde_profile_print (const char *path, const SondeProfile *profile);
/* @other_path: what it was compared with */
void sonde_profile_print_comparison (const char *other_path,
                                     const SondeProfileComparison *comparison);
void sonde_profile_print_what_if (const SondeWhatIf *what_if);

G_END_DECLS
