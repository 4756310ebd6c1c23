/* SPDX-License-Identifier: Apache-2.0
 * Steps and ranks of a dump. */
#include "app/cli/dumps/sonde-cli-inspect-dump.h"

#include "app/cli/dumps/sonde-dump-outline.h"
#include "app/cli/sonde-cli-table.h"
#include "data/arrays/sonde-json-text.h"
#include "data/base/sonde-text.h"

static guint
count_steps (const GArray *places)
{
  guint n = 0;

  for (guint i = 0; i < places->len; i++)
    n += i == 0
         || g_array_index (places, SondeMsprobePlace, i).step
                != g_array_index (places, SondeMsprobePlace, i - 1).step;
  return n;
}

static void
print_head (const char *path, const GArray *places)
{
  g_auto (GStrv) ranks = sonde_msprobe_list_ranks (places);
  guint n_steps = count_steps (places), n_ranks = g_strv_length (ranks);
  g_autofree char *steps = g_strdup_printf (ngettext ("%u step", "%u steps", n_steps), n_steps);
  g_autofree char *parts = g_strdup_printf (ngettext ("%u rank", "%u ranks", n_ranks), n_ranks);
  g_autofree char *what = g_strdup_printf (_ ("msprobe dump, %s, %s"), steps, parts);

  sonde_inspect_print_head (path, what);
}

static void
begin_json (GString *text, const char *path)
{
  g_autofree char *valid = g_filename_display_name (path);

  g_string_append (text, text->len > 0 ? ",\n    {\"path\" : " : "\n    {\"path\" : ");
  sonde_json_append_string (text, valid);
  g_string_append (text, ", \"format\" : \"msprobe\", \"folders\" : [");
}

static gboolean
inspect_place (SondeFindings *findings, const SondeMsprobePlace *place, gboolean first,
               GError **error)
{
  g_autoptr (SondeMsprobeDump) dump = sonde_msprobe_dump_open (NULL, place->path, error);

  if (dump == NULL)
    return FALSE;
  if (findings->text)
    sonde_dump_outline_print (place, dump);
  else
    {
      g_string_append (findings->dumps, first ? "\n    " : ",\n    ");
      sonde_dump_outline_append_json (findings->dumps, place, dump);
    }
  return TRUE;
}

gboolean
sonde_inspect_is_dump (const char *path)
{
  g_autoptr (GArray) places = sonde_msprobe_find (NULL, path);

  return places->len > 0;
}

gboolean
sonde_inspect_dump (SondeFindings *findings, const char *path, GError **error)
{
  g_autoptr (GArray) places = sonde_msprobe_find (NULL, path);
  gsize length = findings->dumps->len;

  if (findings->text)
    print_head (path, places);
  else
    begin_json (findings->dumps, path);
  for (guint i = 0; i < places->len; i++)
    if (!inspect_place (findings, &g_array_index (places, SondeMsprobePlace, i), i == 0, error))
      {
        g_string_truncate (findings->dumps, length);
        return FALSE;
      }
  if (!findings->text)
    g_string_append (findings->dumps, "]}");
  return TRUE;
}
