// The history of the broker tool: the newest first, and few writes.

import TappetCore
import TestSupport
import Testing

@testable import TappetStore

@Suite struct BrokerHistoryTests {
  private func entry(_ word: String, _ seconds: Int64) -> BrokerHistory.Entry {
    BrokerHistory.Entry(kind: .publish, words: ["mqtt", "pub", word], unixMilliseconds: seconds * 1000)
  }

  @Test func `an immediately repeated command is not recorded again, and a later repetition moves it up`() throws {
    let history = try #require(try BrokerHistory.open(folder: TestFolder.make("history") + "/a/b", makes: true))
    for (word, seconds) in [("x", Int64(0)), ("x", 59)] { try history.note(entry(word, seconds)) }
    #expect(try history.entries().map(\.unixMilliseconds) == [0])
    try history.note(entry("x", 60))
    try history.note(entry("y", 61))
    try history.note(entry("x", 62))
    #expect(try history.entries().map { $0.words[2] } == ["x", "y"])
    #expect(try history.entries().map(\.unixMilliseconds) == [62_000, 61_000])
    // A clock that was set back.
    try history.note(entry("x", 5))
    #expect(try history.entries().map(\.unixMilliseconds) == [5000, 61_000])
  }
}
