/// Chooses QPs so that the mean bit rate comes near what was asked. No buffer model: tests want the mean.

#ifndef SOFT_RATECONTROL_H
#define SOFT_RATECONTROL_H

#include <stddef.h>
#include <va/va.h>

struct rate_target {
    unsigned mode;  // VA_RC_*
    double bits_per_second, frame_rate;
    int quality;  // of ICQ and QVBR, as a QP
    int initial_qp, min_qp, max_qp;  // 0: not said
};

void rate_target_read(struct rate_target *target, const VAEncMiscParameterRateControl *parameters);

struct rate_control {
    double complexity;  // bits a picture would have at QP 0, if bits halved every 6 QP; a mean over some seconds
    double spent, planned;  // bits since the beginning
    double qp;
};

/// The next picture's QP. `pixels` is only a first guess at how hard pictures are. 1 to 51.
int rate_qp(struct rate_control *control, const struct rate_target *target, int constant_qp, double pixels);

/// What the picture became.
void rate_account(struct rate_control *control, const struct rate_target *target, int qp, size_t bytes);

#endif
