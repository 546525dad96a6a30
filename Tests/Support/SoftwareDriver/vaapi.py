"""The part of libva that strictness.py and pipelines.py use, in a process with a node of `rendernode.so`."""

import ctypes
import os

SUCCESS, OPERATION_FAILED, INVALID_CONFIG, INVALID_CONTEXT, INVALID_SURFACE, INVALID_BUFFER = 0, 1, 4, 5, 6, 7
INVALID_PARAMETER, SURFACE_BUSY, TIMED_OUT = 0x12, 0x10, 0x26
PROFILE, DECODE, YUV420 = 13, 1, 1  # constrained baseline, VLD
PICTURE, SLICE, SLICE_DATA = 0, 4, 5  # buffer types
NO_PROFILE, PROCESS, PIPELINE, FILTER = -1, 10, 41, 42
DEINTERLACING, BOB, ADAPTIVE, COMPENSATED = 2, 1, 3, 4

va = ctypes.CDLL("libva.so.2")
drm = ctypes.CDLL("libva-drm.so.2")
drm.vaGetDisplayDRM.restype = ctypes.c_void_p


class Image(ctypes.Structure):
    _fields_ = [
        ("id", ctypes.c_uint),
        ("format", ctypes.c_uint * 12),
        ("buffer", ctypes.c_uint),
        ("width", ctypes.c_ushort),
        ("height", ctypes.c_ushort),
        ("size", ctypes.c_uint),
        ("plane_count", ctypes.c_uint),
        ("pitches", ctypes.c_uint * 3),
        ("offsets", ctypes.c_uint * 3),
        ("rest", ctypes.c_uint * 64),
    ]


class Rectangle(ctypes.Structure):
    _fields_ = [("x", ctypes.c_short), ("y", ctypes.c_short), ("width", ctypes.c_ushort), ("height", ctypes.c_ushort)]


class Pipeline(ctypes.Structure):
    """VAProcPipelineParameterBuffer."""

    Surfaces, Region = ctypes.POINTER(ctypes.c_uint), ctypes.POINTER(Rectangle)
    _fields_ = [("surface", ctypes.c_uint), ("surface_region", Region), ("surface_standard", ctypes.c_uint)]
    _fields_ += [("output_region", Region), ("background", ctypes.c_uint), ("output_standard", ctypes.c_uint)]
    _fields_ += [("pipeline_flags", ctypes.c_uint), ("filter_flags", ctypes.c_uint), ("filters", Surfaces)]
    _fields_ += [("filter_count", ctypes.c_uint), ("forward", Surfaces), ("forward_count", ctypes.c_uint)]
    _fields_ += [("backward", Surfaces), ("backward_count", ctypes.c_uint), ("rest", ctypes.c_uint * 33)]


class Session:
    """A display with a config, a context and surfaces of 426x242."""

    def __init__(self, profile: int = PROFILE, entrypoint: int = DECODE) -> None:
        self.file = os.open("/dev/dri/renderD128", os.O_RDWR)
        self.display = ctypes.c_void_p(drm.vaGetDisplayDRM(self.file))
        major, minor = ctypes.c_int(), ctypes.c_int()
        assert va.vaInitialize(self.display, ctypes.byref(major), ctypes.byref(minor)) == SUCCESS
        self.config, self.context = ctypes.c_uint(), ctypes.c_uint()
        assert va.vaCreateConfig(self.display, profile, entrypoint, None, 0, ctypes.byref(self.config)) == SUCCESS
        self.surfaces = (ctypes.c_uint * 4)()
        assert va.vaCreateSurfaces(self.display, YUV420, 432, 256, self.surfaces, 4, None, 0) == SUCCESS
        assert (
            va.vaCreateContext(self.display, self.config, 432, 256, 1, self.surfaces, 4, ctypes.byref(self.context))
            == SUCCESS
        )

    def close(self) -> None:
        self("DestroyContext", self.context)
        self("DestroySurfaces", self.surfaces, 4)
        self("DestroyConfig", self.config)
        self("Terminate")

    def __call__(self, name: str, *arguments) -> int:
        return getattr(va, "va" + name)(self.display, *arguments)

    def buffer(self, kind: int, data: bytes) -> ctypes.c_uint:
        made = ctypes.c_uint()
        assert self("CreateBuffer", self.context, kind, len(data), 1, data, ctypes.byref(made)) == SUCCESS
        return made

    def render(self, surface: int, parts: list[tuple[int, bytes]]) -> int:
        """Renders one picture. - Returns: the status of vaEndPicture."""
        assert self("BeginPicture", self.context, surface) == SUCCESS
        buffers = [self.buffer(*part) for part in parts]
        for made in buffers:
            assert self("RenderPicture", self.context, ctypes.byref(made), 1) == SUCCESS
        status = self("EndPicture", self.context)
        for made in buffers:
            assert self("DestroyBuffer", made) == SUCCESS
        return status

    def image(self, surface: int | None = None) -> Image:
        image = Image()
        surface = self.surfaces[0] if surface is None else surface
        assert self("DeriveImage", surface, ctypes.byref(image)) == SUCCESS
        return image
