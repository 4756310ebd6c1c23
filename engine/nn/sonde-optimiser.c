/* SPDX-License-Identifier: Apache-2.0
 * Optimisers, as one update node a parameter and what leads to it. */
#include "engine/nn/sonde-optimiser.h"

#include <math.h>
#include <string.h>

/* What the builders share: one parameter with what moves it. */
typedef struct
{
  SondeGraph *graph;
  const double *values;
  SondeGraphValue *parameter, *gradient, *learning_rate, *step;
} Update;

/* "state(P, NAME)" of the parameter's type, kept from step to step. */
static SondeGraphValue *
add_state (const Update *update, const char *name, double start)
{
  g_autofree char *full = g_strdup_printf ("state(%s, %s)", update->parameter->name, name);
  g_autoptr (SondeTensor) tensor = NULL;
  SondeShape shape;

  if (!sonde_type_get_shape (&update->parameter->type, &shape))
    g_return_val_if_reached (NULL);
  tensor = sonde_tensor_new (update->parameter->type.dtype, &shape);
  if (start != 0.0)
    for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
      sonde_tensor_set_double (tensor, i, start);
  return sonde_graph_add_initialiser (update->graph, full, tensor, SONDE_ROLE_STATE);
}

/* Output @index of @node becomes "V'" and takes V's place after the step. */
static void
mark_update (const Update *update, SondeNode *node, guint index, SondeGraphValue *of)
{
  g_autofree char *name = g_strconcat (of->name, "'", NULL);
  SondeGraphValue *value = sonde_node_get_output (node, index);

  sonde_graph_rename_value (update->graph, value, name);
  value->update_of = of;
}

/* A node of phase OPTIMISER named "NAME(P)", in the scope of the parameter's first user. */
static SondeNode *
add_node (const Update *update, const char *name, const char *domain, const char *op,
          SondeGraphValue *const *inputs, guint n_inputs, guint n_outputs)
{
  SondeGraphValue *parameter = update->parameter;
  g_autofree char *full = g_strdup_printf ("%s(%s)", name, parameter->name);
  SondeNode *node
      = sonde_graph_add_node (update->graph, full, domain, op, inputs, n_inputs, n_outputs);

  node->phase = SONDE_PHASE_OPTIMISER;
  node->origin_kind = SONDE_ORIGIN_OPTIMISER;
  if (parameter->users->len > 0)
    node->scope = ((SondeNode *) g_ptr_array_index (parameter->users, 0))->scope;
  return node;
}

static SondeNode *
add_update (const Update *update, const char *op, SondeGraphValue *const *inputs, guint n_inputs,
            guint n_outputs)
{
  SondeNode *node = add_node (update, "update", SONDE_DOMAIN, op, inputs, n_inputs, n_outputs);

  mark_update (update, node, 0, update->parameter);
  return node;
}

/* One number that is not the parameter's own: "NAME(P)". NULL with @error set. */
static SondeGraphValue *
add_scalar_op (const Update *update, const char *name, const char *domain, const char *op,
               SondeGraphValue *a, SondeGraphValue *b, GError **error)
{
  SondeGraphValue *inputs[] = { a, b };
  SondeNode *node = add_node (update, name, domain, op, inputs, b != NULL ? 2 : 1, 1);

  return sonde_build_infer (update->graph, node, error) ? sonde_node_get_output (node, 0) : NULL;
}

static void
set_floats (SondeNode *node, const SondeSettingRule *rules, const double *values)
{
  static const struct
  {
    const char *setting, *attribute;
  } names[] = {
    { "momentum", "momentum" },     { "weight-decay", "weight_decay" },
    { "dampening", "dampening" },   { "beta1", "beta1" },
    { "beta2", "beta2" },           { "epsilon", "epsilon" },
    { "alpha", "alpha" },           { "rho", "rho" },
    { "rate-decay", "rate_decay" },
  };

  for (guint i = 0; rules[i].name != NULL; i++)
    for (gsize k = 0; k < G_N_ELEMENTS (names); k++)
      if (g_str_equal (rules[i].name, names[k].setting))
        sonde_node_set_float (node, names[k].attribute, values[i]);
}

#define AT_LEAST_0 0, 1e12
#define DECAY                                                                                      \
  {                                                                                                \
    "weight-decay", 0, AT_LEAST_0                                                                  \
  }
#define SHARE(name, fallback)                                                                      \
  {                                                                                                \
    name, fallback, 0, 1                                                                           \
  }
#define SWITCH(name)                                                                               \
  {                                                                                                \
    name, 0, 0, 1                                                                                  \
  }

/* ---- sgd ----------------------------------------------------------------- */

enum
{
  SGD_MOMENTUM,
  SGD_DECAY,
  SGD_DAMPENING,
  SGD_NESTEROV,
};

static const SondeSettingRule sgd_settings[]
    = { SHARE ("momentum", 0), DECAY, SHARE ("dampening", 0), SWITCH ("nesterov"), { NULL } };

static gboolean
build_sgd (const Update *update, GError **error)
{
  const double *v = update->values;
  SondeGraphValue *velocity = add_state (update, "momentum", 0);
  SondeGraphValue *inputs[]
      = { update->parameter, update->gradient, velocity, update->learning_rate, update->step };
  SondeNode *node = add_update (update, "SgdUpdate", inputs, v[SGD_DAMPENING] != 0 ? 5 : 4, 2);

  sonde_node_set_float (node, "momentum", v[SGD_MOMENTUM]);
  sonde_node_set_float (node, "weight_decay", v[SGD_DECAY]);
  if (v[SGD_DAMPENING] != 0)
    sonde_node_set_float (node, "dampening", v[SGD_DAMPENING]);
  if (v[SGD_NESTEROV] != 0)
    sonde_node_set_int (node, "nesterov", 1);
  mark_update (update, node, 1, velocity);
  return sonde_build_infer (update->graph, node, error);
}

/* ---- adam, adamw --------------------------------------------------------- */

static const SondeSettingRule adam_settings[] = { SHARE ("beta1", 0.9),
                                                  SHARE ("beta2", 0.999),
                                                  { "epsilon", 1e-8, AT_LEAST_0 },
                                                  DECAY,
                                                  { NULL } };
static const SondeSettingRule adamw_settings[] = { SHARE ("beta1", 0.9),
                                                   SHARE ("beta2", 0.999),
                                                   { "epsilon", 1e-8, AT_LEAST_0 },
                                                   { "weight-decay", 0.01, AT_LEAST_0 },
                                                   { NULL } };

static gboolean
build_adam_as (const Update *update, gboolean decoupled, GError **error)
{
  SondeGraphValue *mean = add_state (update, "mean", 0);
  SondeGraphValue *variance = add_state (update, "variance", 0);
  SondeGraphValue *inputs[] = { update->parameter, update->gradient,      mean,
                                variance,          update->learning_rate, update->step };
  SondeNode *node = add_update (update, "AdamUpdate", inputs, 6, 3);

  set_floats (node, adam_settings, update->values);
  if (decoupled)
    sonde_node_set_int (node, "decoupled", 1);
  mark_update (update, node, 1, mean);
  mark_update (update, node, 2, variance);
  return sonde_build_infer (update->graph, node, error);
}

static gboolean
build_adam (const Update *update, GError **error)
{
  return build_adam_as (update, FALSE, error);
}

static gboolean
build_adamw (const Update *update, GError **error)
{
  return build_adam_as (update, TRUE, error);
}

/* ---- rmsprop ------------------------------------------------------------- */

enum
{
  RMS_ALPHA,
  RMS_EPSILON,
  RMS_DECAY,
  RMS_MOMENTUM,
  RMS_CENTRED,
};

static const SondeSettingRule rms_prop_settings[] = { SHARE ("alpha", 0.99),
                                                      { "epsilon", 1e-8, AT_LEAST_0 },
                                                      DECAY,
                                                      SHARE ("momentum", 0),
                                                      SWITCH ("centred"),
                                                      { NULL } };

/* A centred one keeps a velocity as well; without momentum it is the move itself. */
static gboolean
build_rms_prop (const Update *update, GError **error)
{
  const double *v = update->values;
  gboolean centred = v[RMS_CENTRED] != 0;
  SondeGraphValue *square = add_state (update, "square", 0);
  SondeGraphValue *velocity
      = v[RMS_MOMENTUM] != 0 || centred ? add_state (update, "momentum", 0) : NULL;
  SondeGraphValue *mean = centred ? add_state (update, "mean", 0) : NULL;
  SondeGraphValue *inputs[] = { update->parameter,     update->gradient, square, velocity, mean,
                                update->learning_rate, update->step };
  SondeNode *node = add_update (update, "RmsPropUpdate", inputs, 7,
                                mean != NULL       ? 4
                                : velocity != NULL ? 3
                                                   : 2);

  set_floats (node, rms_prop_settings, v);
  mark_update (update, node, 1, square);
  if (velocity != NULL)
    mark_update (update, node, 2, velocity);
  if (mean != NULL)
    mark_update (update, node, 3, mean);
  return sonde_build_infer (update->graph, node, error);
}

/* ---- adagrad, adadelta, lion --------------------------------------------- */

enum
{
  ADAGRAD_EPSILON,
  ADAGRAD_DECAY,
  ADAGRAD_RATE_DECAY,
  ADAGRAD_INITIAL,
};

static const SondeSettingRule adagrad_settings[] = { { "epsilon", 1e-10, AT_LEAST_0 },
                                                     DECAY,
                                                     { "rate-decay", 0, AT_LEAST_0 },
                                                     { "initial", 0, AT_LEAST_0 },
                                                     { NULL } };

static gboolean
build_adagrad (const Update *update, GError **error)
{
  SondeGraphValue *sum = add_state (update, "sum", update->values[ADAGRAD_INITIAL]);
  SondeGraphValue *inputs[]
      = { update->parameter, update->gradient, sum, update->learning_rate, update->step };
  SondeNode *node = add_update (update, "AdagradUpdate", inputs, 5, 2);

  set_floats (node, adagrad_settings, update->values);
  mark_update (update, node, 1, sum);
  return sonde_build_infer (update->graph, node, error);
}

static const SondeSettingRule adadelta_settings[]
    = { SHARE ("rho", 0.9), { "epsilon", 1e-6, AT_LEAST_0 }, DECAY, { NULL } };

static gboolean
build_adadelta (const Update *update, GError **error)
{
  SondeGraphValue *square = add_state (update, "square", 0);
  SondeGraphValue *moved = add_state (update, "moved", 0);
  SondeGraphValue *inputs[]
      = { update->parameter, update->gradient, square, moved, update->learning_rate, update->step };
  SondeNode *node = add_update (update, "AdadeltaUpdate", inputs, 6, 3);

  set_floats (node, adadelta_settings, update->values);
  mark_update (update, node, 1, square);
  mark_update (update, node, 2, moved);
  return sonde_build_infer (update->graph, node, error);
}

static const SondeSettingRule lion_settings[]
    = { SHARE ("beta1", 0.9), SHARE ("beta2", 0.99), DECAY, { NULL } };

static gboolean
build_lion (const Update *update, GError **error)
{
  SondeGraphValue *mean = add_state (update, "mean", 0);
  SondeGraphValue *inputs[]
      = { update->parameter, update->gradient, mean, update->learning_rate, update->step };
  SondeNode *node = add_update (update, "LionUpdate", inputs, 5, 2);

  set_floats (node, lion_settings, update->values);
  mark_update (update, node, 1, mean);
  return sonde_build_infer (update->graph, node, error);
}

/* ---- lamb, lars: a trust ratio for each parameter ------------------------ */

/* learning rate · TrustRatio (|P|, |@direction|). */
static SondeGraphValue *
add_trusted_rate (const Update *update, SondeGraphValue *direction, double coefficient,
                  double decay, double epsilon, GError **error)
{
  SondeGraphValue *w = add_scalar_op (update, "weight-norm", SONDE_DOMAIN, "GlobalNorm",
                                      update->parameter, NULL, error);
  SondeGraphValue *u = w != NULL ? add_scalar_op (update, "direction-norm", SONDE_DOMAIN,
                                                  "GlobalNorm", direction, NULL, error)
                                 : NULL;
  SondeGraphValue *inputs[] = { w, u };
  SondeNode *node;

  if (u == NULL)
    return NULL;
  node = add_node (update, "trust-ratio", SONDE_DOMAIN, "TrustRatio", inputs, 2, 1);
  sonde_node_set_float (node, "coefficient", coefficient);
  sonde_node_set_float (node, "weight_decay", decay);
  sonde_node_set_float (node, "epsilon", epsilon);
  if (!sonde_build_infer (update->graph, node, error))
    return NULL;
  return add_scalar_op (update, "trusted-rate", "", "Mul", update->learning_rate,
                        sonde_node_get_output (node, 0), error);
}

static const SondeSettingRule lamb_settings[] = { SHARE ("beta1", 0.9),
                                                  SHARE ("beta2", 0.999),
                                                  { "epsilon", 1e-6, AT_LEAST_0 },
                                                  { "weight-decay", 0.01, AT_LEAST_0 },
                                                  { NULL } };

static gboolean
build_lamb (const Update *update, GError **error)
{
  SondeGraphValue *mean = add_state (update, "mean", 0);
  SondeGraphValue *variance = add_state (update, "variance", 0);
  SondeGraphValue *inputs[] = { update->parameter, update->gradient,      mean,
                                variance,          update->learning_rate, update->step };
  SondeNode *direction
      = add_node (update, "direction", SONDE_DOMAIN, "AdamDirection", inputs, 6, 3),
      *node;
  SondeGraphValue *rate;

  set_floats (direction, lamb_settings, update->values);
  mark_update (update, direction, 1, mean);
  mark_update (update, direction, 2, variance);
  if (!sonde_build_infer (update->graph, direction, error))
    return FALSE;
  rate = add_trusted_rate (update, sonde_node_get_output (direction, 0), 1, 0, 0, error);
  if (rate == NULL)
    return FALSE;
  node = add_update (
      update, "SgdUpdate",
      (SondeGraphValue *[]){ update->parameter, sonde_node_get_output (direction, 0), NULL, rate },
      4, 1);
  return sonde_build_infer (update->graph, node, error);
}

enum
{
  LARS_MOMENTUM,
  LARS_DECAY,
  LARS_TRUST,
  LARS_EPSILON,
};

static const SondeSettingRule lars_settings[] = { SHARE ("momentum", 0.9),
                                                  DECAY,
                                                  { "trust", 0.001, AT_LEAST_0 },
                                                  { "epsilon", 1e-8, AT_LEAST_0 },
                                                  { NULL } };

/* v = µ·v + η·λ·(g + wd·w); w −= v: the velocity holds moves, so that it keeps the rates they were
 * made with. */
static gboolean
build_lars (const Update *update, GError **error)
{
  const double *v = update->values;
  SondeDtype dtype = update->parameter->type.dtype;
  SondeGraphValue *rate = add_trusted_rate (update, update->gradient, v[LARS_TRUST], v[LARS_DECAY],
                                            v[LARS_EPSILON], error);
  SondeGraphValue *velocity = add_state (update, "momentum", 0), *pull, *slope, *move;
  SondeNode *node;

  if (rate == NULL)
    return FALSE;
  if (dtype != SONDE_DTYPE_F32)
    {
      node = add_node (update, "cast-rate", "", "Cast", &rate, 1, 1);
      sonde_node_set_int (node, "to", sonde_dtype_to_onnx (dtype));
      if (!sonde_build_infer (update->graph, node, error))
        return FALSE;
      rate = sonde_node_get_output (node, 0);
    }
  pull = add_scalar_op (update, "pull", "", "Mul", update->parameter,
                        sonde_build_scalar (update->graph, dtype, v[LARS_DECAY]), error);
  slope = pull != NULL ? add_scalar_op (update, "slope", "", "Add", update->gradient, pull, error)
                       : NULL;
  move = slope != NULL ? add_scalar_op (update, "move", "", "Mul", slope, rate, error) : NULL;
  if (move == NULL)
    return FALSE;
  node
      = add_update (update, "SgdUpdate",
                    (SondeGraphValue *[]){ update->parameter, move, velocity,
                                           sonde_build_scalar (update->graph, SONDE_DTYPE_F32, 1) },
                    4, 2);
  sonde_node_set_float (node, "momentum", v[LARS_MOMENTUM]);
  mark_update (update, node, 1, velocity);
  return sonde_build_infer (update->graph, node, error);
}

/* ---- table --------------------------------------------------------------- */

typedef struct
{
  const char *name;
  const SondeSettingRule *settings;
  gboolean takes_momentum; /* from the caller */
  gboolean (*build) (const Update *update, GError **error);
} OptimiserRow;

struct _SondeOptimiser
{
  const OptimiserRow *row;
  SondeSettings settings;
};

static const OptimiserRow rows[] = {
  { "sgd", sgd_settings, TRUE, build_sgd },
  { "adam", adam_settings, FALSE, build_adam },
  { "adamw", adamw_settings, FALSE, build_adamw },
  { "rmsprop", rms_prop_settings, FALSE, build_rms_prop },
  { "adagrad", adagrad_settings, FALSE, build_adagrad },
  { "adadelta", adadelta_settings, FALSE, build_adadelta },
  { "lamb", lamb_settings, FALSE, build_lamb },
  { "lars", lars_settings, TRUE, build_lars },
  { "lion", lion_settings, FALSE, build_lion },
};

char *
sonde_optimiser_list (void)
{
  return SONDE_LIST_CHOICES (rows);
}

/* Index of a setting; the number of settings when there is none of that name. */
static guint
find_setting (const SondeSettingRule *rules, const char *name)
{
  guint i = 0;

  while (rules[i].name != NULL && !g_str_equal (rules[i].name, name))
    i++;
  return i;
}

static void
set_unless_given (SondeOptimiser *optimiser, const char *name, double value)
{
  guint i = find_setting (optimiser->row->settings, name);

  if (!isnan (value) && optimiser->row->settings[i].name != NULL && !optimiser->settings.is_set[i])
    optimiser->settings.values[i] = value;
}

SondeOptimiser *
sonde_optimiser_new (const char *text, double momentum, double weight_decay, GError **error)
{
  const OptimiserRow *row = SONDE_FIND_CHOICE (N_ ("optimiser"), text, rows, error);
  g_autoptr (SondeOptimiser) optimiser = NULL;

  if (row == NULL)
    return NULL;
  optimiser = g_new0 (SondeOptimiser, 1);
  optimiser->row = row;
  if (!sonde_settings_parse (N_ ("optimiser"), text, row->settings, &optimiser->settings, error))
    return NULL;
  if (row->takes_momentum)
    set_unless_given (optimiser, "momentum", momentum);
  set_unless_given (optimiser, "weight-decay", weight_decay);
  return g_steal_pointer (&optimiser);
}

void
sonde_optimiser_free (SondeOptimiser *optimiser)
{
  if (optimiser == NULL)
    return;
  sonde_settings_clear (&optimiser->settings);
  g_free (optimiser);
}

gboolean
sonde_optimiser_build (const SondeOptimiser *optimiser, SondeGraph *graph,
                       SondeGraphValue *parameter, SondeGraphValue *gradient,
                       SondeGraphValue *learning_rate, SondeGraphValue *step, double weight_decay,
                       GError **error)
{
  double values[SONDE_MAX_SETTINGS];
  Update update = { graph, values, parameter, gradient, learning_rate, step };

  memcpy (values, optimiser->settings.values, sizeof values);
  if (!isnan (weight_decay))
    values[find_setting (optimiser->row->settings, "weight-decay")] = weight_decay;
  return optimiser->row->build (&update, error);
}
