/* SPDX-License-Identifier: Apache-2.0 */
#include "app/workspace/sonde-preferred.h"

#include <string.h>

#define NUMBERS "numbers"
#define RUNS "new-runs"

/* ---- numbers ------------------------------------------------------------- */

static const char *const notations[] = { "automatic", "plain", "scientific" };
static const char *const groupings[] = { "comma", "space", "none" };

static guint
find_word (const char *word, const char *const *words, guint n)
{
  for (guint i = 0; i < n; i++)
    if (g_strcmp0 (word, words[i]) == 0)
      return i;
  return 0;
}

SondeNumberStyle
sonde_preferred_get_number_style (SondeWorkspace *workspace)
{
  SondeNumberStyle style = SONDE_NUMBER_STYLE_DEFAULT;
  const char *digits = sonde_workspace_get_setting (workspace, NUMBERS, "digits");
  gint64 n;

  if (digits != NULL && g_ascii_string_to_signed (digits, 10, 3, 9, &n, NULL))
    style.digits = (int) n;
  style.notation
      = (SondeNotation) find_word (sonde_workspace_get_setting (workspace, NUMBERS, "notation"),
                                   notations, G_N_ELEMENTS (notations));
  style.grouping
      = (SondeGrouping) find_word (sonde_workspace_get_setting (workspace, NUMBERS, "grouping"),
                                   groupings, G_N_ELEMENTS (groupings));
  return style;
}

void
sonde_preferred_set_number_style (SondeWorkspace *workspace, const SondeNumberStyle *style)
{
  g_autofree char *digits = g_strdup_printf ("%d", style->digits);

  g_return_if_fail (style->notation < G_N_ELEMENTS (notations)
                    && style->grouping < G_N_ELEMENTS (groupings));
  sonde_workspace_set_setting (workspace, NUMBERS, "digits", digits);
  sonde_workspace_set_setting (workspace, NUMBERS, "notation", notations[style->notation]);
  sonde_workspace_set_setting (workspace, NUMBERS, "grouping", groupings[style->grouping]);
  sonde_format_set_style (style);
  sonde_workspace_show_again (workspace);
}

/* ---- new runs ------------------------------------------------------------ */

char *
sonde_preferred_dup_runs_folder (SondeWorkspace *workspace)
{
  const char *folder = sonde_workspace_get_setting (workspace, RUNS, "folder");

  return folder != NULL && g_path_is_absolute (folder) ? g_strdup (folder) : NULL;
}

void
sonde_preferred_set_runs_folder (SondeWorkspace *workspace, const char *folder)
{
  g_autofree char *absolute
      = folder != NULL && *folder != '\0' ? g_canonicalize_filename (folder, NULL) : NULL;

  sonde_workspace_set_setting (workspace, RUNS, "folder", absolute);
}

char *
sonde_preferred_choose_run (const char *parent, const char *model)
{
  g_autofree char *base = g_path_get_basename (model);
  char *dot = strrchr (base, '.'), *path;

  if (dot != NULL && dot != base)
    *dot = '\0';
  path = g_build_filename (parent, base, NULL);
  for (guint k = 2; g_file_test (path, G_FILE_TEST_EXISTS); k++)
    {
      g_free (path);
      path = g_strdup_printf ("%s/%s-%u", parent, base, k);
    }
  return path;
}
