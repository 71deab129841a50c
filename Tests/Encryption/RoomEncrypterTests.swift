// The messages to rooms of the process that encrypts, against a homeserver that answers each of its requests.

import Foundation
import TappetCore
import TestSupport
import Testing

@testable import TappetMatrix
@testable import TappetWebhook

@Suite final class RoomEncrypterTests {
  private let folder = NSTemporaryDirectory() + "tappet-encrypter-" + UUID().uuidString
  private let encrypter = RoomEncrypter()
  private let limit = #"{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":1}"#

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func open() {
    #expect(encrypter.open(user: "@kiosk:h", device: "D", RoomEncryption(), state: folder) == nil)
  }

  /// Answers all requests that are due; those to send, which it returns, with this status.
  private func serve(sendingWith status: UInt16) -> [String] {
    var sent: [String] = []
    while let path = encrypter.nextCall()?.path {
      let answer: (status: UInt16, text: String) =
        if path.contains("/send/") {
          (status, status == 429 ? limit : #"{"event_id":"$1"}"#)
        } else if path.contains("m.room.encryption") {
          (404, #"{"errcode":"M_NOT_FOUND"}"#)
        } else {
          (200, #"{"device_keys":{},"one_time_key_counts":{"signed_curve25519":50}}"#)
        }
      if path.contains("/send/") { sent.append(path) }
      encrypter.called(.answered(status: answer.status, retryAfter: nil, body: Array(answer.text.utf8)))
    }
    return sent
  }

  @Test func `a reply that the homeserver wants later is sent again under the same number`() throws {
    open()
    encrypter.post(EntryID(high: 0, low: 7), in: "!door:h", Array("{}".utf8), settling: "$line")
    let first = serve(sendingWith: 429)
    #expect(first.count == 1 && encrypter.dueAt != nil)
    var again: [String] = []
    #expect(
      eventually {
        again += serve(sendingWith: 200)
        return !again.isEmpty
      })
    #expect(again == first && encrypter.takeMessages() == [.settled(event: "$line")])
    #expect(serve(sendingWith: 200).isEmpty)
  }

  @Test func `a message that the homeserver wants later is given back to the outbox`() throws {
    open()
    encrypter.post(EntryID(high: 0, low: 8), in: "!door:h", Array("{}".utf8), settling: nil)
    #expect(serve(sendingWith: 429).count == 1)
    guard case .posted(let id, 429, let pause) = try #require(encrypter.takeMessages().first) else {
      return #expect(Bool(false), "not given back")
    }
    #expect(id == EntryID(high: 0, low: 8) && pause == .milliseconds(1))
    #expect(serve(sendingWith: 200).isEmpty)
  }

  @Test func `a reply that the homeserver refuses is final, and one that is queued already is sent once`() throws {
    open()
    for _ in 0..<2 {
      encrypter.post(EntryID(high: 0, low: 9), in: "!door:h", Array("{}".utf8), settling: "$line")
    }
    #expect(serve(sendingWith: 413).count == 1)
    #expect(encrypter.takeMessages() == [.settled(event: "$line")])
    encrypter.post(EntryID(high: 0, low: 10), in: "!door:h", Array("{}".utf8), settling: "$other")
    #expect(serve(sendingWith: 401).count == 1 && encrypter.takeMessages().isEmpty)
  }

  @Test func `a message that is in its room is reported with its event`() throws {
    open()
    encrypter.post(EntryID(high: 0, low: 9), in: "!door:h", Array("{}".utf8), settling: nil)
    #expect(serve(sendingWith: 200).count == 1)
    #expect(encrypter.takeMessages() == [.created(EntryID(high: 0, low: 9), event: "$1")])
  }

  @Test func `a room that was encrypted is written to in no other way after a new login`() {
    func open(_ device: String) -> RoomEncrypter {
      let encrypter = RoomEncrypter()
      #expect(encrypter.open(user: "@kiosk:h", device: device, RoomEncryption(), state: folder) == nil)
      return encrypter
    }
    do { open("A").recordEncrypted("!door:h") }
    let next = open("B")
    #expect(next.isEncrypted("!door:h") && !next.isEncrypted("!other:h"))
  }
}
