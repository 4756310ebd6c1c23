/* SPDX-License-Identifier: Apache-2.0
 * Arguments by keyword at each call, against what the table says of the counterpart's: those it lacks, and
 * those it calls otherwise. */
#include <string.h>

#include "data/sources/porting/sonde-port-report-private.h"

/* Is @word the first word of @item? *@rest is what follows. */
static gboolean
begins_with_word (const char *item, const char *word, const char **rest)
{
  gsize length = strlen (word);

  item += strspn (item, " ");
  *rest = item + length;
  return strncmp (item, word, length) == 0 && strchr (" ,", **rest) != NULL;
}

/* Looks in "arg dim -> axis, input -> x" or "no out, layout". @becomes: (out) (nullable) (transfer full) */
static gboolean
part_names (const char *part, const char *argument, char **becomes)
{
  g_auto (GStrv) items = NULL;
  gboolean renames;

  part += strspn (part, " ");
  renames = g_str_has_prefix (part, "arg ");
  if (!renames && !g_str_has_prefix (part, "no "))
    return FALSE;
  items = g_strsplit (strchr (part, ' ') + 1, ",", -1);
  for (guint i = 0; items[i] != NULL; i++)
    {
      const char *rest;

      if (!begins_with_word (items[i], argument, &rest))
        continue;
      if (renames && g_str_has_prefix (rest, " -> "))
        *becomes = g_strstrip (g_strdup (rest + strlen (" -> ")));
      return TRUE;
    }
  return FALSE;
}

gboolean
sonde_port_argument_differs (const char *difference, const char *argument, char **becomes)
{
  g_auto (GStrv) parts = g_strsplit (difference, ";", -1);
  gboolean differs = FALSE;

  *becomes = NULL;
  /* Compared by position: another function perhaps, its names tell nothing. */
  if (g_str_has_prefix (difference, "by name only"))
    return FALSE;
  for (guint i = 0; parts[i] != NULL && !differs; i++)
    differs = part_names (parts[i], argument, becomes);
  return differs;
}

void
sonde_port_check_arguments (SondePortReport *report, const SondePortReference *reference)
{
  const SondePythonModule *module
      = sonde_source_project_get_file (report->project, reference->file)->module;
  const SondeNameTable *names = sonde_source_project_get_names (report->project);
  const SondePortApi *api = sonde_port_report_get_api (report, reference->api);
  const SondePythonArguments *given;

  if (report->target != SONDE_PORT_TO_MINDSPORE || reference->arguments == 0 || api->row == NULL
      || *api->row->difference == '\0' || !g_str_equal (api->row->api, api->api))
    return;
  given = &g_array_index (module->arguments, SondePythonArguments, reference->arguments - 1);
  for (guint i = 0; i < given->n_keywords; i++)
    {
      SondePortArgument found
          = { .file = reference->file,
              .line = reference->line,
              .api = reference->api,
              .name = g_array_index (module->keywords, guint32, given->keywords + i) };

      if (sonde_port_argument_differs (api->row->difference,
                                       sonde_name_table_get (names, found.name), &found.becomes))
        g_array_append_val (report->arguments, found);
    }
}
