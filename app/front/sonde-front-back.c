/* SPDX-License-Identifier: Apache-2.0
 * Commands that go back. */
#include "app/front/sonde-front-private.h"

static gboolean
go_back (SondeFront *front, const SondeBack *back, SondeFrontAnswer *answer, GError **error)
{
  g_autoptr (SondeSessionReply) reply
      = sonde_front_go (front, sonde_session_request_go_back (back), error);

  return reply != NULL && sonde_front_wait (front, answer, error);
}

gboolean
sonde_front_run_back (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                      GError **error)
{
  SondeBack back = { .kind = SONDE_BACK_STEPS, .count = 1 };

  if (*arguments != '\0' && !sonde_front_parse_number (arguments, 1, "count", &back.count, error))
    return FALSE;
  return go_back (front, &back, answer, error);
}

gboolean
sonde_front_run_reverse (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                         GError **error)
{
  const SondeBack back = { .kind = SONDE_BACK_REVERSE };

  return sonde_front_no_arguments (arguments, error) && go_back (front, &back, answer, error);
}

static gboolean
restart_before (SondeFront *front, const char *node, SondeFrontAnswer *answer, GError **error)
{
  g_autofree char *target = sonde_front_unquote (node);
  const SondeBack back = { .kind = SONDE_BACK_NODE, .target = target };

  return go_back (front, &back, answer, error);
}

gboolean
sonde_front_run_restart (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                         GError **error)
{
  g_autoptr (SondeSessionReply) reply = NULL;

  if (*arguments != '\0')
    return restart_before (front, arguments, answer, error);
  reply = sonde_front_call (front, sonde_session_request_restart (), error);
  if (reply == NULL || reply->status == NULL)
    return FALSE;
  front->listed_to = 0;
  if (front->options.json)
    {
      sonde_json_text_string (&answer->json, "state",
                              sonde_session_state_name (reply->status->state));
      sonde_json_text_string (&answer->json, "node", reply->status->stop.node);
      sonde_json_text_string (&answer->json, "op", reply->status->stop.op);
    }
  else
    g_string_append_printf (answer->text, "At the beginning, before %s (%s).\n",
                            reply->status->stop.node, reply->status->stop.op);
  return TRUE;
}

/* The engine may run in another folder. (transfer full) (nullable) */
static char *
make_absolute (const char *arguments)
{
  g_autofree char *file = sonde_front_unquote (arguments);

  return *file != '\0' ? g_canonicalize_filename (file, NULL) : NULL;
}

gboolean
sonde_front_run_rewind (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                        GError **error)
{
  g_autofree char *path = make_absolute (arguments);
  g_autoptr (SondeSessionReply) reply
      = sonde_front_go (front, sonde_session_request_rewind (path), error);

  if (reply == NULL)
    return FALSE;
  if (front->options.json)
    sonde_json_text_string (&answer->json, "file", reply->path);
  else
    g_string_append_printf (answer->text, "The batch is in “%s”.\n", reply->path);
  return sonde_front_wait (front, answer, error);
}
