/* SPDX-License-Identifier: Apache-2.0
 * `sonde inspect`: runs, as the run store knows them. */
#include "app/cli/sonde-cli-inspect-private.h"
#include "app/cli/sonde-cli-table.h"
#include "data/base/sonde-text.h"

/* ---- JSON ---------------------------------------------------------------- */

static JsonArray *
make_damage (GPtrArray *damage)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < damage->len; i++)
    {
      const SondeFrameDamage *stretch = g_ptr_array_index (damage, i);
      JsonObject *object = json_object_new ();

      json_object_set_int_member (object, "offset", (gint64) stretch->offset);
      json_object_set_int_member (object, "bytes", (gint64) stretch->bytes);
      sonde_inspect_set_text (object, "reason", stretch->reason);
      json_array_add_object_element (array, object);
    }
  return array;
}

static JsonArray *
make_files (SondeRun *run)
{
  g_autoptr (GPtrArray) files = sonde_cli_list_files (run);
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < files->len; i++)
    {
      const SondeRunFile *file = g_ptr_array_index (files, i);
      JsonObject *object = json_object_new ();

      sonde_inspect_set_text (object, "path", file->path);
      json_object_set_int_member (object, "bytes", (gint64) file->bytes);
      json_object_set_int_member (object, "records", (gint64) file->records);
      json_object_set_array_member (object, "damaged", make_damage (file->damage));
      json_object_set_boolean_member (object, "copy", file->is_copy);
      json_object_set_boolean_member (object, "waiting", file->waiting);
      json_object_set_int_member (object, "lost", (gint64) file->lost_records);
      json_array_add_object_element (array, object);
    }
  return array;
}

static JsonArray *
make_tags (SondeRun *run)
{
  GPtrArray *tags = sonde_run_get_tags (run);
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < tags->len; i++)
    {
      const SondeRunTag *tag = g_ptr_array_index (tags, i);
      JsonObject *object = json_object_new ();

      sonde_inspect_set_text (object, "tag", tag->tag);
      json_object_set_string_member (object, "kind", sonde_record_kind_name (tag->kind));
      json_object_set_int_member (object, "count", (gint64) tag->count);
      json_object_set_int_member (object, "first_step", tag->first_step);
      json_object_set_int_member (object, "last_step", tag->last_step);
      json_array_add_object_element (array, object);
    }
  return array;
}

static JsonObject *
make_run (SondeRun *run)
{
  JsonObject *object = json_object_new ();

  sonde_inspect_set_text (object, "path", sonde_run_get_name (run));
  json_object_set_string_member (object, "format", sonde_run_get_format (run));
  json_object_set_boolean_member (object, "live", sonde_run_is_live (run));
  json_object_set_array_member (object, "files", make_files (run));
  json_object_set_array_member (object, "tags", make_tags (run));
  return object;
}

/* ---- text ---------------------------------------------------------------- */

static char *
describe_state (const SondeRunFile *file)
{
  guint64 bytes = 0;

  if (file->is_copy)
    return g_strdup (_ ("copy of the file above, not read"));
  for (guint i = 0; i < file->damage->len; i++)
    bytes += ((SondeFrameDamage *) g_ptr_array_index (file->damage, i))->bytes;
  if (bytes > 0)
    {
      g_autofree char *count = sonde_cli_format_count (bytes);

      return g_strdup_printf (
          P_ ("damaged: %u range, %s bytes", "damaged: %u ranges, %s bytes", file->damage->len),
          file->damage->len, count);
    }
  if (file->lost_records > 0)
    return g_strdup_printf (_ ("%" PRIu64 " records lost by the writer"), file->lost_records);
  return g_strdup (file->waiting ? _ ("being written") : _ ("intact"));
}

static void
print_files (SondeRun *run)
{
  static const char *const columns[]
      = { N_ ("<FILE"), N_ (">BYTES"), N_ (">RECORDS"), N_ ("<STATE"), NULL };
  g_autoptr (SondeTable) table = sonde_table_new (columns);
  g_autoptr (GPtrArray) files = sonde_cli_list_files (run);

  for (guint i = 0; i < files->len; i++)
    {
      const SondeRunFile *file = g_ptr_array_index (files, i);
      g_autofree char *bytes = sonde_cli_format_count (file->bytes);
      g_autofree char *records = sonde_cli_format_count (file->records);
      g_autofree char *state = describe_state (file);

      sonde_table_add (table, file->path, bytes, records, state, NULL);
    }
  sonde_table_print (table, 2);
}

static void
print_tags (SondeRun *run)
{
  static const char *const columns[]
      = { N_ ("<TAG"), N_ ("<KIND"), N_ (">RECORDS"), N_ (">FIRST STEP"), N_ (">LAST STEP"), NULL };
  g_autoptr (SondeTable) table = sonde_table_new (columns);
  GPtrArray *tags = sonde_run_get_tags (run);

  for (guint i = 0; i < tags->len; i++)
    {
      const SondeRunTag *tag = g_ptr_array_index (tags, i);
      g_autofree char *count = sonde_cli_format_count (tag->count);
      g_autofree char *first = g_strdup_printf ("%" PRIi64, tag->first_step);
      g_autofree char *last = g_strdup_printf ("%" PRIi64, tag->last_step);

      sonde_table_add (table, tag->tag, sonde_record_kind_name (tag->kind), count, first, last,
                       NULL);
    }
  sonde_table_print (table, 2);
}

static void
print_run (SondeRun *run)
{
  g_autofree char *path = sonde_cli_make_printable (sonde_run_get_path (run));
  gint64 start_ns = sonde_run_get_start_ns (run);
  g_autoptr (GDateTime) start = g_date_time_new_from_unix_local (start_ns / 1000000000);
  g_autofree char *when = start && start_ns > 0
                              ? g_date_time_format (start, _ (", started %Y-%m-%d %H:%M:%S"))
                              : NULL;

  sonde_cli_print (_ ("%s: %s run%s%s\n"), path, sonde_run_get_format (run), when ? when : "",
                   sonde_run_is_live (run) ? _ (", being written") : "");
  print_files (run);
  if (sonde_run_get_tags (run)->len > 0)
    sonde_cli_print ("\n");
  print_tags (run);
  sonde_cli_print ("\n");
}

void
sonde_inspect_runs (SondeFindings *findings, const char *path, SondeRunStore *store)
{
  for (guint i = 0; i < sonde_cli_count_runs (store); i++)
    {
      SondeRun *run = sonde_cli_get_run (store, i);

      if (findings->text)
        print_run (run);
      else
        json_array_add_object_element (findings->runs, make_run (run));
    }
}
