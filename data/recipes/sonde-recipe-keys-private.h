/* SPDX-License-Identifier: Apache-2.0
 * The table of keys: one row each says where the value lives, what may stand there and what it is
 * when nobody says. */
#pragma once

#include "data/recipes/sonde-recipe.h"

typedef struct _SondeRecipeRow SondeRecipeRow;

/**
 * SondeRecipeKind:
 * How the text of a value is read into a field and written out of it. @allowed is the part of the
 * error message that says what is right; NULL: the row's own.
 */
typedef struct
{
  gboolean (*parse) (const SondeRecipeRow *row, const char *text, void *field);
  char *(*format) (const SondeRecipeRow *row, const void *field);
  void (*clear) (void *field); /* (nullable): nothing is owned */
  void (*copy) (const void *from, void *to);
  const char *allowed;
} SondeRecipeKind;

/**
 * SondeRecipeRow:
 * @section, @key: as in the file
 * @offset: of the field in SondeRecipe
 * @default_text: parsed as if it stood in the file; "" leaves an optional value unset
 * @min, @max: of a number, both allowed; ignored by other kinds
 * @allowed: (nullable): what a value may be, for messages; NULL is the kind's
 * @choices: (nullable): comma-separated, the only texts (of named kinds: names) allowed
 */
struct _SondeRecipeRow
{
  const char *section;
  const char *key;
  gsize offset;
  const SondeRecipeKind *kind;
  const char *default_text;
  double min, max;
  const char *choices;
  const char *allowed;
  const char *summary;
  const char *name; /* "section.key" */
};

extern const SondeRecipeRow sonde_recipe_rows[];
extern const gsize sonde_recipe_n_rows;

const char *sonde_recipe_row_get_allowed (const SondeRecipeRow *row);
const SondeRecipeRow *sonde_recipe_find_row (const char *name); /* "section.key"; (nullable) */

extern const SondeRecipeKind sonde_recipe_text;     /* char *, not empty */
extern const SondeRecipeKind sonde_recipe_optional; /* char *, "" is NULL */
extern const SondeRecipeKind sonde_recipe_list;     /* char **, separated by ; */
extern const SondeRecipeKind sonde_recipe_choice;   /* char *, one of choices */
extern const SondeRecipeKind sonde_recipe_boolean;  /* gboolean */
extern const SondeRecipeKind sonde_recipe_count;    /* guint64 */
extern const SondeRecipeKind sonde_recipe_bytes;    /* guint64, with a unit */
extern const SondeRecipeKind sonde_recipe_small;    /* guint */
extern const SondeRecipeKind sonde_recipe_number;   /* double */
extern const SondeRecipeKind sonde_recipe_samples;  /* SondeSampleCount */
extern const SondeRecipeKind sonde_recipe_split;    /* guint */
extern const SondeRecipeKind
    sonde_recipe_named; /* char *, "NAME" or "NAME:settings", one of choices */
extern const SondeRecipeKind sonde_recipe_optional_named; /* the same, "" is NULL */
extern const SondeRecipeKind sonde_recipe_named_list;     /* char **, each of them so */
extern const SondeRecipeKind sonde_recipe_weights;        /* char **, numbers or one F.npy */

/* What kinds of a text and of a list have in common. */
/* not empty */
gboolean sonde_recipe_parse_text (const SondeRecipeRow *row, const char *text, void *field);
gboolean sonde_recipe_parse_optional (const SondeRecipeRow *row, const char *text,
                                      void *field); /* "" is NULL */
char *sonde_recipe_format_text (const SondeRecipeRow *row, const void *field);
void sonde_recipe_clear_text (void *field);
void sonde_recipe_copy_text (const void *from, void *to);
gboolean sonde_recipe_parse_list (const SondeRecipeRow *row, const char *text, void *field);
char *sonde_recipe_format_list (const SondeRecipeRow *row, const void *field);
void sonde_recipe_clear_list (void *field);
void sonde_recipe_copy_list (const void *from, void *to);
