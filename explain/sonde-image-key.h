/* SPDX-License-Identifier: Apache-2.0
 * An image known by 128 bits of its content (XXH3), so that equal ones are asked for once; and logits
 * remembered by it. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  guint64 low, high;
} SondeImageKey;

/* Of one process: not to be written to files. */
SondeImageKey sonde_image_key (const guint8 *bytes, gsize size);

/* For tables whose elements begin with a #SondeImageKey. */
guint sonde_image_key_hash (gconstpointer key);
gboolean sonde_image_key_equal (gconstpointer a, gconstpointer b);

/* ---- what a network said ------------------------------------------------- */

typedef struct _SondeLogitMemo SondeLogitMemo;

/* Of one network; holds the first @most_rows that it is given. */
SondeLogitMemo *sonde_logit_memo_new (guint most_rows);
void sonde_logit_memo_free (SondeLogitMemo *memo);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeLogitMemo, sonde_logit_memo_free)

/* (nullable): the logits of that image. Lent. */
const float *sonde_logit_memo_find (SondeLogitMemo *memo, SondeImageKey key);
void sonde_logit_memo_add (SondeLogitMemo *memo, SondeImageKey key, const float *logits,
                           guint classes);

G_END_DECLS
