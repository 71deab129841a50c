// The requests for one message to a room, and the meaning of each answer.

import TestSupport
import Testing

@testable import TappetCore
@testable import TappetRooms

@Suite struct RoomDestinationTests {
  @Test func `an encrypted room's members are requested, and the room is never taken for plain`() {
    var room = RoomDestination("!a:h", RoomEncryption(devices: .all, allowsPlain: true))
    #expect(room.begin(at: at(0)) == .check)
    #expect(turn(&room, .check, 200, .encrypted) == .next(.members))
    #expect(room.isEncrypted && room.begin(at: at(100)) == .members)
    #expect(room.path(of: .members, sending: digits) == "/_matrix/client/v3/rooms/%21a%3Ah/joined_members")
    #expect(turn(&room, .members, 200, .object) == .next(.send))
    #expect(room.path(of: .send, sending: digits).hasSuffix("/send/m.room.encrypted/" + digits))
    #expect(room.begin(at: at(60_000)) == .check)
    #expect(turn(&room, .check, 404, .error("M_NOT_FOUND")) == .next(.members))
    var other = RoomDestination("!a:h", RoomEncryption(devices: .all, allowsPlain: true))
    #expect(turn(&other, .check, 200, .object) == .failed(.roomEncrypted), "an unknown algorithm")
  }

  @Test func `outdated facts about a room are requested again, once`() {
    let (forbidden, plain) = (MatrixAnswer.error("M_FORBIDDEN"), MatrixAnswer.error("M_NOT_FOUND"))
    var room = RoomDestination("#a:h")
    #expect(turn(&room, .resolve, 200, .room("!old")) == .next(.check))
    #expect(turn(&room, .check, 404, plain) == .next(.send) && room.begin(at: at(100)) == .send)
    #expect(turn(&room, .send, 403, forbidden, isFirst: true) == .next(.resolve))
    #expect(turn(&room, .resolve, 200, .room("!new")) == .next(.check))
    #expect(turn(&room, .check, 404, plain) == .next(.send) && room.id == "!new")
    #expect(turn(&room, .send, 403, forbidden) == .failed(.roomClosed))
    var other = RoomDestination("!a:h")
    #expect(turn(&other, .send, 413, .error("M_TOO_LARGE"), isFirst: true) == .failed(.messageRefused))
    #expect(turn(&other, .check, 403, forbidden, isFirst: true) == .failed(.roomClosed))
  }

  @Test func `a plain room is written to only if allowed`() {
    var allowed = RoomDestination("!a:h", RoomEncryption(devices: .all, allowsPlain: true))
    var refused = RoomDestination("!a:h", RoomEncryption(devices: .all, allowsPlain: false))
    let nothing = MatrixAnswer.error("M_NOT_FOUND")
    #expect(turn(&allowed, .check, 404, nothing) == .next(.send))
    #expect(turn(&refused, .check, 404, nothing) == .failed(.roomPlain))
  }

  private let digits = "00000000000000010000000000000002"

  private func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

  private func turn(
    _ room: inout RoomDestination, _ step: RoomDestination.Step, _ status: Int, _ answer: MatrixAnswer,
    isFirst: Bool = false, retryAfter: Duration? = nil, at time: Int64 = 0
  ) -> RoomDestination.Turn {
    room.handle(
      step, isFirst: isFirst, status: status, retryAfter: retryAfter, answer, at: at(time))
  }

  @Test func `an alias is resolved and encryption checked before anything is sent`() {
    var room = RoomDestination("#door/a%:h")
    #expect(room.begin(at: at(0)) == .resolve && room.method(of: .resolve) == .get)
    #expect(room.path(of: .resolve, sending: digits) == "/_matrix/client/v3/directory/room/%23door%2Fa%25%3Ah")
    #expect(turn(&room, .resolve, 200, .room("!a/b%:h")) == .next(.check))
    let path = "/_matrix/client/v3/rooms/%21a%2Fb%25%3Ah"
    #expect(room.path(of: .check, sending: digits) == path + "/state/m.room.encryption")
    #expect(turn(&room, .check, 404, .error("M_NOT_FOUND"), at: 100) == .next(.send))
    #expect(room.path(of: .send, sending: digits) == path + "/send/m.room.message/" + digits)
    #expect(room.method(of: .send) == .put)
    #expect(turn(&room, .send, 200, .event) == .answered(status: 200, retryAfter: nil))
    #expect(room.begin(at: at(5_099)) == .send, "known for a burst")
    #expect(room.begin(at: at(5_100)) == .resolve, "an alias may move, and a room be encrypted")
    var other = RoomDestination("!id")
    #expect(other.begin(at: at(0)) == .check)
  }

  @Test func `an encrypted room is refused`() {
    var room = RoomDestination("!a:h")
    #expect(turn(&room, .check, 200, .object) == .failed(.roomEncrypted))
    #expect(turn(&room, .check, 200, .html) == .failed(.notAHomeserver), "nothing is known then")
    #expect(turn(&room, .check, 404, .html) == .failed(.notAHomeserver))
    #expect(turn(&room, .check, 404, .error("M_UNRECOGNIZED")) == .failed(.notAHomeserver))
  }

  @Test func `each response is handled as the homeserver meant it`() {
    let answers: [(Int, MatrixAnswer, RoomDestination.Turn)] = [
      (200, .html, .failed(.notAHomeserver)),
      (200, .object, .failed(.notAHomeserver)), (204, .event, .failed(.notAHomeserver)),
      (502, .html, .answered(status: 502, retryAfter: nil)),
      (429, .html, .answered(status: 429, retryAfter: nil)),
      (429, .error("M_LIMIT_EXCEEDED", retryAfter: .seconds(3)), .answered(status: 429, retryAfter: .seconds(3))),
      (403, .error("M_LIMIT_EXCEEDED"), .answered(status: 429, retryAfter: nil)),
      (401, .error("M_UNKNOWN_TOKEN"), .failed(.tokenRefused)),
      (403, .error("M_USER_DEACTIVATED"), .failed(.tokenRefused)), (401, .html, .failed(.notAHomeserver)),
      (403, .error("M_FORBIDDEN"), .failed(.roomClosed)), (403, .html, .failed(.notAHomeserver)),
      (404, .error("M_NOT_FOUND"), .failed(.roomClosed)), (307, .html, .failed(.notAHomeserver)),
      (413, .error("M_TOO_LARGE"), .failed(.messageRefused)),
      (400, .error("M_BAD_JSON"), .failed(.messageRefused)),
    ]
    for (status, answer, expected) in answers {
      var room = RoomDestination("!a:h")
      #expect(turn(&room, .send, status, answer) == expected, "\(status) \(answer)")
    }
    var room = RoomDestination("#a:h")
    #expect(turn(&room, .resolve, 404, .error("M_NOT_FOUND")) == .failed(.roomUnknown))
    #expect(turn(&room, .resolve, 200, .object) == .failed(.notAHomeserver))
    #expect(turn(&room, .send, 429, .html, retryAfter: .seconds(7)) == .answered(status: 429, retryAfter: .seconds(7)))
  }
}

extension MatrixAnswer {
  fileprivate static let html = MatrixAnswer()
  fileprivate static let object = MatrixAnswer(isObject: true)

  fileprivate static var encrypted: MatrixAnswer {
    var answer = object
    answer.rotation = Rotation()
    return answer
  }

  fileprivate static var event: MatrixAnswer {
    var answer = object
    answer.eventID = "$e"
    return answer
  }

  fileprivate static func room(_ id: String) -> MatrixAnswer {
    var answer = object
    answer.roomID = id
    return answer
  }

  fileprivate static func error(_ code: String, retryAfter: Duration? = nil) -> MatrixAnswer {
    var answer = object
    (answer.errorCode, answer.retryAfter) = (code, retryAfter)
    return answer
  }
}
