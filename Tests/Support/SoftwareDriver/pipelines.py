"""Usage: pipelines.py NAME

Runs passes of the video processor for which ffmpeg has no filter, in a process with a node of `rendernode.so`, and
prints as JSON their result for a picture with Y 200, Cb 90 and Cr 160.
"""

import ctypes
import json
import sys

from vaapi import NO_PROFILE, PIPELINE, PROCESS, SUCCESS, Image, Pipeline, Rectangle, Session

RED, BLACK = 0xFFFF0000, 0xFF000000
session = Session(NO_PROFILE, PROCESS)
source, target = session.surfaces[:2]


def mapped(image: Image) -> int:
    address = ctypes.c_void_p()
    assert session("MapBuffer", image.buffer, ctypes.byref(address)) == SUCCESS
    return address.value


def release(image: Image) -> None:
    assert session("UnmapBuffer", image.buffer) == SUCCESS
    assert session("DestroyImage", image.id) == SUCCESS


def paint() -> None:
    image = session.image(source)
    address = mapped(image)
    ctypes.memset(address, 200, image.pitches[0] * 256)
    ctypes.memmove(address + image.offsets[1], bytes((90, 160)) * (image.pitches[1] * 64), image.pitches[1] * 128)
    release(image)


def pixel(x: int, y: int) -> list[int]:
    image = session.image(target)
    address = mapped(image)
    luma = ctypes.string_at(address + y * image.pitches[0] + x, 1)
    chroma = ctypes.string_at(address + image.offsets[1] + y // 2 * image.pitches[1] + x // 2 * 2, 2)
    release(image)
    return list(luma + chroma)


def process(region: Rectangle, background: int) -> None:
    pipeline = Pipeline(surface=source, output_region=ctypes.pointer(region), background=background)
    assert session.render(target, [(PIPELINE, bytes(pipeline))]) == SUCCESS
    assert session("SyncSurface", target) == SUCCESS


def background() -> dict:
    """A picture in the middle of a red one."""
    process(Rectangle(100, 0, 232, 256), RED)
    return {"bar": pixel(20, 100), "picture": pixel(216, 100)}


def geometry() -> list[list[int]]:
    """The luma on the left and on the right after the picture is placed left, right, and right again."""
    passes = []
    for x in (0, 216, 216):
        process(Rectangle(x, 0, 216, 256), BLACK)
        passes.append([pixel(100, 100)[0], pixel(300, 100)[0]])
    return passes


paint()
print(json.dumps(globals()[sys.argv[1]]()))
session.close()
