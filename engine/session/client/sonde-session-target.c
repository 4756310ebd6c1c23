/* SPDX-License-Identifier: Apache-2.0
 * Targets, from words. */
#include "engine/session/client/sonde-session-target.h"

#include <string.h>

#include "data/base/sonde-error.h"
#include "engine/ops/sonde-engine-error.h"

#define SSH "ssh:"
#define MAX_HOST 255

static gboolean
parse_pid (const char *text, int *pid)
{
  guint64 number;

  if (!g_ascii_string_to_unsigned (text, 10, 1, G_MAXINT, &number, NULL))
    return FALSE;
  *pid = (int) number;
  return TRUE;
}

/* Names, addresses, aliases of ssh's configuration; what no option begins with and no shell expands. */
static gboolean
is_host (const char *host)
{
  const char *machine = strrchr (host, '@');

  machine = machine != NULL ? machine + 1 : host;
  for (const char *c = host; *c != '\0'; c++)
    if (!g_ascii_isalnum (*c) && strchr ("._-@:%+", *c) == NULL)
      return FALSE;
  return *host != '\0' && *host != '-' && *host != '@' && *machine != '\0' && *machine != '-'
         && strlen (host) <= MAX_HOST;
}

/* "[::1]" is an address, with what may follow; else the last colon is before the process. */
static gboolean
split (const char *text, SondeSessionTarget *target)
{
  const char *end = *text == '[' ? strchr (text, ']') : NULL;
  const char *colon = end != NULL ? end + 1 : strrchr (text, ':');

  if (*text == '[' && end == NULL)
    return FALSE;
  if (end != NULL)
    target->host = g_strndup (text + 1, (gsize) (end - text) - 1);
  else
    target->host = colon != NULL ? g_strndup (text, (gsize) (colon - text)) : g_strdup (text);
  if (!is_host (target->host) || (end == NULL && strchr (target->host, ':') != NULL))
    return FALSE;
  if (colon == NULL || *colon == '\0')
    return TRUE;
  return *colon == ':' && parse_pid (colon + 1, &target->pid);
}

gboolean
sonde_session_target_parse (const char *text, SondeSessionTarget *target, GError **error)
{
  *target = (SondeSessionTarget){ 0 };
  if (!g_str_has_prefix (text, SSH))
    {
      if (parse_pid (text, &target->pid))
        return TRUE;
      sonde_set_error (
          error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
          "“%s” is not a process ID; --attach without a PID lists the running sessions.", text);
      return FALSE;
    }
  if (split (text + strlen (SSH), target))
    return TRUE;
  sonde_session_target_clear (target);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "“%s” names no session: ssh:HOST lists those of another machine, ssh:HOST:PID "
                   "is one of them; HOST is a name or an address that ssh knows.",
                   text);
  return FALSE;
}

void
sonde_session_target_clear (SondeSessionTarget *target)
{
  g_clear_pointer (&target->host, g_free);
  target->pid = 0;
}
