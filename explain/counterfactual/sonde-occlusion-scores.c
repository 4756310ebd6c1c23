/* SPDX-License-Identifier: Apache-2.0
 * An image is known by 128 bits of its content: windows that change nothing, and the same window
 * met again in another job or threshold, then have exactly the score they had, whatever batch they
 * would have been in. That is what makes ties and the comparison with the parent's change
 * independent of the batch. */
#include "explain/counterfactual/sonde-occlusion-scores.h"

#include <string.h>

#include "data/base/sonde-text.h"
#include "explain/sonde-image-key.h"

typedef struct
{
  SondeImageKey key;
  double score;
} Known;

struct _SondeOcclusionScores
{
  SondeScoreFunction score;
  gpointer data;
  SondeTensor *batch; /* [n, C, H, W] */
  gsize size;         /* bytes of an image */
  GHashTable *known;  /* (element-type Known): itself -> itself */
  guint64 n_asked;
};

SondeOcclusionScores *
sonde_occlusion_scores_new (SondeTensor *like, guint batch, SondeScoreFunction score, gpointer data,
                            GError **error)
{
  g_autoptr (SondeOcclusionScores) scores = g_new0 (SondeOcclusionScores, 1);
  SondeShape shape = sonde_shape_make (4, (int) batch, like->shape.dims[0], like->shape.dims[1],
                                       like->shape.dims[2]);

  scores->score = score;
  scores->data = data;
  scores->size = sonde_tensor_n_bytes (like);
  scores->known = g_hash_table_new_full (sonde_image_key_hash, sonde_image_key_equal, g_free, NULL);
  scores->batch = sonde_tensor_try_new (SONDE_DTYPE_F32, &shape, NULL,
                                        N_ ("batch of occluded images"), error);
  return scores->batch != NULL ? g_steal_pointer (&scores) : NULL;
}

void
sonde_occlusion_scores_free (SondeOcclusionScores *scores)
{
  if (scores == NULL)
    return;
  g_clear_pointer (&scores->known, g_hash_table_unref);
  g_clear_pointer (&scores->batch, sonde_tensor_unref);
  g_free (scores);
}

guint64
sonde_occlusion_scores_get_n_asked (SondeOcclusionScores *scores)
{
  return scores->n_asked;
}

static void
edit (guint8 *to, SondeTensor *from, const SondeBox *box)
{
  gint64 height = from->shape.dims[1], width = from->shape.dims[2];

  for (gint64 c = 0; c < from->shape.dims[0]; c++)
    for (int y = box->y; y < box->y + box->height; y++)
      {
        gsize at = (gsize) ((c * height + y) * width + box->x) * sizeof (float);

        memcpy (to + at, from->data + at, (gsize) box->width * sizeof (float));
      }
}

void
sonde_occlusion_edit (SondeTensor *to, SondeTensor *from, const SondeBox *box)
{
  edit (to->data, from, box);
}

/* Scores the first @n images of the batch. @pending: what is known of them from now on. */
static gboolean
ask (SondeOcclusionScores *scores, Known **pending, guint n, GError **error)
{
  SondeShape shape = scores->batch->shape;
  g_autoptr (SondeTensor) images = NULL;
  g_autofree double *values = NULL;

  if (n == 0)
    return TRUE;
  shape.dims[0] = n;
  images = sonde_tensor_view (scores->batch, &shape, scores->batch->strides, 0);
  values = g_new (double, n);
  if (!scores->score (images, values, scores->data, error))
    return FALSE;
  scores->n_asked += n;
  for (guint i = 0; i < n; i++)
    pending[i]->score = values[i];
  return TRUE;
}

gboolean
sonde_occlusion_scores_get (SondeOcclusionScores *scores, SondeTensor *work, SondeTensor *from,
                            const SondeBox *boxes, guint n, double *out, GError **error)
{
  guint room = (guint) scores->batch->shape.dims[0], used = 0;
  g_autofree Known **answers = g_new (Known *, MAX (n, 1)), **pending = g_new (Known *, room);

  for (guint i = 0; i < n; i++)
    {
      guint8 *slot;
      Known *known;
      SondeImageKey key;

      if (used == room)
        {
          if (!ask (scores, pending, used, error))
            return FALSE;
          used = 0;
        }
      slot = scores->batch->data + used * scores->size;
      memcpy (slot, work->data, scores->size);
      if (boxes != NULL)
        edit (slot, from, &boxes[i]);
      key = sonde_image_key (slot, scores->size);
      known = g_hash_table_lookup (scores->known, &(Known){ key, 0 });
      if (known == NULL)
        {
          known = g_new (Known, 1);
          *known = (Known){ key, 0 };
          g_hash_table_add (scores->known, known);
          pending[used++] = known;
        }
      answers[i] = known;
    }
  if (!ask (scores, pending, used, error))
    return FALSE;
  for (guint i = 0; i < n; i++)
    out[i] = answers[i]->score;
  return TRUE;
}
