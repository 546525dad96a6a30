import VTXMedia
import VTXSystem
import VTXTask
import VTXWorker

struct DevicesSettings: CommandSettings {
    var printsJSON = false

    init() {}
}

extension Command {
    static let devices = Command(
        "devices", "list cameras and microphones",
        details: [
            "Lists cameras (V4L2) with their formats, sizes and frame rates. Formats that vtx capture does not support "
                + "are marked. Lists microphones by their ALSA names."
        ],
        grammar: Grammar<DevicesSettings>(groups: [
            OptionGroup(
                "Options",
                [
                    .flag(
                        "json", sets: \.printsJSON, to: true,
                        "Print JSON records, one per line: each camera and microphone, then the result.")
                ])
        ]),
        run: { settings, console throws(UsageError) in
            do throws(TranscodeError) {
                let answer = try Workers.live(console).answer(to: .listCaptureDevices)
                guard case .captureDevices(let devices) = answer else { return .internalError }
                if settings.printsJSON {
                    console.output.write(devices.records)
                } else {
                    if devices.cameras.isEmpty { console.say(nil, "there is no camera") }
                    if devices.microphones.isEmpty { console.say(nil, "there is no microphone") }
                    console.output.write(devices.text)
                }
                return .success
            } catch { return console.report(error, asJSON: settings.printsJSON) }
        })
}

extension CaptureDevices {
    fileprivate var records: String {
        cameras.map { ValueRecord(type: "camera", value: $0).line }.joined()
            + microphones.map { ValueRecord(type: "microphone", value: $0).line }.joined() + ResultRecord.success.line
    }

    /// The text for users.
    fileprivate var text: String {
        let names = microphones.map { [$0.device, $0.name] }
        let list = names.isEmpty ? [] : ["microphones\n" + PlanText.table(names).map { "  \($0.printable)\n" }.joined()]
        return (cameras.map(CameraText.text) + list).joined(separator: "\n")
    }
}

/// Formats a camera for users.
enum CameraText {
    static func text(_ camera: CameraDescription) -> String {
        let place = camera.bus.isEmpty ? "" : " (\(camera.bus))"
        let heading = "\(camera.path)  \(camera.problem ?? camera.name + place)\n"
        let rows = camera.formats.flatMap(rows)
        return heading + PlanText.table(rows).map { "  \($0.printable)\n" }.joined()
    }

    /// Returns a row per size; the first one starts with the format's name.
    private static func rows(_ format: CameraFormat) -> [[String]] {
        let name = format.fourCC
        guard format.isSupported else { return [[name, "not recorded"]] }
        guard !format.modes.isEmpty else { return [[name, "any size"]] }
        return format.modes.enumerated().map { index, mode in
            [index == 0 ? name : "", size(mode), rates(mode)]
        }
    }

    private static func size(_ mode: CameraMode) -> String {
        mode.maxSize.map { "\(mode.size) to \($0)" } ?? "\(mode.size)"
    }

    private static func rates(_ mode: CameraMode) -> String {
        mode.frameRates.isEmpty
            ? "" : mode.frameRates.map(Format.rate).joined(separator: mode.maxSize == nil ? ", " : " to ") + " fps"
    }
}
