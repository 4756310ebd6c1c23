/* SPDX-License-Identifier: Apache-2.0
 * Which columns a table shows: those that a person chose, else the usual ones; kept for the next window. */
#pragma once

#include "app/workspace/sonde-workspace.h"

G_BEGIN_DECLS

#define SONDE_TYPE_COLUMN_CHOICES (sonde_column_choices_get_type ())
G_DECLARE_FINAL_TYPE (SondeColumnChoices, sonde_column_choices, SONDE, COLUMN_CHOICES, GObject)

/**
 * SondeColumnChoice: a column that can be shown; owned strings
 * @name: unique in its table, what is kept
 * @title: as a person reads it, visible text; @note: (nullable): what the title does not say
 * @usual: shown unless somebody chose otherwise
 */
typedef struct
{
  char *name, *title, *note;
  gboolean usual;
} SondeColumnChoice;

SondeColumnChoice *sonde_column_choice_new (const char *name, const char *title, const char *note,
                                            gboolean usual);

/* @group: of the settings, where they are kept as "columns".
 * Signal "toggled" (const char *name, gboolean shown); "reset" (): the usual ones are shown again; "listed" ():
 * there are other columns to choose from. */
SondeColumnChoices *sonde_column_choices_new (SondeWorkspace *workspace, const char *group);

/* @columns: (transfer full) (element-type SondeColumnChoice), in the order in which they are listed. What was
 * chosen of a column that is not among them stays for when it comes back. */
void sonde_column_choices_take (SondeColumnChoices *choices, GPtrArray *columns);
GPtrArray *sonde_column_choices_get_columns (SondeColumnChoices *choices); /* (transfer none) */

/* What a person chose of @name, else @usual. */
gboolean sonde_column_choices_look_up (SondeColumnChoices *choices, const char *name,
                                       gboolean usual);
/* Of a column that can be chosen; FALSE of any other. */
gboolean sonde_column_choices_is_shown (SondeColumnChoices *choices, const char *name);
guint sonde_column_choices_count_shown (SondeColumnChoices *choices);
/* A person wants a column that is not among those that can be chosen, not yet or no longer. */
gboolean sonde_column_choices_wants_more (SondeColumnChoices *choices);

void sonde_column_choices_set_shown (SondeColumnChoices *choices, const char *name, gboolean shown);
void sonde_column_choices_reset (SondeColumnChoices *choices);

G_END_DECLS
