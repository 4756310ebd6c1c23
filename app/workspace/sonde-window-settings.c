/* SPDX-License-Identifier: Apache-2.0 */
#include "app/workspace/sonde-window-settings.h"

#include "data/base/sonde-io.h"

#define MAX_BYTES (4 << 20) /* a larger file is not ours */

struct _SondeWindowSettings
{
  GKeyFile *file;
  GHashTable *strings; /* values handed out */
  gboolean changed;
};

static char *
dup_path (void)
{
  return g_build_filename (g_get_user_config_dir (), "sonde", "window.ini", NULL);
}

SondeWindowSettings *
sonde_window_settings_new (void)
{
  SondeWindowSettings *settings = g_new0 (SondeWindowSettings, 1);
  g_autofree char *path = dup_path ();
  g_autoptr (GBytes) bytes = sonde_io_read_file (NULL, path, MAX_BYTES, NULL);

  settings->file = g_key_file_new ();
  settings->strings = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  if (bytes != NULL)
    g_key_file_load_from_bytes (settings->file, bytes, G_KEY_FILE_NONE, NULL);
  return settings;
}

void
sonde_window_settings_free (SondeWindowSettings *settings)
{
  if (settings == NULL)
    return;
  g_key_file_unref (settings->file);
  g_hash_table_unref (settings->strings);
  g_free (settings);
}

const char *
sonde_window_settings_keep (SondeWindowSettings *settings, const char *string)
{
  char *kept;

  if (string == NULL)
    return NULL;
  kept = g_hash_table_lookup (settings->strings, string);
  if (kept == NULL)
    g_hash_table_add (settings->strings, kept = g_strdup (string));
  return kept;
}

const char *
sonde_window_settings_get (SondeWindowSettings *settings, const char *group, const char *key)
{
  g_autofree char *value = g_key_file_get_string (settings->file, group, key, NULL);

  return sonde_window_settings_keep (settings, value);
}

void
sonde_window_settings_set (SondeWindowSettings *settings, const char *group, const char *key,
                           const char *value)
{
  g_autofree char *old = g_key_file_get_string (settings->file, group, key, NULL);

  if (g_strcmp0 (old, value) == 0)
    return;
  if (value != NULL)
    g_key_file_set_string (settings->file, group, key, value);
  else
    g_key_file_remove_key (settings->file, group, key, NULL);
  settings->changed = TRUE;
}

gboolean
sonde_window_settings_save (SondeWindowSettings *settings, GError **error)
{
  g_autofree char *path = dup_path ();
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *text = NULL;
  gsize length;

  if (!settings->changed)
    return TRUE;
  text = g_key_file_to_data (settings->file, &length, NULL);
  if (!sonde_io_make_directories (NULL, folder, error)
      || !sonde_io_replace_file (NULL, path, text, length, error))
    return FALSE;
  settings->changed = FALSE;
  return TRUE;
}
