/* SPDX-License-Identifier: Apache-2.0
 * setlocale() and the folder of the catalogues. */
#include "app/cli/sonde-cli-locale.h"

#include <langinfo.h>
#include <locale.h>

#include "data/base/sonde-text.h"

/* Any language shows where the catalogues are. */
#define CATALOGUE "zh_CN/LC_MESSAGES/" GETTEXT_PACKAGE ".mo"

static char *
dup_catalogue_folder (const char *program)
{
  static const char *const candidates[] = { "../po", SONDE_LOCALE_FOLDER_FROM_PROGRAM };
  g_autofree char *folder = g_path_get_dirname (program);

  for (gsize i = 0; i < G_N_ELEMENTS (candidates); i++)
    {
      g_autofree char *path = g_build_filename (folder, candidates[i], NULL);
      g_autofree char *catalogue = g_build_filename (path, CATALOGUE, NULL);

      if (g_file_test (catalogue, G_FILE_TEST_EXISTS))
        return g_steal_pointer (&path);
    }
  return g_strdup (SONDE_LOCALE_FOLDER);
}

void
sonde_cli_start_locale (const char *program)
{
  g_autofree char *folder = dup_catalogue_folder (program);

  setlocale (LC_ALL, "");
  setlocale (LC_NUMERIC, "C");
  if (!g_str_equal (nl_langinfo (CODESET), "UTF-8"))
    setlocale (LC_CTYPE, "C.UTF-8");
  bindtextdomain (GETTEXT_PACKAGE, folder);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);
}

void
sonde_cli_stop_translation (void)
{
  setlocale (LC_MESSAGES, "C");
}
