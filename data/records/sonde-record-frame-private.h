/* SPDX-License-Identifier: Apache-2.0
 * What framing and the readers of this folder share. */
#pragma once

#include "data/records/sonde-record-frame.h"

G_BEGIN_DECLS

/* Masked CRC-32C of eight zero bytes. */
#define SONDE_FRAME_EMPTY_LENGTH_CRC 0x07980329u

guint32 sonde_frame_crc (const void *data, gsize length); /* CRC-32C, not masked */

/* @header: SONDE_FRAME_HEADER_BYTES; *length is set in any case. */
gboolean sonde_frame_header_is_right (const guint8 *header, guint64 *length);
/* a reason of SondeFrameDamage; static */
const char *sonde_frame_explain_header (const guint8 *header);
/* The same for the first header of a file; NULL when it is like nothing that is known. */
const char *sonde_frame_explain_file (const guint8 *header);

G_END_DECLS
