/* SPDX-License-Identifier: Apache-2.0
 * What decoder and helper say to each other over their socket: one request, one reply, in the byte
 * order of the machine they share. */
#pragma once

#include <glib.h>

#define SONDE_IMAGE_WIRE_MAGIC 0x53494831u

/* Limits of both sides; docs/limits.md. */
#define SONDE_IMAGE_MAX_SIDE 16384
#define SONDE_IMAGE_MAX_PIXELS ((gint64) 64 << 20)
#define SONDE_IMAGE_MAX_BYTES ((guint64) 256 << 20) /* encoded, and decoded */
#define SONDE_IMAGE_MAX_MESSAGE 1024

/* Followed by @length bytes: an encoded image. */
typedef struct
{
  guint32 magic;
  guint32 is_png; /* else JPEG */
  guint64 length;
} SondeImageRequest;

/**
 * SondeImageReply:
 * @code: 0, or 1 + a SondeDataError
 * @length: bytes that follow: the pixels, or the message of an error
 */
typedef struct
{
  guint32 magic;
  guint32 code;
  gint32 width, height, channels;
  guint32 unused;
  guint64 length;
} SondeImageReply;
