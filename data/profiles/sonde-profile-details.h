/* SPDX-License-Identifier: Apache-2.0
 * What a recording knows of its operators goes along into files for other programs. */
#pragma once

#include "data/profiles/sonde-profile.h"

G_BEGIN_DECLS

/* Type, original nodes, phase, type of elements, implementation, operations and bytes of a call, to each operator of
 * profile->trace of which there are facts; once. */
void sonde_profile_add_details (SondeProfile *profile);

G_END_DECLS
