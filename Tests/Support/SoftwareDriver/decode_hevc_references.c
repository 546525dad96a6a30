#include <stdlib.h>

#include "decode_hevc.h"

bool hevc_is_present(const VAPictureHEVC *reference) {
    return reference->picture_id != VA_INVALID_SURFACE && !(reference->flags & VA_PICTURE_HEVC_INVALID);
}

/// The reference's subset, of the three that the picture may use: 0 before, 1 after, 2 long-term, -1 none.
static int subset_of(const VAPictureHEVC *reference) {
    if (reference->flags & VA_PICTURE_HEVC_RPS_ST_CURR_BEFORE)
        return 0;
    if (reference->flags & VA_PICTURE_HEVC_RPS_ST_CURR_AFTER)
        return 1;
    return reference->flags & VA_PICTURE_HEVC_RPS_LT_CURR ? 2 : -1;
}

/// 8.3.4: list 0 begins with the past, list 1 with the future, nearest first; then long-term references.
static void place_references(struct hevc_references *references, const VAPictureHEVC *list, int poc) {
    for (int l = 0; l < 2; l++)
        for (int index = 0; index < 15; index++) {
            references->place[l][index] = -1;
            int subset = hevc_is_present(&list[index]) ? subset_of(&list[index]) : -1;
            if (subset < 0)
                continue;
            int rank = subset == 2 ? 2 : subset ^ l, place = 0;
            for (int other = 0; other < 15; other++) {
                int its = hevc_is_present(&list[other]) ? subset_of(&list[other]) : -1;
                int its_rank = its == 2 ? 2 : its ^ l;
                bool nearer = abs(list[other].pic_order_cnt - poc) < abs(list[index].pic_order_cnt - poc);
                if (its >= 0 && (its_rank < rank || (its == subset && (its == 2 ? other < index : nearer))))
                    place++;
            }
            references->place[l][index] = place;
        }
}

struct hevc_references hevc_references_of(const VAPictureParameterBufferHEVC *picture) {
    struct hevc_references references = {0};
    int poc = picture->CurrPic.pic_order_cnt;
    for (int index = 0; index < 15; index++) {
        const VAPictureHEVC *reference = &picture->ReferenceFrames[index];
        if (!hevc_is_present(reference))
            continue;
        bool used = subset_of(reference) >= 0;
        references.any = true;
        references.used_count += used;
        if (reference->flags & VA_PICTURE_HEVC_LONG_TERM_REFERENCE) {
            references.long_lsb[references.long_count] = reference->pic_order_cnt & ((1 << LOG2_MAX_POC_LSB) - 1);
            references.long_used[references.long_count++] = used;
        } else {
            references.rps.delta_poc[references.rps.count] = reference->pic_order_cnt - poc;
            references.rps.used[references.rps.count++] = used;
        }
    }
    place_references(&references, picture->ReferenceFrames, poc);
    return references;
}
