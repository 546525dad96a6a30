/// The dependencies between a frame and others, according to its headers.
package struct PictureDependency: Sendable, Hashable {
    /// Whether no slice refers to another frame.
    package var isIntra = false
    /// Whether other frames may refer to it.
    package var isReference = true
    /// The number of reference frames after this one until decoding has recovered, whatever preceded it: 0 for an IDR
    /// or IRAP picture; nil if unspecified (`recovery_frame_cnt`, H.264 D.2.8).
    package var recoveryCount: Int?
    /// Whether it is displayed before the random access point that it follows in decoding order. It may refer to frames
    /// before that.
    package var isLeading = false
    /// Whether reference frames before this one are missing from the stream (H.264 7.4.3, `frame_num`).
    package var hasGap = false

    package init() {}
}

package struct FrameDamage: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// libavcodec reported an error, or concealed a part of the frame.
    package static let decoding = FrameDamage(rawValue: 1)
    package static let missingReference = FrameDamage(rawValue: 2)
    /// The frame refers to damaged frames, or may do so.
    package static let inherited = FrameDamage(rawValue: 4)
}

/// Determines which frames inherit damage from others. Pure; frames in decoding order.
///
/// Only the decoder knows which frames a block refers to. From a damaged reference frame to the next random access
/// point, all frames except intra frames count as damaged, because in nearly all streams each frame refers to its
/// predecessors.
package struct DamagePropagation: Sendable {
    private var isTainted = false
    /// The state before the last random access point.
    private var wasTainted = false
    /// The number of reference frames until a recovery point is reached.
    private var recoveryCount: Int?

    package init() {}

    /// - Returns: the frame's damage, including inherited damage.
    package mutating func next(_ picture: PictureDependency, _ damage: FrameDamage) -> FrameDamage {
        if picture.hasGap { (isTainted, recoveryCount) = (true, nil) }
        noteRecovery(of: picture)
        var result = damage
        let inherits = picture.isLeading ? wasTainted : isTainted
        if inherits, !picture.isIntra { result.insert(picture.hasGap ? .missingReference : .inherited) }
        if result.taints(asReference: picture.isReference) { taint(picture, isNew: !damage.isEmpty) }
        return result
    }

    private mutating func taint(_ picture: PictureDependency, isNew: Bool) {
        if picture.isLeading { return wasTainted = true }
        isTainted = true
        if isNew { recoveryCount = nil }
    }

    private mutating func noteRecovery(of picture: PictureDependency) {
        if picture.recoveryCount == 0 {
            (wasTainted, isTainted, recoveryCount) = (isTainted, false, nil)
        } else if let count = picture.recoveryCount, isTainted {
            recoveryCount = count
        } else if picture.isReference, let count = recoveryCount {
            recoveryCount = count > 1 ? count - 1 : nil
            if count <= 1 { isTainted = false }
        }
    }
}

extension FrameDamage {
    /// Whether the damage spreads to other frames. libavcodec's substitute for a missing frame stays a reference for
    /// later ones.
    fileprivate func taints(asReference isReference: Bool) -> Bool {
        contains(.missingReference) || isReference && !isEmpty
    }
}
