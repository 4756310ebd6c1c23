/* SPDX-License-Identifier: Apache-2.0
 * Reading and writing the values of a recipe: one kind, one pair of functions. */
#include "data/recipes/sonde-recipe-keys-private.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-text.h"

void
sonde_recipe_clear_text (void *field)
{
  g_clear_pointer ((char **) field, g_free);
}

void
sonde_recipe_copy_text (const void *from, void *to)
{
  *(char **) to = g_strdup (*(char *const *) from);
}

char *
sonde_recipe_format_text (const SondeRecipeRow *row, const void *field)
{
  const char *text = *(char *const *) field;

  return g_strdup (text != NULL ? text : "");
}

gboolean
sonde_recipe_parse_optional (const SondeRecipeRow *row, const char *text, void *field)
{
  *(char **) field = text[0] != '\0' ? g_strdup (text) : NULL;
  return TRUE;
}

gboolean
sonde_recipe_parse_text (const SondeRecipeRow *row, const char *text, void *field)
{
  return text[0] != '\0' && sonde_recipe_parse_optional (row, text, field);
}

static gboolean
parse_choice (const SondeRecipeRow *row, const char *text, void *field)
{
  g_auto (GStrv) choices = g_strsplit (row->choices, ", ", -1);

  return g_strv_contains ((const char *const *) choices, text)
         && sonde_recipe_parse_text (row, text, field);
}

void
sonde_recipe_clear_list (void *field)
{
  g_clear_pointer ((char ***) field, g_strfreev);
}

void
sonde_recipe_copy_list (const void *from, void *to)
{
  *(char ***) to = g_strdupv (*(char **const *) from);
}

char *
sonde_recipe_format_list (const SondeRecipeRow *row, const void *field)
{
  return g_strjoinv ("; ", *(char **const *) field);
}

gboolean
sonde_recipe_parse_list (const SondeRecipeRow *row, const char *text, void *field)
{
  g_auto (GStrv) parts = g_strsplit (text, ";", -1);
  g_autoptr (GStrvBuilder) list = g_strv_builder_new ();

  for (gsize i = 0; parts[i] != NULL; i++)
    {
      if (g_strstrip (parts[i])[0] != '\0')
        g_strv_builder_add (list, parts[i]);
    }
  *(char ***) field = g_strv_builder_end (list);
  return TRUE;
}

static gboolean
parse_boolean (const SondeRecipeRow *row, const char *text, void *field)
{
  static const char *const yes[] = { "true", "yes", "on", "1", NULL };
  static const char *const no[] = { "false", "no", "off", "0", NULL };

  *(gboolean *) field = g_strv_contains (yes, text);
  return g_strv_contains (yes, text) || g_strv_contains (no, text);
}

static char *
format_boolean (const SondeRecipeRow *row, const void *field)
{
  return g_strdup (*(const gboolean *) field ? "true" : "false");
}

static void
copy_boolean (const void *from, void *to)
{
  *(gboolean *) to = *(const gboolean *) from;
}

static gboolean
parse_count (const SondeRecipeRow *row, const char *text, void *field)
{
  return g_ascii_isdigit (text[0])
         && g_ascii_string_to_unsigned (text, 10, (guint64) row->min,
                                        row->max >= 0x1p63 ? G_MAXINT64 : (guint64) row->max, field,
                                        NULL);
}

static char *
format_count (const SondeRecipeRow *row, const void *field)
{
  return g_strdup_printf ("%" PRIu64, *(const guint64 *) field);
}

static void
copy_count (const void *from, void *to)
{
  *(guint64 *) to = *(const guint64 *) from;
}

/* The larger ones first, so that what is written is short. */
static const struct
{
  const char *unit;
  guint64 bytes;
} units[] = {
  { "TiB", (guint64) 1 << 40 },
  { "TB", G_GUINT64_CONSTANT (1000000000000) },
  { "GiB", 1 << 30 },
  { "GB", 1000000000 },
  { "MiB", 1 << 20 },
  { "MB", 1000000 },
  { "KiB", 1 << 10 },
  { "kB", 1000 },
  { "B", 1 },
  { "", 1 },
};

static gboolean
parse_bytes (const SondeRecipeRow *row, const char *text, void *field)
{
  char *end = NULL;
  gboolean is_decimal = g_ascii_isdigit (text[0]) && strpbrk (text, "xX") == NULL;
  double number = is_decimal ? g_ascii_strtod (text, &end) : -1;

  while (end != NULL && *end == ' ')
    end++;
  for (gsize i = 0; end != NULL && i < G_N_ELEMENTS (units); i++)
    if (g_ascii_strcasecmp (end, units[i].unit) == 0)
      {
        number *= (double) units[i].bytes;
        if (!(number >= row->min && number < 0x1p63))
          return FALSE;
        *(guint64 *) field = (guint64) number;
        return TRUE;
      }
  return FALSE;
}

static char *
format_bytes (const SondeRecipeRow *row, const void *field)
{
  guint64 bytes = *(const guint64 *) field;

  for (gsize i = 0; bytes > 0 && i < G_N_ELEMENTS (units); i++)
    if (bytes % units[i].bytes == 0)
      return g_strdup_printf ("%" PRIu64 "%s", bytes / units[i].bytes, units[i].unit);
  return g_strdup ("0");
}

static gboolean
parse_small (const SondeRecipeRow *row, const char *text, void *field)
{
  guint64 number = 0;
  gboolean right = parse_count (row, text, &number);

  *(guint *) field = (guint) number;
  return right;
}

static char *
format_small (const SondeRecipeRow *row, const void *field)
{
  return g_strdup_printf ("%u", *(const guint *) field);
}

static void
copy_small (const void *from, void *to)
{
  *(guint *) to = *(const guint *) from;
}

static gboolean
read_number (const char *text, double *number)
{
  char *end;

  *number = g_ascii_strtod (text, &end);
  return end != text && *end == '\0' && isfinite (*number);
}

static gboolean
parse_number (const SondeRecipeRow *row, const char *text, void *field)
{
  double *number = field;

  return read_number (text, number) && *number >= row->min && *number <= row->max;
}

/* The shortest text that reads back to the same number. */
static char *
format_double (double number)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  for (int digits = 1; digits <= 17; digits++)
    {
      char format[8];

      g_snprintf (format, sizeof format, "%%.%dg", digits);
      g_ascii_formatd (text, sizeof text, format, number);
      if (g_ascii_strtod (text, NULL) == number)
        break;
    }
  return g_strdup (text);
}

static char *
format_number (const SondeRecipeRow *row, const void *field)
{
  return format_double (*(const double *) field);
}

static void
copy_number (const void *from, void *to)
{
  *(double *) to = *(const double *) from;
}

static gboolean
parse_share (const char *text, double *share)
{
  g_autofree char *number = g_strdup (text);
  gboolean percent = g_str_has_suffix (text, "%");

  if (percent)
    number[strlen (number) - 1] = '\0';
  if (!read_number (g_strchomp (number), share))
    return FALSE;
  if (percent)
    *share /= 100;
  return *share > 0 && *share <= 1;
}

static gboolean
parse_samples (const SondeRecipeRow *row, const char *text, void *field)
{
  SondeSampleCount *samples = field;

  *samples = (SondeSampleCount){ .is_set = text[0] != '\0' };
  if (!samples->is_set)
    return TRUE;
  if (g_ascii_isdigit (text[0])
      && g_ascii_string_to_unsigned (text, 10, 0, G_MAXINT64, &samples->count, NULL))
    return TRUE;
  return parse_share (text, &samples->share);
}

static char *
format_samples (const SondeRecipeRow *row, const void *field)
{
  const SondeSampleCount *samples = field;

  if (!samples->is_set)
    return g_strdup ("");
  if (samples->share == 1)
    return g_strdup ("100%"); /* "1" would be one sample */
  return samples->share > 0 ? format_double (samples->share) : format_count (row, &samples->count);
}

static void
copy_samples (const void *from, void *to)
{
  *(SondeSampleCount *) to = *(const SondeSampleCount *) from;
}

const SondeRecipeKind sonde_recipe_text = {
  sonde_recipe_parse_text, sonde_recipe_format_text, sonde_recipe_clear_text,
  sonde_recipe_copy_text,  N_ ("a non-empty text"),
};
const SondeRecipeKind sonde_recipe_optional = {
  sonde_recipe_parse_optional, sonde_recipe_format_text,  sonde_recipe_clear_text,
  sonde_recipe_copy_text,      N_ ("a text, or nothing"),
};
const SondeRecipeKind sonde_recipe_list = {
  sonde_recipe_parse_list,
  sonde_recipe_format_list,
  sonde_recipe_clear_list,
  sonde_recipe_copy_list,
  N_ ("a list separated by “;”, or nothing"),
};
const SondeRecipeKind sonde_recipe_choice = {
  parse_choice, sonde_recipe_format_text, sonde_recipe_clear_text, sonde_recipe_copy_text, NULL,
};
const SondeRecipeKind sonde_recipe_boolean = {
  parse_boolean, format_boolean, NULL, copy_boolean, N_ ("true or false"),
};
const SondeRecipeKind sonde_recipe_count = {
  parse_count, format_count, NULL, copy_count, NULL,
};
const SondeRecipeKind sonde_recipe_bytes = {
  parse_bytes, format_bytes, NULL, copy_count, N_ ("a size such as 200MB or 1.5GiB, or 0"),
};
const SondeRecipeKind sonde_recipe_small = {
  parse_small, format_small, NULL, copy_small, NULL,
};
const SondeRecipeKind sonde_recipe_number = {
  parse_number, format_number, NULL, copy_number, NULL,
};
const SondeRecipeKind sonde_recipe_samples = {
  parse_samples,
  format_samples,
  NULL,
  copy_samples,
  N_ ("a count such as 4000, a fraction such as 0.8 or 80%, or nothing for the default of the "
      "source"),
};

/* "head", or "modulo:5". */
static gboolean
parse_split (const SondeRecipeRow *row, const char *text, void *field)
{
  guint64 modulo = 0;

  if (!g_str_equal (text, "head")
      && !(g_str_has_prefix (text, "modulo:")
           && g_ascii_string_to_unsigned (text + strlen ("modulo:"), 10, 2, G_MAXINT, &modulo,
                                          NULL)))
    return FALSE;
  *(guint *) field = (guint) modulo;
  return TRUE;
}

static char *
format_split (const SondeRecipeRow *row, const void *field)
{
  guint modulo = *(const guint *) field;

  return modulo != 0 ? g_strdup_printf ("modulo:%u", modulo) : g_strdup ("head");
}

const SondeRecipeKind sonde_recipe_split = {
  parse_split, format_split, NULL, copy_small, N_ ("“head”, or “modulo:N” with N of 2 or more"),
};
