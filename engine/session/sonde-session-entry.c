/* SPDX-License-Identifier: Apache-2.0
 * What is known of a session, and its line. */
#include "engine/session/sonde-session-entry.h"

#define TAB "\t"
#define N_FIELDS 5

void
sonde_session_entry_free (SondeSessionEntry *entry)
{
  if (entry == NULL)
    return;
  g_free (entry->title);
  g_free (entry->run);
  g_free (entry->command);
  g_free (entry->path);
  g_free (entry);
}

/* (transfer full) */
static char *
dup_field (const char *text)
{
  return g_strdelimit (g_strdup (text != NULL ? text : ""), "\t\n\r", ' ');
}

char *
sonde_session_entry_to_line (const SondeSessionEntry *entry)
{
  g_autofree char *title = dup_field (entry->title), *command = dup_field (entry->command);

  return g_strdup_printf ("%d" TAB "%s" TAB "%" G_GUINT64_FORMAT TAB "%" G_GINT64_FORMAT TAB "%s",
                          entry->pid, title, entry->step, entry->since, command);
}

SondeSessionEntry *
sonde_session_entry_from_line (const char *line)
{
  g_auto (GStrv) fields = g_strsplit (line, TAB, N_FIELDS);
  guint n = g_strv_length (fields);
  SondeSessionEntry *entry;
  guint64 pid;

  if (n < 2 || !g_ascii_string_to_unsigned (fields[0], 10, 1, G_MAXINT, &pid, NULL))
    return NULL;
  entry = g_new0 (SondeSessionEntry, 1);
  entry->pid = (int) pid;
  entry->title = g_utf8_make_valid (fields[1], -1);
  entry->step = n > 2 ? g_ascii_strtoull (fields[2], NULL, 10) : 0;
  entry->since = n > 3 ? g_ascii_strtoll (fields[3], NULL, 10) : 0;
  entry->command = n > 4 && *fields[4] != '\0' ? g_utf8_make_valid (fields[4], -1) : NULL;
  return entry;
}
