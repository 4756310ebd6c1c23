/* SPDX-License-Identifier: Apache-2.0
 * Reasons in the cache: all that was measured of the samples; what follows from the predictions
 * alone is computed again. */
#include "explain/session/sonde-explain-session-triage-cache.h"

#include <string.h>

#include "data/base/sonde-message-variant.h"
#include "explain/session/sonde-explain-session-predictions.h"
#include "explain/session/sonde-explain-session-work.h"
#include "explain/sonde-note.h"

#define FOUND_TYPE "a(ud)"
#define ROW_TYPE                                                                                   \
  "(dddddd"                                                                                        \
  "iii"                                                                                            \
  "uu" FOUND_TYPE FOUND_TYPE FOUND_TYPE "d)"
#define CATEGORY_TYPE "(uu" SONDE_MESSAGE_VARIANT ")"
#define CUE_TYPE "(xiiiduuu)"

static char *
make_key (SondeExplainSession *session)
{
  g_autofree char *hash = sonde_explain_session_hash_labels (session);

  return g_strdup_printf ("triage-%.32s", hash);
}

/* ---- writing ------------------------------------------------------------- */

static GVariant *
pack_found (const SondeNeighbour *found, guint n)
{
  g_auto (GVariantBuilder) builder = G_VARIANT_BUILDER_INIT (G_VARIANT_TYPE (FOUND_TYPE));

  for (guint i = 0; i < n; i++)
    g_variant_builder_add (&builder, "(ud)", found[i].row, found[i].value);
  return g_variant_builder_end (&builder);
}

static GVariant *
pack_row (const SondeTriageRow *row)
{
  return g_variant_new ("(ddddddiiiuu@" FOUND_TYPE "@" FOUND_TYPE "@" FOUND_TYPE "d)",
                        row->signed_margin, row->entropy, row->energy, row->distance, row->border,
                        row->box, row->points, row->cue, row->duplicate, row->n_say_predicted,
                        row->n_say_label, pack_found (row->neighbours, row->n_neighbours),
                        pack_found (row->proponents, row->n_influences),
                        pack_found (row->opponents, row->n_influences), row->suspicion);
}

static GVariant *
pack_category (const SondeSampleResult *result)
{
  return g_variant_new ("(uu@" SONDE_MESSAGE_VARIANT ")", (guint) result->category,
                        result->categories, sonde_message_to_variant (result->evidence));
}

void
sonde_explain_session_store_triage (SondeExplainSession *session, GPtrArray *predictions,
                                    const SondeTriage *triage)
{
  g_auto (GVariantBuilder) rows = G_VARIANT_BUILDER_INIT (G_VARIANT_TYPE ("a" ROW_TYPE));
  g_auto (GVariantBuilder) categories = G_VARIANT_BUILDER_INIT (G_VARIANT_TYPE ("a" CATEGORY_TYPE));
  g_auto (GVariantBuilder) cues = G_VARIANT_BUILDER_INIT (G_VARIANT_TYPE ("a" CUE_TYPE));
  g_autofree char *key = make_key (session);
  GVariantDict dict;

  for (guint i = 0; i < triage->n; i++)
    {
      g_variant_builder_add_value (&rows, pack_row (&triage->rows[i]));
      g_variant_builder_add_value (&categories, pack_category (g_ptr_array_index (predictions, i)));
    }
  for (guint i = 0; i < triage->cues->len; i++)
    {
      const SondeCue *cue = &g_array_index (triage->cues, SondeCue, i);

      g_variant_builder_add (&cues, CUE_TYPE, cue->predicted, cue->x, cue->y, cue->side, cue->share,
                             cue->n, cue->n_sharing, cue->n_changed);
    }
  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert_value (&dict, "rows", g_variant_builder_end (&rows));
  g_variant_dict_insert_value (&dict, "categories", g_variant_builder_end (&categories));
  g_variant_dict_insert_value (&dict, "cues", g_variant_builder_end (&cues));
  g_variant_dict_insert_value (&dict, "notes", sonde_messages_to_variant (triage->notes));
  g_variant_dict_insert (&dict, "limits", "(dd)", triage->energy_limit, triage->distance_limit);
  sonde_explain_cache_store (sonde_explain_session_get_cache (session), key,
                             g_variant_dict_end (&dict), NULL);
}

/* ---- reading ------------------------------------------------------------- */

/* FALSE: it cannot be of these samples. */
static gboolean
unpack_found (GVariant *list, SondeNeighbour *found, gsize most, guint n_reference, guint *n)
{
  *n = (guint) MIN (g_variant_n_children (list), most);
  if (g_variant_n_children (list) > most)
    return FALSE;
  for (guint i = 0; i < *n; i++)
    {
      g_variant_get_child (list, i, "(ud)", &found[i].row, &found[i].value);
      if (found[i].row >= n_reference)
        return FALSE;
    }
  return TRUE;
}

static gboolean
unpack_row (GVariant *variant, SondeTriage *triage, SondeTriageRow *row)
{
  g_autoptr (GVariant) neighbours = NULL, proponents = NULL, opponents = NULL;
  guint n_opponents, n_reference = triage->reference->len;

  g_variant_get (variant, "(ddddddiiiuu@" FOUND_TYPE "@" FOUND_TYPE "@" FOUND_TYPE "d)",
                 &row->signed_margin, &row->entropy, &row->energy, &row->distance, &row->border,
                 &row->box, &row->points, &row->cue, &row->duplicate, &row->n_say_predicted,
                 &row->n_say_label, &neighbours, &proponents, &opponents, &row->suspicion);
  if (!unpack_found (neighbours, row->neighbours, SONDE_TRIAGE_NEIGHBOURS, n_reference,
                     &row->n_neighbours)
      || !unpack_found (proponents, row->proponents, SONDE_TRIAGE_INFLUENCES, n_reference,
                        &row->n_influences)
      || !unpack_found (opponents, row->opponents, SONDE_TRIAGE_INFLUENCES, n_reference,
                        &n_opponents)
      || n_opponents != row->n_influences || row->cue >= (int) triage->cues->len || row->cue < -1
      || row->duplicate >= (int) row->n_neighbours || row->duplicate < -1)
    return FALSE;
  return TRUE;
}

static void
take_category (GVariant *variant, SondeTriage *triage, SondeSampleResult *result)
{
  g_autoptr (GVariant) evidence = NULL;
  guint category;

  g_variant_get (variant, "(uu@" SONDE_MESSAGE_VARIANT ")", &category, &result->categories,
                 &evidence);
  result->category = (SondeErrorCategory) MIN (category, SONDE_N_CATEGORIES);
  sonde_message_free (result->evidence);
  result->evidence = sonde_message_from_variant (evidence);
  if (result->category < SONDE_N_CATEGORIES)
    triage->counts[result->category]++;
}

static void
unpack_cues (GVariant *list, GArray *cues)
{
  for (gsize i = 0; i < g_variant_n_children (list); i++)
    {
      SondeCue cue;

      g_variant_get_child (list, i, CUE_TYPE, &cue.predicted, &cue.x, &cue.y, &cue.side, &cue.share,
                           &cue.n, &cue.n_sharing, &cue.n_changed);
      g_array_append_val (cues, cue);
    }
}

static SondeLabelErrors *
measure_labels (GPtrArray *predictions)
{
  guint n = predictions->len,
        classes = n > 0 ? ((SondeSampleResult *) g_ptr_array_index (predictions, 0))->n_classes : 0;
  g_autofree float *p = g_new (float, (gsize) n *classes + 1);
  g_autofree gint64 *labels = g_new (gint64, n + 1);

  for (guint i = 0; i < n; i++)
    {
      const SondeSampleResult *prediction = g_ptr_array_index (predictions, i);

      memcpy (p + (gsize) i * classes, prediction->probabilities, classes * sizeof *p);
      labels[i] = prediction->label;
    }
  return sonde_label_errors_new (p, labels, n, classes);
}

static SondeTriage *
unpack (GVariant *value, GPtrArray *predictions, GPtrArray *training)
{
  g_autoptr (SondeTriage) triage = g_new0 (SondeTriage, 1);
  g_autoptr (GVariant) rows = g_variant_lookup_value (value, "rows", G_VARIANT_TYPE ("a" ROW_TYPE));
  g_autoptr (GVariant) categories
      = g_variant_lookup_value (value, "categories", G_VARIANT_TYPE ("a" CATEGORY_TYPE));
  g_autoptr (GVariant) cues = g_variant_lookup_value (value, "cues", G_VARIANT_TYPE ("a" CUE_TYPE));
  g_autoptr (GVariant) notes
      = g_variant_lookup_value (value, "notes", G_VARIANT_TYPE (SONDE_MESSAGES_VARIANT));

  triage->n = predictions->len;
  triage->rows = g_new0 (SondeTriageRow, MAX (triage->n, 1));
  triage->cues = g_array_new (FALSE, FALSE, sizeof (SondeCue));
  triage->notes = sonde_notes_new ();
  triage->has_training = training != NULL;
  triage->reference = g_ptr_array_ref (training != NULL ? training : predictions);
  triage->label_errors = measure_labels (predictions);
  if (rows == NULL || categories == NULL || cues == NULL || notes == NULL
      || g_variant_n_children (rows) != triage->n || g_variant_n_children (categories) != triage->n
      || !g_variant_lookup (value, "limits", "(dd)", &triage->energy_limit,
                            &triage->distance_limit))
    return NULL;
  unpack_cues (cues, triage->cues);
  for (guint i = 0; i < triage->n; i++)
    {
      g_autoptr (GVariant) row = g_variant_get_child_value (rows, i);

      if (!unpack_row (row, triage, &triage->rows[i]))
        return NULL;
    }
  for (guint i = 0; i < triage->n; i++)
    {
      g_autoptr (GVariant) category = g_variant_get_child_value (categories, i);

      take_category (category, triage, g_ptr_array_index (predictions, i));
    }
  g_ptr_array_unref (triage->notes);
  triage->notes = sonde_messages_from_variant (notes);
  return g_steal_pointer (&triage);
}

SondeTriage *
sonde_explain_session_load_triage (SondeExplainSession *session, GPtrArray *predictions,
                                   GPtrArray *training)
{
  g_autofree char *key = make_key (session);
  g_autoptr (GVariant) value = NULL;
  g_autoptr (GPtrArray) tensors = NULL;

  return sonde_explain_cache_load (sonde_explain_session_get_cache (session), key, &value, &tensors)
             ? unpack (value, predictions, training)
             : NULL;
}
