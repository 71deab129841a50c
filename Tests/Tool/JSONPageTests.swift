// The pages list every command that has --json, every code, and every event of the log.

import Foundation
import Testing
import TestSupport

@testable import TappetBrokerTool
@testable import TappetCommandLine
@testable import TappetTool

@Suite struct JSONPageTests {
  private let page: String

  init() throws { page = try String(contentsOfFile: Repository.path("docs/json.md"), encoding: .utf8) }

  private func words(_ text: some StringProtocol) -> [String] {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset % 2 == 1 }.map { String($0.element) }
  }

  @Test func `every command that has --json is in the page, and no other`() {
    let headings = page.split(separator: "\n").filter { $0.hasPrefix("### ") }.flatMap { words($0) }
    let commands = Command.all.filter { $0.options.contains { $0.name == "json" } }.map(\.words)
    #expect(Set(headings) == Set(commands) && headings.count == commands.count)
  }

  @Test func `every code is in the page, and the page has no other`() throws {
    let table = try #require(page.components(separatedBy: "## Codes\n").last)
    let documented = table.split(separator: "\n").filter { $0.hasPrefix("| `") }
      .compactMap { $0.split(separator: "|").first }.flatMap { words($0) }
    #expect(Set(documented).count == documented.count)
    var known: Set<String> = []
    let codes = try FileManager.default.contentsOfDirectory(atPath: Repository.path("Sources/TappetMessages/Codes"))
    for file in codes.map({ "TappetMessages/Codes/" + $0 }) + ["TappetCommandLine/FailureCode.swift"] {
      let source = try String(contentsOfFile: Repository.path("Sources/" + file), encoding: .utf8)
      let literals = source.split(separator: "\n").filter { !$0.hasPrefix("//") }.joined(separator: "\n")
        .split(separator: "\"", omittingEmptySubsequences: false).enumerated()
      known.formUnion(literals.filter { $0.offset % 2 == 1 }.map { String($0.element) })
    }
    // The codes of the tag jobs are next to the jobs.
    known.formUnion(["secret-not-saved", "secrets-full", "label-malformed", "person-unknown", "reader-none"])
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
