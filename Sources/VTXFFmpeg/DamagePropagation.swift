/// What a coded picture needs of others, as its headers say.
package struct PictureDependency: Sendable, Hashable {
    /// No slice refers to another picture.
    package var isIntra = false
    /// Others may refer to it.
    package var isReference = true
    /// How many reference pictures after this one all is right again, whatever was before: 0 for an IDR or IRAP picture;
    /// nil where nothing says so (`recovery_frame_cnt`, H.264 D.2.8).
    package var recoveryCount: Int?
    /// Shown before the random access point that it follows in decoding order; it may refer to pictures before that.
    package var isLeading = false
    /// Reference pictures before this one are missing in the stream (H.264 7.4.3, `frame_num`).
    package var hasGap = false

    package init() {}
}

/// How a frame was decoded.
package struct FrameDamage: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// libavcodec named an error, or guessed a part of the picture.
    package static let decoding = FrameDamage(rawValue: 1)
    /// A picture that it refers to is not there.
    package static let missingReference = FrameDamage(rawValue: 2)
    /// It refers to damaged pictures, or may do so.
    package static let inherited = FrameDamage(rawValue: 4)
}

/// Which pictures inherit the damage of others. Pure; pictures in decoding order.
///
/// Which pictures a block refers to is known to the decoder alone. From a damaged reference picture to the next random
/// access point, all pictures but intra pictures count as damaged: in nearly all streams each picture refers to the ones
/// before it.
package struct DamagePropagation: Sendable {
    private var isTainted = false
    /// What was before the last random access point.
    private var wasTainted = false
    /// Reference pictures until a recovery point is reached.
    private var recoveryCount: Int?

    package init() {}

    /// - Returns: the picture's damage, and what it inherits.
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
    /// Whether it goes on to other pictures. What libavcodec puts in the place of a picture that is missing stays there for
    /// those that follow.
    fileprivate func taints(asReference isReference: Bool) -> Bool {
        contains(.missingReference) || isReference && !isEmpty
    }
}
