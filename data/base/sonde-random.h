/* SPDX-License-Identifier: Apache-2.0
 * Counter-based random numbers: a number is a hash of where it is used, so that it does not depend
 * on batch size, thread count, device or order, and a run resumes without saved state. */
#pragma once

#include <glib.h>
#include <math.h>

G_BEGIN_DECLS

/* One 64-bit finaliser round. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number
 * generators" (2014), mix function of SplitMix64, variant 13 of D. Stafford. */
static inline guint64
sonde_random_mix (guint64 x)
{
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9u;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/* 64 random bits for (seed, stream, index). */
static inline guint64
sonde_random_bits (guint64 seed, guint64 stream, guint64 index)
{
  guint64 x = sonde_random_mix (seed + 0x9e3779b97f4a7c15u);

  x = sonde_random_mix (x ^ (stream + 0x9e3779b97f4a7c15u));
  return sonde_random_mix (x + index * 0x9e3779b97f4a7c15u);
}

/* Uniform in [0, 1), 53 bits. */
static inline double
sonde_random_uniform (guint64 seed, guint64 stream, guint64 index)
{
  return (double) (sonde_random_bits (seed, stream, index) >> 11) * 0x1p-53;
}

/* Standard normal, by Box and Muller's cosine form on indices 2·index and 2·index + 1. */
static inline double
sonde_random_normal (guint64 seed, guint64 stream, guint64 index)
{
  double u = 1.0 - sonde_random_uniform (seed, stream, 2 * index);
  double v = sonde_random_uniform (seed, stream, 2 * index + 1);

  return sqrt (-2.0 * log (u)) * cos (2.0 * G_PI * v);
}

/* A stream number from a name (FNV-1a, 64 bits). */
static inline guint64
sonde_random_stream (const char *name)
{
  guint64 hash = 0xcbf29ce484222325u;

  for (const char *p = name; *p != '\0'; p++)
    hash = (hash ^ (guint8) *p) * 0x100000001b3u;
  return hash;
}

G_END_DECLS
