// The table of lights in docs/panel.md matches the code: each rhythm is drawn from the pattern and looked up there.

import Foundation
import TestSupport
import Testing

@testable import TappetCore

/// Returns a pattern as text: a character is 100 ms, a half block 50 ms of it.
private func drawing(_ light: Light) throws -> String {
  let pattern = try #require(LightPatterns()[light])
  if pattern.totalMilliseconds == 0 { return "████████████████████ …" }
  var halves: [Bool] = []
  for step in pattern.steps {
    try #require(step.milliseconds % 50 == 0, "a drawing has steps of 50 ms")
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

/// Returns the colours in the order in which they appear, and a note where the buzzer sounds.
private func colours(_ light: Light) throws -> String {
  let pattern = try #require(LightPatterns()[light])
  var names: [String] = []
  for step in pattern.steps where !step.colour.isEmpty && !names.contains(step.colour.name) {
    names.append(step.colour.name)
  }
  return names.joined(separator: ", ") + (pattern.steps.contains { $0.isSounding } ? " ♪" : "")
}

@Suite struct LightTableTests {
  @Test func `the table of lights in the documentation matches the code`() throws {
    let page = try String(contentsOfFile: Repository.path("docs/panel.md"), encoding: .utf8)
    let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `") && $0.contains("█") || $0.contains("▌▌") }
    let wanted = try Light.allCases.map { light in
      (light: "| `\(light.name)` | ", drawing: " | `\(try drawing(light))` | \(try colours(light)) |")
    }
    for row in wanted {
      #expect(
        rows.filter { $0.hasPrefix(row.light) && $0.hasSuffix(row.drawing) }.count == 1,
        "docs/panel.md lacks this row: \(row.light)…\(row.drawing)")
    }
    #expect(rows.count == wanted.count)
  }
}
