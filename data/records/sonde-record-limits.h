/* SPDX-License-Identifier: Apache-2.0
 * What a file of records may have, in every format. */
#pragma once

#include <glib.h>

/* Names of tags stay in memory for good (they are interned), so they are bounded. */
#define SONDE_TAG_TABLE_MAX_TAGS 1000000
#define SONDE_TAG_TABLE_MAX_BYTES ((gsize) 64 << 20)
