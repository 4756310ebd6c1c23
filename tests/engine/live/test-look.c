/* SPDX-License-Identifier: Apache-2.0
 * A look at a value against the checks that it spares: where it says sound, none of them has anything to
 * say. */
#include "engine/live/sonde-live-look.h"

#include <math.h>

#include "engine/live/sonde-live-watch.h"

static const char *const outputs[] = { "a", NULL };
static const SondeLiveNode node = { .name = "a", .op = "add", .outputs = outputs };

static void
add_watch (SondeWatchTable *table, const char *text)
{
  g_autoptr (GError) error = NULL;
  SondeArmedWatch *watch = sonde_armed_watch_new (text, &error);

  g_assert_no_error (error);
  sonde_watch_table_add (table, watch, table->list->len + 1);
}

/* ---- what a check says --------------------------------------------------- */

typedef struct
{
  SondeExpressionSource base; /* first member */
  SondeTensor *tensor;
} Source;

static SondeTensor *
get_tensor (SondeExpressionSource *source, const SondeReference *reference, GError **error)
{
  return sonde_tensor_ref (((Source *) source)->tensor);
}

/* Conditions that are met, or cannot be checked. */
static guint
count_hits (const SondeWatchTable *table, SondeTensor *tensor)
{
  Source source = { .base = { .get_tensor = get_tensor }, .tensor = tensor };
  const SondeLiveValue value = { "a", "a", 1 };
  g_auto (SondeLiveFacts) facts = { 0 };
  guint n = 0;

  for (guint i = 0; i < table->list->len; i++)
    sonde_live_facts_add (&facts, g_ptr_array_index (table->list, i));
  for (guint i = 0; i < table->list->len; i++)
    {
      SondeWatchHit *hit = sonde_live_watch_check (g_ptr_array_index (table->list, i), &value,
                                                   &facts, &source.base);

      n += hit != NULL;
      sonde_watch_hit_free (hit);
    }
  return n;
}

/* ---- tests --------------------------------------------------------------- */

static SondeTensor *
random_tensor (SondeDtype dtype, gint64 n, double scale)
{
  SondeShape shape = sonde_shape_make (1, n);
  SondeTensor *tensor = sonde_tensor_new (dtype, &shape);

  for (gint64 i = 0; i < n; i++)
    sonde_tensor_set_double (tensor, i, g_test_rand_double_range (-scale, scale));
  if (g_test_rand_int_range (0, 4) == 0)
    sonde_tensor_set_double (tensor, g_test_rand_int_range (0, (gint32) n),
                             g_test_rand_int_range (0, 2) ? NAN : -INFINITY);
  return tensor;
}

static void
test_agrees (void)
{
  static const SondeDtype dtypes[] = { SONDE_DTYPE_F32, SONDE_DTYPE_F64, SONDE_DTYPE_BF16 };
  guint n_sound = 0, n_met = 0;
  SondeWatchTable table;

  sonde_watch_table_init (&table);
  add_watch (&table, "preset tensor_overflow");
  add_watch (&table, "preset operator_overflow");
  add_watch (&table, "preset tensor_all_zero");
  add_watch (&table, "preset tensor_too_large max_gt=1.9 mean_gt=0.02");
  add_watch (&table, "preset tensor_too_small abs_mean_lt=0.3");
  add_watch (&table, "preset tensor_range range_start_inclusive=-1.5 range_end_inclusive=1.5 "
                     "range_percentage_lt=70");
  add_watch (&table, "preset tensor_range range_start_inclusive=-1 range_end_inclusive=1 "
                     "range_percentage_lt=20 max_min_gt=3.9");
  for (guint k = 0; k < 600; k++)
    {
      gint64 n = g_test_rand_int_range (1, 5000);
      g_autoptr (SondeTensor) tensor
          = random_tensor (dtypes[k % 3], n, g_test_rand_double_range (0, 2.2));
      g_autoptr (SondeLiveLook) look = sonde_live_look_new (&table, &node, "a");
      guint n_hits = count_hits (&table, tensor);

      g_assert_nonnull (look);
      if (sonde_live_look_is_sound (look, tensor->dtype, tensor->data, (gsize) n))
        {
          g_assert_cmpuint (n_hits, ==, 0);
          n_sound++;
        }
      n_met += n_hits > 0;
    }
  g_assert_cmpuint (n_met, >, 100);
  g_assert_cmpuint (n_sound, >, 100);
  g_assert_cmpuint (n_sound + n_met, >, 590); /* few are too near to be told apart */
  sonde_watch_table_clear (&table);
}

/* A mean that sums in float cannot tell from its limit is left to the check. */
static void
test_near (void)
{
  const gsize n = 100000;
  g_autofree float *data = g_new (float, n);
  g_autoptr (SondeLiveLook) look = NULL;
  SondeWatchTable table;

  sonde_watch_table_init (&table);
  for (gsize i = 0; i < n; i++)
    data[i] = 0.1f;
  add_watch (&table, "preset tensor_too_large mean_gt=0.10000000149");
  look = sonde_live_look_new (&table, &node, "a");
  g_assert_false (sonde_live_look_is_sound (look, SONDE_DTYPE_F32, data, n));
  sonde_watch_table_clear (&table);
}

/* Whom a look does not serve: expressions, nobody, a node that is not judged, too many ranges. */
static void
test_none (void)
{
  const SondeLiveNode view = { .name = "a", .op = "view", .outputs = outputs, .unjudged = TRUE };
  g_autoptr (SondeLiveLook) look = NULL;
  SondeWatchTable table;

  sonde_watch_table_init (&table);
  add_watch (&table, "preset tensor_overflow on b");
  g_assert_null (sonde_live_look_new (&table, &node, "a"));
  add_watch (&table, "preset tensor_overflow");
  g_assert_null (sonde_live_look_new (&table, &view, "a"));
  look = sonde_live_look_new (&table, &node, "a");
  g_assert_nonnull (look);
  for (guint k = 0; k <= SONDE_FACTS_MAX; k++)
    {
      g_autofree char *text
          = g_strdup_printf ("preset tensor_range range_start_inclusive=0 range_end_inclusive=%u "
                             "range_percentage_lt=5",
                             k + 1);

      add_watch (&table, text);
    }
  g_assert_null (sonde_live_look_new (&table, &node, "a"));
  sonde_watch_table_change (&table, 0, SONDE_WATCH_REMOVE, 0);
  add_watch (&table, "max(x) > 3");
  g_assert_null (sonde_live_look_new (&table, &node, "a"));
  sonde_watch_table_clear (&table);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/live/look/agrees", test_agrees);
  g_test_add_func ("/engine/live/look/near", test_near);
  g_test_add_func ("/engine/live/look/none", test_none);
  return g_test_run ();
}
