# SPDX-License-Identifier: Apache-2.0
"""Pictures beyond one array: order of axes, boxes, a sprite of small pictures, a Matplotlib figure. Needs NumPy."""
import struct
import zlib

from .library import Error


def need_numpy(what):
    try:
        import numpy
    except ImportError as problem:
        raise Error("%s needs NumPy, which is not installed" % what) from problem
    return numpy


def as_array(value, what):
    numpy = need_numpy(what)
    if hasattr(value, "detach"):
        value = value.detach().to("cpu")
        if str(value.dtype) == "torch.bfloat16":
            value = value.float()
    if hasattr(value, "asnumpy"):
        value = value.asnumpy()
    return numpy.asarray(value)


def reorder(value, order, wanted, what):
    """From axes named as in `order` ("HWC", "nchw") to those of `wanted`; axes that are missing get length 1."""
    order = order.upper()
    array = as_array(value, what)
    if len(order) != array.ndim or len(set(order)) != len(order) or not set(order) <= set(wanted):
        raise ValueError("dataformats “%s” does not fit %s with shape %s" % (order, what, array.shape))
    missing = [axis for axis in wanted if axis not in order]
    array = array.reshape((1,) * len(missing) + array.shape)
    have = "".join(missing) + order
    return array.transpose([have.index(axis) for axis in wanted])


def bytes_of(array):
    """Levels 0…255, as the library makes them."""
    numpy = need_numpy("a picture")
    if array.dtype == numpy.uint8:
        return array
    scale = 255 if array.dtype.kind in "fb" else 1
    return numpy.clip(numpy.nan_to_num(array.astype(numpy.float32) * scale), 0, 255).astype(numpy.uint8)


def draw_boxes(chw, boxes, width=1, colour=(255, 0, 0)):
    """A copy with the frames of boxes (left, top, right, bottom)."""
    numpy = need_numpy("a picture with boxes")
    picture = numpy.repeat(bytes_of(chw), 3, axis=0) if chw.shape[0] == 1 else bytes_of(chw).copy()
    colour = numpy.array(colour, numpy.uint8)[:, None, None]
    high, wide = picture.shape[1:]
    for left, top, right, bottom in numpy.asarray(boxes, float).reshape(-1, 4):
        x0, x1 = sorted((int(numpy.clip(left, 0, wide - 1)), int(numpy.clip(right, 0, wide - 1))))
        y0, y1 = sorted((int(numpy.clip(top, 0, high - 1)), int(numpy.clip(bottom, 0, high - 1))))
        for rows, columns in (((y0, y0 + width), (x0, x1 + 1)), ((y1 - width + 1, y1 + 1), (x0, x1 + 1)),
                              ((y0, y1 + 1), (x0, x0 + width)), ((y0, y1 + 1), (x1 - width + 1, x1 + 1))):
            picture[:3, max(rows[0], 0):rows[1], max(columns[0], 0):columns[1]] = colour
    return picture


def png(hwc):
    """An RGB picture as PNG, for sprites: the library encodes the others."""
    high, wide = hwc.shape[:2]
    rows = b"".join(b"\0" + hwc[y].tobytes() for y in range(high))

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", wide, high, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows, 6)) + chunk(b"IEND", b""))


def sprite(pictures):
    """[N, C, H, W] -> PNG of a square of tiles, row by row, and the size of a tile (width, height)."""
    numpy = need_numpy("a sprite")
    pictures = bytes_of(as_array(pictures, "label_img"))
    n, channels, high, wide = pictures.shape
    if channels == 1:
        pictures = numpy.repeat(pictures, 3, axis=1)
    side = int(numpy.ceil(numpy.sqrt(max(n, 1))))
    sheet = numpy.zeros((side * high, side * wide, 3), numpy.uint8)
    for i in range(n):
        y, x = i // side * high, i % side * wide
        sheet[y:y + high, x:x + wide] = pictures[i, :3].transpose(1, 2, 0)
    return png(sheet), (wide, high)


def of_figure(figure):
    """A Matplotlib figure -> [H, W, 4]."""
    numpy = need_numpy("add_figure")
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
    except ImportError as problem:
        raise Error("add_figure needs Matplotlib, which is not installed") from problem
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return numpy.asarray(canvas.buffer_rgba())


def close_figure(figure):
    import matplotlib.pyplot
    matplotlib.pyplot.close(figure)
