/* SPDX-License-Identifier: Apache-2.0
 * A choice by name with its settings in one text, as recipes hold them: "adamw", "step:30:0.1",
 * "cosine:warm-up=5e; final=1e-5". Losses, optimisers, schedules, initialisers and metrics are
 * named so. */
#pragma once

#include "engine/ops/sonde-engine-error.h"

G_BEGIN_DECLS

#define SONDE_MAX_SETTINGS 8

/**
 * SondeSettingRule: one setting of a choice; tables end with a NULL name
 * @name: as written; settings without "name=" are taken in the table's order
 * @fallback: when it is not given; NAN: it must be given
 * @least, @most: both allowed; of what counts steps or epochs, the count without its sign
 * @counts_steps: "30" are steps and "30e" epochs; the value is then negative: −30
 */
typedef struct
{
  const char *name;
  double fallback, least, most;
  gboolean counts_steps;
} SondeSettingRule;

/**
 * SondeSettings: what was chosen
 * @name: of the choice, without settings
 * @values: in the table's order
 * @is_set: which of them the text gave
 */
typedef struct
{
  char *name;
  double values[SONDE_MAX_SETTINGS];
  gboolean is_set[SONDE_MAX_SETTINGS];
} SondeSettings;

/* The name before the first colon. Returns: (transfer full) */
char *sonde_settings_dup_name (const char *text);

/**
 * sonde_settings_parse:
 * @what: "schedule", for messages
 * @rules: (nullable): NULL: the choice has no settings
 *
 * Errors: INVALID naming the setting and what is allowed, or the settings there are.
 */
gboolean sonde_settings_parse (const char *what, const char *text, const SondeSettingRule *rules,
                               SondeSettings *settings, GError **error);
void sonde_settings_clear (SondeSettings *settings);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SondeSettings, sonde_settings_clear)

/* One number; where it @counts_steps, "30e" gives −30. FALSE: @text is none, or not finite. */
gboolean sonde_settings_read_number (const char *text, gboolean counts_steps, double *number);

/**
 * sonde_settings_find:
 * @rows: (array length=n): the choices there are; each begins with its name (const char *) and
 * takes @size bytes
 *
 * Returns: (transfer none): the row that @text names. Errors: INVALID naming the choices there are
 */
gconstpointer sonde_settings_find (const char *what, const char *text, gconstpointer rows, gsize n,
                                   gsize size, GError **error);
#define SONDE_FIND_CHOICE(what, text, rows, error)                                                 \
  sonde_settings_find (what, text, rows, G_N_ELEMENTS (rows), sizeof *(rows), error)

/* Their names: "sgd, adam, …". Returns: (transfer full) */
char *sonde_settings_list (gconstpointer rows, gsize n, gsize size);
#define SONDE_LIST_CHOICES(rows) sonde_settings_list (rows, G_N_ELEMENTS (rows), sizeof *(rows))

/* "name:setting=default;…" of one choice, for --help and messages. Returns: (transfer full) */
char *sonde_settings_describe (const char *name, const SondeSettingRule *rules);

G_END_DECLS
