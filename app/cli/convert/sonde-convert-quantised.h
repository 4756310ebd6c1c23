/* SPDX-License-Identifier: Apache-2.0
 * What a report says of quantised operators that became floats between two roundings. */
#pragma once

#include "data/models/lowering/sonde-conversion.h"

G_BEGIN_DECLS

/* Marks the nodes of @conversion that are rounded elsewhere than their format does it. Returns: are there
 * any? */
gboolean sonde_convert_mark_rounded (SondeConversion *conversion);

/* A note how far apart the results are. @steps: that a run has seen; −1: none was made */
void sonde_convert_note_rounded (SondeConversion *conversion, const char *path, int steps);

G_END_DECLS
