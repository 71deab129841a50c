// The schema of --json defines every command that has it and every code, and docs/reference.md lists every event of
// the log.

import Foundation
import Testing
import TestSupport

@testable import TappetBrokerTool
@testable import TappetCommandLine
@testable import TappetTool

@Suite struct JSONPageTests {
  private let schema: JSONSchema

  init() throws { schema = try JSONSchema() }

  private func words(_ text: some StringProtocol) -> [String] {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset % 2 == 1 }.map { String($0.element) }
  }

  @Test func `exactly the commands with --json are in the schema, once each`() {
    let commands = Command.all.filter { $0.options.contains { $0.name == "json" } }.map(\.words)
    #expect(Set(schema.commands) == Set(commands) && schema.commands.count == commands.count)
  }

  /// Prints each output in the examples of a page, on one line, after comparing it with a schema.
  private static let examples = """
    import json, re, sys
    from jsonschema import Draft202012Validator
    schema = json.load(open(sys.argv[1]))
    Draft202012Validator.check_schema(schema)
    for block in re.findall(r"^```console\\n(.*?)^```", open(sys.argv[2]).read(), re.M | re.S):
        for example in re.split(r"^\\$ ", block, flags=re.M)[1:]:
            rest = example.partition("\\n")[2].strip()
            assert rest, "no output: " + example
            while rest:
                output, end = json.JSONDecoder().raw_decode(rest)
                Draft202012Validator(schema).validate(output)
                print(json.dumps(output))
                rest = rest[end:].lstrip()
    """

  @Test func `the schema is valid, and every example on its page matches it`() throws {
    let page = Repository.path("docs/json.md")
    let checked = try Programs.run(try Programs.python(), ["-c", Self.examples, JSONSchema.path, page])
    #expect(checked.status == 0, "\(checked.errors)")
    let outputs = checked.output.split(separator: "\n")
    #expect(outputs.count >= 10)
    for output in outputs {
      let envelope = try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
      #expect(schema.mistakes(envelope, "Envelope") == [], "\(output)")
      guard let data = envelope["data"] as? [String: Any] else { continue }
      #expect(schema.mistakes(data, try #require(envelope["command"] as? String)) == [], "\(output)")
    }
  }

  @Test func `the schema contains every code exactly once, and no other codes`() throws {
    let documented = schema.codes
    #expect(Set(documented).count == documented.count)
    var known: Set<String> = []
    let codes = try FileManager.default.contentsOfDirectory(atPath: Repository.path("Sources/TappetMessages/Codes"))
    for file in codes.map({ "TappetMessages/Codes/" + $0 }) + ["TappetCommandLine/FailureCode.swift"] {
      let source = try String(contentsOfFile: Repository.path("Sources/" + file), encoding: .utf8)
      let literals = source.split(separator: "\n").filter { !$0.hasPrefix("//") }.joined(separator: "\n")
        .split(separator: "\"", omittingEmptySubsequences: false).enumerated()
      known.formUnion(literals.filter { $0.offset % 2 == 1 }.map { String($0.element) })
    }
    // The codes of the tag jobs and of a door's level are next to these.
    known.formUnion(["secret-not-saved", "secrets-full", "label-malformed", "person-unknown", "reader-none", "found"])
    // The fleet has codes of its own.
    let troubles: [FleetAlert] = [.offline, .silent(.zero), .unreadable, .faults([]), .waiting(1)]
    known.formUnion(troubles.map(\.code))
    #expect(Set(documented).symmetricDifference(known) == [])
  }

  @Test func `every event of the log is on its page`() throws {
    let operations = try String(contentsOfFile: Repository.path("docs/reference.md"), encoding: .utf8)
    let documented = Set(
      operations.split(separator: "\n").filter { $0.hasPrefix("| `") }
        .compactMap { $0.split(separator: "|").first }.flatMap { words($0) })
    var known: Set<String> = []
    for folder in ["TappetMessages", "TappetKiosk"] {
      let root = Repository.path("Sources/" + folder)
      for file in try FileManager.default.subpathsOfDirectory(atPath: root) where file.hasSuffix(".swift") {
        let source = try String(contentsOfFile: root + "/" + file, encoding: .utf8)
        let event = /\.(?:error|warning|notice|info|debug),\s*"([a-z-]+)"/
        known.formUnion(source.matches(of: event).map { String($0.1) })
      }
    }
    #expect(known.count > 20 && known.subtracting(documented) == [])
  }
}
