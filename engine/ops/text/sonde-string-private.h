/* SPDX-License-Identifier: Apache-2.0
 * Shared by the operators on strings and on tables of them. */
#pragma once

#include "engine/ops/sonde-op-implement.h"

G_BEGIN_DECLS

/* String @i of a contiguous STRING tensor; never NULL. */
static inline const char *
sonde_text_at (const SondeTensor *tensor, gint64 i)
{
  char *const *strings = (char *const *) (const void *) tensor->data;

  return strings[i] ? strings[i] : "";
}

/* Makes string @i of a new tensor @text. @text: (transfer full) */
static inline void
sonde_text_take (SondeTensor *tensor, gint64 i, char *text)
{
  char **strings = (char **) (void *) tensor->data;

  strings[i] = text;
}

/* Input @k is of strings (or unknown). */
gboolean sonde_infer_need_string (const SondeInferContext *context, guint k, GError **error);

/* For kernels of values: asks @rule about the inputs, and makes output @k of the type it gives.
 * Returns: (transfer full): zeroes, or NULL strings. Errors: the rule's; SHAPE when its sizes are
 * not known; SONDE_DATA_ERROR_LIMIT */
SondeTensor *sonde_kernel_new_output (const SondeValueContext *context,
                                      gboolean (*rule) (SondeInferContext *context, GError **error),
                                      guint k, GError **error);

/* @tensor becomes output @k, if somebody named it. @tensor: (transfer none) */
void sonde_kernel_give (const SondeValueContext *context, guint k, SondeTensor *tensor);

G_END_DECLS
