/* SPDX-License-Identifier: Apache-2.0
 * The tables of a profile. Numbers are a mean step's unless their head says otherwise. */
#include "app/cli/profile/sonde-profile-print.h"

#include <math.h>
#include <string.h>

#include "app/cli/sonde-cli-table.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "data/profiles/sonde-profile-advice.h"

#define ROWS 15         /* operators in a table */
#define NAME_COLUMNS 28 /* of a name at least; the rest of the terminal is added */
#define BAR_COLUMNS 24
#define MUCH_IDLE 0.5    /* of a step, from which on the device is said to wait */
#define MUCH_EXPOSED 0.1 /* of a step, as communication that nothing hides */

/* ---- numbers ------------------------------------------------------------- */

/* "–" where there is none */
static char *
format_ns (double ns)
{
  return isfinite (ns) ? sonde_format_duration ((gint64) ns) : g_strdup ("–");
}

static char *
format_share (double share)
{
  return isfinite (share) ? g_strdup_printf ("%.1f %%", share * 100) : g_strdup ("–");
}

static char *
format_bytes (gint64 bytes)
{
  return bytes >= 0 ? sonde_format_bytes ((guint64) bytes) : g_strdup ("–");
}

/* Whole, or with one digit where a mean is none. */
static char *
format_calls (double calls)
{
  return fabs (calls - round (calls)) < 0.05 ? sonde_format_count (llround (calls))
                                             : g_strdup_printf ("%.1f", calls);
}

static char *
make_bar (double share)
{
  GString *bar = g_string_new (NULL);
  int n = (int) lround (CLAMP (share, 0, 1) * BAR_COLUMNS * 2);

  for (int i = 0; i < n / 2; i++)
    g_string_append (bar, "█");
  if (n % 2 == 1)
    g_string_append (bar, "▌");
  return g_string_free (bar, FALSE);
}

/* Of a node in scopes the end says more than the beginning. */
static char *
shorten_path (const char *name, guint columns)
{
  g_autofree char *printable = sonde_cli_make_printable (name);
  const glong n = g_utf8_strlen (printable, -1);

  if (n <= (glong) columns || strchr (printable, '/') == NULL)
    return sonde_cli_shorten (printable, columns);
  return g_strconcat ("…", g_utf8_offset_to_pointer (printable, n - (glong) columns + 1), NULL);
}

/* Of a kernel without its template's and its own arguments, which make names of hundreds of letters. */
static char *
shorten_function (const SondeProfileOperator *op, guint columns)
{
  const char *name = op->op + (g_str_has_prefix (op->op, "void ") ? strlen ("void ") : 0);
  const gsize n = strcspn (name, "<(");
  g_autofree char *bare = g_strndup (name, n);

  return sonde_cli_shorten (n > 0 && strcmp (op->category, "kernel") == 0 ? bare : op->op, columns);
}

/* How wide a name may be when the other columns take @others. */
static guint
get_name_columns (guint others)
{
  const guint width = sonde_cli_get_width ();

  return width > others + NAME_COLUMNS ? width - others : NAME_COLUMNS;
}

/* ---- head and advice ----------------------------------------------------- */

static char *
make_head (const SondeProfile *profile)
{
  const char *producer = profile->trace->producer;
  g_autofree char *wall = format_ns (profile->wall_ns), *p50 = format_ns (profile->step_p50_ns);
  g_autofree char *p95 = format_ns (profile->step_p95_ns);
  g_autofree char *weight = sonde_cli_format_count (profile->trace->weight);

  if (sonde_profile_is_sampled (profile))
    return g_strdup_printf (_ ("sampled stacks, samples: %s"), weight);
  if (profile->has_steps)
    return g_strdup_printf (_ ("%s, steps: %u, mean %s, median %s, 95th percentile %s"), producer,
                            profile->n_steps, wall, p50, p95);
  return g_strdup_printf (_ ("%s, no steps marked, %s in all"), producer, wall);
}

static void
print_head (const char *path, const SondeProfile *profile)
{
  g_autofree char *printable = sonde_cli_make_printable (path), *head = make_head (profile);

  sonde_cli_print ("%s\n", printable);
  sonde_cli_print_wrapped (head, "  ", "  ");
}

static void
print_advice (const SondeProfile *profile)
{
  if (profile->advice->len == 0)
    return;
  sonde_cli_print ("\n%s\n", _ ("What to change"));
  for (guint i = 0; i < profile->advice->len; i++)
    {
      const SondeAdvice *advice = g_ptr_array_index (profile->advice, i);
      g_autofree char *number = g_strdup_printf ("%3u. ", i + 1);
      g_autofree char *gain = format_ns (advice->gain_ns);

      sonde_cli_print_wrapped (sonde_message_get_text (advice->message), number, "     ");
      if (isfinite (advice->gain_ns))
        sonde_cli_print (_ ("     A step would gain at most %s.\n"), gain);
    }
}

/* ---- where a step goes --------------------------------------------------- */

static void
add_share_row (SondeTable *table, const char *title, double ns, double wall_ns)
{
  g_autofree char *time = format_ns (ns), *share = format_share (ns / wall_ns);
  g_autofree char *bar = make_bar (ns / wall_ns);

  sonde_table_add (table, title, time, share, bar, NULL);
}

static void
print_split (const SondeProfile *profile)
{
  static const char *const columns[]
      = { N_ ("<PART OF A STEP"), N_ (">TIME"), N_ (">SHARE"), "<", NULL };
  g_autoptr (SondeTable) table = sonde_table_new (columns);

  for (guint i = 0; profile->has_split && i < SONDE_STEP_N_PARTS; i++)
    if (profile->part_ns[i] > 0)
      add_share_row (table, _ (sonde_step_part_get_title (i)), profile->part_ns[i],
                     profile->wall_ns);
  sonde_cli_print (profile->has_split ? "\n" : "");
  sonde_table_print (table, 2);
}

static void
print_classes (const SondeProfile *profile)
{
  static const char *const columns[]
      = { N_ ("<OPERATORS BOUND BY"), N_ (">TIME"), N_ (">SHARE"), "<", NULL };
  g_autoptr (SondeTable) table = sonde_table_new (columns);

  for (guint i = 0; profile->has_classes && i < SONDE_OPERATOR_N_CLASSES; i++)
    if (profile->class_ns[i] > 0)
      add_share_row (table, _ (sonde_operator_class_get_title (i)), profile->class_ns[i],
                     profile->wall_ns);
  sonde_cli_print (profile->has_classes ? "\n" : "");
  sonde_table_print (table, 2);
}

/* What the table of the device means where most of a step is lost. */
static void
print_device_remarks (const SondeDeviceSplit *device, gboolean has_steps)
{
  const double wall_ns = (double) device->wall_ns;

  if ((double) device->idle_ns >= MUCH_IDLE * wall_ns)
    sonde_cli_print (
        has_steps
            ? _ ("  The device waits for work %.1f %% of a step: the processor gives it too little "
                 "at a time, or too late.\n")
            : _ ("  The device is idle %.1f %% of the trace, which marks no steps: it waits for "
                 "work, or the trace began before it and went on behind it.\n"),
        100 * (double) device->idle_ns / wall_ns);
  if ((double) device->exposed_communication_ns >= MUCH_EXPOSED * wall_ns)
    sonde_cli_print (_ ("  Communication takes %.1f %% in which the device computes nothing.\n"),
                     100 * (double) device->exposed_communication_ns / wall_ns);
}

static void
print_device (const SondeProfile *profile)
{
  static const char *const columns[]
      = { N_ ("<DEVICE IN A STEP"), N_ (">TIME"), N_ (">SHARE"), "<", NULL };
  const SondeDeviceSplit *device = &profile->device;
  const double n = (double) device->n_steps * (double) device->n_devices;
  const struct
  {
    const char *title;
    gint64 ns;
  } rows[] = {
    { N_ ("busy"), device->busy_ns },
    { N_ ("idle"), device->idle_ns },
    { N_ ("compute"), device->compute_ns },
    { N_ ("copies"), device->copy_ns },
    { N_ ("communication"), device->communication_ns },
    { N_ ("exposed communication"), device->exposed_communication_ns },
  };
  g_autoptr (SondeTable) table = sonde_table_new (columns);

  if (device->n_devices == 0)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    add_share_row (table, _ (rows[i].title), (double) rows[i].ns / n, (double) device->wall_ns / n);
  sonde_cli_print ("\n");
  sonde_table_print (table, 2);
  print_device_remarks (device, profile->has_steps);
}

static void
print_stages (const SondeProfile *profile)
{
  static const char *const columns[] = { N_ ("<DATA STAGE"), N_ (">TIME"),  N_ (">WAITED FOR"),
                                         N_ (">WORKERS"),    N_ (">READY"), NULL };
  g_autoptr (SondeTable) table = sonde_table_new (columns);
  const GArray *stages = profile->facts != NULL ? profile->facts->stages : NULL;

  if (stages == NULL || stages->len == 0)
    return;
  for (guint i = 0; i < stages->len; i++)
    {
      const SondeStageFacts *stage = &g_array_index (stages, SondeStageFacts, i);
      g_autofree char *busy = format_ns (stage->busy_ns), *wait = format_ns (stage->wait_ns);
      g_autofree char *workers = g_strdup_printf ("%u", stage->n_workers);
      g_autofree char *queue = isfinite (stage->queue_mean)
                                   ? g_strdup_printf ("%.1f", stage->queue_mean)
                                   : g_strdup ("–");

      sonde_table_add (table, stage->stage, busy, wait, workers, queue, NULL);
    }
  sonde_cli_print ("\n");
  sonde_table_print (table, 2);
}

/* ---- operators ----------------------------------------------------------- */

/* What tells how well an operator runs: arithmetic, or bytes where memory bounds it. */
static char *
format_rate (const SondeProfileOperator *op)
{
  const gboolean memory = op->operator_class == SONDE_OPERATOR_CLASS_BANDWIDTH
                          || op->operator_class == SONDE_OPERATOR_CLASS_COPY;

  if (memory && isfinite (op->gbs))
    return g_strdup_printf ("%.1f GB/s", op->gbs);
  return isfinite (op->gflops) ? g_strdup_printf ("%.1f GFLOP/s", op->gflops) : g_strdup ("–");
}

static void
print_own_operators (const SondeProfile *profile)
{
  static const char *const columns[] = { N_ ("<NODE"),  N_ ("<OPERATOR"), N_ (">A STEP"),
                                         N_ (">SHARE"), N_ ("<CLASS"),    N_ (">RATE"),
                                         NULL };
  g_autoptr (SondeTable) table = sonde_table_new (columns);
  const guint name_columns = get_name_columns (64);

  for (guint i = 0; i < MIN (profile->operators->len, ROWS); i++)
    {
      const SondeProfileOperator *op = sonde_profile_get_operator (profile, i);
      g_autofree char *name
          = sonde_cli_shorten (op->node != NULL ? op->node : op->op, name_columns);
      g_autofree char *type = sonde_cli_shorten (op->op, 18);
      g_autofree char *time = format_ns (op->mean_self_ns), *share = format_share (op->share);
      g_autofree char *rate = format_rate (op);

      sonde_table_add (table, name, type, time, share,
                       _ (sonde_operator_class_get_title (op->operator_class)), rate, NULL);
    }
  sonde_table_print (table, 2);
}

/* Heads of the two tables below where steps are marked, and where the trace is one. */
typedef struct
{
  const char *const *steps, *const *whole;
} Heads;

static SondeTable *
make_table (const SondeProfile *profile, const Heads *heads)
{
  return sonde_table_new (profile->has_steps ? heads->steps : heads->whole);
}

static void
print_nodes (const SondeProfile *profile)
{
  static const char *const steps[]
      = { N_ ("<NODE"), N_ ("<OPERATOR"), N_ (">CALLS"), N_ (">A STEP"), N_ (">SHARE"), NULL };
  static const char *const whole[]
      = { N_ ("<NODE"), N_ ("<OPERATOR"), N_ (">CALLS"), N_ (">TIME"), N_ (">SHARE"), NULL };
  g_autoptr (SondeTable) table = make_table (profile, &(Heads){ steps, whole });
  const guint name_columns = get_name_columns (52);

  for (guint i = 0; i < MIN (profile->operators->len, ROWS); i++)
    {
      const SondeProfileOperator *op = sonde_profile_get_operator (profile, i);
      g_autofree char *name = shorten_path (op->node != NULL ? op->node : op->op, name_columns);
      g_autofree char *type = sonde_cli_shorten (op->op != op->node ? op->op : "–", 20);
      g_autofree char *calls = format_calls (op->mean_calls);
      g_autofree char *time = format_ns (op->mean_self_ns), *share = format_share (op->share);

      sonde_table_add (table, name, type, calls, time, share, NULL);
    }
  sonde_table_print (table, 2);
}

static void
print_types (const SondeProfile *profile)
{
  static const char *const steps[]
      = { N_ ("<OPERATOR"), N_ (">CALLS"), N_ (">A STEP"), N_ (">SHARE"), N_ (">A CALL"),
          N_ (">95 %"),     NULL };
  static const char *const whole[] = { N_ ("<OPERATOR"), N_ (">CALLS"), N_ (">TIME"), N_ (">SHARE"),
                                       N_ (">A CALL"),   N_ (">95 %"),  NULL };
  g_autoptr (SondeTable) table = make_table (profile, &(Heads){ steps, whole });
  const guint name_columns = get_name_columns (50);

  for (guint i = 0; i < MIN (profile->operators->len, ROWS); i++)
    {
      const SondeProfileOperator *op = sonde_profile_get_operator (profile, i);
      g_autofree char *name = shorten_function (op, name_columns);
      g_autofree char *calls = format_calls (op->mean_calls);
      g_autofree char *time = format_ns (op->mean_self_ns), *share = format_share (op->share);
      g_autofree char *p50 = format_ns (op->p50_ns), *p95 = format_ns (op->p95_ns);

      sonde_table_add (table, name, calls, time, share, p50, p95, NULL);
    }
  sonde_table_print (table, 2);
}

static void
print_frames (const SondeProfile *profile)
{
  static const char *const columns[] = { N_ ("<FRAME"), N_ (">SHARE"), "<", NULL };
  g_autoptr (SondeTable) table = sonde_table_new (columns);
  const guint name_columns = get_name_columns (40);

  for (guint i = 0; i < MIN (profile->operators->len, ROWS); i++)
    {
      const SondeProfileOperator *op = sonde_profile_get_operator (profile, i);
      g_autofree char *name = sonde_cli_shorten (op->op, name_columns);
      g_autofree char *share = format_share (op->share), *bar = make_bar (op->share);

      sonde_table_add (table, name, share, bar, NULL);
    }
  sonde_table_print (table, 2);
}

static void
print_operators (const SondeProfile *profile)
{
  const guint n = profile->operators->len;

  if (n == 0)
    {
      sonde_cli_print ("\n%s\n", _ ("  There are no operators."));
      return;
    }
  sonde_cli_print ("\n");
  if (sonde_profile_is_sampled (profile))
    print_frames (profile);
  else if (profile->has_classes)
    print_own_operators (profile);
  else if (sonde_profile_get_operator (profile, 0)->node != NULL)
    print_nodes (profile);
  else
    print_types (profile);
  if (n > ROWS)
    sonde_cli_print (P_ ("  and %u more\n", "  and %u more\n", n - ROWS), n - ROWS);
}

/* ---- memory -------------------------------------------------------------- */

/* Bodies, of which only a run tells. */
static void
print_run_memory (const SondeMemoryTimeline *memory)
{
  static const char *const columns[]
      = { N_ ("<BODY"), N_ (">RUNS"), N_ (">TAKES AT LEAST"), N_ (">AT MOST"), NULL };
  g_autoptr (SondeTable) table = sonde_table_new (columns);

  if (memory->bodies == NULL || memory->bodies->len == 0)
    return;
  for (guint i = 0; i < MIN (memory->bodies->len, ROWS); i++)
    {
      const SondeBodyMemory *body = &g_array_index (memory->bodies, SondeBodyMemory, i);
      g_autofree char *runs = g_strdup_printf ("%" PRIu64, body->n_runs),
                      *least = format_bytes ((gint64) body->least_bytes),
                      *most = format_bytes ((gint64) body->most_bytes);

      sonde_table_add (table, body->body, runs, least, most, NULL);
    }
  sonde_cli_print ("\n");
  sonde_table_print (table, 2);
  if (memory->bodies->len > ROWS)
    sonde_cli_print (P_ ("  and %u more\n", "  and %u more\n", memory->bodies->len - ROWS),
                     memory->bodies->len - ROWS);
}

static void
print_memory (const SondeProfile *profile)
{
  static const char *const columns[]
      = { N_ ("<MEMORY AT THE PEAK"), N_ (">SIZE"), N_ (">SHARE"), "<", NULL };
  const SondeMemoryTimeline *memory = profile->facts != NULL ? &profile->facts->memory : NULL;
  const gint64 peak_bytes = sonde_profile_get_peak_bytes (profile);
  g_autofree char *peak = format_bytes (peak_bytes);
  g_autoptr (SondeTable) table = sonde_table_new (columns);

  if (peak_bytes < 0)
    return;
  sonde_cli_print (_ ("\n  At most %s of memory are taken.\n"), peak);
  for (guint i = 0; memory != NULL && memory->lifetimes != NULL && i < SONDE_MEMORY_N_KINDS; i++)
    {
      const double share = (double) memory->by_kind[i] / (double) peak_bytes;
      g_autofree char *bytes = format_bytes ((gint64) memory->by_kind[i]);
      g_autofree char *percent = format_share (share), *bar = make_bar (share);

      if (memory->by_kind[i] > 0)
        sonde_table_add (table, sonde_memory_kind_get_name (i), bytes, percent, bar, NULL);
    }
  sonde_table_print (table, 2);
  if (memory != NULL && memory->peak_step < memory->n_steps)
    sonde_cli_print (_ ("  That is in the step “%s”.\n"), memory->steps[memory->peak_step]);
  if (memory != NULL)
    print_run_memory (memory);
}

void
sonde_profile_print (const char *path, const SondeProfile *profile)
{
  print_head (path, profile);
  print_advice (profile);
  print_split (profile);
  print_classes (profile);
  print_device (profile);
  print_stages (profile);
  print_operators (profile);
  print_memory (profile);
}

/* ---- comparison ---------------------------------------------------------- */

static const char *
get_state (const SondeComparedOperator *compared)
{
  if (compared->base_op == NULL)
    return _ ("added");
  return compared->other_op == NULL ? _ ("removed") : "";
}

static void
add_compared_row (SondeTable *table, const SondeComparedOperator *compared, guint name_columns)
{
  const SondeProfileOperator *op
      = compared->base_op != NULL ? compared->base_op : compared->other_op;
  g_autofree char *name = op->node != NULL ? shorten_path (op->node, name_columns)
                                           : shorten_function (op, name_columns);
  g_autofree char *base = format_ns (compared->base_ns), *other = format_ns (compared->other_ns);
  g_autofree char *ratio = isfinite (compared->ratio) ? g_strdup_printf ("× %.3f", compared->ratio)
                                                      : g_strdup (get_state (compared));
  g_autofree char *p
      = isfinite (compared->ratio) ? g_strdup_printf ("%.2g", compared->p) : g_strdup ("–");

  sonde_table_add (table, name, base, other, ratio, p, NULL);
}

static int
compare_changes (gconstpointer a, gconstpointer b)
{
  const SondeComparedOperator *x = *(SondeComparedOperator *const *) a;
  const SondeComparedOperator *y = *(SondeComparedOperator *const *) b;
  double left = fabs (x->other_ns - x->base_ns), right = fabs (y->other_ns - y->base_ns);

  left = isnan (left) ? fmax (x->base_ns, x->other_ns) : left;
  right = isnan (right) ? fmax (y->base_ns, y->other_ns) : right;
  return (left < right) - (left > right);
}

/* Operators that differ: those that are significant and those that one side has only. */
static GPtrArray *
list_changes (const SondeProfileComparison *comparison)
{
  GPtrArray *list = g_ptr_array_new ();

  for (guint i = 0; i < comparison->operators->len; i++)
    {
      SondeComparedOperator *compared
          = &g_array_index (comparison->operators, SondeComparedOperator, i);

      if (compared->significant || compared->base_op == NULL || compared->other_op == NULL)
        g_ptr_array_add (list, compared);
    }
  g_ptr_array_sort (list, compare_changes);
  return list;
}

void
sonde_profile_print_comparison (const char *other_path, const SondeProfileComparison *comparison)
{
  static const char *const columns[]
      = { N_ ("<OPERATOR"), N_ (">BEFORE"), N_ (">AFTER"), N_ (">RATIO"), N_ (">P"), NULL };
  g_autoptr (SondeTable) table = sonde_table_new (columns);
  g_autoptr (GPtrArray) changes = list_changes (comparison);
  g_autofree char *after = sonde_cli_make_printable (other_path), *wall = NULL;
  g_autofree char *base = format_ns (comparison->wall.base_ns);
  g_autofree char *other = format_ns (comparison->wall.other_ns);
  const guint name_columns = get_name_columns (46);

  wall = g_strdup_printf (comparison->wall.significant
                              ? _ ("A step takes %s instead of %s (× %.3f, p = %.2g).")
                              : _ ("A step takes %s instead of %s (× %.3f, p = %.2g), which noise "
                                   "may explain."),
                          other, base, comparison->wall.ratio, comparison->wall.p);
  sonde_cli_print (_ ("\nCompared with %s\n"), after);
  sonde_cli_print_wrapped (wall, "  ", "  ");
  if (comparison->too_few_steps)
    sonde_cli_print_wrapped (_ ("Fewer than 10 steps on a side: small differences cannot be told "
                                "from noise."),
                             "  ", "  ");
  if (comparison->n_significant == 0)
    sonde_cli_print (_ ("  No operator differs significantly.\n"));
  for (guint i = 0; i < MIN (changes->len, ROWS); i++)
    add_compared_row (table, g_ptr_array_index (changes, i), name_columns);
  sonde_table_print (table, 2);
  if (changes->len > ROWS)
    sonde_cli_print (P_ ("  and %u more\n", "  and %u more\n", changes->len - ROWS),
                     changes->len - ROWS);
}

/* What the interval says about the saving. (transfer full) */
static char *
dup_certainty (const SondeWhatIf *what_if)
{
  g_autofree char *low = format_ns (what_if->low_ns), *high = format_ns (what_if->high_ns);

  if (!sonde_what_if_is_significant (what_if))
    return g_strdup_printf (_ ("That cannot be told from noise: the saving lies between %s and %s "
                               "(95 %%, %u runs of each kind, p = %.2g)."),
                            low, high, what_if->n_runs, what_if->p);
  return g_strdup_printf (
      _ ("The saving lies between %s and %s (95 %%, %u runs of each kind, p = %.2g)."), low, high,
      what_if->n_runs, what_if->p);
}

void
sonde_profile_print_what_if (const SondeWhatIf *what_if)
{
  const double saving_ns = what_if->base_ns - what_if->without_ns;
  g_autofree char *node = sonde_cli_make_printable (what_if->node);
  g_autofree char *base = format_ns (what_if->base_ns), *without = format_ns (what_if->without_ns);
  g_autofree char *saving = format_ns (fabs (saving_ns)), *nodes = NULL, *text = NULL;
  g_autofree char *certainty = dup_certainty (what_if);

  text = g_strdup_printf (saving_ns >= 0
                              ? _ ("Without “%s” a step takes %s instead of %s: %s less.")
                              : _ ("Without “%s” a step takes %s instead of %s: %s more."),
                          node, without, base, saving);
  sonde_cli_print ("\n");
  sonde_cli_print_wrapped (text, "", "  ");
  if (what_if->nodes[0] != NULL && what_if->nodes[1] != NULL)
    {
      g_autofree char *joined = g_strjoinv (", ", (char **) what_if->nodes);
      g_autofree char *printable = sonde_cli_make_printable (joined);

      nodes = g_strdup_printf (_ ("These nodes run together and were left out together: %s."),
                               printable);
      sonde_cli_print_wrapped (nodes, "  ", "  ");
    }
  sonde_cli_print_wrapped (certainty, "  ", "  ");
  if (what_if->disturbed)
    sonde_cli_print_wrapped (
        _ ("Other programs took the processor in nearly all runs: measure again "
           "while the machine is less busy."),
        "  ", "  ");
}
