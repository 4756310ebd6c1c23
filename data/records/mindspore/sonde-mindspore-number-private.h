/* SPDX-License-Identifier: Apache-2.0
 * Numbered names: of folders, files, tags. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* @prefix with digits behind it and nothing else. */
gboolean sonde_mindspore_is_numbered (const char *text, gsize length, const char *prefix);

G_END_DECLS
