/* SPDX-License-Identifier: Apache-2.0
 * JSON of others before it is parsed: the parser recurses for every bracket. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Whether brackets and braces are nested at most @most deep; what is no JSON is the parser's to
 * find. */
gboolean sonde_json_is_shallow (const guint8 *text, gsize length, int most);

G_END_DECLS
