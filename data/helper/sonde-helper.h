/* SPDX-License-Identifier: Apache-2.0
 * A limited process that decodes files of others, seen from the program that asks it. What it says is
 * checked as a file would be: it has looked at hostile bytes. What does not live here: what is decoded,
 * and the helper's own side (sonde-helper-loop.h). */
#pragma once

#include <glib.h>

#include "data/base/sonde-io.h"

G_BEGIN_DECLS

#define SONDE_HELPER_FACTS 4

typedef struct _SondeHelper SondeHelper;

/**
 * sonde_helper_new:
 * @arguments: (array zero-terminated=1): of the helper, as {"/usr/bin/sonde", "image-helper",
 *   NULL}; its stdin and stdout become the socket
 *
 * The helper is started by the first file, and again after it died. Errors: none here.
 */
SondeHelper *sonde_helper_new (const char *const *arguments);
void sonde_helper_free (SondeHelper *helper); /* ends the process */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeHelper, sonde_helper_free)

/**
 * SondeHelperRoom:
 * @facts: what the helper says of the decoded file, as width, height, channels
 * @length: bytes of it
 *
 * Returns: (nullable) (transfer none): where @length bytes go; NULL when the reply makes no sense
 */
typedef void *(*SondeHelperRoom) (const gint32 facts[SONDE_HELPER_FACTS], guint64 length,
                                  void *data);

/**
 * sonde_helper_decode:
 * @kind: what the file is, for the helper's decoder
 * @name: for messages
 * @room: called once at most, with @data; what it made is the caller's on errors, too
 *
 * Any thread (one file at a time).
 * Errors: what the helper found; DAMAGED when it dies of the file or sends no sense, which costs only
 * this file; IO when it cannot be started.
 */
gboolean sonde_helper_decode (SondeHelper *helper, guint32 kind, GBytes *encoded, const char *name,
                              SondeHelperRoom room, void *data, GError **error);

G_END_DECLS
