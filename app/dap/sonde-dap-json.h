/* SPDX-License-Identifier: Apache-2.0
 * Members of the protocol's messages: reading those that an editor may have sent as anything, and
 * building bodies. */
#pragma once

#include "data/arrays/sonde-json.h"

G_BEGIN_DECLS

/* A member of another type is as one that is not there. @object: (nullable) */
const char *sonde_dap_get_string (JsonObject *object, const char *member); /* (nullable) */
gint64 sonde_dap_get_int (JsonObject *object, const char *member, gint64 fallback);
gboolean sonde_dap_get_boolean (JsonObject *object, const char *member, gboolean fallback);
JsonArray *sonde_dap_get_array (JsonObject *object, const char *member);   /* (nullable) */
JsonObject *sonde_dap_get_object (JsonObject *object, const char *member); /* (nullable) */
/* A line or another number that is not negative and fits. */
guint sonde_dap_get_uint (JsonObject *object, const char *member, guint fallback);
/* Element @i as an object; @array: (nullable). Returns: (nullable) */
JsonObject *sonde_dap_get_element (JsonArray *array, guint i);
guint sonde_dap_get_length (JsonArray *array); /* (nullable) */

/* A body: an object that is open; filled by data/arrays/sonde-json.h. (transfer full) */
JsonBuilder *sonde_dap_body_new (void);
/* What was built. @body: (transfer full). Returns: (transfer full) */
JsonObject *sonde_dap_body_end (JsonBuilder *body);

G_END_DECLS
