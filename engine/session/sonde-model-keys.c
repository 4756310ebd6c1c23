/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/session/sonde-model-keys.h"

char **
sonde_model_keys_add (char **sets, const char *signature, const char *weights, char *const *shapes)
{
  g_autoptr (GStrvBuilder) all = g_strv_builder_new ();
  g_autofree char *sizes = shapes != NULL ? g_strjoinv (";", (char **) shapes) : NULL;
  const struct
  {
    const char *key, *value;
  } rows[] = {
    { "model.signature", signature },
    { "model.weights", weights },
    { "model.shapes", sizes },
  };
  gboolean any = FALSE;

  for (guint i = 0; sets != NULL && sets[i] != NULL; i++)
    g_strv_builder_add (all, sets[i]);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (rows[i].value != NULL && *rows[i].value != '\0')
      {
        g_autofree char *one = g_strconcat (rows[i].key, "=", rows[i].value, NULL);

        g_strv_builder_add (all, one);
        any = TRUE;
      }
  if (!any)
    return sets;
  g_strfreev (sets);
  return g_strv_builder_end (all);
}
