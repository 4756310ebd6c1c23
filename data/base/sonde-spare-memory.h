/* SPDX-License-Identifier: Apache-2.0
 * What the C library keeps of memory that was freed. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * sonde_return_memory:
 *
 * Gives memory that was freed between what stays back to the system, where the C library can and
 * there are @least bytes of it; takes some ms for 100 MB. For the moment between a preparation and
 * what needs memory next. Any thread.
 * Returns: whether it tried
 */
gboolean sonde_return_memory (gsize least);

G_END_DECLS
