/* SPDX-License-Identifier: Apache-2.0
 * What the kernels of the cpu device share: its struct, what every kernel starts with, the rows of
 * operators, loops, layouts. */
#pragma once

#include "engine/devices/cpu/dnnl/sonde-dnnl.h"

G_BEGIN_DECLS

/* A leaf loop compiled for several instruction sets; the best one is chosen when the program
 * starts. Sanitizers do not get on with that. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)                                \
    && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SONDE_CPU_CLONES                                                                           \
  __attribute__ ((target_clones ("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#define SONDE_CPU_HAS_CLONES 1
#else
#define SONDE_CPU_CLONES
#define SONDE_CPU_HAS_CLONES 0
#endif

/* Whether the chosen clone has registers of 64 bytes, and 32 of them; else they take 32 bytes at
 * most, and there are 16. */
static inline gboolean
sonde_cpu_has_wide_vectors (void)
{
#if SONDE_CPU_HAS_CLONES
  return __builtin_cpu_supports ("avx512f") && __builtin_cpu_supports ("avx512vl")
         && __builtin_cpu_supports ("avx512bw") && __builtin_cpu_supports ("avx512dq");
#else
  return FALSE;
#endif
}

typedef struct
{
  SondeDevice base;
  int threads;
  SondeDnnl *dnnl;
} SondeCpuDevice;

/**
 * SondeKernel: first member of every kernel of this device
 * @run: changes nothing in the kernel
 * @free: (nullable): NULL: g_free()
 * @derive: (nullable): see SondeDeviceClass
 * @threads: of oneDNN's primitives inside; 0: the device's
 */
struct _SondeKernel
{
  gboolean (*run) (SondeCpuDevice *device, SondeKernel *kernel, const SondeRunArguments *arguments,
                   GError **error);
  void (*free) (SondeKernel *kernel);
  gboolean (*derive) (SondeCpuDevice *device, SondeKernel *kernel, const void *const *inputs,
                      void *derived, GError **error);
  int threads;
};

/**
 * SondeCpuRow: one operator this device has a fast kernel for
 * @prepare: may change the request only when it returns a kernel. NULL: not for these types, shapes
 *   or attributes; the reference kernel takes over
 * @data: (nullable): the operator's own part of what its file tells of several operators
 */
typedef struct
{
  const char *domain;
  const char *op;
  SondeKernel *(*prepare) (SondeCpuDevice *device, SondePrepareRequest *request);
  gconstpointer data;
} SondeCpuRow;

/* A file of rows ends with a table that is named after it, sonde_cpu_NAME_rows[], with a row without
 * op at its end; meson.build lists the files. All tables, then NULL: */
extern const SondeCpuRow *const sonde_cpu_row_tables[];

/* The row of @node's operator, or NULL. */
const SondeCpuRow *sonde_cpu_find_row (const SondeNode *node);
/* The kernel of the operator's own row, if there is one. */
SondeKernel *sonde_cpu_prepare_row (SondeCpuDevice *device, SondePrepareRequest *request);

/* ---- loops --------------------------------------------------------------- */

typedef void (*SondeCpuRange) (gint64 begin, gint64 end, gpointer data);

/**
 * sonde_cpu_for:
 * @n: number of items; @cost: elements touched per item
 *
 * Calls @range for parts of 0…n that together are all of it, on the device's threads when there is
 * work for more than one. Parts begin at multiples of 16. What @range computes for an item must not
 * depend on the part.
 */
void sonde_cpu_for (SondeCpuDevice *device, gint64 n, gint64 cost, SondeCpuRange range,
                    gpointer data);

/* A product that a part of sonde_cpu_run_parts() runs on its own thread. */
SondeDnnlPrimitive *sonde_cpu_part_product (SondeCpuDevice *device, const SondeDnnlMatmul *matmul);

typedef gboolean (*SondeCpuPart) (gint64 part, gpointer data, GError **error);

/* All @parts, on the device's threads, whatever they cost. The first error is told. */
gboolean sonde_cpu_run_parts (SondeCpuDevice *device, gint64 parts, SondeCpuPart run, gpointer data,
                              GError **error);

typedef void (*SondeCpuMember) (int member, int n, gpointer data);

/* Calls @run on up to @n of the device's threads at once, which may wait for each other (“omp barrier”): with the
 * number of each and how many there are. */
void sonde_cpu_run_team (SondeCpuDevice *device, int n, SondeCpuMember run, gpointer data);

/* Threads for oneDNN's primitives: one where the work of each of the nodes is too small to share. A
 * group gets what its largest node gets alone, and so the same bits. */
int sonde_cpu_choose_threads (SondeCpuDevice *device, const SondePrepareRequest *request);

/* Any element-wise operator on operands of one shape, or scalars: its reference kernel on parts. */
SondeKernel *sonde_cpu_prepare_parts (SondeCpuDevice *device, SondePrepareRequest *request);

/* Operators that only change the shape. */
SondeKernel *sonde_cpu_prepare_copy (SondeCpuDevice *device, SondePrepareRequest *request);

/* y = softmax (x), or its logarithm, of one row; on the calling thread. y may be x. */
void sonde_cpu_softmax_row (gint64 n, const float *x, gboolean logarithm, float *y);

/* ---- convolutions -------------------------------------------------------- */

/* y = x·a + b for [rows, channels], a and b by channel. A leaf loop. */
void sonde_cpu_scale_rows (gint64 rows, gint64 channels, const float *x, const float *a,
                           const float *b, float *y);
/* y = x · factor + offset of a batch normalisation, by channel. */
void sonde_cpu_batch_affine (gint64 channels, const float *scale, const float *bias,
                             const float *mean, const float *variance, double epsilon,
                             float *factor, float *offset);
/* In place; NaN stays. */
/* y += x, then Relu where @relu. */
void sonde_cpu_add (SondeCpuDevice *device, gint64 n, const float *x, gboolean relu, float *y);

/* ---- looking at a request ------------------------------------------------ */

/* Input or output @k is there, float32 and not empty; its shape. */
gboolean sonde_cpu_input_f32 (const SondePrepareRequest *request, guint k, SondeShape *shape);
gboolean sonde_cpu_output_f32 (const SondePrepareRequest *request, guint k, SondeShape *shape);
gboolean sonde_cpu_has_input (const SondePrepareRequest *request, guint k);
gboolean sonde_cpu_has_output (const SondePrepareRequest *request, guint k);
/* Node @node's input @k among the request's inputs, or -1 when it is absent or made inside the
 * group. */
int sonde_cpu_find_input (const SondePrepareRequest *request, guint node, guint k);

/* The data, weights and bias (-1: none) of the convolution that is the first node, among the
 * request's inputs. FALSE unless these and the first output are float32 and not empty, and each
 * plays one part. */
gboolean sonde_cpu_find_convolution (const SondePrepareRequest *request, int inputs[3]);

/* Input @k lies channels-last now, or where plain is the same. */
gboolean sonde_cpu_lies_channels_last (const SondePrepareRequest *request, guint k);

/* ---- answering it -------------------------------------------------------- */

void sonde_cpu_want_plain (SondeCpuDevice *device, SondePrepareRequest *request, guint k);
/* Wants channels-last for input @k; plain where that is the same or opaque layouts are forbidden.
 * Returns whether the bytes of the input will be channels-last. */
gboolean sonde_cpu_want_channels_last (SondeCpuDevice *device, SondePrepareRequest *request,
                                       guint k);
/* The same for output @k. */
void sonde_cpu_give_channels_last (SondePrepareRequest *request, guint k);
/* Takes input @k as it lies when that is dense (plain or channels-last), else wants it plain, and
 * gives output @k the same layout. Returns the layout (borrowed). */
SondeLayout *sonde_cpu_keep_layout (SondeCpuDevice *device, SondePrepareRequest *request,
                                    guint input, guint output);

/* An operand that is one number beside @result. */
gboolean sonde_cpu_is_one (const SondeShape *shape, const SondeShape *result);
/* Input @k in @layout (borrowed, nullable). */
void sonde_cpu_want_same (SondeCpuDevice *device, SondePrepareRequest *request, guint k,
                          SondeLayout *layout);

/* ---- kernels around one primitive of oneDNN ------------------------------ */

/**
 * SondeCpuPrimitiveKernel:
 * @operand: by argument: k ≥ 0: input k; -1 - k: output k
 */
typedef struct
{
  SondeKernel base;
  SondeDnnlPrimitive *primitive;
  int operand[SONDE_DNNL_N_ARGUMENTS];
} SondeCpuPrimitiveKernel;

/* Takes @primitive; SRC is input 0, DST output 0; the others are for the caller to set. Fills
 * workspace and implementation of the request. */
SondeCpuPrimitiveKernel *sonde_cpu_primitive_kernel_new (SondePrepareRequest *request,
                                                         SondeDnnlPrimitive *primitive);

G_END_DECLS
