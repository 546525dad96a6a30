import Testing
import VTXMedia

@testable import VTXCommand

@Suite("The table of commands and options")
struct CommandTableTests {
    @Test("names are unique within a command")
    func uniqueNames() {
        for command in Program.commands {
            let longs = command.options.map(\.long)
            let shorts = command.options.compactMap(\.short)
            #expect(Set(longs).count == longs.count)
            #expect(Set(shorts).count == shorts.count)
        }
        #expect(Set(Program.commands.map(\.name)).count == Program.commands.count)
        #expect(Program.commands.map(\.name) == Program.table.names)
    }

    @Test("rules refer to existing options")
    func rulesNameOptions() {
        for command in Program.commands {
            let longs = Set(command.options.map(\.long))
            let ruled = command.rules.exclusive.flatMap(\.self)
            let required = command.rules.requirements.flatMap { [$0.option, $0.needs] }
            #expect(longs.isSuperset(of: ruled + required))
        }
    }

    @Test("every option has a sentence of help")
    func sentences() {
        for option in Program.commands.flatMap(\.options) {
            #expect(option.help.hasSuffix("."), "\(option.long)")
        }
    }

    @Test("the help of --quality has the actual rate factors")
    func rateFactors() throws {
        let option = try #require(Command.transcode.options.first { $0.long == "quality" })
        let quality = try #require(Quality(70))
        let factors = VideoCodec.allCases.map { Int(quality.rateFactor(for: $0).rounded()) }
        #expect(option.help.contains("70 is \(factors[0]), \(factors[1]) and \(factors[2])"))
    }

    @Test("the help of --profile names every profile")
    func profiles() throws {
        let option = try #require(Command.transcode.options.first { $0.long == "profile" })
        for profile in VideoProfile.allCases { #expect(option.help.contains(profile.name)) }
    }

    @Test("the examples are valid command lines")
    func examples() throws {
        for example in Command.transcode.examples {
            let words = example.line.split(separator: " ").map(String.init)
            #expect(words.prefix(2) == ["vtx", "transcode"])
            let settings = try ArgumentParser.parse(Array(words.dropFirst(2)), by: .transcode)
            _ = try #require(settings).checked()
        }
    }
}
