/* SPDX-License-Identifier: Apache-2.0
 * Small networks that grow from bytes: each byte is a choice. For fuzz-graphs.c. */
#pragma once

#include <stdint.h>

#include "engine/ops/sonde-build.h"

G_BEGIN_DECLS

/* The bytes that are left; a choice without any is 0. */
typedef struct
{
  const uint8_t *data;
  size_t size, used;
} Choices;

/**
 * Grower:
 * @values: that a node may read, float32 of known sizes, oldest first
 * @seed: of the next random constant
 */
typedef struct
{
  Choices choices;
  SondeGraph *graph;
  GPtrArray *values;
  guint64 seed;
} Grower;

/* A way to go on behind @x. Returns: (nullable): its last value, whose types may turn out not to
 * fit */
typedef SondeGraphValue *(*Grow) (Grower *grower, SondeGraphValue *x);

guint choose (Choices *choices, guint n);       /* 0…n-1 */
SondeGraphValue *choose_value (Grower *grower); /* the newer, the likelier */
SondeGraphValue *random_constant (Grower *grower, const SondeShape *shape, double low, double high);
SondeShape shape_of (const SondeGraphValue *value);

/* Takes part in what may be read from here on, when it fits; else its node goes. (nullable): @value
 * or NULL */
SondeGraphValue *keep_value (Grower *grower, SondeGraphValue *value);

/* Several nodes at once: what sonde_pass_fuse() knows, and some that only look like it. */
extern const Grow pattern_growers[];
extern const guint n_pattern_growers;
/* QuantizeLinear, DequantizeLinear and what stands between them. */
extern const Grow quantised_growers[];
extern const guint n_quantised_growers;

/* Returns: (transfer full) */
SondeGraph *grow_network (const uint8_t *data, size_t size);

G_END_DECLS
