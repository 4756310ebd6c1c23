/* SPDX-License-Identifier: Apache-2.0
 * Texts of files, which may be any bytes. */
#pragma once

#include <protobuf-c/protobuf-c.h>

#include <glib.h>

G_BEGIN_DECLS

/* C text of a field; a NUL inside becomes "\0", so that two names differing behind it stay two.
 * @data: (nullable) with no bytes. Returns: (transfer full): perhaps no UTF-8 */
char *sonde_record_dup_text (const void *data, gsize length);

static inline char *
sonde_record_dup_bytes (ProtobufCBinaryData field)
{
  return sonde_record_dup_text (field.data, field.len);
}

G_END_DECLS
