/* SPDX-License-Identifier: Apache-2.0
 * Settings in the text of a source: "key=value;key=value". */
#pragma once

#include "data/datasets/sonde-dataset.h"

G_BEGIN_DECLS

/**
 * SondeDatasetSetting: one "key=value" of a source; @allowed: for messages, an id
 *   that is translated
 */
typedef struct
{
  const char *key;
  const char *allowed;
} SondeDatasetSetting;

/* @values: (array length=n): replaced by those in @text, "key=value;key=value". Errors: INVALID. */
gboolean sonde_dataset_settings_read (const char *source, const char *text,
                                      const SondeDatasetSetting *settings, gsize n, char **values,
                                      GError **error);
/* Sets @error to what there is. Returns: FALSE */
gboolean sonde_dataset_settings_refuse (const char *source, const char *what,
                                        const SondeDatasetSetting *settings, gsize n,
                                        GError **error);

G_END_DECLS
