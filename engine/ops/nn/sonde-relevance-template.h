/* SPDX-License-Identifier: Apache-2.0
 * What flows back in the place of a gradient, element by element in one float type; included once a
 * type with T, S (suffix) and CLONES (of the loop) defined.
 * @r: what comes from behind; @y, @z: the node's further operands; @e, @f: epsilon and factor */
#define RELEVANCE(name, expression)                                                                \
  CLONES static void SONDE_PASTE (name, S) (gint64 n, const void *back, const void *first,         \
                                            const void *second, void *to, double epsilon,          \
                                            double factor)                                         \
  {                                                                                                \
    const T *r_ = back, *y_ = first, *z_ = second;                                                 \
    T *to_ = to;                                                                                   \
    const T e G_GNUC_UNUSED = (T) epsilon, f G_GNUC_UNUSED = (T) factor;                           \
    _Pragma ("GCC ivdep") for (gint64 i = 0; i < n; i++)                                           \
    {                                                                                              \
      const T r = r_[i], y = y_[i], z G_GNUC_UNUSED = z_[i];                                       \
      to_[i] = (T) (expression);                                                                   \
    }                                                                                              \
  }
#define STABLE(z) ((z) + ((z) >= 0 ? e : -e))
#define POSITIVE(x) ((x) > 0 ? (x) : 0)
#define SMALL(d) ((d) > (T) -1e-10 && (d) < (T) 1e-10)

RELEVANCE (relu_rescale,
           SMALL (y - z) ? (y > 0 ? r : 0) : r *(POSITIVE (y) - POSITIVE (z)) / (y - z))
RELEVANCE (share, r / STABLE (y))
RELEVANCE (split, y == 0 ? f * r : z * (r / STABLE (y)))
RELEVANCE (above, y >= 0 ? r / STABLE (z) : 0)
RELEVANCE (below, y >= 0 ? 0 : r / STABLE (f * y - z))

#undef SMALL
#undef POSITIVE
#undef STABLE
#undef RELEVANCE
#undef T
#undef S
#undef CLONES
