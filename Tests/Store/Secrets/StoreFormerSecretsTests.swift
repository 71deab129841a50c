import Foundation
import TappetCore
import TappetPlatform
import Testing

@testable import TappetStore

@Suite struct StoreFormerSecretsTests {
  private let folder = StateFolder()

  private func secret(_ number: UInt8) throws -> TagSecret {
    TagSecret(
      id: "secret-\(number)", action: "garage", index: 0,
      key: try #require(SecretKey([UInt8](repeating: number, count: 32))), createdUnixSeconds: 1, label: nil)
  }

  private func entry(_ operation: String, _ number: Int) -> AuditEntry {
    AuditEntry(unixSeconds: 1, peer: .current(), operation: operation, subject: "secret-\(number)")
  }

  @Test func `a new secret replaces one that exists nowhere else, even in the last place`() throws {
    let store = try folder.open()
    let key = try folder.key()
    for number in 1...3 {
      let made = entry(number == 2 ? "secret-added" : "secret-made", number)
      try store.addSecret(try secret(UInt8(number)), sealedUnder: key, noting: made)
    }
    try store.recordAuditEntry(entry("secret-shared", 3))
    #expect(try store.unsharedSecretIDs() == ["secret-1"])
    for kept in ["secret-2", "secret-3"] {
      #expect(throws: SecretError.limitReached(action: "garage", max: 3)) {
        try store.addSecret(
          try secret(4), replacing: kept, sealedUnder: key, limit: 3, noting: entry("secret-made", 4))
      }
    }
    #expect(try store.secretCount() == 3)
    try store.addSecret(
      try secret(4), replacing: "secret-1", sealedUnder: key, limit: 3, noting: entry("secret-made", 4))
    #expect(
      try store.secrets(sealedUnder: key).readable.map { $0.secret.id } == ["secret-2", "secret-3", "secret-4"])
    let audit = try store.audit(after: 0, limit: 100).map { $0.entry.operation + " " + $0.entry.subject }
    #expect(audit.suffix(2) == ["secret-replaced secret-1", "secret-made secret-4"])
  }
}
