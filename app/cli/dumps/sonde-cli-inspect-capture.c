/* SPDX-License-Identifier: Apache-2.0
 * `sonde inspect`: the debugger's capture files. */
#include <string.h>

#include "app/cli/sonde-cli-inspect-private.h"
#include "app/cli/sonde-cli-table.h"
#include "data/base/sonde-text.h"
#include "data/captures/sonde-capture.h"

/* ---- as JSON ------------------------------------------------------------- */

static JsonObject *
make_facts (const SondeCapture *capture)
{
  JsonObject *object = json_object_new ();
  g_autoptr (GList) keys
      = g_list_sort (g_hash_table_get_keys (capture->facts), (GCompareFunc) strcmp);

  for (const GList *key = keys; key != NULL; key = key->next)
    if (!g_str_has_prefix (key->data, "random."))
      sonde_inspect_set_text (object, key->data, sonde_capture_get_fact (capture, key->data));
  return object;
}

static JsonArray *
make_values (const GPtrArray *values)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < values->len; i++)
    {
      const SondeCaptureValue *value = g_ptr_array_index (values, i);
      JsonObject *object = json_object_new ();

      sonde_inspect_set_text (object, "name", value->name);
      if (value->tensor != NULL)
        {
          SondeType type = sonde_type_tensor (value->tensor->dtype, &value->tensor->shape);

          json_object_set_string_member (object, "dtype", sonde_dtype_name (value->tensor->dtype));
          json_object_set_array_member (object, "shape", sonde_inspect_make_shape (&type));
        }
      json_object_set_boolean_member (object, "whole", value->tensor != NULL);
      json_array_add_object_element (array, object);
    }
  return array;
}

static JsonArray *
make_stops (const SondeCapture *capture)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < capture->stops->len; i++)
    json_array_add_string_element (
        array, ((const SondeCaptureStop *) g_ptr_array_index (capture->stops, i))->command);
  return array;
}

static void
add_json (SondeFindings *findings, const char *path, const SondeCapture *capture)
{
  JsonObject *object = sonde_inspect_finding_new (path, "capture");

  json_object_set_boolean_member (object, "replayable", capture->model != NULL);
  json_object_set_object_member (object, "facts", make_facts (capture));
  json_object_set_array_member (object, "inputs", make_values (capture->inputs));
  json_object_set_array_member (object, "values", make_values (capture->values));
  json_object_set_array_member (object, "stops", make_stops (capture));
  json_array_add_object_element (findings->captures, object);
}

/* ---- as text ------------------------------------------------------------- */

static void
print_facts (const SondeCapture *capture)
{
  g_autoptr (GList) keys
      = g_list_sort (g_hash_table_get_keys (capture->facts), (GCompareFunc) strcmp);

  for (const GList *key = keys; key != NULL; key = key->next)
    {
      const char *text = sonde_capture_get_fact (capture, key->data);
      g_autofree char *name = sonde_cli_make_printable (key->data),
                      *printable = sonde_cli_make_printable (text);

      /* A recipe or a stack has lines of its own, and random numbers tell nobody anything. */
      if (!g_str_has_prefix (key->data, "random.") && strchr (text, '\n') == NULL && *text != '\0')
        sonde_cli_print ("  %s: %s\n", name, printable);
    }
}

static void
add_row (SondeTable *table, const SondeCaptureValue *value)
{
  g_autofree char *shape = NULL, *min = NULL, *max = NULL, *mean = NULL;
  SondeStatistics statistics = value->statistics;

  if (value->tensor == NULL && !value->has_statistics)
    return;
  if (!value->has_statistics)
    sonde_statistics_compute (value->tensor, &statistics);
  shape = value->tensor != NULL ? sonde_shape_to_string (&value->tensor->shape) : g_strdup ("");
  min = g_strdup_printf ("%.6g", statistics.min);
  max = g_strdup_printf ("%.6g", statistics.max);
  mean = g_strdup_printf ("%.6g", statistics.mean);
  sonde_table_add (table, value->name,
                   value->tensor != NULL ? sonde_dtype_name (value->tensor->dtype) : "", shape, min,
                   max, mean, NULL);
}

static void
print_values (const SondeCapture *capture)
{
  static const char *const columns[] = { N_ ("<VALUE"), N_ ("<DTYPE"), N_ ("<SHAPE"), N_ (">MIN"),
                                         N_ (">MAX"),   N_ (">MEAN"),  NULL };
  g_autoptr (SondeTable) table = sonde_table_new (columns);

  for (guint i = 0; i < capture->inputs->len; i++)
    add_row (table, g_ptr_array_index (capture->inputs, i));
  for (guint i = 0; i < capture->values->len; i++)
    add_row (table, g_ptr_array_index (capture->values, i));
  sonde_table_print (table, 2);
}

static void
print (const char *path, const SondeCapture *capture)
{
  g_autofree char *printable = sonde_cli_make_printable (path);

  sonde_inspect_print_head (path, _ ("capture"));
  print_facts (capture);
  print_values (capture);
  if (capture->model != NULL)
    sonde_cli_print (_ ("  It can be run again: sonde debug %s\n\n"), printable);
  else
    sonde_cli_print (_ ("  It holds no graph. Where the model is: sonde.debug.open_capture (\"%s\")"
                        ".put_back (model, optimiser)\n\n"),
                     printable);
}

gboolean
sonde_inspect_capture (SondeFindings *findings, const char *path, GError **error)
{
  g_autoptr (SondeCapture) capture = sonde_capture_read (path, error);

  if (capture == NULL)
    return FALSE;
  if (findings->text)
    print (path, capture);
  else
    add_json (findings, path, capture);
  return TRUE;
}
