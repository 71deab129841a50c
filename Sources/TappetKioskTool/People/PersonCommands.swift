// tappet person: the people that tags belong to, and their permissions.

import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON
import TappetKiosk
import TappetMessages

extension Operand {
  static let person = Operand("NAME", .person)
}

extension Command {
  static var personAdd: Command {
    Command(
      words: "person add", section: .people, summary: "add a person",
      operands: [Operand("NAME")], options: [.json],
      details: """
        Adds a person without tags. Use 'tappet tag write ACTION --person NAME' to write a tag for the person,
        or 'tappet person assign' to assign an existing secret. Names must be unique.
        """,
      body: .running { (arguments, configuration) throws(CommandFailure) in
        let answer = try ask(.addPerson(arguments.operands[0]), arguments, configuration)
        if arguments.report == nil { Output.printError("Added: \(answer["name"]?.text ?? "").") }
      })
  }

  static var personList: Command {
    Command(
      words: "person list", section: .people, summary: "list people with their number of tags", options: [.json],
      details: """
        Lists the people, how many tags each person has, and who is suspended. Use 'tappet secret list' to see
        the person to whom each secret is assigned.
        """,
      body: .running { (arguments, configuration) throws(CommandFailure) in
        let people = try SecretClient(configuration).listPeople()
        if let report = arguments.report {
          return report.set(
            .object(["people": .array(people.map { $0.without("id").timed([("created", "created_at")]) })]))
        }
        if people.isEmpty { Output.printError("No people yet; use 'tappet person add' to add a person.") }
        for person in people {
          let count = person["tags"]?.wholeNumber ?? 0
          Output.print(
            "\(person["name"]?.text ?? "")  \(plural(count, "tag"))"
              + (person["suspended"] == .bool(true) ? "  suspended" : "")
              + (person["site"] == .bool(true) ? "  of the site" : "")
              + (PersonLimits(facts: person).map { "  " + $0.sentence } ?? ""))
        }
      })
  }

  static var personRename: Command {
    Command(
      words: "person rename", section: .people, summary: "rename a person",
      operands: [.person, Operand("NEW")], options: [.json],
      details: """
        Renames a person. The person keeps their tags.
        """,
      body: .running { (arguments, configuration) throws(CommandFailure) in
        let (name, new) = (arguments.operands[0], arguments.operands[1])
        _ = try ask(.renamePerson(name, to: new), arguments, configuration)
      })
  }

  static var personAllow: Command {
    Command(
      words: "person allow", section: .people, summary: "limit when and how often the tags of a person are accepted",
      operands: [.person],
      options: [
        CommandOption("from", "DAY", "first day on which tags are accepted, such as 2026-12-25"),
        CommandOption("until", "DAY", "last day on which tags are accepted"),
        CommandOption("hours", "HOURS", "only during these hours: 'Mon-Fri 07:00-19:30; Sat 09:00-12:00'"),
        CommandOption(
          "uses", "NUMBER", .number(0...Limits.ticketUsesMax),
          "maximum number of taps, such as 1 for a day ticket"),
        CommandOption("always", "remove all other limits"), .json,
      ],
      details: """
        Limits when the tags of a person are accepted, in addition to the limits of the actions, in the kiosk's
        time zone and without its holidays. Limits that are not specified stay as they are; with --always, they
        are removed. The limits that then apply are shown. Uses are counted from now on if --uses is specified,
        and recorded permanently before the tap is accepted. The action's clock_unknown also applies to the
        person's days and hours.
        """,
      example: "tappet person allow 'Day ticket 7' --until 2026-12-24 --uses 1",
      usageError: { arguments in
        let hasLimits = ["from", "until", "hours", "uses", "always"].contains { arguments.has($0) }
        return hasLimits ? nil : "specify at least one of --from, --until, --hours and --uses, or --always"
      },
      body: .running { (arguments, configuration) throws(CommandFailure) in
        var limits = LimitWords()
        limits.from = arguments.value("from")
        limits.until = arguments.value("until")
        limits.hours = arguments.value("hours").map { WeeklyHours.list($0) } ?? []
        limits.uses = arguments.value("uses").flatMap { Int64(decimal: $0.utf8) }
        limits.replacesAll = arguments.has("always")
        let answer = try ask(.allowPerson(arguments.operands[0], limits), arguments, configuration)
        guard arguments.report == nil else { return }
        Output.printError(
          "\(answer["name"]?.text ?? ""): \(PersonLimits(facts: answer)?.sentence ?? "no limits").")
      })
  }

  static var personSuspend: Command {
    Command(
      words: "person suspend", section: .people, summary: "temporarily refuse all tags of a person",
      operands: [.person], options: [.json],
      details: """
        Refuses all tags of a person from now on, including on a running kiosk. Nothing is deleted; use 'tappet
        person resume' to accept the tags again. What the person has on loan from the inventory is listed.
        """,
      body: .running { (arguments, configuration) throws(CommandFailure) in
        let answer = try ask(.suspendPerson(arguments.operands[0]), arguments, configuration)
        if arguments.report == nil { Output.printError("Suspended: \(describe(answer)) refused from now on.") }
        PersonLoans.warn(of: answer["name"]?.text ?? "", configuration)
      })
  }

  static var personResume: Command {
    Command(
      words: "person resume", section: .people, summary: "accept the tags of a suspended person again",
      operands: [.person], options: [.json],
      details: """
        Accepts the tags of a suspended person again.
        """,
      body: .running { (arguments, configuration) throws(CommandFailure) in
        let answer = try ask(.resumePerson(arguments.operands[0]), arguments, configuration)
        if arguments.report == nil { Output.printError("Resumed: \(describe(answer)) accepted again.") }
      })
  }

  static var personRemove: Command {
    Command(
      words: "person remove", section: .people, summary: "remove a person and the secrets of their tags",
      operands: [.person],
      options: [CommandOption("forget", "also remove the person's rows from the tap log"), .yes, .json],
      details: """
        Removes a person and the secrets of their tags, which are refused from now on. This cannot be undone,
        so the command asks for confirmation. To keep a secret, first assign it to another person with
        'tappet person assign'. The tap log keeps the person's rows without the name; --forget removes them.
        """,
      body: .running { (arguments, configuration) throws(CommandFailure) in
        try Prompt.require("remove", "This permanently removes the person and the secrets of their tags.", arguments)
        let request = SecretRequest.removePerson(arguments.operands[0], forgetsTaps: arguments.has("forget"))
        let answer = try ask(request, arguments, configuration)
        if arguments.report == nil { Output.printError("Removed: \(describe(answer)) refused from now on.") }
        PersonLoans.warn(of: answer["name"]?.text ?? "", configuration)
      })
  }

  static var personAssign: Command {
    Command(
      words: "person assign", section: .people, summary: "assign a secret to a person",
      operands: [.person, .secretID], options: [.json],
      details: """
        Assigns a secret, and therefore its tags, to a person. A secret belongs to at most one person: the new
        assignment replaces the previous one. Specify '' as NAME to remove the assignment.
        """,
      body: .running { (arguments, configuration) throws(CommandFailure) in
        let request = SecretRequest.assignSecret(id: arguments.operands[1], person: arguments.operands[0])
        let answer = try ask(request, arguments, configuration, showsID: true)
        guard arguments.report == nil else { return }
        let former = answer["former_person"]?.text.map { ", formerly to \($0)" } ?? ""
        Output.printError(
          "The secret \(answer["id"]?.text ?? "") of \(answer["action"]?.text ?? "") is now assigned to "
            + "\(answer["person"]?.text ?? "no one")\(former).")
      })
  }

  /// Sends a request about a person and reports the response as JSON; with `showsID`, it includes the secret's id.
  private static func ask(
    _ request: SecretRequest, _ arguments: Arguments, _ configuration: KioskConfiguration, showsID: Bool = false
  ) throws(CommandFailure) -> JSON {
    for operand in arguments.operands {
      if let fault = operand.trimmedLabel?.personNameFault { throw .refused(fault.sentence) }
    }
    let answer = try SecretClient(configuration).ask(request).json
    arguments.report?.set(showsID ? answer : answer.without("id"))
    return answer
  }

  private static func describe(_ answer: JSON) -> String {
    let count = answer["tags"]?.wholeNumber ?? 0
    return "\(answer["name"]?.text ?? ""); \(plural(count, "tag is", "tags are"))"
  }
}

extension PersonLimits {
  /// Parses the limits in a response about a person; `nil` if there are none.
  init?(facts: JSON) {
    let known = try? PersonLimits(
      from: facts["from"]?.text, until: facts["until"]?.text,
      hours: (facts["hours"]?.elements ?? []).map { $0.text ?? "" }, uses: facts["uses"]?.wholeNumber, ticket: "")
    guard var known, !known.isEmpty else { return nil }
    known.used = facts["used"]?.wholeNumber ?? 0
    self = known
  }
}

extension SecretClient {
  /// Returns the details of all people.
  package func listPeople() throws(CommandFailure) -> [JSON] {
    try askAll("people") { .listPeople(from: $0) }.elements
  }
}

extension JSON {
  /// Returns a copy of the object without one member.
  fileprivate func without(_ name: String) -> JSON {
    guard case .object(let members) = self else { return self }
    return .object(members.filter { $0.name != name })
  }
}
