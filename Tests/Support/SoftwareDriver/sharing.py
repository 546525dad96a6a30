"""Usage: sharing.py FOURCC

Exports a surface as a dma-buf, reads and writes its memory, imports it in both ways into another display, and makes
calls that must fail, in a process with a node of `rendernode.so`. Prints `as it should be` on success.
"""

import ctypes
import mmap
import os
import sys

from vaapi import INVALID_PARAMETER, SUCCESS, SURFACE_BUSY, Session, va

WIDTH, HEIGHT = 100, 60
VA, PRIME, PRIME_2 = 1, 0x20000000, 0x40000000
READ_WRITE, SEPARATE, COMPOSED = 3, 4, 8
UNSUPPORTED_MEMORY_TYPE = 0x24
PIXEL_FORMAT, MEMORY_TYPE, EXTERNAL_BUFFER = 1, 6, 7
# The chroma type; DRM's formats of the whole and of each plane; bytes of a row and rows of each plane.
FORMATS = {
    "NV12": (0x1, b"NV12", (b"R8  ", b"GR88"), ((100, 60), (100, 30))),
    "P010": (0x100, b"P010", (b"R16 ", b"GR32"), ((200, 60), (200, 30))),
    "I420": (0x1, b"YU12", (b"R8  ", b"R8  ", b"R8  "), ((100, 60), (50, 30), (50, 30))),
    "YUY2": (0x2, b"YUYV", (b"YUYV",), ((200, 60),)),
    "BGRA": (0x20000, b"AR24", (b"AR24",), ((400, 60),)),
}
fourcc = int.from_bytes(sys.argv[1].encode(), "little")
chroma, whole, names, planes = FORMATS[sys.argv[1]]
wrong: list[str] = []


class Value(ctypes.Union):
    _fields_ = [("number", ctypes.c_int), ("pointer", ctypes.c_void_p)]


class Attribute(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("flags", ctypes.c_uint), ("kind", ctypes.c_int), ("value", Value)]


class Object(ctypes.Structure):
    _fields_ = [("fd", ctypes.c_int), ("size", ctypes.c_uint), ("modifier", ctypes.c_uint64)]


class Layer(ctypes.Structure):
    _fields_ = [("format", ctypes.c_char * 4), ("plane_count", ctypes.c_uint), ("objects", ctypes.c_uint * 4)]
    _fields_ += [("offsets", ctypes.c_uint * 4), ("pitches", ctypes.c_uint * 4)]


class Descriptor(ctypes.Structure):
    """VADRMPRIMESurfaceDescriptor."""

    _fields_ = [("fourcc", ctypes.c_uint), ("width", ctypes.c_uint), ("height", ctypes.c_uint)]
    _fields_ += [("object_count", ctypes.c_uint), ("objects", Object * 4)]
    _fields_ += [("layer_count", ctypes.c_uint), ("layers", Layer * 4)]


class ExternalBuffers(ctypes.Structure):
    """VASurfaceAttribExternalBuffers."""

    _fields_ = [("fourcc", ctypes.c_uint), ("width", ctypes.c_uint), ("height", ctypes.c_uint)]
    _fields_ += [("size", ctypes.c_uint), ("plane_count", ctypes.c_uint), ("pitches", ctypes.c_uint * 4)]
    _fields_ += [("offsets", ctypes.c_uint * 4), ("buffers", ctypes.POINTER(ctypes.c_ulong))]
    _fields_ += [("buffer_count", ctypes.c_uint), ("flags", ctypes.c_uint), ("private", ctypes.c_void_p)]


def expect(what: str, got, expected) -> None:
    if got != expected:
        wrong.append(f"{what}: {got!r}, not {expected!r}")


def create(session: Session, *attributes: tuple[int, int | ctypes.Structure]) -> tuple[int, int]:
    """The status of vaCreateSurfaces, and the surface."""
    made, listed = ctypes.c_uint(), (Attribute * len(attributes))()
    for entry, (kind, value) in zip(listed, attributes):
        is_number = isinstance(value, int)
        entry.type, entry.flags, entry.kind = kind, 2, 1 if is_number else 3
        entry.value = Value(number=value) if is_number else Value(pointer=ctypes.addressof(value))
    arguments = (chroma, WIDTH, HEIGHT, ctypes.byref(made), 1, listed, len(attributes))
    return va.vaCreateSurfaces(session.display, *arguments), made.value


def export(session: Session, surface: int, flags: int, memory: int = PRIME_2) -> tuple[int, Descriptor]:
    descriptor = Descriptor()
    return session("ExportSurfaceHandle", surface, memory, READ_WRITE | flags, ctypes.byref(descriptor)), descriptor


def rows(data, layout) -> list[bytes]:
    """The rows of all planes in memory, by offset and pitch of each plane."""
    found = []
    for (width, height), (offset, pitch) in zip(planes, layout):
        found += [bytes(data[offset + y * pitch : offset + y * pitch + width]) for y in range(height)]
    return found


def pattern(seed: int, layout, size: int) -> bytearray:
    data = bytearray(size)
    for number, ((width, height), (offset, pitch)) in enumerate(zip(planes, layout)):
        for y in range(height):
            data[offset + y * pitch : offset + y * pitch + width] = bytes(
                (seed + number * 50 + x + y) & 255 for x in range(width)
            )
    return data


def view(session: Session, surface: int, new: int | None = None) -> list[bytes]:
    """The surface's rows through a derived image; with `new`, written first."""
    image, address = session.image(surface), ctypes.c_void_p()
    layout = list(zip(image.offsets, image.pitches))
    expect("vaMapBuffer", session("MapBuffer", image.buffer, ctypes.byref(address)), SUCCESS)
    expect("export while it is mapped", export(session, surface, SEPARATE)[0], SURFACE_BUSY)
    if new is not None:
        data = pattern(new, layout, image.size)
        ctypes.memmove(address, bytes(data), image.size)
    got = rows(ctypes.string_at(address.value, image.size), layout)
    session("UnmapBuffer", image.buffer)
    session("DestroyImage", image.id)
    return got


def check_descriptor(one: Descriptor, separate: bool) -> list[tuple[int, int]]:
    expect("fourcc", one.fourcc, fourcc)
    expect("size", (one.width, one.height), (WIDTH, HEIGHT))
    expect("objects", (one.object_count, one.objects[0].modifier), (1, 0))
    layers = [one.layers[index] for index in range(one.layer_count)]
    expect("formats", [layer.format for layer in layers], [name for name in (names if separate else (whole,))])
    return [(la.offsets[n], la.pitches[n]) for la in layers for n in range(la.plane_count)]


first, second = Session(), Session()
status, surface = create(first, (PIXEL_FORMAT, fourcc))
expect("vaCreateSurfaces", status, SUCCESS)
painted = view(first, surface, new=3)
expect("another memory type", export(first, surface, SEPARATE, memory=VA)[0], UNSUPPORTED_MEMORY_TYPE)
status, composed = export(first, surface, COMPOSED)
expect("export as one layer", status, SUCCESS)
status, separate = export(first, surface, SEPARATE)
expect("export as layers", status, SUCCESS)
layout = check_descriptor(separate, True)
expect("both layouts", check_descriptor(composed, False), layout)

memory = mmap.mmap(separate.objects[0].fd, separate.objects[0].size)
expect("the exported memory", rows(memory, layout), painted)
memory[:] = bytes(pattern(7, layout, len(memory)))
written = rows(memory, layout)
expect("what was written there", view(first, surface), written)

status, imported = create(second, (MEMORY_TYPE, PRIME_2), (EXTERNAL_BUFFER, separate))
expect("import of PRIME_2", status, SUCCESS)
expect("its pixels", view(second, imported), written)
buffer = ctypes.c_ulong(separate.objects[0].fd)
prime = ExternalBuffers(fourcc, WIDTH, HEIGHT, separate.objects[0].size, len(planes), buffer_count=1)
prime.buffers = ctypes.pointer(buffer)
for index, (offset, pitch) in enumerate(layout):
    prime.offsets[index], prime.pitches[index] = offset, pitch
status, other = create(second, (MEMORY_TYPE, PRIME), (EXTERNAL_BUFFER, prime), (PIXEL_FORMAT, fourcc))
expect("import of PRIME", status, SUCCESS)
expect("what is drawn on one", view(second, other, new=11) == view(second, imported) == view(first, surface), True)

separate.objects[0].modifier = 1 << 56 | 1
expect("import of tiles", create(second, (MEMORY_TYPE, PRIME_2), (EXTERNAL_BUFFER, separate))[0], INVALID_PARAMETER)
separate.objects[0].modifier = 0
separate.layers[0].pitches[0] = 1 << 20
expect("a large pitch", create(second, (MEMORY_TYPE, PRIME_2), (EXTERNAL_BUFFER, separate))[0], INVALID_PARAMETER)
separate.layers[0].pitches[0] = planes[0][0] - 1
expect("a small pitch", create(second, (MEMORY_TYPE, PRIME_2), (EXTERNAL_BUFFER, separate))[0], INVALID_PARAMETER)
expect("no descriptor", create(second, (MEMORY_TYPE, PRIME_2))[0], INVALID_PARAMETER)
for descriptor in (separate, composed):
    os.close(descriptor.objects[0].fd)
expect("a closed file", create(second, (MEMORY_TYPE, PRIME), (EXTERNAL_BUFFER, prime))[0], INVALID_PARAMETER)
for session, surfaces in ((first, (surface,)), (second, (imported, other))):
    expect("vaDestroySurfaces", session("DestroySurfaces", (ctypes.c_uint * 2)(*surfaces), len(surfaces)), SUCCESS)
    session.close()
memory.close()
files = [os.path.realpath(entry) for entry in os.scandir("/proc/self/fd")]
expect("files that are left open", [path for path in files if "softva-surface" in path], [])
print("\n".join(wrong) if wrong else "as it should be")
