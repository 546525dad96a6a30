import CALSA
import Glibc
package import VTXTask

/// The microphones of this machine, according to ALSA.
package enum MicrophoneList {
    /// Plugins that convert to any format. Names for bare hardware (`hw:`, `front:`, `dsnoop:`) are the same devices.
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
        // "Input", "Output", or absent for both.
        guard let name = text("NAME", of: hint), text("IOID", of: hint) != "Output", isListed(name) else { return nil }
        let lines = (text("DESC", of: hint) ?? "").split(separator: "\n")
        return MicrophoneDescription(device: name, name: lines.joined(separator: ", "))
    }

    /// Whether it is `default`, from a configuration, or a card's device.
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
