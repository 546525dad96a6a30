/// For LD_PRELOAD: a camera at /dev/video9 that supports Video4Linux2 streaming with mapped memory, and a metadata node
/// at /dev/video10. Its frames are the bytes of a file, repeated endlessly.
///
///     VTX_CAMERA_FORMAT=YUYV      a FourCC; it also lists NV21, which vtx does not record
///     VTX_CAMERA_SIZE=320x240     the only size
///     VTX_CAMERA_RATES=30,15      frames per second
///     VTX_CAMERA_PADDING=0        bytes after each row
///     VTX_CAMERA_PICTURES=FILE    for MJPG: concatenated JPEGs; for H264: a byte stream
///                                 whose access units begin with delimiters; else rows without padding
///     VTX_CAMERA_UNPLUGGED=N      ENODEV after this many frames
///     VTX_CAMERA_PLUG=FILE        unplugged while there is no such file; open: ENOENT
///     VTX_CAMERA_STALLED=N        no more frames after this many
///     VTX_CAMERA_BROKEN=N         EIO after this many frames
///     VTX_CAMERA_FORBIDDEN=1      open: EACCES
///     VTX_CAMERA_BUSY=1           VIDIOC_S_FMT: EBUSY
///     VTX_CAMERA_SHORT=N          the Nth frame is truncated
///     VTX_CAMERA_FLASH=1          white for the first tenth of each second of the monotonic clock, else black
///     VTX_CAMERA_SKIPPED=N        sequence numbers jump by this many after the third frame

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define NEXT(name) \
    static __typeof__(name) *next; \
    if (!next) \
        next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

enum { buffer_count = 4, most_pictures = 4096 };

static struct {
    int file, metadata;
    bool streams;
    unsigned width, height, padding, rate, format;
    size_t length;
    unsigned char *memory[buffer_count];
    bool queued[buffer_count];
    unsigned char *bytes;
    size_t byte_count;
    size_t starts[most_pictures + 1];
    unsigned picture_count, given;
    double start;
} camera = {.file = -1, .metadata = -1};

static const char *setting(const char *name, const char *fallback) {
    const char *value = getenv(name);
    return value && *value ? value : fallback;
}

static long number(const char *name, long fallback) {
    const char *value = getenv(name);
    return value && *value ? atol(value) : fallback;
}

static unsigned four_characters(const char *text) { return v4l2_fourcc(text[0], text[1], text[2], text[3]); }

static bool is_coded(void) { return camera.format == V4L2_PIX_FMT_MJPEG || camera.format == V4L2_PIX_FMT_H264; }

/// Whether a coded picture begins here.
static bool begins_picture(const unsigned char *bytes) {
    static const unsigned char jpeg[4] = {0xff, 0xd8, 0xff}, access_unit[5] = {0, 0, 0, 1, 9};
    return camera.format == V4L2_PIX_FMT_H264 ? !memcmp(bytes, access_unit, 5) : !memcmp(bytes, jpeg, 3);
}

static bool is_packed(void) { return camera.format == V4L2_PIX_FMT_YUYV || camera.format == V4L2_PIX_FMT_UYVY; }

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static unsigned row_bytes(void) { return camera.width * (is_packed() ? 2 : 1); }
static unsigned row_count(void) { return is_packed() ? camera.height : camera.height * 3 / 2; }

/// Finds the start of each picture in the file.
static void find_pictures(void) {
    if (!is_coded()) {
        size_t size = (size_t)row_bytes() * row_count();
        camera.picture_count = size ? camera.byte_count / size : 0;
        if (camera.picture_count > most_pictures)
            camera.picture_count = most_pictures;
        for (unsigned i = 0; i <= camera.picture_count; i++)
            camera.starts[i] = i * size;
        return;
    }
    for (size_t i = 0; i + 4 < camera.byte_count && camera.picture_count < most_pictures; i++)
        if (begins_picture(camera.bytes + i))
            camera.starts[camera.picture_count++] = i;
    camera.starts[camera.picture_count] = camera.byte_count;
}

static void read_pictures(void) {
    FILE *file = fopen(setting("VTX_CAMERA_PICTURES", "/dev/null"), "rb");
    if (!file)
        abort();
    camera.bytes = malloc(64 << 20);
    camera.byte_count = fread(camera.bytes, 1, 64 << 20, file);
    fclose(file);
    find_pictures();
    if (!camera.picture_count)
        abort();
}

static bool is_away(void) {
    const char *plug = setting("VTX_CAMERA_PLUG", "");
    return *plug && access(plug, F_OK);
}

static int open_camera(void) {
    if (is_away()) {
        errno = ENOENT;
        return -1;
    }
    camera.given = 0;
    if (number("VTX_CAMERA_FORBIDDEN", 0)) {
        errno = EACCES;
        return -1;
    }
    sscanf(setting("VTX_CAMERA_SIZE", "320x240"), "%ux%u", &camera.width, &camera.height);
    camera.format = four_characters(setting("VTX_CAMERA_FORMAT", "YUYV"));
    camera.padding = number("VTX_CAMERA_PADDING", 0);
    camera.rate = number("VTX_CAMERA_RATES", 30);
    return camera.file = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

static bool is_ours(const char *path) { return !strcmp(path, "/dev/video9") || !strcmp(path, "/dev/video10"); }

static int opened(const char *path) {
    if (!strcmp(path, "/dev/video9"))
        return open_camera();
    return camera.metadata = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

int open(const char *path, int flags, ...) {
    NEXT(open);
    if (is_ours(path))
        return opened(path);
    va_list rest;
    va_start(rest, flags);
    unsigned mode = va_arg(rest, unsigned);
    va_end(rest);
    return next(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    NEXT(open64);
    if (is_ours(path))
        return opened(path);
    va_list rest;
    va_start(rest, flags);
    unsigned mode = va_arg(rest, unsigned);
    va_end(rest);
    return next(path, flags, mode);
}

int close(int file) {
    NEXT(close);
    if (file >= 0 && file == camera.file)
        camera.file = -1;
    if (file >= 0 && file == camera.metadata)
        camera.metadata = -1;
    return next(file);
}

void *mmap64(void *address, size_t length, int protection, int flags, int file, off64_t offset) {
    NEXT(mmap64);
    if (file >= 0 && file == camera.file)
        return camera.memory[offset / 4096 % buffer_count] = next(0, length, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return next(address, length, protection, flags, file, offset);
}

void *mmap(void *address, size_t length, int protection, int flags, int file, off_t offset) {
    return mmap64(address, length, protection, flags, file, offset);
}

static bool is_unplugged(void) {
    long count = number("VTX_CAMERA_UNPLUGGED", -1);
    return is_away() || (count >= 0 && camera.given >= count);
}

/// The seconds until the next frame; a large number if there is none.
static double wait(void) {
    long count = number("VTX_CAMERA_STALLED", -1);
    if (is_unplugged())
        return 0;
    if (!camera.streams || (count >= 0 && camera.given >= count))
        return 1e6;
    return camera.start + (camera.given + 1.0) / camera.rate - now();
}

int poll(struct pollfd *files, nfds_t count, int milliseconds) {
    NEXT(poll);
    if (count != 1 || files[0].fd < 0 || files[0].fd != camera.file)
        return next(files, count, milliseconds);
    double seconds = wait(), limit = milliseconds / 1000.0;
    bool is_due = seconds <= limit;
    usleep((is_due ? (seconds > 0 ? seconds : 0) : limit) * 1e6);
    files[0].revents = is_due ? (is_unplugged() ? POLLERR : POLLIN) : 0;
    return is_due;
}

// MARK: Requests

static int fails(int code) {
    errno = code;
    return -1;
}

static int capabilities(struct v4l2_capability *answer, bool is_camera) {
    memset(answer, 0, sizeof *answer);
    strcpy((char *)answer->driver, "fake");
    strcpy((char *)answer->card, "Fake Camera");
    strcpy((char *)answer->bus_info, "usb-fake-1");
    answer->device_caps = (is_camera ? V4L2_CAP_VIDEO_CAPTURE : V4L2_CAP_META_CAPTURE) | V4L2_CAP_STREAMING;
    answer->capabilities = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_META_CAPTURE | V4L2_CAP_STREAMING | V4L2_CAP_DEVICE_CAPS;
    return 0;
}

static int enumerate_format(struct v4l2_fmtdesc *answer) {
    if (answer->index > 1)
        return fails(EINVAL);
    answer->pixelformat = answer->index ? V4L2_PIX_FMT_NV21 : camera.format;
    return 0;
}

static int enumerate_size(struct v4l2_frmsizeenum *answer) {
    if (answer->index > 0)
        return fails(EINVAL);
    answer->type = V4L2_FRMSIZE_TYPE_DISCRETE;
    answer->discrete.width = camera.width;
    answer->discrete.height = camera.height;
    return 0;
}

static int enumerate_interval(struct v4l2_frmivalenum *answer) {
    const char *rates = setting("VTX_CAMERA_RATES", "30");
    for (unsigned i = 0; i < answer->index; i++) {
        rates = strchr(rates, ',');
        if (!rates++)
            return fails(EINVAL);
    }
    answer->type = V4L2_FRMIVAL_TYPE_DISCRETE;
    answer->discrete.numerator = 1;
    answer->discrete.denominator = atoi(rates);
    return 0;
}

static int set_format(struct v4l2_format *wanted) {
    if (number("VTX_CAMERA_BUSY", 0))
        return fails(EBUSY);
    struct v4l2_pix_format *picture = &wanted->fmt.pix;
    picture->width = camera.width;
    picture->height = camera.height;
    picture->pixelformat = camera.format;
    picture->field = V4L2_FIELD_NONE;
    picture->colorspace = V4L2_COLORSPACE_SRGB;
    picture->bytesperline = is_coded() ? 0 : row_bytes() + camera.padding;
    picture->sizeimage = is_coded() ? 1 << 20 : picture->bytesperline * row_count();
    camera.length = picture->sizeimage;
    return 0;
}

static int set_rate(struct v4l2_streamparm *wanted) {
    struct v4l2_fract *interval = &wanted->parm.capture.timeperframe;
    if (interval->numerator)
        camera.rate = interval->denominator / interval->numerator;
    return 0;
}

static int query_buffer(struct v4l2_buffer *buffer) {
    buffer->length = camera.length;
    buffer->m.offset = buffer->index * 4096;
    return 0;
}

/// Copies a row, or a part of one. Returns its size in memory, with padding.
static size_t copy_row(unsigned char *memory, const unsigned char **picture, unsigned part) {
    memcpy(memory, *picture, row_bytes() / part);
    *picture += row_bytes() / part;
    memset(memory + row_bytes() / part, 255, camera.padding / part);
    return (row_bytes() + camera.padding) / part;
}

static void fill(struct v4l2_buffer *buffer) {
    unsigned index = camera.given % camera.picture_count;
    const unsigned char *picture = camera.bytes + camera.starts[index];
    unsigned char *memory = camera.memory[buffer->index];
    size_t size = camera.starts[index + 1] - camera.starts[index];
    if (is_coded()) {
        memcpy(memory, picture, size);
    } else {
        size = 0;
        for (unsigned row = 0; row < camera.height; row++)
            size += copy_row(memory + size, &picture, 1);
        // Rows of Cb and Cr have half the padding of luma rows; interleaved rows have the same.
        bool is_planar = camera.format == V4L2_PIX_FMT_YUV420;
        unsigned rest = is_packed() ? 0 : is_planar ? camera.height : camera.height / 2;
        for (unsigned row = 0; row < rest; row++)
            size += copy_row(memory + size, &picture, is_planar ? 2 : 1);
    }
    double time = camera.start + (camera.given + 1.0) / camera.rate;
    if (number("VTX_CAMERA_FLASH", 0))
        memset(memory, time - (long)time < 0.1 ? 235 : 16, (size_t)row_bytes() * camera.height);
    bool is_short = camera.given + 1 == number("VTX_CAMERA_SHORT", -1);
    buffer->bytesused = is_short ? size / 2 : size;
}

static int dequeue(struct v4l2_buffer *buffer) {
    if (is_unplugged())
        return fails(ENODEV);
    if (camera.given == number("VTX_CAMERA_BROKEN", -1))
        return fails(EIO);
    if (wait() > 0)
        return fails(EAGAIN);
    for (unsigned index = 0; index < buffer_count; index++) {
        if (!camera.queued[index])
            continue;
        camera.queued[index] = false;
        buffer->index = index;
        fill(buffer);
        double time = camera.start + (camera.given + 1.0) / camera.rate;
        buffer->timestamp.tv_sec = time;
        buffer->timestamp.tv_usec = (time - buffer->timestamp.tv_sec) * 1e6;
        buffer->flags = V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC;
        buffer->sequence = camera.given + (camera.given >= 3 ? number("VTX_CAMERA_SKIPPED", 0) : 0);
        camera.given++;
        return 0;
    }
    return fails(EAGAIN);
}

static int request(unsigned long number, void *argument) {
    switch (number) {
    case VIDIOC_QUERYCAP: return capabilities(argument, true);
    case VIDIOC_ENUM_FMT: return enumerate_format(argument);
    case VIDIOC_ENUM_FRAMESIZES: return enumerate_size(argument);
    case VIDIOC_ENUM_FRAMEINTERVALS: return enumerate_interval(argument);
    case VIDIOC_S_FMT: return set_format(argument);
    case VIDIOC_S_PARM: return set_rate(argument);
    case VIDIOC_REQBUFS: return ((struct v4l2_requestbuffers *)argument)->count = buffer_count, 0;
    case VIDIOC_QUERYBUF: return query_buffer(argument);
    case VIDIOC_QBUF: return camera.queued[((struct v4l2_buffer *)argument)->index] = true, 0;
    case VIDIOC_DQBUF: return dequeue(argument);
    case VIDIOC_STREAMON: return read_pictures(), camera.start = now(), camera.streams = true, 0;
    case VIDIOC_STREAMOFF: return camera.streams = false, 0;
    default: return fails(ENOTTY);
    }
}

int ioctl(int file, unsigned long number, ...) {
    NEXT(ioctl);
    va_list rest;
    va_start(rest, number);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    if (file >= 0 && file == camera.file)
        return request(number, argument);
    if (file >= 0 && file == camera.metadata)
        return number == VIDIOC_QUERYCAP ? capabilities(argument, false) : fails(ENOTTY);
    return next(file, number, argument);
}
