// tappet person import, export: a table of people and their tags, without keys.

import CPlatform
import TappetCommandLine
import TappetCore
import TappetJSON
import TappetKiosk
import TappetMessages
import TappetStore

extension Command {
  static var personImport: Command {
    Command(
      words: "person import", section: .people, summary: "add or update people from a CSV file",
      operands: [Operand("FILE", .file)],
      options: [.encoding, CommandOption("dry-run", "show the differences without changing anything"), .json],
      details: """
        Imports the whole file or, if a row is invalid, nothing. The first line names the columns, in any order:
        name, and any of suspended (yes or no), from, until, hours, uses, used and tag. A row describes a person
        and one of their tags, specified by the id or fingerprint of its secret; each further tag needs a
        separate row. An existing person with this name is changed; otherwise, a person is added. Values without
        a column stay unchanged, and so do people and tags that are not in the file. The columns action and
        label are informational.
        """,
      example: "tappet person import --dry-run members.csv", usageError: TextDecoder.usageError,
      body: .running { (arguments, configuration) throws(CommandFailure) in
        let table = try PeopleTable(arguments.operands[0], encoding: arguments.value("encoding"))
        let answer = try SecretClient(configuration).importPeople(table, isTrial: arguments.has("dry-run"))
        report(answer, arguments)
      })
  }

  static var personExport: Command {
    Command(
      words: "person export", section: .people, summary: "print the people and their tags as CSV",
      options: [.excel],
      details: """
        Prints all people and their tags to standard output, in a format that 'tappet person import' can
        read back unchanged. Keys are not included; use 'tappet backup' to save them.
        """,
      example: "tappet person export >members.csv",
      body: .running { (arguments, configuration) throws(CommandFailure) in
        let client = SecretClient(configuration)
        let people = try client.listPeople()
        var tags: [String: [JSON]] = [:]
        for secret in try client.list().secrets {
          if let name = secret["person"]?.text { tags[name, default: []].append(secret) }
        }
        var writer = CSVWriter(forExcel: arguments.has("excel"))
        writer.write(PeopleColumn.allCases.map { $0.rawValue })
        for person in people {
          for tag in tags[person["name"]?.text ?? ""] ?? [.null] { writer.write(row(person, tag)) }
        }
        writer.flush()
      })
  }

  private static func row(_ person: JSON, _ tag: JSON) -> [String] {
    PeopleColumn.allCases.map { column in
      switch column {
      case .suspended: person["suspended"] == .bool(true) ? "yes" : "no"
      case .hours: (person["hours"]?.elements ?? []).map { $0.text ?? "" }.joined(separator: "; ")
      case .uses, .used: person[column.rawValue]?.wholeNumber.map { String($0) } ?? ""
      case .name, .from, .until: person[column.rawValue]?.text ?? ""
      case .tag: tag["id"]?.text ?? ""
      case .action, .label: tag[column.rawValue]?.text ?? ""
      }
    }
  }

  private static func report(_ answer: JSON, _ arguments: Arguments) {
    let isTrial = arguments.has("dry-run")
    let counts = ["added", "changed", "assigned"].map { answer[$0]?.wholeNumber ?? 0 }
    if let report = arguments.report {
      return report.set(
        .object([
          "added": .number(counts[0]), "changed": .number(counts[1]), "assigned": .number(counts[2]),
          "dry_run": .bool(isTrial),
        ]))
    }
    if isTrial {
      let lines = answer["differences"]?.elements ?? []
      for line in lines { Output.print(line.text ?? "") }
      let rest = counts.reduce(0, +) - Int64(lines.count)
      if rest > 0 { Output.print("and \(rest) more") }
    }
    Output.printError(
      "\(isTrial ? "Would import" : "Imported"): \(counts[0]) added, \(counts[1]) changed, "
        + "\(plural(counts[2], "tag")) assigned." + (isTrial ? " Nothing was changed." : ""))
  }
}

extension SecretClient {
  /// Imports a table, or reports what would change.
  fileprivate func importPeople(_ table: PeopleTable, isTrial: Bool) throws(CommandFailure) -> JSON {
    let pieces = table.pieces
    let earlier = pieces.dropLast().map { KioskRequest.stagePeople($0) }
    let last = KioskRequest.secrets(.importPeople(pieces.last ?? [], isTrial: isTrial))
    do throws(CommandFailure) {
      return try ask(.importPeople(table.rows, isTrial: isTrial), inPieces: earlier + [last]).json
    } catch {
      if error.status == .refused, let sentence = error.sentence { throw table.refusal(sentence) }
      throw error
    }
  }
}
