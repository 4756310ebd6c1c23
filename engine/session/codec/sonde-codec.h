/* SPDX-License-Identifier: Apache-2.0
 * What the codecs of all features share: memory of messages that are made, texts of messages that
 * came. A feature's codec (sonde-codec-FEATURE.[ch]) has both ends of its requests and replies: the
 * client's request functions (sonde-session-requests.h), what the server reads of them, what it
 * writes into replies, and what the client reads of those. Neither end's own state is seen here. */
#pragma once

#include "data/graph/sonde-graph.h"
#include "engine/session/sonde-session-event.h"
#include "engine/session/sonde-session-requests.h"
#include "engine/session/sonde-session-wire-private.h"

G_BEGIN_DECLS

/* ---- making messages: @memory owns what they point to ------------------------ */

GPtrArray *sonde_codec_memory_new (void);
void *sonde_codec_alloc (GPtrArray *memory, gsize bytes); /* zeroed */
/* An initialised message of that type. */
void *sonde_codec_new (GPtrArray *memory, const ProtobufCMessageDescriptor *descriptor);
/* Room for @n pointers to messages. */
void *sonde_codec_list (GPtrArray *memory, gsize n);
/* A copy in valid UTF-8; "" of NULL. */
char *sonde_codec_text (GPtrArray *memory, const char *text);
/* Copies of @texts (nullable) (array zero-terminated=1) */
char **sonde_codec_texts (GPtrArray *memory, const char *const *texts, gsize *n);
/* Copies of @texts (element-type utf8) */
char **sonde_codec_text_list (GPtrArray *memory, const GPtrArray *texts, gsize *n);
/* Not copied; "" of NULL. */
char *sonde_codec_lend (const char *text);

/* ---- reading messages --------------------------------------------------------- */

/* Valid UTF-8, whatever came; "" is NULL for optional ones. (transfer full) */
char *sonde_codec_dup (const char *text);
char *sonde_codec_dup_optional (const char *text);
/* (array zero-terminated=1) (transfer full) */
char **sonde_codec_dup_texts (char *const *texts, gsize n);
/* (element-type utf8) (transfer full) */
GPtrArray *sonde_codec_dup_text_list (char *const *texts, gsize n);
/* Lent; NULL of "". */
const char *sonde_codec_null_if_empty (const char *text);
SondePhase sonde_codec_phase (guint32 number); /* FORWARD of what is none */

/* ---- requests ------------------------------------------------------------------ */

/**
 * SondeSessionRequest: a message with what it points to
 * @expects: what its reply has; another one is the engine's mistake
 */
struct _SondeSessionRequest
{
  Sonde__Session__Request message;
  GPtrArray *memory;
  SondeSessionReplyKind expects;
};

/* A request with an empty body of that kind. */
SondeSessionRequest *sonde_session_request_new (Sonde__Session__Request__BodyCase kind,
                                                SondeSessionReplyKind expects);

/* ---- replies ------------------------------------------------------------------- */

/**
 * SondeSessionAnswer: a reply being made
 * @memory: freed with it; @memfd: goes along, or -1
 * @later: it will be sent by a probe
 */
typedef struct
{
  Sonde__Session__Reply reply;
  GPtrArray *memory;
  int memfd;
  gboolean later;
} SondeSessionAnswer;

void sonde_session_answer_init (SondeSessionAnswer *answer);
void sonde_session_answer_clear (SondeSessionAnswer *answer);
/* The body of the reply, empty at first; one of another kind that was there is left out. */
void *sonde_session_answer_body (SondeSessionAnswer *answer, Sonde__Session__Reply__BodyCase kind);

G_END_DECLS
