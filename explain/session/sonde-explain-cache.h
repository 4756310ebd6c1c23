/* SPDX-License-Identifier: Apache-2.0
 * What was computed, kept in a folder: one file an prediction, whole or not there. A file that is
 * damaged is as good as none. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _SondeExplainCache SondeExplainCache;

#define SONDE_EXPLAIN_CACHE_BYTES ((guint64) 4 << 30) /* of all sessions together */

/* The folder of all sessions of this user: $XDG_CACHE_HOME/sonde/sessions. (transfer full) */
char *sonde_explain_cache_dup_root (void);

/* @root: folder of all sessions, made when it is not there; @digest: lower-case hexadecimal: of what
 * the answers depend on; @most: bytes of all sessions together: where they take more, those that
 * were used least recently go, now and while this one grows; one that takes all of it by itself
 * keeps nothing more, and a note says so. A folder that cannot be made gives a cache that keeps
 * nothing, and a note. */
SondeExplainCache *sonde_explain_cache_open (const char *root, const char *digest, guint64 most);
void sonde_explain_cache_free (SondeExplainCache *cache);

/* What went wrong so far, sentences. (element-type SondeMessage) */
GPtrArray *sonde_explain_cache_get_notes (SondeExplainCache *cache);
/* Files whose key begins with @prefix. */
guint sonde_explain_cache_count (const SondeExplainCache *cache, const char *prefix);

/* @key: letters, digits, "-". @value: a{sv}, floating is taken; @tensors: (element-type
 * SondeTensor) (nullable). Written whole or not at all; what cannot be written is noted once. */
void sonde_explain_cache_store (SondeExplainCache *cache, const char *key, GVariant *value,
                                GPtrArray *tensors);
/* FALSE: it is not there, or damaged: that is noted, and the file removed. @value, @tensors: (out)
 * (transfer full) */
gboolean sonde_explain_cache_load (SondeExplainCache *cache, const char *key, GVariant **value,
                                   GPtrArray **tensors);

G_END_DECLS
