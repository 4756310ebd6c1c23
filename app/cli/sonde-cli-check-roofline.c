/* SPDX-License-Identifier: Apache-2.0 */
#include "app/cli/sonde-cli-check-roofline.h"

#include "app/cli/sonde-cli-table.h"
#include "data/base/sonde-text.h"
#include "engine/devices/sonde-device.h"
#include "engine/profile/sonde-ceilings.h"

#define DEVICE "cpu" /* the reference device has no fast kernels, and so no ceilings */

static void
set_number (JsonObject *object, const char *name, double number)
{
  json_object_set_double_member (object, name, number);
}

static void
print_json (const GArray *entries, guint n_threads)
{
  JsonObject *object = json_object_new ();
  JsonArray *array = json_array_new ();
  JsonNode *root = json_node_new (JSON_NODE_OBJECT);

  for (guint i = 0; i < entries->len; i++)
    {
      const SondeCeilingsEntry *entry = &g_array_index (entries, SondeCeilingsEntry, i);
      JsonObject *one = json_object_new ();

      json_object_set_string_member (one, "device", DEVICE);
      json_object_set_string_member (one, "dtype", sonde_dtype_name (entry->dtype));
      json_object_set_int_member (one, "threads", n_threads);
      set_number (one, "peak_gflops", entry->ceilings.peak_gflops);
      set_number (one, "peak_gbs", entry->ceilings.peak_gbs);
      set_number (one, "overhead_us", entry->ceilings.overhead_us);
      json_array_add_object_element (array, one);
    }
  json_object_set_array_member (object, "roofline", array);
  json_node_take_object (root, object);
  sonde_cli_print_json (root, TRUE);
}

static void
print_text (const GArray *entries, guint n_threads)
{
  static const char *const heads[]
      = { N_ ("<DEVICE"),        N_ ("<DTYPE"), N_ (">THREADS"), ">GFLOP/S", ">GB/S",
          N_ (">CHEAPEST STEP"), NULL };
  g_autoptr (SondeTable) table = sonde_table_new (heads);
  g_autofree char *threads = g_strdup_printf ("%u", n_threads);

  for (guint i = 0; i < entries->len; i++)
    {
      const SondeCeilings *ceilings = &g_array_index (entries, SondeCeilingsEntry, i).ceilings;
      g_autofree char *gflops = g_strdup_printf ("%.1f", ceilings->peak_gflops);
      g_autofree char *gbs = g_strdup_printf ("%.2f", ceilings->peak_gbs);
      g_autofree char *overhead = g_strdup_printf ("%.3f µs", ceilings->overhead_us);

      sonde_table_add (table, DEVICE,
                       sonde_dtype_name (g_array_index (entries, SondeCeilingsEntry, i).dtype),
                       threads, gflops, gbs, overhead, NULL);
    }
  sonde_table_print (table, 0);
}

int
sonde_check_roofline (const SondeCliCommand *command, guint n_threads, gboolean forget,
                      gboolean json)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeDevice) device = sonde_device_open (DEVICE, (int) n_threads, &error);
  g_autoptr (GArray) entries = NULL;

  if (device == NULL)
    return sonde_cli_fail (command, error);
  if (n_threads == 0)
    n_threads = device->n_threads;
  entries = sonde_ceilings_list (DEVICE, n_threads,
                                 forget ? SONDE_CEILINGS_FORGOTTEN : SONDE_CEILINGS_AGAIN, &error);
  if (entries == NULL)
    return sonde_cli_fail (command, error);
  if (json)
    print_json (entries, n_threads);
  else
    print_text (entries, n_threads);
  return SONDE_EXIT_DONE;
}
