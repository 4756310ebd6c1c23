/* SPDX-License-Identifier: Apache-2.0
 * The recipe of a precision search as text, and back. */
#include "engine/debug/searches/sonde-precision.h"

#include <string.h>

#define HEAD "precision"
#define KEEP "keep-f32"

char *
sonde_precision_format (const SondePrecisionFound *found)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree char *tolerance = g_strdup_printf ("%.17g", found->tolerance),
                  *reached = g_strdup_printf ("%.17g", found->reached);

  g_key_file_set_comment (file, NULL, NULL,
                          " Nodes that stay float32; all others compute in the default precision.",
                          NULL);
  g_key_file_set_string (file, HEAD, "default",
                         found->precision == SONDE_DTYPE_F16 ? "f16" : "bf16");
  g_key_file_set_string (file, HEAD, "tolerance", tolerance);
  g_key_file_set_string (file, HEAD, "reached", reached);
  g_key_file_set_string_list (file, KEEP, "nodes", (const char *const *) found->kept->pdata,
                              found->kept->len);
  return g_key_file_to_data (file, NULL, NULL);
}

gboolean
sonde_precision_parse (const char *text, SondeDtype *precision, char ***kept, GError **error)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GError) failure = NULL;
  g_autofree char *name = NULL;

  *kept = NULL;
  if (!g_key_file_load_from_data (file, text, strlen (text), G_KEY_FILE_NONE, &failure))
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "This is not a precision recipe: %s", failure->message);
      return FALSE;
    }
  name = g_key_file_get_string (file, HEAD, "default", NULL);
  *precision = name != NULL ? sonde_dtype_from_name (name) : SONDE_DTYPE_INVALID;
  if (*precision != SONDE_DTYPE_BF16 && *precision != SONDE_DTYPE_F16
      && *precision != SONDE_DTYPE_F64)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "This is not a precision recipe: [" HEAD
                       "] default must be bf16 or f16, not “%s”.",
                       name != NULL ? name : "");
      return FALSE;
    }
  *kept = g_key_file_get_string_list (file, KEEP, "nodes", NULL, NULL);
  if (*kept == NULL)
    *kept = g_new0 (char *, 1);
  return TRUE;
}

gboolean
sonde_precision_apply (SondeGraph *graph, SondeDtype precision, const char *const *kept,
                       GError **error)
{
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);

  for (gsize i = 0; kept != NULL && kept[i] != NULL; i++)
    {
      if (sonde_graph_find_node (graph, kept[i]) == NULL)
        {
          sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                           "The precision recipe keeps a node “%s” that this model does not have.",
                           kept[i]);
          return FALSE;
        }
      g_hash_table_add (names, (gpointer) kept[i]);
    }
  return sonde_pass_insert_casts (graph, precision, names, NULL, error);
}
