// The numbers of V4L2's requests, and the flags that are macros with casts: Swift does not see them.
#ifndef CV4L2_H
#define CV4L2_H

#include <errno.h>
#include <linux/videodev2.h>
#include <sys/ioctl.h>

static const unsigned long v4l2_query_capabilities = VIDIOC_QUERYCAP;
static const unsigned long v4l2_enumerate_formats = VIDIOC_ENUM_FMT;
static const unsigned long v4l2_enumerate_sizes = VIDIOC_ENUM_FRAMESIZES;
static const unsigned long v4l2_enumerate_intervals = VIDIOC_ENUM_FRAMEINTERVALS;
static const unsigned long v4l2_set_format = VIDIOC_S_FMT;
static const unsigned long v4l2_set_parameters = VIDIOC_S_PARM;
static const unsigned long v4l2_request_buffers = VIDIOC_REQBUFS;
static const unsigned long v4l2_query_buffer = VIDIOC_QUERYBUF;
static const unsigned long v4l2_queue_buffer = VIDIOC_QBUF;
static const unsigned long v4l2_dequeue_buffer = VIDIOC_DQBUF;
static const unsigned long v4l2_stream_on = VIDIOC_STREAMON;
static const unsigned long v4l2_stream_off = VIDIOC_STREAMOFF;

static const unsigned int v4l2_captures = V4L2_CAP_VIDEO_CAPTURE;
static const unsigned int v4l2_streams = V4L2_CAP_STREAMING;
static const unsigned int v4l2_has_device_capabilities = V4L2_CAP_DEVICE_CAPS;
static const unsigned int v4l2_buffer_has_error = V4L2_BUF_FLAG_ERROR;
static const unsigned int v4l2_buffer_clock_mask = V4L2_BUF_FLAG_TIMESTAMP_MASK;
static const unsigned int v4l2_buffer_clock_monotonic = V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC;

/// ioctl(2) that a signal does not interrupt.
static inline int v4l2_call(int device, unsigned long request, void *argument) {
    int status;
    do
        status = ioctl(device, request, argument);
    while (status < 0 && errno == EINTR);
    return status;
}

#endif
