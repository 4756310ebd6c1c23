/* SPDX-License-Identifier: Apache-2.0
 * Learning-rate schedules: one row a name, each a factor of the base rate. */
#include "engine/nn/sonde-schedule.h"

#include <math.h>
#include <string.h>

#define MOST_PIECES 64

/* One piece of "piecewise": the factor from step @begin on (negative: epochs). */
typedef struct
{
  double begin, factor;
} Piece;

/**
 * When: where a training is
 * @step, @total: from the end of the warm-up
 */
typedef struct
{
  double step, total, epoch;
} When;

typedef struct
{
  const char *name;
  const SondeSettingRule *rules;
  double (*factor) (const SondeSchedule *schedule, const When *when);
} ScheduleRow;

struct _SondeSchedule
{
  const ScheduleRow *row;
  SondeSettings settings;
  double warm_up; /* steps; negative: epochs */
  GArray *pieces; /* (element-type Piece), rising */
  /* of plateau */
  double best, scale;
  guint64 n_bad, n_cooling;
};

/* A count of a setting in steps. */
static double
in_steps (double count, const When *when)
{
  return count < 0 ? -count * when->epoch : count;
}

/* How far through the training, 0 to 1. */
static double
share_done (const When *when)
{
  return when->total > 0 ? MIN (when->step / when->total, 1.0) : 0.0;
}

/* Half a cosine from @from to @to. */
static double
anneal (double from, double to, double share)
{
  return to + (from - to) * 0.5 * (1.0 + cos (G_PI * CLAMP (share, 0.0, 1.0)));
}

static double
constant_factor (const SondeSchedule *schedule, const When *when)
{
  return 1.0;
}

static double
linear_factor (const SondeSchedule *schedule, const When *when)
{
  return 1.0 + (schedule->settings.values[0] - 1.0) * share_done (when);
}

static double
step_factor (const SondeSchedule *schedule, const When *when)
{
  return pow (schedule->settings.values[1],
              floor (when->step / MAX (in_steps (schedule->settings.values[0], when), 1.0)));
}

static double
exponential_factor (const SondeSchedule *schedule, const When *when)
{
  return pow (schedule->settings.values[0],
              when->step / MAX (in_steps (schedule->settings.values[1], when), 1.0));
}

static double
cosine_factor (const SondeSchedule *schedule, const When *when)
{
  const double *v = schedule->settings.values;
  double period = in_steps (v[1], when), growth = v[2], step = when->step;

  if (period <= 0.0)
    return anneal (1.0, v[0], share_done (when));
  /* Periods P, P·g, P·g²: n of them end at P·(gⁿ − 1)/(g − 1). */
  if (growth > 1.0)
    {
      double n = floor (log1p (step / period * (growth - 1.0)) / log (growth));

      step -= period * (pow (growth, n) - 1.0) / (growth - 1.0);
      period *= pow (growth, n);
    }
  return anneal (1.0, v[0], fmod (step, period) / period);
}

static double
polynomial_factor (const SondeSchedule *schedule, const When *when)
{
  const double *v = schedule->settings.values;

  return v[1] + (1.0 - v[1]) * pow (1.0 - share_done (when), v[0]);
}

static double
one_cycle_factor (const SondeSchedule *schedule, const When *when)
{
  const double *v = schedule->settings.values;
  double first = 1.0 / v[1], last = first / v[2];
  double top = v[0] * when->total - 1.0, end = MAX (when->total - 1.0, 1.0);

  if (when->step <= top)
    return anneal (first, 1.0, top > 0.0 ? when->step / top : 1.0);
  return anneal (1.0, last, (when->step - top) / (end - top));
}

static double
piecewise_factor (const SondeSchedule *schedule, const When *when)
{
  double factor = 1.0;

  for (guint i = 0; i < schedule->pieces->len; i++)
    {
      const Piece *piece = &g_array_index (schedule->pieces, Piece, i);

      if (when->step >= in_steps (piece->begin, when))
        factor = piece->factor;
    }
  return factor;
}

static double
plateau_factor (const SondeSchedule *schedule, const When *when)
{
  return schedule->scale;
}

enum
{
  PLATEAU_FACTOR,
  PLATEAU_PATIENCE,
  PLATEAU_THRESHOLD,
  PLATEAU_COOLDOWN,
  PLATEAU_LEAST,
};

#define STEPS(name, fallback)                                                                      \
  {                                                                                                \
    name, fallback, 0, 1e15, TRUE                                                                  \
  }
#define SHARE(name, fallback)                                                                      \
  {                                                                                                \
    name, fallback, 0, 1                                                                           \
  }
#define WARM_UP STEPS ("warm-up", 0)

static const SondeSettingRule constant_rules[] = { WARM_UP, { NULL } };
static const SondeSettingRule linear_rules[] = { SHARE ("final", 0), WARM_UP, { NULL } };
static const SondeSettingRule step_rules[]
    = { STEPS ("period", -30), SHARE ("factor", 0.1), WARM_UP, { NULL } };
static const SondeSettingRule exponential_rules[]
    = { SHARE ("factor", 0.95), STEPS ("period", -1), WARM_UP, { NULL } };
static const SondeSettingRule cosine_rules[]
    = { SHARE ("final", 0), STEPS ("period", 0), { "growth", 1, 1, 1e3 }, WARM_UP, { NULL } };
static const SondeSettingRule polynomial_rules[]
    = { { "power", 2, 0, 1e3 }, SHARE ("final", 0), WARM_UP, { NULL } };
static const SondeSettingRule one_cycle_rules[] = { SHARE ("share", 0.3),
                                                    { "initial", 25, 1e-6, 1e12 },
                                                    { "final", 1e4, 1e-6, 1e12 },
                                                    WARM_UP,
                                                    { NULL } };
static const SondeSettingRule plateau_rules[] = { SHARE ("factor", 0.1),
                                                  { "patience", 10, 0, 1e9 },
                                                  { "threshold", 1e-4, 0, 1 },
                                                  { "cooldown", 0, 0, 1e9 },
                                                  { "least", 0, 0, 1e9 },
                                                  WARM_UP,
                                                  { NULL } };

static const ScheduleRow rows[] = {
  { "constant", constant_rules, constant_factor },
  { "linear", linear_rules, linear_factor },
  { "step", step_rules, step_factor },
  { "exponential", exponential_rules, exponential_factor },
  { "cosine", cosine_rules, cosine_factor },
  { "polynomial", polynomial_rules, polynomial_factor },
  { "one-cycle", one_cycle_rules, one_cycle_factor },
  { "piecewise", NULL, piecewise_factor },
  { "plateau", plateau_rules, plateau_factor },
};

char *
sonde_schedule_list (void)
{
  return SONDE_LIST_CHOICES (rows);
}

/* "100=0.1;3e=0.01;warm-up=5" */
static gboolean
parse_pieces (SondeSchedule *schedule, const char *text, GError **error)
{
  const char *colon = strchr (text, ':');
  g_auto (GStrv) parts = g_strsplit (colon != NULL ? colon + 1 : "", ";", MOST_PIECES + 1);

  for (guint i = 0; parts[i] != NULL; i++)
    {
      char *equals = strchr (parts[i], '=');
      Piece piece = { 0 };
      gboolean right
          = equals != NULL
            && sonde_settings_read_number (g_strstrip (equals + 1), FALSE, &piece.factor);

      if (right)
        *equals = '\0';
      if (right && g_str_equal (g_strstrip (parts[i]), "warm-up"))
        right = sonde_settings_read_number (equals + 1, TRUE, &schedule->warm_up);
      else if (right && piece.factor >= 0 && i < MOST_PIECES
               && sonde_settings_read_number (parts[i], TRUE, &piece.begin))
        g_array_append_val (schedule->pieces, piece);
      else
        right = FALSE;
      if (!right)
        {
          sonde_set_error (
              error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
              "The schedule “%s” must have the form piecewise:STEP=FACTOR;STEP=FACTOR…, such as "
              "piecewise:100=0.1;3e=0.01, with at most %d pieces.",
              text, MOST_PIECES);
          return FALSE;
        }
    }
  return TRUE;
}

SondeSchedule *
sonde_schedule_new (const char *text, GError **error)
{
  const ScheduleRow *row = SONDE_FIND_CHOICE (N_ ("schedule"), text, rows, error);
  g_autoptr (SondeSchedule) schedule = NULL;

  if (row == NULL)
    return NULL;
  schedule = g_new0 (SondeSchedule, 1);
  schedule->row = row;
  schedule->best = HUGE_VAL;
  schedule->scale = 1.0;
  schedule->pieces = g_array_new (FALSE, FALSE, sizeof (Piece));
  if (row->rules == NULL)
    return parse_pieces (schedule, text, error) ? g_steal_pointer (&schedule) : NULL;
  if (!sonde_settings_parse (N_ ("schedule"), text, row->rules, &schedule->settings, error))
    return NULL;
  for (guint i = 0; row->rules[i].name != NULL; i++)
    if (g_str_equal (row->rules[i].name, "warm-up"))
      schedule->warm_up = schedule->settings.values[i];
  return g_steal_pointer (&schedule);
}

void
sonde_schedule_free (SondeSchedule *schedule)
{
  if (schedule == NULL)
    return;
  sonde_settings_clear (&schedule->settings);
  g_array_unref (schedule->pieces);
  g_free (schedule);
}

double
sonde_schedule_get_rate (const SondeSchedule *schedule, double base, guint64 step, guint64 total,
                         guint64 epoch)
{
  When when = { (double) step, (double) total, (double) MAX (epoch, 1) };
  double warm_up = in_steps (schedule->warm_up, &when), rate;

  if (when.step < warm_up)
    return base * (when.step + 1.0) / warm_up;
  if (schedule->row->rules != NULL)
    {
      when.step -= warm_up;
      when.total = MAX (when.total - warm_up, 0.0);
    }
  rate = base * schedule->row->factor (schedule, &when);
  return schedule->row->factor == plateau_factor
             ? MAX (rate, schedule->settings.values[PLATEAU_LEAST])
             : rate;
}

void
sonde_schedule_observe (SondeSchedule *schedule, double metric)
{
  const double *v = schedule->settings.values;

  if (schedule->row->factor != plateau_factor)
    return;
  if (metric < schedule->best * (1.0 - v[PLATEAU_THRESHOLD])
      || (isinf (schedule->best) && metric < schedule->best))
    {
      schedule->best = metric;
      schedule->n_bad = 0;
    }
  else
    schedule->n_bad++;
  if (schedule->n_cooling > 0)
    {
      schedule->n_cooling--;
      schedule->n_bad = 0;
    }
  if ((double) schedule->n_bad > v[PLATEAU_PATIENCE])
    {
      schedule->scale *= v[PLATEAU_FACTOR];
      schedule->n_cooling = (guint64) v[PLATEAU_COOLDOWN];
      schedule->n_bad = 0;
    }
}

SondeTensor *
sonde_schedule_dup_state (const SondeSchedule *schedule)
{
  double numbers[]
      = { schedule->best, schedule->scale, (double) schedule->n_bad, (double) schedule->n_cooling };
  SondeShape shape = sonde_shape_make (1, (int) G_N_ELEMENTS (numbers));
  SondeTensor *state = sonde_tensor_new (SONDE_DTYPE_F64, &shape);

  memcpy (state->data, numbers, sizeof numbers);
  return state;
}

gboolean
sonde_schedule_set_state (SondeSchedule *schedule, SondeTensor *state, GError **error)
{
  double numbers[4];

  if (state->dtype != SONDE_DTYPE_F64 || sonde_tensor_n_elements (state) != G_N_ELEMENTS (numbers))
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
                       "The state of a schedule must be 4 numbers (float64), not %" PRIi64 ".",
                       sonde_tensor_n_elements (state));
      return FALSE;
    }
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    numbers[i] = sonde_tensor_get_double (state, i);
  schedule->best = numbers[0];
  schedule->scale = numbers[1];
  schedule->n_bad = numbers[2] > 0 ? (guint64) MIN (numbers[2], 1e15) : 0;
  schedule->n_cooling = numbers[3] > 0 ? (guint64) MIN (numbers[3], 1e15) : 0;
  return TRUE;
}
