import CALSA
import Glibc
package import VTXTask

/// The microphones of this machine, as ALSA lists them.
package enum MicrophoneList {
    /// Kinds of names that convert to any format; those of bare hardware (`hw:`, `front:`, `dsnoop:`) are the same devices again.
    private static let prefixes = ["plughw:"]

    package static func all() -> [MicrophoneDescription] {
        alsa_be_quiet()
        var hints: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
        guard snd_device_name_hint(-1, "pcm", &hints) == 0, let hints else { return [] }
        defer { snd_device_name_free_hint(hints) }
        var found: [MicrophoneDescription] = []
        var next = hints
        while let hint = next.pointee {
            if let microphone = describe(hint) { found.append(microphone) }
            next += 1
        }
        return found
    }

    private static func describe(_ hint: UnsafeMutableRawPointer) -> MicrophoneDescription? {
        // "Input", "Output", or nothing for both.
        guard let name = text("NAME", of: hint), text("IOID", of: hint) != "Output", isListed(name) else { return nil }
        let lines = (text("DESC", of: hint) ?? "").split(separator: "\n")
        return MicrophoneDescription(device: name, name: lines.joined(separator: ", "))
    }

    /// `default`, a configuration's own, or a device of a card.
    private static func isListed(_ name: String) -> Bool {
        guard name != "null" else { return false }
        return !name.contains(":") || prefixes.contains { name.hasPrefix($0) }
    }

    private static func text(_ key: String, of hint: UnsafeMutableRawPointer) -> String? {
        guard let value = snd_device_name_get_hint(hint, key) else { return nil }
        defer { free(value) }
        return String(cString: value)
    }
}
