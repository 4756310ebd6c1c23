/* SPDX-License-Identifier: Apache-2.0
 * `sonde inspect`: runs, as the run store knows them. */
#include "app/cli/sonde-cli-inspect-private.h"

#include <stdio.h>
#include <string.h>

#include "app/cli/sonde-cli-table.h"
#include "data/base/sonde-text.h"

#define PRINTED_BYTES ((gsize) 64 << 10) /* at once */

/* ---- JSON: text at once, a tree of ten thousand runs takes longer than the runs ---- */

/* g_string_append() takes longer for a few bytes than the bytes. */
static inline void
put_bytes (GString *json, const char *bytes, gsize length)
{
  if (json->len + length >= json->allocated_len)
    {
      g_string_append_len (json, bytes, length);
      return;
    }
  memcpy (json->str + json->len, bytes, length);
  json->len += length;
  json->str[json->len] = '\0';
}

/* @text: as it is to be in the JSON */
static inline void
put (GString *json, const char *text)
{
  put_bytes (json, text, strlen (text));
}

static gboolean
is_plain (char c)
{
  return (guchar) c >= 0x20 && c != 0x7f && c != '"' && c != '\\';
}

/* A string of a file, made valid UTF-8. */
static void
put_text (GString *json, const char *text)
{
  g_autofree char *made_valid
      = g_utf8_validate (text, -1, NULL) ? NULL : g_utf8_make_valid (text, -1);
  const char *c = made_valid ? made_valid : text, *plain;

  put (json, "\"");
  for (; *c; c++)
    {
      for (plain = c; is_plain (*c);)
        c++;
      put_bytes (json, plain, c - plain);
      if (*c == '\0')
        break;
      if (*c == '"' || *c == '\\')
        g_string_append_c (g_string_append_c (json, '\\'), *c);
      else
        g_string_append_printf (json, "\\u%04x", *c);
    }
  put (json, "\"");
}

static void
put_number (GString *json, gint64 number)
{
  char digits[24], *at = digits + sizeof digits;
  guint64 rest = number < 0 ? -(guint64) number : (guint64) number;

  do
    *--at = '0' + rest % 10;
  while ((rest /= 10) > 0);
  if (number < 0)
    *--at = '-';
  put_bytes (json, at, digits + sizeof digits - at);
}

/* @before: what stands before the value, the name of the member with it */
static void
put_text_member (GString *json, const char *before, const char *text)
{
  put (json, before);
  put_text (json, text);
}

static void
put_number_member (GString *json, const char *before, gint64 number)
{
  put (json, before);
  put_number (json, number);
}

static void
put_boolean_member (GString *json, const char *before, gboolean value)
{
  put (json, before);
  put (json, value ? "true" : "false");
}

static void
put_damage (GString *json, GPtrArray *damage)
{
  for (guint i = 0; i < damage->len; i++)
    {
      const SondeFrameDamage *stretch = g_ptr_array_index (damage, i);
      const char *start = i > 0 ? ",\n            {" : "\n            {";

      put (json, start);
      put_number_member (json, "\n              \"offset\" : ", (gint64) stretch->offset);
      put_number_member (json, ",\n              \"bytes\" : ", (gint64) stretch->bytes);
      put_text_member (json, ",\n              \"reason\" : ", stretch->reason);
      put (json, "\n            }");
    }
  if (damage->len > 0)
    put (json, "\n          ");
}

static void
put_files (GString *json, SondeRun *run)
{
  g_autoptr (GPtrArray) files = sonde_cli_list_files (run);

  for (guint i = 0; i < files->len; i++)
    {
      const SondeRunFile *file = g_ptr_array_index (files, i);

      put (json, i > 0 ? ",\n        {" : "\n        {");
      put_text_member (json, "\n          \"path\" : ", file->path);
      put_number_member (json, ",\n          \"bytes\" : ", (gint64) file->bytes);
      put_number_member (json, ",\n          \"records\" : ", (gint64) file->records);
      put (json, ",\n          \"damaged\" : [");
      put_damage (json, file->damage);
      put_boolean_member (json, "],\n          \"copy\" : ", file->is_copy);
      put_boolean_member (json, ",\n          \"waiting\" : ", file->waiting);
      put_number_member (json, ",\n          \"lost\" : ", (gint64) file->lost_records);
      put (json, "\n        }");
    }
  if (files->len > 0)
    put (json, "\n      ");
}

static void
put_tags (GString *json, SondeRun *run)
{
  GPtrArray *tags = sonde_run_get_tags (run);

  for (guint i = 0; i < tags->len; i++)
    {
      const SondeRunTag *tag = g_ptr_array_index (tags, i);

      put (json, i > 0 ? ",\n        {" : "\n        {");
      put_text_member (json, "\n          \"tag\" : ", tag->tag);
      put (json, ",\n          \"kind\" : \"");
      put (json, sonde_record_kind_name (tag->kind));
      put_number_member (json, "\",\n          \"count\" : ", (gint64) tag->count);
      put_number_member (json, ",\n          \"first_step\" : ", tag->first_step);
      put_number_member (json, ",\n          \"last_step\" : ", tag->last_step);
      put (json, "\n        }");
    }
  if (tags->len > 0)
    put (json, "\n      ");
}

/* @start: what stands before the object */
static void
put_run (GString *json, const char *start, SondeRun *run)
{
  put (json, start);
  put_text_member (json, "\n      \"path\" : ", sonde_run_get_name (run));
  put_text_member (json, ",\n      \"format\" : ", sonde_run_get_format (run));
  put_boolean_member (json, ",\n      \"live\" : ", sonde_run_is_live (run));
  put (json, ",\n      \"files\" : [");
  put_files (json, run);
  put (json, "],\n      \"tags\" : [");
  put_tags (json, run);
  put (json, "]\n    }");
}

void
sonde_inspect_print_runs (SondeFindings *findings)
{
  fwrite (findings->runs->str, 1, findings->runs->len, stdout);
  g_string_truncate (findings->runs, 0);
}

static void
add_run (SondeFindings *findings, SondeRun *run)
{
  put_run (findings->runs, findings->n_runs > 0 ? ",\n    {" : "{\n  \"runs\" : [\n    {", run);
  findings->n_runs++;
  if (findings->runs->len >= PRINTED_BYTES)
    sonde_inspect_print_runs (findings);
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
        add_run (findings, run);
    }
}
