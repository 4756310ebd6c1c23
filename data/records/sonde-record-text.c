/* SPDX-License-Identifier: Apache-2.0 */
#include "data/records/sonde-record-text.h"

#include <string.h>

char *
sonde_record_dup_text (const void *data, gsize length)
{
  const char *bytes = data;
  GString *text;

  if (length == 0)
    return g_strdup ("");
  if (memchr (bytes, 0, length) == NULL)
    return g_strndup (bytes, length);
  text = g_string_new (NULL);
  for (gsize i = 0; i < length; i++)
    {
      if (bytes[i] != 0)
        g_string_append_c (text, bytes[i]);
      else
        g_string_append (text, "\\0");
    }
  return g_string_free (text, FALSE);
}
