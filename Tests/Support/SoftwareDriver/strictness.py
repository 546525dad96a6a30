"""Usage: strictness.py NAME H264

Misuses VA-API through libva, in a process with a node of `rendernode.so`. Prints `as it should be` if each misuse gets
the right error. The stream is constrained baseline with one slice per picture.
"""

import ctypes
import os
import pathlib
import sys

from vaapi import (
    ADAPTIVE, BOB, COMPENSATED, DECODE, DEINTERLACING, FILTER, INVALID_BUFFER, INVALID_CONFIG, INVALID_CONTEXT,
    INVALID_PARAMETER, INVALID_SURFACE, NO_PROFILE, OPERATION_FAILED, PICTURE, PIPELINE, PROCESS, PROFILE, SLICE,
    SLICE_DATA, SUCCESS, SURFACE_BUSY, TIMED_OUT, YUV420, Pipeline, Session, va,
)  # fmt: skip

wrong: list[str] = []


def expect(what: str, status: int, expected: int) -> None:
    if status != expected:
        wrong.append(f"{what}: {status:#x}, not {expected:#x}")


class Bits:
    def __init__(self, data: bytes) -> None:
        self.data, self.position = data, 0

    def get(self, count: int) -> int:
        value = 0
        for _ in range(count):
            value = value << 1 | self.data[self.position // 8] >> (7 - self.position % 8) & 1
            self.position += 1
        return value

    def ue(self) -> int:
        zeros = 0
        while not self.get(1):
            zeros += 1
        return (1 << zeros) - 1 + self.get(zeros)

    def se(self) -> int:
        code = self.ue()
        return (code + 1) // 2 if code & 1 else -(code // 2)


def first_picture(path: str, surface: int, **changes) -> list[tuple[int, bytes]]:
    """VA's buffers of the stream's first picture, an IDR picture of x264; reads only what x264 writes."""
    parts = pathlib.Path(path).read_bytes().split(b"\0\0\1")
    units = [unit.rstrip(b"\0") for unit in parts if unit.rstrip(b"\0")]
    sps, pps, idr = (
        next(unit for unit in units if unit[0] & 31 == kind).replace(b"\0\0\3", b"\0\0") for kind in (7, 8, 5)
    )
    bits = Bits(sps[4:])
    bits.ue()
    if sps[1] >= 100:
        bits.ue(), bits.ue(), bits.ue(), bits.get(2)
    frame_num_bits, order_type = bits.ue() + 4, bits.ue()
    order_bits = bits.ue() + 4 if order_type == 0 else 0
    references, _, width, height = bits.ue(), bits.get(1), bits.ue(), bits.ue()
    bits = Bits(pps[1:])
    bits.ue(), bits.ue()
    assert bits.get(2) == 0 and bits.ue() == 0  # CAVLC, no slice groups
    bits.ue(), bits.ue(), bits.get(3)
    init_qp, init_qs, chroma, control = bits.se(), bits.se(), bits.se(), bits.get(1)
    bits = Bits(idr)
    bits.get(8)
    first, kind = bits.ue(), bits.ue()
    bits.ue(), bits.get(frame_num_bits), bits.ue(), bits.get(order_bits), bits.get(2)
    qp_delta = bits.se()
    filter_idc = bits.ue() if control else 0
    offsets = [bits.se(), bits.se()] if control and filter_idc != 1 else [0, 0]
    whole = next(unit for unit in units if unit[0] & 31 == 5)
    values = {
        "slice_type": kind,
        "first_mb": first,
        "qp_delta": qp_delta,
        "bit_offset": bits.position,
        "size": len(whole),
    } | changes
    picture = bytearray(652 + 64)
    invalid = (0xFFFFFFFF).to_bytes(4, "little") + bytes(4) + (1).to_bytes(4, "little") + bytes(24)
    picture[:36] = surface.to_bytes(4, "little") + bytes(32)
    for index in range(16):
        picture[36 + 36 * index : 72 + 36 * index] = invalid
    tail = width.to_bytes(2, "little") + height.to_bytes(2, "little") + bytes([0, 0, references, 0])
    sequence = 1 | 1 << 4 | 1 << 6 | (frame_num_bits - 4) << 8 | order_type << 12 | (max(order_bits, 4) - 4) << 14
    tail += sequence.to_bytes(4, "little") + bytes(4) + bytes(v & 255 for v in (init_qp, init_qs, chroma, chroma))
    tail += (control << 8 | 1 << 10).to_bytes(4, "little") + bytes(2)
    picture[612 : 612 + len(tail)] = tail
    parameters = bytearray(4096)
    parameters[:12] = values["size"].to_bytes(4, "little") + bytes(8)
    parameters[12:16] = values["bit_offset"].to_bytes(2, "little") + values["first_mb"].to_bytes(2, "little")
    parameters[16:27] = bytes(
        v & 255 for v in (values["slice_type"], 0, 0, 0, 0, values["qp_delta"], filter_idc, *offsets, 0, 0)
    )
    return [(PICTURE, bytes(picture)), (SLICE, bytes(parameters)), (SLICE_DATA, whole)]


def order(session: Session, path: str) -> None:
    first = ctypes.c_uint(session.surfaces[0])
    data = session.buffer(SLICE_DATA, b"data")
    expect(
        "vaRenderPicture before vaBeginPicture",
        session("RenderPicture", session.context, ctypes.byref(data), 1),
        OPERATION_FAILED,
    )
    expect("vaEndPicture before vaBeginPicture", session("EndPicture", session.context), OPERATION_FAILED)
    expect("vaBeginPicture", session("BeginPicture", session.context, first), SUCCESS)
    expect("vaBeginPicture twice", session("BeginPicture", session.context, first), OPERATION_FAILED)
    mapped = ctypes.c_void_p()
    expect("vaMapBuffer", session("MapBuffer", data, ctypes.byref(mapped)), SUCCESS)
    expect("vaMapBuffer twice", session("MapBuffer", data, ctypes.byref(mapped)), OPERATION_FAILED)
    expect(
        "vaRenderPicture of a mapped buffer",
        session("RenderPicture", session.context, ctypes.byref(data), 1),
        INVALID_BUFFER,
    )
    expect("vaUnmapBuffer", session("UnmapBuffer", data), SUCCESS)
    expect("vaUnmapBuffer twice", session("UnmapBuffer", data), OPERATION_FAILED)
    expect("a picture without parameters", session("EndPicture", session.context), INVALID_BUFFER)
    expect("vaDestroyBuffer", session("DestroyBuffer", data), SUCCESS)


def identity(session: Session, path: str) -> None:
    dead = (ctypes.c_uint * 1)()
    session("CreateSurfaces", YUV420, 64, 64, dead, 1, None, 0)
    expect("vaDestroySurfaces", session("DestroySurfaces", dead, 1), SUCCESS)
    expect("vaDestroySurfaces of a dead surface", session("DestroySurfaces", dead, 1), INVALID_SURFACE)
    fresh = (ctypes.c_uint * 1)()
    session("CreateSurfaces", YUV420, 64, 64, fresh, 1, None, 0)
    expect("an id that comes back", int(fresh[0] == dead[0]), 0)
    expect("an id of 0", int(0 in (fresh[0], session.context.value, session.config.value)), 0)
    expect("vaSyncSurface of a dead surface", session("SyncSurface", dead[0]), INVALID_SURFACE)
    expect("a context's id as a surface's", session("SyncSurface", session.context), INVALID_SURFACE)
    expect("a surface's id as a context's", session("EndPicture", fresh[0]), INVALID_CONTEXT)
    other = Session()
    expect("another display's surface", session("SyncSurface", other.surfaces[0]), INVALID_SURFACE)
    other.close()
    expect("vaDestroySurfaces", session("DestroySurfaces", fresh, 1), SUCCESS)


def synchrony(session: Session, path: str) -> None:
    surface = session.surfaces[0]
    image = session.image()
    mapped = ctypes.c_void_p()
    expect("a picture", session.render(surface, first_picture(path, surface)), SUCCESS)
    status = ctypes.c_int()
    expect("vaQuerySurfaceStatus", session("QuerySurfaceStatus", surface, ctypes.byref(status)), SUCCESS)
    expect("a surface that is worked on", status.value, 1)
    expect("reading it", session("MapBuffer", image.buffer, ctypes.byref(mapped)), SURFACE_BUSY)
    if hasattr(va, "vaSyncSurface2"):
        expect("waiting a little", session("SyncSurface2", surface, ctypes.c_uint64(1000)), TIMED_OUT)
    expect("waiting", session("SyncSurface", surface), SUCCESS)
    expect("reading it then", session("MapBuffer", image.buffer, ctypes.byref(mapped)), SUCCESS)
    expect("writing what is mapped", session.render(surface, first_picture(path, surface)), SURFACE_BUSY)
    expect("vaUnmapBuffer", session("UnmapBuffer", image.buffer), SUCCESS)
    expect("vaDestroyImage", session("DestroyImage", image.id), SUCCESS)


def parameters(session: Session, path: str) -> None:
    made = ctypes.c_uint()
    expect("an entrypoint that is not there", session("CreateConfig", PROFILE, 4, None, 0, ctypes.byref(made)), 0xD)
    expect("a profile that is not there", session("CreateConfig", 0, DECODE, None, 0, ctypes.byref(made)), 0xC)
    expect(
        "a config that is not there",
        session("CreateContext", 77, 64, 64, 1, None, 0, ctypes.byref(made)),
        INVALID_CONFIG,
    )
    expect(
        "a picture that is too large",
        session("CreateContext", session.config, 9999, 64, 1, None, 0, ctypes.byref(made)),
        0x13,
    )
    expect(
        "a buffer without a context",
        session("CreateBuffer", 77, SLICE, 9, 1, None, ctypes.byref(made)),
        INVALID_CONTEXT,
    )
    surface = session.surfaces[0]
    short = [(kind, data[:100] if kind == PICTURE else data) for kind, data in first_picture(path, surface)]
    expect("picture parameters that are cut", session.render(surface, short), INVALID_BUFFER)
    expect("another target", session.render(session.surfaces[1], first_picture(path, surface)), INVALID_PARAMETER)


def contradictions(session: Session, path: str) -> None:
    surface = session.surfaces[0]
    true = first_picture(path, surface)
    for change in ({"slice_type": 0}, {"first_mb": 3}, {"qp_delta": 30}, {"bit_offset": 99}, {"size": 1 << 20}):
        status = session.render(surface, first_picture(path, surface, **change))
        expect(f"slice parameters with {change}", status, INVALID_PARAMETER)
    expect("the true ones", session.render(surface, true), SUCCESS)
    expect("waiting", session("SyncSurface", surface), SUCCESS)


def references(_: Session, path: str) -> None:
    session = Session(NO_PROFILE, PROCESS)
    before, now, after, target = session.surfaces

    def deinterlace(algorithm: int, source: int, forward: list[int], backward: list[int]) -> int:
        words = (DEINTERLACING, algorithm, 0, 0, 0, 0, 0)
        filters = session.buffer(FILTER, b"".join(word.to_bytes(4, "little") for word in words))
        past, future = ((ctypes.c_uint * 4)(*ids) for ids in (forward, backward))
        pipeline = Pipeline(surface=source, filters=ctypes.pointer(filters), filter_count=1)
        pipeline.forward, pipeline.forward_count = ctypes.cast(past, Pipeline.Surfaces), len(forward)
        pipeline.backward, pipeline.backward_count = ctypes.cast(future, Pipeline.Surfaces), len(backward)
        status = session.render(target, [(PIPELINE, bytes(pipeline))])
        session("DestroyBuffer", filters)
        return status

    small, later = (ctypes.c_uint * 1)(), (ctypes.c_uint * 1)()
    session("CreateSurfaces", YUV420, 64, 64, small, 1, None, 0)
    session("CreateSurfaces", YUV420, 432, 256, later, 1, None, 0)
    expect("bob with references", deinterlace(BOB, now, [before], [after]), INVALID_PARAMETER)
    expect("too few references", deinterlace(ADAPTIVE, now, [before], []), INVALID_PARAMETER)
    expect("too many references", deinterlace(ADAPTIVE, now, [before, small[0]], [after]), INVALID_PARAMETER)
    expect("another size", deinterlace(ADAPTIVE, now, [small[0]], [after]), INVALID_PARAMETER)
    expect("the picture itself", deinterlace(ADAPTIVE, now, [now], [after]), INVALID_PARAMETER)
    expect("the target", deinterlace(ADAPTIVE, now, [before], [target]), INVALID_PARAMETER)
    session("DestroySurfaces", small, 1)
    expect("a dead reference", deinterlace(ADAPTIVE, now, [small[0]], [after]), INVALID_SURFACE)
    expect("the first picture, by bob", deinterlace(BOB, before, [], []), SUCCESS)
    expect("past and future, exchanged", deinterlace(ADAPTIVE, now, [after], [before]), INVALID_PARAMETER)
    expect("the true ones", deinterlace(ADAPTIVE, now, [before], [after]), SUCCESS)
    expect("the farther one first", deinterlace(COMPENSATED, after, [before, now], list(later)), INVALID_PARAMETER)
    expect("the nearer one first", deinterlace(COMPENSATED, after, [now, before], list(later)), SUCCESS)
    session("DestroySurfaces", later, 1)
    session.close()


def leaks(session: Session, path: str) -> None:
    forgetful = Session()
    forgetful("Terminate")
    line = pathlib.Path(os.environ["SOFTVA_STATS"]).read_text().splitlines()[-1]
    expect("what was left", int('"configs":1,"contexts":1,"surfaces":4,"buffers":0' in line), 1)


opened = Session()
globals()[sys.argv[1]](opened, sys.argv[2])
opened.close()
print("\n".join(wrong) if wrong else "as it should be")
