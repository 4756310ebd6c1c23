/* SPDX-License-Identifier: Apache-2.0
 * Structured values in messages: arguments and results of calls. In the process they are GVariants;
 * on the socket each is a message that says its type, so that no other encoding is needed there. */
#pragma once

#include "engine/session/codec/sonde-codec.h"

G_BEGIN_DECLS

/* @value: of basic types, arrays, tuples, maps and variants of them */
Sonde__Session__CallValue *sonde_codec_write_value (GPtrArray *memory, GVariant *value);

/* @message: (nullable). (transfer full) (nullable): NULL where members do not fit the type, the type
 * is none, or values lie too deep inside values */
GVariant *sonde_codec_read_value (const Sonde__Session__CallValue *message);

G_END_DECLS
