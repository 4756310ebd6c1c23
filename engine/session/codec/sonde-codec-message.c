/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/session/codec/sonde-codec-message.h"

#include <string.h>

#include "data/base/sonde-message-nest.h"

/* ---- writing ------------------------------------------------------------- */

static Sonde__Session__MessagePart *
write_part (GPtrArray *memory, const SondeMessage *message, guint part)
{
  Sonde__Session__MessagePart *written
      = sonde_codec_new (memory, &sonde__session__message_part__descriptor);
  const char *const *arguments;

  written->id = sonde_codec_text (memory, sonde_message_get_part (message, part, &arguments));
  written->arguments = sonde_codec_texts (memory, arguments, &written->n_arguments);
  return written;
}

static gboolean
has_id (const SondeMessage *message)
{
  const char *const *arguments;

  for (guint i = 0; i < sonde_message_get_n_parts (message); i++)
    if (!g_str_equal (sonde_message_get_part (message, i, &arguments), "%s"))
      return TRUE;
  return FALSE;
}

void
sonde_codec_write_message (GPtrArray *memory, const SondeMessage *message, char **text,
                           Sonde__Session__MessagePart ***parts, gsize *n_parts)
{
  g_autofree char *english = message != NULL ? sonde_message_dup_english (message) : NULL;
  guint n = message != NULL && has_id (message) ? sonde_message_get_n_parts (message) : 0;

  *text = sonde_codec_text (memory, english);
  *parts = sonde_codec_list (memory, n);
  *n_parts = n;
  for (guint i = 0; i < n; i++)
    (*parts)[i] = write_part (memory, message, i);
}

void
sonde_codec_write_id (GPtrArray *memory, const char *id, char **text,
                      Sonde__Session__MessagePart ***parts, gsize *n_parts)
{
  g_autoptr (SondeMessage) message = NULL;

  if (id != NULL && *id != '\0')
    {
      message = sonde_message_new_empty ();
      sonde_message_add_part (message, id, (const char *const[]){ NULL });
    }
  sonde_codec_write_message (memory, message, text, parts, n_parts);
}

Sonde__Session__Error *
sonde_codec_write_error (GPtrArray *memory, const GError *error)
{
  Sonde__Session__Error *written = sonde_codec_new (memory, &sonde__session__error__descriptor);
  g_autoptr (SondeMessage) message = sonde_error_dup_message (error);
  gboolean ours = error->domain == SONDE_ENGINE_ERROR;

  written->code = ours ? (guint32) error->code : SONDE_ENGINE_ERROR_INVALID;
  sonde_codec_write_message (memory, message, &written->message, &written->parts,
                             &written->n_parts);
  return written;
}

void
sonde_session_answer_error (SondeSessionAnswer *answer, const GError *error)
{
  answer->reply.error = sonde_codec_write_error (answer->memory, error);
}

/* ---- reading ------------------------------------------------------------- */

static gboolean
is_within_bounds (const Sonde__Session__MessagePart *part)
{
  if (part->n_arguments > SONDE_CODEC_MESSAGE_ARGUMENTS
      || strlen (part->id) > SONDE_CODEC_MESSAGE_ID_BYTES
      || sonde_message_id_names_positions (part->id))
    return FALSE;
  for (gsize i = 0; i < part->n_arguments; i++)
    if (strlen (part->arguments[i]) > SONDE_CODEC_MESSAGE_ARGUMENT_BYTES)
      return FALSE;
  return TRUE;
}

/* NULL where a part is out of bounds. (transfer full) */
static SondeMessage *
read_parts (Sonde__Session__MessagePart *const *parts, gsize n_parts)
{
  g_autoptr (SondeMessage) message = sonde_message_new_empty ();

  if (n_parts == 0 || n_parts > SONDE_CODEC_MESSAGE_PARTS)
    return NULL;
  for (gsize i = 0; i < n_parts; i++)
    {
      g_autofree char *id = sonde_codec_dup (parts[i]->id);
      g_auto (GStrv) arguments = NULL;

      if (!is_within_bounds (parts[i]))
        return NULL;
      arguments = sonde_codec_dup_texts (parts[i]->arguments, parts[i]->n_arguments);
      sonde_message_add_part (message, id, (const char *const *) arguments);
    }
  return g_steal_pointer (&message);
}

SondeMessage *
sonde_codec_read_message (const char *text, Sonde__Session__MessagePart *const *parts,
                          gsize n_parts)
{
  g_autofree char *whole = sonde_codec_dup_optional (text);
  g_autoptr (SondeMessage) message = whole != NULL ? read_parts (parts, n_parts) : NULL;
  g_autofree char *english = message != NULL ? sonde_message_dup_english (message) : NULL;

  if (whole == NULL)
    return NULL;
  return g_strcmp0 (english, whole) == 0 ? g_steal_pointer (&message)
                                         : sonde_message_new_text (whole);
}

GError *
sonde_codec_read_error (const Sonde__Session__Error *message)
{
  SondeMessage *text
      = sonde_codec_read_message (message->message, message->parts, message->n_parts);
  GError *error = NULL;

  sonde_set_error_message (&error, SONDE_ENGINE_ERROR,
                           (int) MIN (message->code, SONDE_ENGINE_ERROR_PROTOCOL),
                           text != NULL ? text : sonde_message_new_empty ());
  return error;
}
