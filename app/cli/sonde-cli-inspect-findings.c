/* SPDX-License-Identifier: Apache-2.0 */
#include "app/cli/sonde-cli-inspect-findings.h"

#include "app/cli/sonde-cli-table.h"

JsonObject *
sonde_inspect_finding_new (const char *path, const char *format)
{
  JsonObject *object = json_object_new ();
  g_autofree char *valid = g_filename_display_name (path);

  json_object_set_string_member (object, "path", valid);
  json_object_set_string_member (object, "format", format);
  return object;
}

void
sonde_inspect_print_head (const char *path, const char *what)
{
  g_autofree char *printable = sonde_cli_make_printable (path);

  sonde_cli_print ("%s: %s\n", printable, what);
}

void
sonde_inspect_set_text (JsonObject *object, const char *name, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);

  json_object_set_string_member (object, name, valid);
}

JsonArray *
sonde_inspect_make_shape (const SondeType *type)
{
  JsonArray *array = json_array_new ();

  for (int i = 0; i < type->rank; i++)
    if (type->dims[i].size >= 0)
      json_array_add_int_element (array, type->dims[i].size);
    else if (type->dims[i].symbol)
      json_array_add_string_element (array, type->dims[i].symbol);
    else
      json_array_add_null_element (array);
  return array;
}
