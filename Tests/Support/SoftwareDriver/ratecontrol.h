/// Chooses QPs so that the mean bit rate is close to the target, and the HRD's buffer does not underflow.

#ifndef SOFT_RATECONTROL_H
#define SOFT_RATECONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <va/va.h>

struct rate_target {
    unsigned mode;  // VA_RC_*
    double max_bits_per_second, bits_per_second, frame_rate;
    double buffer_size, initial_fullness;  // of the HRD, in bits; 0: not set
    int quality;  // of ICQ and QVBR, as a QP
    int initial_qp, min_qp, max_qp;  // 0: not set
};

void rate_target_read(struct rate_target *target, const VAEncMiscParameterRateControl *parameters);
void rate_target_read_hrd(struct rate_target *target, const VAEncMiscParameterHRD *parameters);

struct rate_control {
    // Of the last seconds: the pictures' bits at QP 0, if bits halved every 6 QP, and their cost.
    double bits, cost;
    double next_cost;       // of the current picture
    double spent, planned;  // bits since the beginning
    double fullness;        // bits in the HRD's buffer, before the next picture is removed; 0 before the first picture
    double qp;
    uint8_t *luma;  // of the last I or P picture, every other sample of every other row
    size_t samples;
};

/// The complexity of a picture of type 'I', 'P' or 'B': the residual of each luma sample, predicted from its left
/// neighbor or, in a P picture, from the last I or P picture. B pictures are intra.
double rate_cost(struct rate_control *control, const uint8_t *luma, int pitch, int width, int height, int bytes,
                 char type);

/// The next picture's QP, by `rate_cost`. 1 to 51.
int rate_qp(struct rate_control *control, const struct rate_target *target, int constant_qp, double cost);

/// Records the picture's result.
void rate_account(struct rate_control *control, const struct rate_target *target, int qp, size_t bytes);

void rate_close(struct rate_control *control);

#endif
