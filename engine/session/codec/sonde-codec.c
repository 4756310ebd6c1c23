/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/session/codec/sonde-codec.h"

#include <string.h>
#include <unistd.h>

GPtrArray *
sonde_codec_memory_new (void)
{
  return g_ptr_array_new_with_free_func (g_free);
}

void *
sonde_codec_alloc (GPtrArray *memory, gsize bytes)
{
  void *block = g_malloc0 (MAX (bytes, 1));

  g_ptr_array_add (memory, block);
  return block;
}

void *
sonde_codec_new (GPtrArray *memory, const ProtobufCMessageDescriptor *descriptor)
{
  ProtobufCMessage *message = sonde_codec_alloc (memory, descriptor->sizeof_message);

  descriptor->message_init (message);
  return message;
}

void *
sonde_codec_list (GPtrArray *memory, gsize n)
{
  return sonde_codec_alloc (memory, n * sizeof (void *));
}

char *
sonde_codec_text (GPtrArray *memory, const char *text)
{
  char *copy = sonde_codec_dup (text);

  g_ptr_array_add (memory, copy);
  return copy;
}

char **
sonde_codec_texts (GPtrArray *memory, const char *const *texts, gsize *n)
{
  gsize length = texts != NULL ? g_strv_length ((char **) texts) : 0;
  char **copy = sonde_codec_list (memory, length);

  for (*n = 0; *n < length; (*n)++)
    copy[*n] = sonde_codec_text (memory, texts[*n]);
  return copy;
}

char **
sonde_codec_text_list (GPtrArray *memory, const GPtrArray *texts, gsize *n)
{
  char **copy = sonde_codec_list (memory, texts->len);

  for (*n = 0; *n < texts->len; (*n)++)
    copy[*n] = sonde_codec_text (memory, texts->pdata[*n]);
  return copy;
}

char *
sonde_codec_lend (const char *text)
{
  return (char *) (text != NULL ? text : "");
}

/* ---- reading ------------------------------------------------------------- */

char *
sonde_codec_dup (const char *text)
{
  return g_utf8_make_valid (text != NULL ? text : "", -1);
}

char *
sonde_codec_dup_optional (const char *text)
{
  return text != NULL && *text != '\0' ? sonde_codec_dup (text) : NULL;
}

char **
sonde_codec_dup_texts (char *const *texts, gsize n)
{
  char **copy = g_new0 (char *, n + 1);

  for (gsize i = 0; i < n; i++)
    copy[i] = sonde_codec_dup (texts[i]);
  return copy;
}

GPtrArray *
sonde_codec_dup_text_list (char *const *texts, gsize n)
{
  GPtrArray *copy = g_ptr_array_new_with_free_func (g_free);

  for (gsize i = 0; i < n; i++)
    g_ptr_array_add (copy, sonde_codec_dup (texts[i]));
  return copy;
}

const char *
sonde_codec_null_if_empty (const char *text)
{
  return text != NULL && *text != '\0' ? text : NULL;
}

SondePhase
sonde_codec_phase (guint32 number)
{
  return number <= SONDE_PHASE_OPTIMISER ? (SondePhase) number : SONDE_PHASE_FORWARD;
}

/* ---- requests ------------------------------------------------------------ */

SondeSessionRequest *
sonde_session_request_new (Sonde__Session__Request__BodyCase kind, SondeSessionReplyKind expects)
{
  const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field (
      &sonde__session__request__descriptor, (unsigned int) kind);
  SondeSessionRequest *request = g_new0 (SondeSessionRequest, 1);

  sonde__session__request__init (&request->message);
  request->memory = sonde_codec_memory_new ();
  request->expects = expects;
  request->message.body_case = kind;
  request->message.hello /* any member of the union */
      = sonde_codec_new (request->memory, field->descriptor);
  return request;
}

void
sonde_session_request_free (SondeSessionRequest *request)
{
  if (request == NULL)
    return;
  g_ptr_array_unref (request->memory);
  g_free (request);
}

/* ---- replies ------------------------------------------------------------- */

void
sonde_session_answer_init (SondeSessionAnswer *answer)
{
  sonde__session__reply__init (&answer->reply);
  answer->memory = sonde_codec_memory_new ();
  answer->memfd = -1;
  answer->later = FALSE;
}

void
sonde_session_answer_clear (SondeSessionAnswer *answer)
{
  g_clear_pointer (&answer->memory, g_ptr_array_unref);
  if (answer->memfd >= 0)
    close (answer->memfd);
  answer->memfd = -1;
}

void *
sonde_session_answer_body (SondeSessionAnswer *answer, Sonde__Session__Reply__BodyCase kind)
{
  const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field (
      &sonde__session__reply__descriptor, (unsigned int) kind);

  if (answer->reply.body_case != kind)
    {
      answer->reply.body_case = kind;
      answer->reply.stops /* any member of the union */
          = sonde_codec_new (answer->memory, field->descriptor);
    }
  return answer->reply.stops;
}
