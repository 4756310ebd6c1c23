/* SPDX-License-Identifier: Apache-2.0
 * The listing as a source. */
#include "app/dap/sonde-dap-source.h"

#include <string.h>

#include "data/base/sonde-io.h"

#define SUFFIX ".listing"

/* ---- lines and nodes ----------------------------------------------------- */

/* "  NAME: outputs = Op (…)" -> NAME; nodes of bodies are indented. NULL for what is no node.
 * (transfer full) */
static char *
name_on_line (const char *line)
{
  const char *start = line + strspn (line, " "), *colon = strstr (start, ": ");

  return colon != NULL && strstr (colon, " = ") != NULL ? g_strndup (start, (gsize) (colon - start))
                                                        : NULL;
}

static GPtrArray *
find_names (const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; lines[i] != NULL; i++)
    g_ptr_array_add (names, name_on_line (lines[i]));
  return names;
}

const char *
sonde_dap_source_find_node (const SondeDapSource *source, guint line, guint *found)
{
  for (guint i = MAX (line, 1); i <= source->names->len; i++)
    if (g_ptr_array_index (source->names, i - 1) != NULL)
      {
        *found = i;
        return g_ptr_array_index (source->names, i - 1);
      }
  return NULL;
}

guint
sonde_dap_source_find_line (const SondeDapSource *source, const char *name)
{
  for (guint i = 0; name != NULL && i < source->names->len; i++)
    if (g_strcmp0 (g_ptr_array_index (source->names, i), name) == 0)
      return i + 1;
  return 0;
}

/* ---- the file ------------------------------------------------------------ */

static gboolean
write_listing (SondeDapSource *source, const char *folder, const char *name)
{
  g_autofree char *file = g_strconcat (name, SUFFIX, NULL),
                  *path = g_build_filename (folder, file, NULL);

  if (!sonde_io_make_directories (NULL, folder, NULL)
      || !g_file_set_contents (path, source->text, -1, NULL))
    return FALSE;
  source->path = g_canonicalize_filename (path, NULL);
  return TRUE;
}

static void
place_listing (SondeDapSource *source, const char *run_directory, const char *subject)
{
  g_autofree char *cache = g_build_filename (g_get_user_cache_dir (), "sonde", "listings", NULL);
  g_autofree char *safe = g_strdelimit (g_strdup (source->title), "/ ", '-');

  if (subject != NULL && g_file_test (subject, G_FILE_TEST_IS_REGULAR))
    {
      g_autofree char *folder = g_path_get_dirname (subject), *name = g_path_get_basename (subject);

      if (write_listing (source, folder, name))
        return;
    }
  if (run_directory == NULL || !write_listing (source, run_directory, "graph"))
    write_listing (source, cache, safe);
}

SondeDapSource *
sonde_dap_source_new (const char *text, const SondeSessionStatus *status, const char *subject)
{
  SondeDapSource *source = g_new0 (SondeDapSource, 1);

  source->title = g_strdup (status->facts.title != NULL ? status->facts.title : "run");
  source->text = g_strdup (text);
  source->names = find_names (text);
  place_listing (source, status->facts.run_directory, subject);
  return source;
}

void
sonde_dap_source_free (SondeDapSource *source)
{
  if (source == NULL)
    return;
  g_free (source->title);
  g_free (source->text);
  g_free (source->path);
  g_ptr_array_unref (source->names);
  g_free (source);
}

/* ---- as a member --------------------------------------------------------- */

void
sonde_dap_source_append (const SondeDapSource *source, JsonBuilder *body)
{
  g_autofree char *name = source->path != NULL ? g_path_get_basename (source->path)
                                               : g_strconcat (source->title, SUFFIX, NULL);

  sonde_json_set_string (body, "name", name);
  /* An editor opens the path; what could not be written is asked for by its reference. */
  if (source->path != NULL)
    sonde_json_set_string (body, "path", source->path);
  sonde_json_set_int (body, "sourceReference", source->path != NULL ? 0 : SONDE_DAP_LISTING);
  sonde_json_set_string (body, "origin", "executed graph");
}

gboolean
sonde_dap_source_is (const SondeDapSource *source, JsonObject *given)
{
  const char *path = sonde_dap_get_string (given, "path"),
             *name = sonde_dap_get_string (given, "name");
  g_autofree char *full = path != NULL ? g_canonicalize_filename (path, NULL) : NULL;

  if (sonde_dap_get_int (given, "sourceReference", 0) == SONDE_DAP_LISTING)
    return TRUE;
  if (full != NULL)
    return g_strcmp0 (full, source->path) == 0 || g_str_has_suffix (full, SUFFIX);
  return name != NULL && g_str_has_suffix (name, SUFFIX);
}
