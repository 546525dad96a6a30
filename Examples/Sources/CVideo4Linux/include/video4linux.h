// The numbers of V4L2's requests are macros that Swift does not see.
#ifndef VIDEO4LINUX_H
#define VIDEO4LINUX_H

#include <linux/videodev2.h>

extern const unsigned long v4l2_query_capabilities, v4l2_set_format, v4l2_set_parameters, v4l2_request_buffers,
    v4l2_query_buffer, v4l2_queue_buffer, v4l2_dequeue_buffer, v4l2_stream_on;
extern const unsigned int v4l2_nv12;

#endif
