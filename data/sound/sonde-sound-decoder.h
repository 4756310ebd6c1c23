/* SPDX-License-Identifier: Apache-2.0
 * Encoded sounds (WAV, FLAC, Ogg) -> samples, in a limited helper process that lives as long as the
 * decoder: libsndfile never runs in the program that holds the user's data. */
#pragma once

#include "data/values/sonde-tensor.h"

G_BEGIN_DECLS

typedef struct _SondeSoundDecoder SondeSoundDecoder;

/**
 * sonde_sound_decoder_new:
 * @arguments: (array zero-terminated=1): of the helper, as {"/usr/bin/sonde", "sound-helper",
 *   NULL}; its stdin and stdout become the socket
 *
 * The helper is started by the first sound, and again after it died. Errors: none here.
 */
SondeSoundDecoder *sonde_sound_decoder_new (const char *const *arguments);
SondeSoundDecoder *sonde_sound_decoder_ref (SondeSoundDecoder *decoder);
void sonde_sound_decoder_unref (SondeSoundDecoder *decoder); /* the last one ends the helper */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeSoundDecoder, sonde_sound_decoder_unref)

/**
 * sonde_sound_decoder_decode:
 * @encoded: bytes of a WAV, FLAC or Ogg file (Vorbis, Opus, FLAC); hostile
 * @name: for messages
 * @sample_rate: (out): frames a second, > 0
 *
 * Any thread (one sound at a time). A file that is cut off gives the whole frames that are there.
 * Returns: (transfer full): [frames, channels] float32, whole numbers scaled to [-1, 1).
 * Errors: DAMAGED, LIMIT (64 channels, 128 Mi samples, 256 MiB encoded), UNSUPPORTED for another
 * format or coding, NOT_FOUND without libsndfile, IO when the helper cannot be started; a helper that
 * dies costs only this sound.
 */
SondeTensor *sonde_sound_decoder_decode (SondeSoundDecoder *decoder, GBytes *encoded,
                                         const char *name, double *sample_rate, GError **error);

/* The helper's main loop on socket @fd until its end; sets its own limits first. Returns the exit
 * status. In the library sound_helper only. */
int sonde_sound_helper_run (int fd);

G_END_DECLS
