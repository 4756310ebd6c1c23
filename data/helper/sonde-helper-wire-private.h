/* SPDX-License-Identifier: Apache-2.0
 * What a program and its helper say to each other over their socket: one request, one reply, in the
 * byte order of the machine they share. */
#pragma once

#include <glib.h>

#include "data/helper/sonde-helper.h"

#define SONDE_HELPER_WIRE_MAGIC 0x53494831u
#define SONDE_HELPER_MAX_MESSAGE 4096

/* Followed by @length bytes: an encoded file. */
typedef struct
{
  guint32 magic;
  guint32 kind;
  guint64 length;
} SondeHelperRequest;

/**
 * SondeHelperReply:
 * @code: 0, or 1 + a SondeDataError
 * @length: bytes that follow: what was decoded, or the message of an error as a
 *   SONDE_MESSAGE_VARIANT, at most SONDE_HELPER_MAX_MESSAGE bytes
 */
typedef struct
{
  guint32 magic;
  guint32 code;
  gint32 facts[SONDE_HELPER_FACTS];
  guint64 length;
} SondeHelperReply;
