/* SPDX-License-Identifier: Apache-2.0
 * One table says of each field its name in the text, its kind, its place and its range; everything else walks over it. */
#include "data/charts/sonde-chart-setup.h"

#include <math.h>
#include <string.h>

typedef enum
{
  CHOICE,
  SWITCH,
  NUMBER,
  TEXT,
  LIST
} Kind;

/* @low, @high: of choices and numbers; @start: the default of both and of switches */
typedef struct
{
  const char *name;
  Kind kind;
  gsize offset;
  double low, high, start;
} Field;

#define AT(member) G_STRUCT_OFFSET (SondeChartSetup, member)
#define LIMIT -G_MAXDOUBLE, G_MAXDOUBLE, NAN

static const Field fields[SONDE_CHART_N_FIELDS] = {
  [SONDE_CHART_FIELD_X] = { "x", CHOICE, AT (x), 0, SONDE_CHART_N_X - 1, SONDE_CHART_X_STEP },
  [SONDE_CHART_FIELD_X_TAG] = { "x-tag", TEXT, AT (x_tag) },
  [SONDE_CHART_FIELD_LOG_X] = { "log-x", SWITCH, AT (log_x) },
  [SONDE_CHART_FIELD_LOG_Y] = { "log-y", SWITCH, AT (log_y) },
  [SONDE_CHART_FIELD_X_LOW] = { "x-low", NUMBER, AT (x_low), LIMIT },
  [SONDE_CHART_FIELD_X_HIGH] = { "x-high", NUMBER, AT (x_high), LIMIT },
  [SONDE_CHART_FIELD_Y_LOW] = { "y-low", NUMBER, AT (y_low), LIMIT },
  [SONDE_CHART_FIELD_Y_HIGH] = { "y-high", NUMBER, AT (y_high), LIMIT },
  [SONDE_CHART_FIELD_SMOOTH] = { "smoothing", CHOICE, AT (smooth), 0, SONDE_CHART_N_SMOOTH - 1,
                                 SONDE_CHART_SMOOTH_EXPONENTIAL },
  [SONDE_CHART_FIELD_WEIGHT] = { "weight", NUMBER, AT (weight), 0, 0.999, 0.6 },
  [SONDE_CHART_FIELD_WINDOW] = { "window", NUMBER, AT (window), 1, SONDE_CHART_MAX_WINDOW, 25 },
  [SONDE_CHART_FIELD_SIGMA] = { "sigma", NUMBER, AT (sigma), 0.1, SONDE_CHART_MAX_SIGMA, 5 },
  [SONDE_CHART_FIELD_GROUP]
  = { "group", CHOICE, AT (group), 0, SONDE_CHART_N_GROUP - 1, SONDE_CHART_GROUP_NONE },
  [SONDE_CHART_FIELD_GROUP_BY] = { "group-by", TEXT, AT (group_by) },
  [SONDE_CHART_FIELD_CENTRE]
  = { "centre", CHOICE, AT (centre), 0, SONDE_CHART_N_CENTRE - 1, SONDE_CHART_CENTRE_MEAN },
  [SONDE_CHART_FIELD_BAND]
  = { "band", CHOICE, AT (band), 0, SONDE_CHART_N_BAND - 1, SONDE_CHART_BAND_DEVIATION },
  [SONDE_CHART_FIELD_CLIP] = { "clip", SWITCH, AT (clip) },
  [SONDE_CHART_FIELD_MARKS] = { "marks", CHOICE, AT (marks), 0, SONDE_CHART_MARK_ALL, 0 },
  [SONDE_CHART_FIELD_CURVES] = { "curves", LIST, AT (curves) },
  [SONDE_CHART_FIELD_RULES] = { "rules", LIST, AT (rules) },
  [SONDE_CHART_FIELD_MILESTONES] = { "milestones", LIST, AT (milestones) },
  [SONDE_CHART_FIELD_NOTE] = { "note", TEXT, AT (note) },
  [SONDE_CHART_FIELD_LINKED] = { "linked", SWITCH, AT (linked) },
  [SONDE_CHART_FIELD_ORDER]
  = { "order", CHOICE, AT (order), 0, SONDE_CHART_N_ORDER - 1, SONDE_CHART_ORDER_NEAREST },
  [SONDE_CHART_FIELD_HIDDEN] = { "hidden", LIST, AT (hidden) },
};

static void *
place_of (const SondeChartSetup *setup, SondeChartField field)
{
  return (char *) setup + fields[field].offset;
}

static void
say (SondeChartSetup *setup, SondeChartField field)
{
  setup->said |= 1u << field;
}

void
sonde_chart_setup_forget (SondeChartSetup *setup, SondeChartField field)
{
  const Field *row = &fields[field];

  setup->said &= ~(1u << field);
  if (row->kind == NUMBER)
    *(double *) place_of (setup, field) = row->start;
  else if (row->kind == TEXT)
    g_clear_pointer ((char **) place_of (setup, field), g_free);
  else if (row->kind == LIST)
    g_clear_pointer ((char ***) place_of (setup, field), g_strfreev);
  else
    *(int *) place_of (setup, field) = (int) row->start;
}

SondeChartSetup *
sonde_chart_setup_new (void)
{
  SondeChartSetup *setup = g_new0 (SondeChartSetup, 1);

  for (int i = 0; i < SONDE_CHART_N_FIELDS; i++)
    sonde_chart_setup_forget (setup, (SondeChartField) i);
  return setup;
}

void
sonde_chart_setup_free (SondeChartSetup *setup)
{
  if (setup == NULL)
    return;
  for (int i = 0; i < SONDE_CHART_N_FIELDS; i++)
    sonde_chart_setup_forget (setup, (SondeChartField) i);
  g_free (setup);
}

/* ---- getting ------------------------------------------------------------- */

int
sonde_chart_setup_get_choice (const SondeChartSetup *setup, SondeChartField field)
{
  g_return_val_if_fail (fields[field].kind == CHOICE || fields[field].kind == SWITCH, 0);
  return *(const int *) place_of (setup, field);
}

double
sonde_chart_setup_get_number (const SondeChartSetup *setup, SondeChartField field)
{
  g_return_val_if_fail (fields[field].kind == NUMBER, NAN);
  return *(const double *) place_of (setup, field);
}

const char *
sonde_chart_setup_get_text (const SondeChartSetup *setup, SondeChartField field)
{
  g_return_val_if_fail (fields[field].kind == TEXT, NULL);
  return *(char *const *) place_of (setup, field);
}

const char *const *
sonde_chart_setup_get_list (const SondeChartSetup *setup, SondeChartField field)
{
  g_return_val_if_fail (fields[field].kind == LIST, NULL);
  return *(const char *const *const *) place_of (setup, field);
}

/* ---- setting ------------------------------------------------------------- */

void
sonde_chart_setup_set_choice (SondeChartSetup *setup, SondeChartField field, int value)
{
  const Field *row = &fields[field];

  g_return_if_fail (row->kind == CHOICE || row->kind == SWITCH);
  *(int *) place_of (setup, field)
      = row->kind == SWITCH ? value != 0 : CLAMP (value, (int) row->low, (int) row->high);
  say (setup, field);
}

void
sonde_chart_setup_set_number (SondeChartSetup *setup, SondeChartField field, double value)
{
  const Field *row = &fields[field];

  g_return_if_fail (row->kind == NUMBER);
  if (!isfinite (value))
    value = row->start;
  else
    value = CLAMP (value, row->low, row->high);
  *(double *) place_of (setup, field) = value;
  say (setup, field);
}

void
sonde_chart_setup_set_text (SondeChartSetup *setup, SondeChartField field, const char *text)
{
  char **place = place_of (setup, field),
       *copy = text != NULL && *text != '\0' ? g_strdup (text) : NULL;

  g_return_if_fail (fields[field].kind == TEXT);
  g_free (*place);
  *place = copy;
  say (setup, field);
}

void
sonde_chart_setup_set_list (SondeChartSetup *setup, SondeChartField field, const char *const *list)
{
  char ***place = place_of (setup, field);
  char **copy = list != NULL && *list != NULL ? g_strdupv ((char **) list) : NULL;

  g_return_if_fail (fields[field].kind == LIST);
  g_strfreev (*place);
  *place = copy;
  say (setup, field);
}

static void
take_over (SondeChartSetup *setup, SondeChartField field, const SondeChartSetup *from)
{
  const void *place = place_of (from, field);

  switch (fields[field].kind)
    {
    case CHOICE:
    case SWITCH:
      sonde_chart_setup_set_choice (setup, field, *(const int *) place);
      break;
    case NUMBER:
      sonde_chart_setup_set_number (setup, field, *(const double *) place);
      break;
    case TEXT:
      sonde_chart_setup_set_text (setup, field, *(char *const *) place);
      break;
    case LIST:
      sonde_chart_setup_set_list (setup, field, *(const char *const *const *) place);
      break;
    }
}

SondeChartSetup *
sonde_chart_setup_copy (const SondeChartSetup *setup)
{
  return sonde_chart_setup_join (setup, NULL);
}

SondeChartSetup *
sonde_chart_setup_join (const SondeChartSetup *own, const SondeChartSetup *common)
{
  SondeChartSetup *joined = sonde_chart_setup_new ();

  for (int i = 0; i < SONDE_CHART_N_FIELDS; i++)
    if (sonde_chart_setup_says (own, (SondeChartField) i))
      take_over (joined, (SondeChartField) i, own);
    else if (sonde_chart_setup_says (common, (SondeChartField) i))
      take_over (joined, (SondeChartField) i, common);
  return joined;
}

/* ---- as text ------------------------------------------------------------- */

static GVariant *
field_to_variant (const SondeChartSetup *setup, SondeChartField field)
{
  static const char *const none[] = { NULL };
  const void *place = place_of (setup, field);
  const char *text;
  char *const *list;

  switch (fields[field].kind)
    {
    case CHOICE:
      return g_variant_new_int32 (*(const int *) place);
    case SWITCH:
      return g_variant_new_boolean (*(const int *) place != 0);
    case NUMBER:
      return g_variant_new_double (*(const double *) place);
    case TEXT:
      text = *(char *const *) place;
      return g_variant_new_string (text != NULL ? text : "");
    default:
      list = *(char **const *) place;
      return g_variant_new_strv (list != NULL ? (const char *const *) list : none, -1);
    }
}

GVariant *
sonde_chart_setup_to_variant (const SondeChartSetup *setup)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE_VARDICT);
  for (int i = 0; i < SONDE_CHART_N_FIELDS; i++)
    if (sonde_chart_setup_says (setup, (SondeChartField) i))
      g_variant_builder_add (&builder, "{sv}", fields[i].name,
                             field_to_variant (setup, (SondeChartField) i));
  return g_variant_builder_end (&builder);
}

static void
field_from_variant (SondeChartSetup *setup, SondeChartField field, GVariant *value)
{
  static const char *const types[]
      = { [CHOICE] = "i", [SWITCH] = "b", [NUMBER] = "d", [TEXT] = "s", [LIST] = "as" };
  Kind kind = fields[field].kind;

  if (!g_variant_is_of_type (value, G_VARIANT_TYPE (types[kind])))
    return;
  if (kind == LIST)
    {
      g_autofree const char **list = g_variant_get_strv (value, NULL);
      sonde_chart_setup_set_list (setup, field, list);
    }
  else if (kind == TEXT)
    sonde_chart_setup_set_text (setup, field, g_variant_get_string (value, NULL));
  else if (kind == NUMBER)
    sonde_chart_setup_set_number (setup, field, g_variant_get_double (value));
  else
    sonde_chart_setup_set_choice (
        setup, field, kind == SWITCH ? g_variant_get_boolean (value) : g_variant_get_int32 (value));
}

SondeChartSetup *
sonde_chart_setup_from_variant (GVariant *dictionary)
{
  SondeChartSetup *setup = sonde_chart_setup_new ();

  g_return_val_if_fail (g_variant_is_of_type (dictionary, G_VARIANT_TYPE_VARDICT), setup);
  for (int i = 0; i < SONDE_CHART_N_FIELDS; i++)
    {
      g_autoptr (GVariant) value = g_variant_lookup_value (dictionary, fields[i].name, NULL);

      if (value != NULL)
        field_from_variant (setup, (SondeChartField) i, value);
    }
  return setup;
}

gboolean
sonde_chart_setup_equal (const SondeChartSetup *a, const SondeChartSetup *b)
{
  g_autoptr (GVariant) one = g_variant_ref_sink (sonde_chart_setup_to_variant (a));
  g_autoptr (GVariant) other = g_variant_ref_sink (sonde_chart_setup_to_variant (b));
  g_autofree char *text = g_variant_print (one, FALSE);
  g_autofree char *other_text = g_variant_print (other, FALSE);

  return g_str_equal (text, other_text);
}

static gboolean
field_equal (const SondeChartSetup *a, const SondeChartSetup *b, SondeChartField field)
{
  static const char *const none[] = { NULL };
  const void *x = place_of (a, field), *y = place_of (b, field);
  const char *const *one, *const *other;

  if (sonde_chart_setup_says (a, field) != sonde_chart_setup_says (b, field))
    return FALSE;
  switch (fields[field].kind)
    {
    case NUMBER:
      return memcmp (x, y, sizeof (double)) == 0;
    case TEXT:
      return g_strcmp0 (*(char *const *) x, *(char *const *) y) == 0;
    case LIST:
      one = *(const char *const *const *) x;
      other = *(const char *const *const *) y;
      return g_strv_equal (one != NULL ? one : none, other != NULL ? other : none);
    default:
      return *(const int *) x == *(const int *) y;
    }
}

gboolean
sonde_chart_setup_find_number (const SondeChartSetup *a, const SondeChartSetup *b,
                               SondeChartField *field)
{
  guint n = 0;

  for (int i = 0; i < SONDE_CHART_N_FIELDS; i++)
    if (!field_equal (a, b, (SondeChartField) i))
      {
        *field = (SondeChartField) i;
        n++;
      }
  return n == 1 && fields[*field].kind == NUMBER;
}

gboolean
sonde_chart_setup_parse_mark (const char *mark, double *value, const char **text)
{
  char *end;

  *value = g_ascii_strtod (mark, &end);
  if (end == mark || !isfinite (*value) || (*end != '\0' && !g_ascii_isspace (*end)))
    return FALSE;
  while (g_ascii_isspace (*end))
    end++;
  if (text != NULL)
    *text = end;
  return TRUE;
}
