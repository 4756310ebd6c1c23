/* SPDX-License-Identifier: Apache-2.0
 * One pass of a resampling for one float type; included once a type with T, S (suffix), WEIGHT
 * (member of SondeResamplePass) and CLONES (function attribute, may be empty) defined. */

/* A dimension with others behind it: whole rows are weighed. Items are output rows. */
CLONES static void
SONDE_PASTE (resample_rows, S) (const SondeResamplePass *pass, T extrapolation, const T *from,
                                T *to, gint64 begin, gint64 end)
{
  const gint64 inner = pass->inner, out = pass->out;

  for (gint64 item = begin; item < end; item++)
    {
      const gint64 j = item % out;
      const T *x = from + item / out * pass->in * inner;
      T *restrict y = to + item * inner;

      if (pass->outside != NULL && pass->outside[j])
        {
          for (gint64 k = 0; k < inner; k++)
            y[k] = extrapolation;
          continue;
        }
      if (pass->taps == 2)
        {
          const T *a = x + pass->at[j] * inner, *b = x + pass->at[out + j] * inner;
          const T u = pass->WEIGHT[j], v = pass->WEIGHT[out + j];

          for (gint64 k = 0; k < inner; k++)
            y[k] = u * a[k] + v * b[k];
          continue;
        }
      for (gint64 k = 0; k < inner; k++)
        y[k] = 0;
      for (int t = 0; t < pass->taps; t++)
        {
          const T *a = x + pass->at[t * out + j] * inner;
          const T u = pass->WEIGHT[t * out + j];

          for (gint64 k = 0; k < inner; k++)
            y[k] += u * a[k];
        }
    }
}

/* The innermost dimension. Items are rows. */
CLONES static void
SONDE_PASTE (resample_columns, S) (const SondeResamplePass *pass, T extrapolation, const T *from,
                                   T *to, gint64 begin, gint64 end)
{
  const gint64 out = pass->out;

  for (gint64 item = begin; item < end; item++)
    {
      const T *x = from + item * pass->in;
      T *restrict y = to + item * out;

      if (pass->taps == 2)
        for (gint64 j = 0; j < out; j++)
          y[j] = pass->WEIGHT[j] * x[pass->at[j]] + pass->WEIGHT[out + j] * x[pass->at[out + j]];
      else
        for (gint64 j = 0; j < out; j++)
          y[j] = 0;
      for (int t = 0; t < pass->taps && pass->taps != 2; t++)
        {
          const gint32 *at = pass->at + t * out;
          const T *weight = (const T *) pass->WEIGHT + t * out;

          for (gint64 j = 0; j < out; j++)
            y[j] += weight[j] * x[at[j]];
        }
      for (gint64 j = 0; j < out && pass->outside != NULL; j++)
        y[j] = pass->outside[j] ? extrapolation : y[j];
    }
}

#undef T
#undef S
#undef WEIGHT
#undef CLONES
