// The tags of others in the store.

import Foundation
import TappetCore
import TestSupport
import Testing

@testable import TappetPlatform
@testable import TappetStore

@Suite struct StoreLearnedTagsTests {
  private let folder = StateFolder()

  private func entry(_ operation: String) -> AuditEntry {
    AuditEntry(unixSeconds: 5, peer: .current(), operation: operation, subject: "")
  }

  private func learned(_ id: String, _ mark: ExternalTag.Identifier, label: String? = nil) -> LearnedTag {
    LearnedTag(id: id, tag: ExternalTag(mark: mark, action: "play", label: label), learnedUnixSeconds: 7)
  }

  /// A store with a card, a label of two lines and a URI.
  private func filled() throws -> SecretStore {
    let store = try SecretStore.open(folder: folder.path)
    let uid = try #require(TagUID(written: "01:02:03:04"))
    try store.learn(learned("a", .uid(uid), label: "Abbey Road"), noting: entry("tag-learned"))
    try store.learn(learned("b", .text("box\n7")), noting: entry("tag-learned"))
    try store.learn(learned("c", .uri("https://boxes.example/8")), noting: entry("tag-learned"))
    return store
  }

  private func contents() throws -> [String] {
    try SecretStore.open(folder: folder.path).learnedTags().map { "\($0.tag.mark.content) \($0.tag.label ?? "-")" }
  }

  @Test func `learned tags survive a restart, and are sealed on the disk`() throws {
    let known = ["01020304 Abbey Road", "box\n7 -", "https://boxes.example/8 -"]
    let store = try filled()
    #expect(try contents() == known)
    for path in [folder.databasePath, folder.logPath] {
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)).range(of: Data("Abbey Road".utf8)) == nil)
    }
    #expect(try store.learnedTags().count == 3)
    #expect(try folder.sqlite("SELECT count(*) FROM audit WHERE operation = 'tag-learned'") == "3")
  }

  @Test func `learned tags are resealed under a new key, and restored from the replica`() throws {
    _ = try filled().rekey(noting: entry("rekeyed"))
    #expect(try contents().count == 3)
    for name in ["tappet.db", "tappet.db-wal", "tappet.db-shm"] {
      try? FileManager.default.removeItem(atPath: folder.path + "/" + name)
    }
    #expect(try contents().count == 3)
  }

  @Test func `a learned tag can be replaced by its id, and forgotten`() throws {
    let store = try filled()
    try store.learn(learned("b", .text("box\n7"), label: "Screws"), noting: entry("tag-learned"))
    #expect(try store.forget(learnedTag: "a", noting: entry("tag-forgotten")))
    #expect(try !store.forget(learnedTag: "a", noting: entry("tag-forgotten")))
    #expect(try contents() == ["box\n7 Screws", "https://boxes.example/8 -"])
  }

  @Test func `a label that is too long or not printable is refused`() throws {
    let store = try filled()
    for label in ["a\u{1B}[2J", String(repeating: "x", count: 129)] {
      #expect(throws: SecretStoreError.self) {
        try store.learn(learned("d", .text("d"), label: label), noting: entry("tag-learned"))
      }
    }
    #expect(try contents().count == 3)
  }

  @Test(arguments: ["x'00'", "(SELECT value FROM sealed WHERE name = 'tag b')"])
  func `a learned tag that cannot be opened, or is sealed under a different name, is skipped`(value: String) throws {
    _ = try filled()
    try folder.sqlite("UPDATE sealed SET value = \(value) WHERE name = 'tag a'")
    #expect(try contents().count == 2)
  }
}
