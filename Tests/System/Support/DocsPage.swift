// A page of docs/ whose blocks are run, as a reader pastes them.

import Foundation
import TestSupport
import Testing

struct DocsPage {
  let text: String

  /// The page `docs/NAME.md`.
  init(_ name: String) throws {
    text = try String(contentsOfFile: Repository.path("docs/\(name).md"), encoding: .utf8)
  }

  /// The first block of this language after this text, a heading or the line before it.
  func block(_ language: String, after place: String) throws -> String {
    let rest = try #require(text.range(of: place)).upperBound
    let begin = try #require(text.range(of: "```\(language)\n", range: rest..<text.endIndex)).upperBound
    let end = try #require(text.range(of: "\n```", range: begin..<text.endIndex)).lowerBound
    return String(text[begin..<end])
  }

  /// A kiosk with the page's `actions:` and its other keys, beside the actions of the tests.
  func world(_ adapt: (String) -> String = { $0 }) throws -> KioskWorld {
    let parts = try block("yaml", after: "\n## The kiosk\n").components(separatedBy: "actions:\n")
    return try KioskWorld(.init(more: parts[1] + "\n" + adapt(parts[0])))
  }

  /// Runs lines in the world's folder, all by one shell.
  @discardableResult
  func paste(_ lines: String, _ world: KioskWorld) throws -> Finished {
    let folder = try Programs.built("tappet").deletingLastPathComponent().path
    let done = try Programs.run(
      Programs.installed("bash"), ["-e", "-c", "cd \(world.folder)\n" + lines],
      environment: ["TAPPET_CONFIG": world.configPath, "PATH": folder + ":/usr/bin:/bin"], limit: 5 * patience)
    #expect(done.status == 0, "\(lines): \(done)")
    return done
  }

  /// Runs the commands of a block, `$ COMMAND` and below it what that prints, whose times may be others.
  func check(after place: String, _ world: KioskWorld) throws {
    for part in ("\n" + (try block("", after: place))).components(separatedBy: "\n$ ").dropFirst() {
      let lines = part.split(separator: "\n", maxSplits: 1).map(String.init)
      let printed = try paste(lines[0], world).output
      #expect(timeless(printed) == timeless(lines[1] + "\n"), "\(lines[0])")
    }
  }

  private func timeless(_ text: String) -> String {
    text.replacing(/\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?/, with: "TIME")
  }
}
