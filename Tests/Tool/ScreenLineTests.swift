// Lines of the live view on a narrow terminal.

import Foundation
import Testing

@testable import TappetCommandLine

@Suite struct ScreenLineTests {
  private let red = "\u{1B}[31m"
  private let reset = "\u{1B}[0m"

  @Test func `a line that fits is not split`() {
    #expect(ScreenLine.wrapped("one two", 20) == ["one two" + reset])
    #expect(ScreenLine.wrapped("", 20) == [reset])
  }

  @Test func `a line that does not fit is split at a space, and loses no word`() {
    let words = (1...30).map { "word\($0)" }
    let parts = ScreenLine.wrapped(words.joined(separator: " "), 40)
    let texts = parts.map { $0.replacingOccurrences(of: reset, with: "") }
    #expect(parts.count > 3 && texts.allSatisfy { $0.unicodeScalars.count <= 40 }, "\(texts)")
    #expect(texts.flatMap { $0.split(separator: " ").map(String.init) } == words)
  }

  @Test func `a word without a space is split, and its colour continues`() {
    let parts = ScreenLine.wrapped("  broker   " + red + String(repeating: "x", count: 100) + reset + " end", 50)
    let margin = String(repeating: " ", count: 11)
    #expect(parts.count == 3 && parts[1...2].allSatisfy { $0.hasPrefix(margin + red) }, "\(parts)")
    #expect(parts.allSatisfy { $0.hasSuffix(reset) })
    #expect(parts.joined().filter { $0 == "x" }.count == 100)
    #expect(ScreenLine.wrapped("abc", 1).count == 3 && ScreenLine.wrapped("abc", 0).count == 3)
  }
}
