import VTXHTTP
import VTXSystem

/// Names of files that clients or other servers choose.
enum ClientFileName {
    private static let longest = 120

    /// A name that is one segment, visible, and short enough to be extended: its extension tells the format, and the
    /// output's name is made of it.
    ///
    /// - Returns: `source` where nothing is left of it.
    static func plain(_ name: String) -> String {
        let last = name.split(separator: "/").last.map { String($0) } ?? ""
        let visible = String(String.UnicodeScalarView(last.unicodeScalars.filter { !isControl($0) }))
        let (stem, pathExtension) = FileName.split(String(visible.drop { $0 == "." || $0 == "-" || $0 == " " }))
        let ending = pathExtension.isEmpty ? "" : "." + shortened(pathExtension, to: 16)
        return (stem.isEmpty ? "source" : shortened(stem, to: longest)) + ending
    }

    /// The file that a URL names.
    static func plain(ofURL url: String) -> String {
        let path = URLParts(url)?.path.prefix { $0 != "?" && $0 != "#" } ?? ""
        let last = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        return plain(PercentEncoding.decode(last) ?? "")
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        [.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
    }

    /// In bytes, and never within a character.
    private static func shortened(_ text: String, to bytes: Int) -> String {
        var text = text
        while text.utf8.count > bytes { text.removeLast() }
        return text
    }
}
