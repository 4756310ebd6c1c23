/* SPDX-License-Identifier: Apache-2.0
 * Sequences of tokens made up for a task. Token t of sample i is a hash of (seed, i, t), so that
 * neither order nor threads change it. */
#include "data/datasets/sonde-dataset-sources.h"

#include <string.h>

#include "data/base/sonde-random.h"
#include "data/base/sonde-text.h"
#include "data/datasets/sonde-dataset-request.h"
#include "data/datasets/sonde-dataset-settings.h"

#define MAX_LENGTH 65536
#define MAX_VOCABULARY 65536
#define MAX_COUNT 100000000

typedef struct _Tokens Tokens;

/* @answer: the label of @tokens at @into: one class, or one at each place. */
typedef struct
{
  const char *name;
  gboolean sequence;
  void (*answer) (const Tokens *tokens, const gint64 *sequence, gint64 *into);
} Task;

struct _Tokens
{
  SondeDataset base;
  const Task *task;
  guint64 seed, stream;
  guint64 length, vocabulary;
};

static const SondeDatasetClass tokens_class;

static void
copy (const Tokens *tokens, const gint64 *sequence, gint64 *into)
{
  memcpy (into, sequence, tokens->length * sizeof *into);
}

static int
compare (const void *a, const void *b)
{
  const gint64 *first = a, *second = b;

  return (*first > *second) - (*first < *second);
}

static void
sort (const Tokens *tokens, const gint64 *sequence, gint64 *into)
{
  copy (tokens, sequence, into);
  qsort (into, tokens->length, sizeof *into, compare);
}

static void
parity (const Tokens *tokens, const gint64 *sequence, gint64 *into)
{
  *into = 0;
  for (guint64 t = 0; t < tokens->length; t++)
    *into ^= sequence[t] & 1;
}

static void
majority (const Tokens *tokens, const gint64 *sequence, gint64 *into)
{
  g_autofree guint *counts = g_new0 (guint, tokens->vocabulary);

  for (guint64 t = 0; t < tokens->length; t++)
    counts[sequence[t]]++;
  *into = 0;
  for (guint64 v = 1; v < tokens->vocabulary; v++)
    if (counts[v] > counts[*into])
      *into = (gint64) v;
}

static const Task tasks[] = {
  { "copy", TRUE, copy },
  { "sort", TRUE, sort },
  { "parity", FALSE, parity },
  { "majority", FALSE, majority },
};

static const SondeDatasetSetting settings[] = {
  { "task", N_ ("copy, sort, parity or majority") },
  { "length", N_ ("1 to 65536") },
  { "vocabulary", N_ ("2 to 65536") },
  { "count", N_ ("1 to 100000000") },
};

static gboolean
tokens_fill (SondeDataset *dataset, guint sample, void *into, GError **error)
{
  const Tokens *tokens = (const Tokens *) dataset;
  gint64 *sequence = into;

  for (guint64 t = 0; t < tokens->length; t++)
    sequence[t] = (gint64) (((sonde_random_bits (tokens->seed, tokens->stream + sample, t) >> 32)
                             * tokens->vocabulary)
                            >> 32);
  return TRUE;
}

static void
tokens_fill_label (SondeDataset *dataset, guint sample, void *into)
{
  const Tokens *tokens = (const Tokens *) dataset;
  g_autofree gint64 *sequence = g_new (gint64, tokens->length);

  tokens_fill (dataset, sample, sequence, NULL);
  tokens->task->answer (tokens, sequence, into);
}

static gint64
tokens_get_label (SondeDataset *dataset, guint sample)
{
  gint64 label = -1;

  if (!((const Tokens *) dataset)->task->sequence)
    tokens_fill_label (dataset, sample, &label);
  return label;
}

static char *
tokens_dup_name (SondeDataset *dataset, guint sample)
{
  return g_strdup_printf ("%s/%06u", ((const Tokens *) dataset)->task->name, sample);
}

static void
tokens_free (SondeDataset *dataset)
{
  g_free (dataset);
}

static const SondeDatasetClass tokens_class = {
  .name = "tokens",
  .free = tokens_free,
  .fill = tokens_fill,
  .get_label = tokens_get_label,
  .fill_label = tokens_fill_label,
  .dup_name = tokens_dup_name,
};

static gboolean
parse_settings (Tokens *tokens, const SondeDatasetRequest *request, GError **error)
{
  const guint64 limits[][2]
      = { { 0, 0 }, { 1, MAX_LENGTH }, { 2, MAX_VOCABULARY }, { 1, MAX_COUNT } };
  guint64 numbers[] = { 0, 32, 16, request->options->count > 0 ? request->options->count : 10000 };
  char *values[G_N_ELEMENTS (settings)] = { g_strdup ("copy"), NULL, NULL, NULL };
  gboolean understood = sonde_dataset_settings_read ("tokens", request->argument, settings,
                                                     G_N_ELEMENTS (settings), values, error);

  for (gsize i = 0; i < G_N_ELEMENTS (tasks); i++)
    if (g_str_equal (values[0], tasks[i].name))
      tokens->task = &tasks[i];
  if (understood && tokens->task == NULL)
    understood = sonde_dataset_settings_refuse ("tokens", values[0], settings,
                                                G_N_ELEMENTS (settings), error);
  for (gsize i = 1; i < G_N_ELEMENTS (settings); i++)
    if (understood && values[i] != NULL
        && !g_ascii_string_to_unsigned (values[i], 10, limits[i][0], limits[i][1], &numbers[i],
                                        NULL))
      understood = sonde_dataset_settings_refuse ("tokens", values[i], settings,
                                                  G_N_ELEMENTS (settings), error);
  tokens->length = numbers[1];
  tokens->vocabulary = numbers[2];
  tokens->base.n = (guint) numbers[3];
  for (gsize i = 0; i < G_N_ELEMENTS (settings); i++)
    g_free (values[i]);
  return understood;
}

SondeDataset *
sonde_dataset_tokens_open (SondeDatasetRequest *request, GError **error)
{
  g_autoptr (SondeDataset) dataset = NULL;
  Tokens *tokens = g_new0 (Tokens, 1);

  dataset = &tokens->base;
  dataset->klass = &tokens_class;
  if (!parse_settings (tokens, request, error))
    return NULL;
  tokens->seed = request->options->seed;
  tokens->stream = sonde_random_stream ("tokens");
  dataset->dtype = dataset->label_dtype = SONDE_DTYPE_I64;
  dataset->shape = sonde_shape_make (1, tokens->length);
  dataset->label_shape = tokens->task->sequence ? dataset->shape : sonde_shape_scalar ();
  dataset->channels = dataset->height = 1;
  dataset->width = (int) tokens->length;
  dataset->vocabulary = (guint) tokens->vocabulary;
  dataset->test_begin = -1;
  sonde_dataset_number_classes (dataset,
                                tokens->task->answer == parity ? 2 : (guint) tokens->vocabulary);
  return g_steal_pointer (&dataset);
}
