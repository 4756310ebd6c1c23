/* SPDX-License-Identifier: Apache-2.0
 * Writing the folder: places of files, and the tables. */
#include <inttypes.h>
#include <string.h>

#include "data/base/sonde-io.h"
#include "data/explanations/sonde-explanation-folder.h"

/* ---- places -------------------------------------------------------------- */

char *
sonde_explanation_dup_place (const char *class_name, const char *name)
{
  g_autofree char *folder = g_strdup (class_name != NULL ? class_name : "unknown"),
                  *base = g_path_get_basename (name);
  const char *dot = strrchr (base, '.');

  for (char *p = folder; *p != '\0'; p++)
    if (!g_ascii_isalnum (*p) && *p != '.' && *p != '-' && *p != '_')
      *p = '_';
  if (g_str_equal (folder, ".") || g_str_equal (folder, ".."))
    folder[0] = '_';
  return g_strdup_printf ("%s/%.*s", folder,
                          (int) (dot != NULL && dot != base ? dot - base : (gssize) strlen (base)),
                          base);
}

char *
sonde_explanation_make_path (const char *folder, const char *inside, const char *class_name,
                             const char *name, const char *ending, GError **error)
{
  g_autofree char *place = sonde_explanation_dup_place (class_name, name);
  g_autofree char *file = g_strconcat (place, ending, NULL);
  g_autofree char *path = g_build_filename (folder, inside, file, NULL),
                  *parent = g_path_get_dirname (path);

  return sonde_io_make_directories (NULL, parent, error) ? g_steal_pointer (&path) : NULL;
}

/* ---- fields -------------------------------------------------------------- */

/* Tabs and newlines would break the table. */
static void
append_text (GString *text, const char *field)
{
  for (const char *p = field; *p != '\0'; p++)
    g_string_append_c (text, *p == '\t' || *p == '\n' || *p == '\r' ? ' ' : *p);
}

static void
append_class (GString *text, gint64 c, char **classes, guint n_classes)
{
  g_string_append_c (text, '\t');
  if (c >= 0 && c < n_classes)
    append_text (text, classes[c]);
  else if (c >= 0)
    g_string_append_printf (text, "%" PRIi64, c);
}

static gboolean
write_table (const char *folder, const char *name, const GString *text, GError **error)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  return sonde_io_replace_file (NULL, path, text->str, text->len, error);
}

/* ---- tables -------------------------------------------------------------- */

gboolean
sonde_explanation_write_predictions (const char *folder, GPtrArray *results, char **classes,
                                     guint n_classes, GError **error)
{
  g_autoptr (GString) text
      = g_string_new ("file\ttrue\tpredicted\tp_true\tp_predicted\tmargin\treason\n");

  for (guint i = 0; i < results->len; i++)
    {
      const SondeSampleResult *result = g_ptr_array_index (results, i);

      append_text (text, result->name);
      append_class (text, result->label, classes, n_classes);
      append_class (text, result->predicted, classes, n_classes);
      g_string_append_printf (text, "\t%.9g\t%.9g\t%.9g\t%s\n", result->p_label,
                              result->p_predicted, result->margin,
                              sonde_error_category_get_name (result->category));
    }
  return write_table (folder, "predictions.tsv", text, error);
}

static void
append_related (GString *text, const GArray *related)
{
  g_string_append_c (text, '\t');
  for (guint k = 0; k < related->len; k++)
    {
      const SondeRelatedSample *other = &g_array_index (related, SondeRelatedSample, k);

      g_string_append (text, k > 0 ? " " : "");
      append_text (text, other->name);
      g_string_append_printf (text, ":%.6g", other->value);
    }
}

static void
append_other_reasons (GString *text, const SondeSampleResult *result)
{
  gboolean first = TRUE;

  g_string_append_c (text, '\t');
  for (SondeErrorCategory r = 0; r < SONDE_CATEGORY_UNKNOWN; r++)
    if (r != result->category && (result->categories >> r & 1) != 0)
      {
        g_string_append_printf (text, "%s%s", first ? "" : ",", sonde_error_category_get_name (r));
        first = FALSE;
      }
}

gboolean
sonde_explanation_write_triage (const char *folder, GPtrArray *entries, char **classes,
                                guint n_classes, GError **error)
{
  g_autoptr (GString) text = g_string_new ("file\ttrue\tpredicted\treason\tothers\tevidence\tmargin"
                                           "\tentropy\tenergy\tdistance\tborder\tbox\t"
                                           "neighbours\tproponents\topponents\n");

  for (guint i = 0; i < entries->len; i++)
    {
      const SondeTriageEntry *entry = g_ptr_array_index (entries, i);
      const SondeSampleResult *result = entry->result;

      append_text (text, result->name);
      append_class (text, result->label, classes, n_classes);
      append_class (text, result->predicted, classes, n_classes);
      g_string_append_printf (text, "\t%s", sonde_error_category_get_name (result->category));
      append_other_reasons (text, result);
      g_string_append_c (text, '\t');
      append_text (text,
                   result->evidence != NULL ? sonde_message_get_english (result->evidence) : "");
      g_string_append_printf (text, "\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g", entry->signed_margin,
                              entry->entropy, entry->energy, entry->distance, entry->border,
                              entry->box);
      append_related (text, entry->neighbours);
      append_related (text, entry->proponents);
      append_related (text, entry->opponents);
      g_string_append_c (text, '\n');
    }
  return write_table (folder, "triage.tsv", text, error);
}

gboolean
sonde_explanation_write_label_errors (const char *folder, const char *name, GArray *entries,
                                      char **classes, guint n_classes, GError **error)
{
  g_autofree char *file = g_strconcat (name, ".tsv", NULL);
  g_autoptr (GString) text
      = g_string_new ("file\tgiven\tsuggested\tsuspect\tself_confidence\tnormalised_"
                      "margin\tweighted_entropy\tscore\n");

  for (guint i = 0; i < entries->len; i++)
    {
      const SondeLabelErrorEntry *entry = &g_array_index (entries, SondeLabelErrorEntry, i);

      append_text (text, entry->name);
      append_class (text, entry->given, classes, n_classes);
      append_class (text, entry->suggested, classes, n_classes);
      g_string_append_printf (text, "\t%s\t%.9g\t%.9g\t%.9g\t%.9g\n",
                              entry->is_suspect ? "yes" : "no", entry->self_confidence,
                              entry->normalised_margin, entry->weighted_entropy, entry->score);
    }
  return write_table (folder, file, text, error);
}
