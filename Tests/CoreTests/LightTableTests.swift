// The README's table of lights says what the code does: each rhythm is drawn from the pattern and looked for there.

import Foundation
import Testing

@testable import TappetCore

/// A pattern as text: a character is 100 ms, a half block 50 ms of it.
private func drawing(_ light: Light) throws -> String {
  let pattern = try #require(LightPatterns()[light])
  if pattern.totalMilliseconds == 0 { return "████████████████████ …" }
  var halves: [Bool] = []
  for step in pattern.steps {
    try #require(step.milliseconds % 50 == 0, "what is drawn has steps of 50 ms")
    halves += [Bool](repeating: !step.colour.isEmpty, count: Int(step.milliseconds / 50))
  }
  if halves.count % 2 == 1 { halves.append(false) }
  let cells = stride(from: 0, to: halves.count, by: 2).map { index -> Character in
    switch (halves[index], halves[index + 1]) {
    case (true, true): "█"
    case (true, false): "▌"
    case (false, true): "▐"
    case (false, false): "·"
    }
  }
  return String(cells) + (light.isLasting ? " …" : "")
}

/// The colours in the order in which they appear, and a note where the buzzer sounds.
private func colours(_ light: Light) throws -> String {
  let pattern = try #require(LightPatterns()[light])
  var names: [String] = []
  for step in pattern.steps where !step.colour.isEmpty && !names.contains(step.colour.name) {
    names.append(step.colour.name)
  }
  return names.joined(separator: ", ") + (pattern.steps.contains { $0.isSounding } ? " ♪" : "")
}

@Suite struct LightTableTests {
  @Test func `the README's table of lights is the code's`() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let readme = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
    let rows = readme.split(separator: "\n").filter { $0.hasPrefix("| `") && $0.contains("█") || $0.contains("▌▌") }
    let wanted = try Light.allCases.map { light in
      (light: "| `\(light.name)` | ", drawing: " | `\(try drawing(light))` | \(try colours(light)) |")
    }
    for row in wanted {
      #expect(
        rows.filter { $0.hasPrefix(row.light) && $0.hasSuffix(row.drawing) }.count == 1,
        "the README lacks this row: \(row.light)…\(row.drawing)")
    }
    #expect(rows.count == wanted.count)
  }
}
