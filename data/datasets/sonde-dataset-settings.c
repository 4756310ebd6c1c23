/* SPDX-License-Identifier: Apache-2.0
 * "ARGUMENT;key=value;…" behind the colon of a source. */
#include "data/datasets/sonde-dataset-settings.h"

#include <string.h>

#include "data/base/sonde-error.h"

gboolean
sonde_dataset_settings_read (const char *source, const char *text,
                             const SondeDatasetSetting *settings, gsize n, char **values,
                             GError **error)
{
  g_auto (GStrv) parts = g_strsplit (text, ";", -1);

  for (gsize i = 0; parts[i] != NULL; i++)
    {
      char *equals = strchr (g_strstrip (parts[i]), '=');
      gboolean known = FALSE;

      if (parts[i][0] == '\0')
        continue;
      for (gsize k = 0; k < n && equals != NULL && !known; k++)
        {
          known = strlen (settings[k].key) == (gsize) (equals - parts[i])
                  && g_str_has_prefix (parts[i], settings[k].key);
          if (known)
            {
              g_free (values[k]);
              values[k] = g_strdup (equals + 1);
            }
        }
      if (!known)
        return sonde_dataset_settings_refuse (source, parts[i], settings, n, error);
    }
  return TRUE;
}

gboolean
sonde_dataset_settings_refuse (const char *source, const char *what,
                               const SondeDatasetSetting *settings, gsize n, GError **error)
{
  SondeMessage *message = sonde_message_new (
      "%s: “%s” is not understood; settings are separated by “;”. Available:", source, what);

  for (gsize i = 0; i < n; i++)
    sonde_message_append_format (message, " %s=%-s;", settings[i].key, settings[i].allowed);
  sonde_set_error_message (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID, message);
  return FALSE;
}
