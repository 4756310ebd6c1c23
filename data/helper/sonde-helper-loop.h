/* SPDX-License-Identifier: Apache-2.0
 * The helper's side: a process that can do nothing but decode what its socket gives it. */
#pragma once

#include <glib.h>

#include "data/helper/sonde-helper.h"

G_BEGIN_DECLS

/**
 * SondeHelperResult: a decoded file
 * @payload: @length bytes, which live until @release (@owner)
 */
typedef struct
{
  gint32 facts[SONDE_HELPER_FACTS];
  const void *payload;
  gsize length;
  void *owner;
  GDestroyNotify release; /* (nullable) */
} SondeHelperResult;

/**
 * SondeHelperCodec:
 * @max_bytes: longest encoded file
 * @seconds: of processor time for one file, beside one for every 64 MiB of it; 0: 30
 * @load: opens what is needed; afterwards no file can be opened any more
 * @decode: one file; errors of SONDE_DATA_ERROR keep their code, others become UNSUPPORTED
 */
typedef struct
{
  guint64 max_bytes;
  guint seconds;
  void (*load) (void);
  gboolean (*decode) (guint32 kind, const guint8 *data, gsize length, SondeHelperResult *result,
                      GError **error);
} SondeHelperCodec;

/* The main loop on socket @fd until its end; sets its own limits first (docs/limits.md). Returns the
 * exit status. */
int sonde_helper_run (int fd, const SondeHelperCodec *codec);

G_END_DECLS
