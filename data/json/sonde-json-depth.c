/* SPDX-License-Identifier: Apache-2.0 */
#include "data/json/sonde-json-depth.h"

gboolean
sonde_json_is_shallow (const guint8 *text, gsize length, int most)
{
  gboolean in_text = FALSE;
  int depth = 0;

  for (gsize i = 0; i < length; i++)
    if (in_text && text[i] == '\\')
      i++;
    else if (in_text)
      in_text = text[i] != '"';
    else if (text[i] == '"')
      in_text = TRUE;
    else if ((text[i] == '[' || text[i] == '{') && ++depth > most)
      return FALSE;
    else if (text[i] == ']' || text[i] == '}')
      depth--;
  return TRUE;
}
