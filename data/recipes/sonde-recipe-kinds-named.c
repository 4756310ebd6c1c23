/* SPDX-License-Identifier: Apache-2.0
 * Values that are a choice with settings: "adamw", "cosine:warm-up=5e;final=0.1", alone or in a
 * list, and class weights. Only the names are known here; whoever follows the recipe reads the
 * settings. */
#include "data/recipes/sonde-recipe-keys-private.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-text.h"

/* Of "NAME:settings"; without spaces around. Returns: (transfer full) */
static char *
dup_name (const char *text)
{
  const char *colon = strchr (text, ':');

  return g_strstrip (g_strndup (text, colon != NULL ? (gsize) (colon - text) : strlen (text)));
}

/* A choice written with a colon, as "output:NAME", needs something behind it. */
static gboolean
is_named (const SondeRecipeRow *row, const char *text)
{
  g_auto (GStrv) choices = g_strsplit (row->choices, ", ", -1);
  g_autofree char *name = dup_name (text);

  for (gsize i = 0; choices[i] != NULL; i++)
    {
      g_autofree char *choice = dup_name (choices[i]);
      const char *colon = strchr (text, ':');

      if (g_str_equal (choice, name))
        return strchr (choices[i], ':') == NULL || (colon != NULL && colon[1] != '\0');
    }
  return FALSE;
}

static gboolean
parse_named (const SondeRecipeRow *row, const char *text, void *field)
{
  return is_named (row, text) && sonde_recipe_parse_text (row, text, field);
}

static gboolean
parse_optional_named (const SondeRecipeRow *row, const char *text, void *field)
{
  return text[0] == '\0' ? sonde_recipe_parse_optional (row, text, field)
                         : parse_named (row, text, field);
}

static gboolean
parse_named_list (const SondeRecipeRow *row, const char *text, void *field)
{
  char ***list = field;

  if (!sonde_recipe_parse_list (row, text, field))
    return FALSE;
  for (gsize i = 0; (*list)[i] != NULL; i++)
    if (!is_named (row, (*list)[i]))
      {
        sonde_recipe_clear_list (field);
        return FALSE;
      }
  return TRUE;
}

/* Numbers, or the one name of a file that has them. */
static gboolean
parse_weights (const SondeRecipeRow *row, const char *text, void *field)
{
  char ***list = field;
  gboolean good = TRUE;

  if (!sonde_recipe_parse_list (row, text, field))
    return FALSE;
  if ((*list)[0] != NULL && (*list)[1] == NULL && g_str_has_suffix ((*list)[0], ".npy"))
    return TRUE;
  for (gsize i = 0; good && (*list)[i] != NULL; i++)
    {
      char *end;
      double number = g_ascii_strtod ((*list)[i], &end);

      good = end != (*list)[i] && *end == '\0' && isfinite ((float) number) && number >= 0;
    }
  if (!good)
    sonde_recipe_clear_list (field);
  return good;
}

#define TEXT sonde_recipe_format_text, sonde_recipe_clear_text, sonde_recipe_copy_text
#define LIST sonde_recipe_format_list, sonde_recipe_clear_list, sonde_recipe_copy_list

const SondeRecipeKind sonde_recipe_named = { parse_named, TEXT, NULL };
const SondeRecipeKind sonde_recipe_optional_named = { parse_optional_named, TEXT, NULL };
const SondeRecipeKind sonde_recipe_named_list = { parse_named_list, LIST, NULL };
const SondeRecipeKind sonde_recipe_weights = {
  parse_weights,
  LIST,
  N_ ("non-negative numbers separated by “;”, an .npy file, or nothing"),
};
