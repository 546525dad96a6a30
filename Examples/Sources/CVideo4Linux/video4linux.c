#include "video4linux.h"

const unsigned long v4l2_query_capabilities = VIDIOC_QUERYCAP;
const unsigned long v4l2_set_format = VIDIOC_S_FMT;
const unsigned long v4l2_set_parameters = VIDIOC_S_PARM;
const unsigned long v4l2_request_buffers = VIDIOC_REQBUFS;
const unsigned long v4l2_query_buffer = VIDIOC_QUERYBUF;
const unsigned long v4l2_queue_buffer = VIDIOC_QBUF;
const unsigned long v4l2_dequeue_buffer = VIDIOC_DQBUF;
const unsigned long v4l2_stream_on = VIDIOC_STREAMON;
const unsigned int v4l2_nv12 = V4L2_PIX_FMT_NV12;
