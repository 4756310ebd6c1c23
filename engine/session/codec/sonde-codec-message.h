/* SPDX-License-Identifier: Apache-2.0
 * Texts for people on the wire: the English text, for any reader, and beside it the ids and arguments
 * that a client translates. */
#pragma once

#include "data/base/sonde-message.h"
#include "engine/session/codec/sonde-codec.h"

G_BEGIN_DECLS

/* Bounds of a text that is read; one that exceeds them is shown in English. */
#define SONDE_CODEC_MESSAGE_PARTS 32
#define SONDE_CODEC_MESSAGE_ARGUMENTS 64 /* of a part */
#define SONDE_CODEC_MESSAGE_ID_BYTES 4096
#define SONDE_CODEC_MESSAGE_ARGUMENT_BYTES 65536

/**
 * sonde_codec_write_message:
 * @message: (nullable)
 * @text: (out): the field for English; "" for none
 * @parts, @n_parts: (out): the field for ids and arguments; none where the text has no id
 */
void sonde_codec_write_message (GPtrArray *memory, const SondeMessage *message, char **text,
                                Sonde__Session__MessagePart ***parts, gsize *n_parts);

/* The same of an id that takes no arguments; NULL and "" are none. */
void sonde_codec_write_id (GPtrArray *memory, const char *id, char **text,
                           Sonde__Session__MessagePart ***parts, gsize *n_parts);

/**
 * sonde_codec_read_message:
 * Takes the parts only where they are within bounds and make @text, so that everybody reads the same
 * statement in one language or another; else @text alone.
 * Returns: (transfer full) (nullable): NULL of ""
 */
SondeMessage *sonde_codec_read_message (const char *text, Sonde__Session__MessagePart *const *parts,
                                        gsize n_parts);

/* What a GError says, as sonde_codec_write_message() does. */
Sonde__Session__Error *sonde_codec_write_error (GPtrArray *memory, const GError *error);
/* The error of a reply. */
void sonde_session_answer_error (SondeSessionAnswer *answer, const GError *error);
/* (transfer full): of SONDE_ENGINE_ERROR */
GError *sonde_codec_read_error (const Sonde__Session__Error *message);

G_END_DECLS
