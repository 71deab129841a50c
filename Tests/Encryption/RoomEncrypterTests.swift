// The encryption of a process, with its database.

import Foundation
import TappetCore
import TappetRooms
import Testing

@testable import TappetMatrix

@Suite final class RoomEncrypterTests {
  private let folder = NSTemporaryDirectory() + "tappet-encrypter-" + UUID().uuidString

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func open(_ device: String) -> RoomEncrypter {
    let encrypter = RoomEncrypter()
    #expect(encrypter.open(user: "@kiosk:h", device: device, RoomEncryption(), state: folder) == nil)
    return encrypter
  }

  @Test func `an encrypted room is still known as encrypted after a new login`() {
    do { open("A").recordEncrypted("!door:h") }
    let next = open("B")
    #expect(next.isEncrypted("!door:h") && !next.isEncrypted("!other:h"))
  }

  @Test func `a message is encrypted only if the homeserver has no later message of this device`() throws {
    let encrypter = open("A")
    guard case .request(let call) = encrypter.need(of: "!door:h", [], Rotation()) else {
      Issue.record("nothing is needed")
      return
    }
    #expect(call.path?.contains("/messages?") == true)
    #expect(!encrypter.called(.failed(.timedOut, code: 28)) && encrypter.dueAt != nil)
    guard case .request = encrypter.need(of: "!door:h", [], Rotation()) else {
      Issue.record("nothing is needed after a failure")
      return
    }
    #expect(encrypter.called(.answered(status: 200, retryAfter: nil, body: Array(#"{"chunk":[]}"#.utf8))))
    guard case .ready = encrypter.need(of: "!door:h", [], Rotation()) else {
      Issue.record("more is needed")
      return
    }
    let event = try #require(encrypter.encrypt(Array(#"{"body":"gone"}"#.utf8), in: "!door:h"))
    let text = String(decoding: event, as: UTF8.self)
    #expect(text.contains("ciphertext") && !text.contains("gone"))
  }
}
