import VTXMedia

/// The encoder options that users may set: those that affect analysis, quality and speed.
///
/// Excluded are those that vtx controls: rates, key frames, stream metadata, threads, and files that an encoder would
/// read or write.
enum EncoderOptionNames {
    static func of(_ codec: VideoCodec) -> [String] {
        switch codec {
        case .h264: x264
        case .hevc: x265
        case .av1: svtAV1
        }
    }

    /// x264 --fullhelp: "Frame-type options", "Ratecontrol", "Analysis".
    private static let x264 = [
        "8x8dct", "aq-mode", "aq-strength", "b-adapt", "b-bias", "bframes", "chroma-me", "chroma-qp-offset", "cplxblur",
        "deadzone-inter", "deadzone-intra", "deblock", "direct", "fast-pskip", "ipratio", "mbtree", "me", "merange",
        "mixed-refs", "nr", "partitions", "pbratio", "psy", "psy-rd", "qblur", "qcomp", "qpmax", "qpmin", "qpstep",
        "rc-lookahead", "ref", "scenecut", "subme", "trellis", "weightb", "weightp",
    ]

    /// x265 --fullhelp: "Quad-Tree analysis", "Analysis", "Motion search", "Slice decision", "Rate control",
    /// "Loop filter".
    private static let x265 = [
        "amp", "aq-mode", "aq-motion", "aq-strength", "b-adapt", "b-intra", "bframe-bias", "bframes", "cbqpoffs",
        "cplxblur", "crqpoffs", "ctu", "cutree", "deblock", "early-skip", "fast-intra", "ipratio", "limit-modes",
        "limit-refs", "limit-tu", "max-merge", "max-tu-size", "me", "merange", "min-cu-size", "nr-inter", "nr-intra",
        "pbratio", "psy-rd", "psy-rdoq", "qblur", "qcomp", "qg-size", "qpmax", "qpmin", "qpstep", "rc-lookahead", "rd",
        "rd-refine", "rdoq-level", "rdpenalty", "rect", "ref", "rskip", "sao", "scenecut", "scenecut-bias",
        "selective-sao", "signhide", "ssim-rd", "strong-intra-smoothing", "subme", "temporal-mvp", "tskip",
        "tu-inter-depth", "tu-intra-depth", "weightb", "weightp",
    ]

    /// SVT-AV1's `Docs/Parameters.md`. An older SVT-AV1 rejects options that it does not have when it is opened.
    private static let svtAV1 = [
        "aq-mode", "enable-cdef", "enable-dlf", "enable-qm", "enable-restoration", "enable-tf",
        "enable-variance-boost", "fast-decode", "film-grain", "film-grain-denoise", "lookahead", "max-qp", "min-qp",
        "qm-max", "qm-min", "scm", "sharpness", "tile-columns", "tile-rows", "tune", "variance-boost-strength",
        "variance-octile",
    ]
}
