#ifndef SOFT_CONFIG_H
#define SOFT_CONFIG_H

#include "driver.h"

struct format;

struct config {
    struct object object;
    VAProfile profile;
    VAEntrypoint entrypoint;
    unsigned rt_format, rate_control, packed_headers;
};

/// Whether surfaces of this format can be used with the config.
bool config_takes(const struct driver *driver, const struct config *config, const struct format *format);

/// The minimum width or height of pictures: `asked`, but for x265 at least its largest block.
int least_side(const struct config *config, int asked);

/// The highest quality level that the application may choose.
unsigned encoder_quality_range(const struct driver *driver);

bool is_h264(VAProfile profile);
bool is_encoder(VAEntrypoint entrypoint);

#endif
