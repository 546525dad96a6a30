import VTXTask

/// Everything a command accepts on its command line.
struct Grammar<Settings: CommandSettings>: Sendable {
    var positionals: [Positional<Settings>] = []
    /// In the order in which help shows them.
    var groups: [OptionGroup<Settings>] = []
    var rules = OptionRules()
    /// Where arguments go that are no options and more than there are positionals; nil where there may be none.
    var further: (any Option<Settings>.Path<[String]>)?
    /// Where the options are noted as they were given, for a command that starts itself with them.
    var record: (any Option<Settings>.Path<[String]>)?

    /// The command's own options and the one that all commands share.
    var options: [Option<Settings>] { groups.flatMap(\.options) + [.help] }

    /// The options under their titles, for help; `--help` comes last.
    var sections: [OptionSection] {
        var sections = groups.map { OptionSection(title: $0.title, options: $0.options.map(\.description)) }
        if sections.isEmpty { sections = [OptionSection(title: "Options", options: [])] }
        sections[sections.count - 1].options.append(Option<Settings>.help.description)
        return sections
    }
}

/// Options that belong together.
struct OptionGroup<Settings: CommandSettings>: Sendable {
    let title: String
    let options: [Option<Settings>]

    init(_ title: String, _ options: [Option<Settings>]) {
        self.title = title
        self.options = options
    }
}

/// A group of options as help shows it.
struct OptionSection: Sendable, Hashable {
    let title: String
    var options: [OptionDescription]
}

/// What options mean to each other; all names are long names without dashes.
struct OptionRules: Sendable, Hashable {
    /// Of each set, one at most may be given.
    var exclusive: [[String]] = []
    /// The first makes sense only with the second.
    var requirements: [Requirement] = []

    struct Requirement: Sendable, Hashable {
        let option: String
        let needs: String
    }

    /// The options that cannot be given together with this one.
    func rivals(of option: String) -> [String] {
        exclusive.filter { $0.contains(option) }.flatMap(\.self).filter { $0 != option }
    }

    /// The first rule that this set of options breaks.
    func check(_ given: Set<String>) throws(UsageError) {
        for set in exclusive {
            let clash = set.filter(given.contains)
            if clash.count > 1 { throw .conflict("--\(clash[0])", "--\(clash[1])") }
        }
        for requirement in requirements where given.contains(requirement.option) {
            guard given.contains(requirement.needs) else {
                throw .needs("--\(requirement.option)", "--\(requirement.needs)")
            }
        }
    }
}
