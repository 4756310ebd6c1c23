/* SPDX-License-Identifier: Apache-2.0
 * Datasets: files on disk -> samples as tensors. One file a dataset, each a const struct of
 * functions; this header chooses by the source's text and splits. What does not live here: batches
 * and their order (sonde-batches.h). */
#pragma once

#include "data/base/sonde-io.h"
#include "data/base/sonde-message.h"
#include "data/images/sonde-image-decoder.h"
#include "data/values/sonde-box.h"
#include "data/values/sonde-image.h"
#include "data/values/sonde-tensor.h"

G_BEGIN_DECLS

typedef struct _SondeDataset SondeDataset;
typedef struct _SondeDatasetClass SondeDatasetClass;
typedef struct _SondeTransforms SondeTransforms;
typedef struct _SondeFaults SondeFaults;

/**
 * SondeDatasetClass: all entries required unless said otherwise. @sample counts through the whole
 * dataset, training and test parts alike.
 * @fill: normalised sample at @into, contiguous, of the dataset's dtype and shape; any thread
 * @get_label: class index, -1 when there is none
 * @fill_label: (optional): label at @into, of the dataset's label dtype and shape; required where
 *   that is not one int64
 * @dup_name: (transfer full): stable name, as "cat/0001.jpg" or "glyphs/000123"
 * @dup_image: (optional) (transfer full): the image before normalisation, for people; default:
 *   made from @fill by undoing mean and std
 * @get_truth: (optional): box of the object and, if @mask is not NULL, its mask [H, W] u8 (0 or 1)
 * at @mask;
 *   FALSE: not known
 * @get_cue: (optional): box of the spurious cue; FALSE: this sample has none
 * @get_n_ready, @get_ready: (optional, both or none): the source holds whole batches, equal in size
 *   but for the last, taken in their order and never shuffled; @x and @y: (transfer none), any
 *   shape and dtype, samples outermost
 */
struct _SondeDatasetClass
{
  const char *name;
  void (*free) (SondeDataset *dataset);
  gboolean (*fill) (SondeDataset *dataset, guint sample, void *into, GError **error);
  gint64 (*get_label) (SondeDataset *dataset, guint sample);
  void (*fill_label) (SondeDataset *dataset, guint sample, void *into);
  char *(*dup_name) (SondeDataset *dataset, guint sample);
  SondeImage *(*dup_image) (SondeDataset *dataset, guint sample, GError **error);
  gboolean (*get_truth) (SondeDataset *dataset, guint sample, SondeBox *box, guint8 *mask);
  gboolean (*get_cue) (SondeDataset *dataset, guint sample, SondeBox *box);
  guint (*get_n_ready) (SondeDataset *dataset);
  void (*get_ready) (SondeDataset *dataset, guint batch, SondeTensor **x, SondeTensor **y);
};

/**
 * SondeDataset: first member of every dataset; read-only after opening, any thread may read then
 * @n: all samples
 * @dtype, @shape: of a sample: float32 [C, H, W] of images, float32 [F] of features, int64 [T] of
 * tokens
 * @label_dtype, @label_shape: of a label: one int64 (a scalar) for a class, int64 [T] for a class
 *   at each place, float32 [K] for numbers
 * @channels, @height, @width: the same of an image; of anything else 1, 1 and its elements
 * @vocabulary: tokens are below it; 0: not known, or no tokens
 * @in_memory: samples cost hardly more than a copy; nobody need keep them
 * @inner, @transforms: (nullable): the dataset that this one is made of, and what is done to its
 * samples; owned
 * @faults: (nullable): what cannot be read, noticed when opening or later; owned
 * @classes: (array zero-terminated=1): names; owned
 * @mean, @std: of the normalisation per channel (v − mean) / std, v in [0, 1]
 * @test_begin: -1, or index of the first sample of a test part the source has of its own
 */
struct _SondeDataset
{
  const SondeDatasetClass *klass;
  guint n;
  SondeDtype dtype, label_dtype;
  SondeShape shape, label_shape;
  int channels, height, width;
  guint vocabulary;
  gboolean in_memory;
  char **classes;
  guint n_classes;
  float mean[4], std[4];
  gint64 test_begin;
  SondeDataset *inner;
  SondeTransforms *transforms;
  SondeFaults *faults;
};

/**
 * SondeDatasetOptions: zero-initialise
 * @io: (nullable)
 * @decoder: (nullable) (transfer full): for sources that hold encoded images; NULL: such a source
 *   is refused. Taken over by sonde_dataset_open(), whatever it returns
 * @seed: of generated datasets
 * @count: samples of a generated dataset; 0: 10000
 * @size, @channels: of a generated dataset; 0: 28, 1. Of images: they are scaled to cover size ×
 *   size and cut around the middle, and made grey (1) or RGB (3); 0: as the first image is, and
 *   all must be like it
 * @width, @height: of images, where @size is 0: scaled to cover them and cut around the middle;
 * 0, 0: not given
 * @bgr: planes in the order blue, green, red; for sources of images
 * @names: (nullable) (array zero-terminated=1): the classes in the model's order; class folders and
 *   lists must keep to them. NULL: those found, in the order of their bytes
 * @cue: (nullable): plants a spurious cue: "CLASS[,CLASS…]:PROBABILITY[:SIDE]", CLASS a number or
 *   name. A square of SIDE pixels (default 5/32 of the image), red at the upper left for the
 *   first class, blue at the lower right for the second, green and yellow in the other corners; in
 *   grey images white and black
 * @transforms: (nullable) (array zero-terminated=1): as data.transforms of a recipe, see
 * sonde-transforms.h
 */
typedef struct
{
  const SondeIo *io;
  SondeImageDecoder *decoder;
  guint64 seed;
  guint count;
  int size, channels, width, height;
  gboolean bgr;
  const char *const *names;
  const char *cue;
  const char *const *transforms;
} SondeDatasetOptions;

/**
 * sonde_dataset_open:
 * @source: one of
 * - "glyphs", or "glyphs:KEY=VALUE;…" with count, size, channels, cue, labels (class, or pixels: at
 *   each pixel whether it is of the glyph)
 * - "mnist:DIR", "fashion-mnist:DIR": IDX files, plain or .gz
 * - "cifar10:DIR", "cifar100:DIR" (fine labels): the binary files, or class folders
 * - "images:DIR": class folders, or train/ and test/ with such folders
 * - "masks:DIR": images/NAME.jpg or .png and masks/NAME.png: a class at each pixel, its grey value
 *   in the mask; masks of 0 and 255 alone have the classes 0 and 1
 * - "csv:FILE", or "csv:FILE;KEY=VALUE;…": rows of numbers. label: a column by name or number (from
 *   0, or −1 for the last), several with commas, or none; default: label, class, target or y, else
 *   the last. kind: class, number or auto (texts and whole numbers are classes). header: yes, no or
 *   auto. missing: error, mean, or a number. shape: C×H×W as 3x32x32. separator: a character, or
 *   tab
 * - "npz:FILE": ready batches x0, y0, x1, y1 … taken in that order, or arrays x, y (images, labels;
 *   data, target), or x_train, y_train, x_test, y_test. "npy:FILE;labels=FILE": the same from two
 *   files. Images are u8 [n, H, W], [n, H, W, C] or [n, C, H, W]; other whole numbers are tokens
 * - "tokens:task=copy|sort|parity|majority;length=T;vocabulary=V;count=N": int64 [T], each below V;
 *   labels are the sequence, the sequence sorted, the sum modulo 2, or the most frequent token (of
 *   several the smallest)
 * - "list:FILE", or a file that ends in .tsv: a table with a header line and the columns file and
 *   class (a name, or an index), and x, y, width (or w), height (or h) of the object where known;
 *   paths are relative to the table
 * - a folder: IDX files in it are mnist, class folders are images
 *
 * Errors: NOT_FOUND (also naming the sources there are), DAMAGED with file and offset, INVALID.
 */
SondeDataset *sonde_dataset_open (const char *source, const SondeDatasetOptions *options,
                                  GError **error);
void sonde_dataset_free (SondeDataset *dataset);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeDataset, sonde_dataset_free)

/* @into: of the dataset's dtype and shape. Random transforms are left out, as when a model is
 * tested. */
gboolean sonde_dataset_fill (SondeDataset *dataset, guint sample, void *into, GError **error);
gint64 sonde_dataset_get_label (SondeDataset *dataset, guint sample);
void sonde_dataset_fill_label (SondeDataset *dataset, guint sample, void *into);
char *sonde_dataset_dup_name (SondeDataset *dataset, guint sample);
SondeImage *sonde_dataset_dup_image (SondeDataset *dataset, guint sample, GError **error);
gboolean sonde_dataset_get_truth (SondeDataset *dataset, guint sample, SondeBox *box, guint8 *mask);
gboolean sonde_dataset_get_cue (SondeDataset *dataset, guint sample, SondeBox *box);

/* What could not be read so far, one line each: "cat/0003.jpg: reason". (nullable): NULL behind the
 * 1000th. Any thread. */
guint sonde_dataset_get_n_faults (SondeDataset *dataset);
SondeMessage *sonde_dataset_dup_fault (SondeDataset *dataset, guint index);

/* Whether every class is below @n_classes. Errors: INVALID with the first sample that is not. */
gboolean sonde_dataset_check_labels (SondeDataset *dataset, gint64 n_classes, const char *source,
                                     GError **error);

/* Samples in a ready batch; only the last one may hold fewer. 0: the source has no ready
 * batches. */
guint sonde_dataset_get_ready_batch (SondeDataset *dataset);

/**
 * SondeSplitPart: which samples train and which test; owned arrays of sample numbers
 */
typedef struct
{
  guint *train, *test;
  guint n_train, n_test;
} SondeSplitPart;

/**
 * sonde_dataset_split:
 * @modulo: 0: head: the first @n_train train, the next @n_test test; k: sample i tests when i mod k
 * = k − 1
 * @n_train, @n_test: -1: not given: the source's own test part, else 80 % and 20 %; with modulo:
 * all of its part
 *
 * Errors: INVALID when more samples are asked for than there are, naming both numbers.
 */
gboolean sonde_dataset_split (SondeDataset *dataset, guint modulo, gint64 n_train, gint64 n_test,
                              SondeSplitPart *split, GError **error);
void sonde_split_part_clear (SondeSplitPart *split);

G_END_DECLS
