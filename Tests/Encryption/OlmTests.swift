// libolm's objects, against what another implementation wrote (Tests/Vectors/vodozemac.txt).

import Foundation
import TestSupport
import Testing

@testable import TappetOlm

@Suite struct OlmTests {
  private struct Vectors {
    private let lines: [[String]]

    init() throws {
      let text = try String(contentsOfFile: Repository.path("Tests/Vectors/vodozemac.txt"), encoding: .utf8)
      lines = text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    }

    func all(_ word: String) -> [[String]] { lines.filter { $0.first == word }.map { Array($0.dropFirst()) } }

    func text(_ word: String) throws -> String { try #require(all(word).first?.last) }
  }

  @Test func `another implementation's first message is read, once`() throws {
    let vectors = try Vectors()
    let account = try OlmAccount.restore(Array(vectors.text("account").utf8))
    let (peer, body) = (try vectors.text("peer"), Array(try vectors.text("olm").utf8))
    let session = try account.acceptSession(from: peer, body)
    #expect(session.begins(with: body, from: peer))
    #expect(try session.decrypt((0, body)) == Array(#"{"said":"by vodozemac"}"#.utf8))
    try account.useUpKeys(of: session)
    #expect(throws: OlmError.keyUnknown) { try account.acceptSession(from: peer, body) }
  }

  @Test func `another implementation's messages in a room are read in any order`() throws {
    let vectors = try Vectors()
    let session = try MegolmInbound.create(key: vectors.text("key"))
    #expect(try session.id() == vectors.text("session"))
    for (index, text) in [(2, "third"), (0, "first"), (1, "second")] {
      let read = try session.decrypt(Array(vectors.all("megolm")[index][0].utf8))
      #expect(read.plaintext == Array(text.utf8) && read.index == UInt32(index))
    }
  }

  @Test func `a signature is valid only for its text and its key`() throws {
    let vectors = try Vectors()
    let (key, signature) = (try vectors.text("signer"), try vectors.text("signature"))
    #expect(Ed25519.isValid(signature, of: Array("a text".utf8), by: key))
    #expect(!Ed25519.isValid(signature, of: Array("a texs".utf8), by: key))
    #expect(!Ed25519.isValid(signature, of: Array("a text".utf8), by: try vectors.text("peer")))
    for forged in ["", "A", signature + "A", String(repeating: "A", count: 86)] {
      #expect(!Ed25519.isValid(forged, of: Array("a text".utf8), by: key))
    }
  }

  @Test func `every changed byte of a message is detected, and does not change the session`() throws {
    let vectors = try Vectors()
    let session = try MegolmInbound.create(key: vectors.text("key"))
    let message = Array(vectors.all("megolm")[0][0].utf8)
    for place in message.indices.dropLast() {
      var changed = message
      changed[place] = changed[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
      #expect(throws: OlmError.self) { try session.decrypt(changed) }
    }
    #expect(try session.decrypt(message).index == 0)
  }

  @Test func `a stored object resumes where it was, and a damaged one is refused`() throws {
    let session = try MegolmOutbound.create()
    let reader = try MegolmInbound.create(key: session.key())
    _ = try session.encrypt([1])
    let again = try MegolmOutbound.restore(session.pickle())
    #expect(again.index == 1)
    let (id, key) = (try session.id(), try session.key())
    #expect(try again.id() == id)
    #expect(try again.key() == key)
    #expect(try reader.decrypt(Array(again.encrypt([2]).utf8)).plaintext == [2])
    for damaged in [[], [1, 2, 3], Array(try session.pickle().dropLast(4))] {
      #expect(throws: OlmError.self) { try MegolmOutbound.restore(damaged) }
    }
  }
}
