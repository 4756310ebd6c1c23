/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/media/sonde-media-status.h"

#include "app/pages/media/sonde-images-card.h"
#include "app/pages/media/sonde-record-card.h"
#include "data/base/sonde-text.h"

/* What the cards in sight hold together, and what the first of them says. */
typedef struct
{
  guint n_records, n_judged, n_errors;
  gint64 step;
  const char *problem, *facts; /* (nullable) */
  char *levels;                /* (nullable): owned */
  const char *expanded;        /* (nullable): only its card counts */
  gboolean is_complete;        /* that card was met */
} Counts;

static void
note_problem (Counts *counts, const char *problem)
{
  if (counts->problem == NULL)
    counts->problem = problem;
}

static void
add_counts (SondeTagCard *card, void *user_data)
{
  Counts *counts = user_data;
  const char *tag = sonde_tag_card_get_tag (card);

  if (tag == NULL || counts->is_complete
      || (counts->expanded != NULL && !g_str_equal (tag, counts->expanded)))
    return;
  counts->is_complete = counts->expanded != NULL;
  if (SONDE_IS_IMAGES_CARD (card))
    {
      SondeSampleGrid *grid = sonde_images_card_get_grid (SONDE_IMAGES_CARD (card));

      counts->n_records += sonde_sample_grid_get_n_samples (grid);
      counts->n_judged += sonde_sample_grid_get_n_judged (grid);
      counts->n_errors += sonde_sample_grid_get_n_errors (grid);
      counts->step = sonde_sample_grid_get_step (grid);
      note_problem (counts, sonde_sample_grid_get_problem (grid));
      if (counts->levels == NULL)
        counts->levels = sonde_images_card_describe_levels (SONDE_IMAGES_CARD (card));
    }
  else
    {
      SondeRecordCard *record = SONDE_RECORD_CARD (card);

      counts->n_records += sonde_record_card_get_n_records (record);
      counts->step = sonde_record_card_get_step (record);
      note_problem (counts, sonde_record_card_get_problem (record));
      counts->facts = sonde_record_card_get_facts (record);
    }
}

/* Of several tags: how many there are of what in sight. */
static char *
describe_tags (SondeRecordKind kind, guint n_tags, guint n_steps, const Counts *counts)
{
  return g_strdup_printf (
      kind == SONDE_RECORD_TEXT    ? _ ("Texts shown: %u · tags: %u · recorded steps: %u")
      : kind == SONDE_RECORD_AUDIO ? _ ("Sounds shown: %u · tags: %u · recorded steps: %u")
      : kind == SONDE_RECORD_MESH  ? _ ("Meshes shown: %u · tags: %u · recorded steps: %u")
                                   : _ ("Images shown: %u · tags: %u · recorded steps: %u"),
      counts->n_records, n_tags, n_steps);
}

/* Of one tag: what it holds at which step. */
static char *
describe_records (SondeRecordKind kind, guint n_steps, const Counts *counts)
{
  if (counts->facts != NULL)
    return g_strdup_printf (_ ("%s at step %" PRIi64 "; recorded steps: %u"), counts->facts,
                            counts->step, n_steps);
  if (counts->n_judged > 0)
    return g_strdup_printf (
        _ ("Images: %u at step %" PRIi64 ", misclassified: %u; recorded steps: %u"),
        counts->n_records, counts->step, counts->n_errors, n_steps);
  return g_strdup_printf (
      kind == SONDE_RECORD_TEXT    ? _ ("Texts: %u at step %" PRIi64 "; recorded steps: %u")
      : kind == SONDE_RECORD_AUDIO ? _ ("Sounds: %u at step %" PRIi64 "; recorded steps: %u")
      : kind == SONDE_RECORD_MESH  ? _ ("Meshes: %u at step %" PRIi64 "; recorded steps: %u")
                                   : _ ("Images: %u at step %" PRIi64 "; recorded steps: %u"),
      counts->n_records, counts->step, n_steps);
}

char *
sonde_media_status_describe (SondeCardGrid *grid, SondeRecordKind kind, guint n_tags, guint n_steps,
                             guint *n_judged)
{
  Counts counts = { .expanded = sonde_card_grid_get_expanded (grid) };
  const gboolean one = counts.expanded != NULL || n_tags == 1;
  g_autofree char *levels = NULL;
  char *text;

  sonde_card_grid_foreach (grid, add_counts, &counts);
  levels = counts.levels;
  *n_judged = counts.n_judged;
  if (kind != SONDE_RECORD_IMAGE && one && counts.problem != NULL)
    return g_strdup (counts.problem);
  if (kind == SONDE_RECORD_IMAGE && counts.n_records == 0)
    return NULL;
  text = one ? describe_records (kind, n_steps, &counts)
             : describe_tags (kind, n_tags, n_steps, &counts);
  for (gsize i = 0; i < 2; i++)
    {
      const char *more = i == 0 ? levels : counts.problem;
      g_autofree char *before = g_steal_pointer (&text);

      text = more != NULL ? g_strdup_printf (_ ("%s; %s"), before, more) : g_strdup (before);
    }
  return text;
}
