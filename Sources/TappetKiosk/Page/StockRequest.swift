// Requests of the page about the store room. The kiosk decides who may make them, and a process of its own answers
// them, so that a search does not delay a tap at the shelf. All of them are JSON:
//
//     page  ──▶ kiosk   {"request":"stock-find","text":"m4"}
//     kiosk ──▶ process {"request":"stock-find","text":"m4","who":"Hall tablet","number":17,"deadline":86400123}
//     kiosk ◀── process number:8, then the response for the page

import TappetCore
import TappetJSON

/// A request about the store room.
package enum StockRequest: Sendable {
  /// Find the thing with this code, or all boxes and items that contain these words.
  case find(String)
  /// Show the thing with this id, and its contents.
  case show(id: String)
  /// List what is low, lent and missing.
  case list
  /// Move a thing to the place with this name, path or code.
  case move(id: String, to: String)
  /// Lend a thing to a person, until a day if there is one.
  case lend(id: String, to: String, until: CalendarDay?)
  /// Take back what a person has of a thing.
  case takeBack(id: String, from: String)
  /// Add pieces to an item or take them, unless this was done before with the same ticket.
  case adjust(id: String, pieces: Int64, ticket: Int64)
  /// Undo the change with this number, which the same device has made.
  case undo(number: Int64)
}

extension StockRequest {
  var form: RequestForm {
    switch self {
    case .find(let text): .init("stock-find", ["text": .string(text)])
    case .show(let id): .init("stock-show", ["id": .string(id)])
    case .list: .init("stock-list")
    case .move(let id, let place): .init("stock-move", ["id": .string(id), "to": .string(place)])
    case .lend(let id, let person, let day):
      .init("stock-lend", ["id": .string(id), "to": .string(person), "until": .optional(day?.text)])
    case .takeBack(let id, let person): .init("stock-return", ["id": .string(id), "from": .string(person)])
    case .adjust(let id, let pieces, let ticket):
      .init("stock-adjust", ["id": .string(id), "pieces": .number(pieces), "ticket": .number(ticket)])
    case .undo(let number): .init("stock-undo", ["change": .number(number)])
    }
  }

  /// Decodes a request; `nil` if the name is unknown.
  init?(_ name: String, _ request: RequestMembers) throws(KioskRequestError) {
    let id = request.text("id")
    switch name {
    case "stock-find": self = .find(request.text("text"))
    case "stock-show": self = .show(id: id)
    case "stock-list": self = .list
    case "stock-move": self = .move(id: id, to: request.text("to"))
    case "stock-lend":
      let day = request.text("until")
      guard day.isEmpty || CalendarDay(day) != nil else {
        throw KioskRequestError("'until' must be a day such as 2026-12-31")
      }
      self = .lend(id: id, to: request.text("to"), until: CalendarDay(day))
    case "stock-return": self = .takeBack(id: id, from: request.text("from"))
    case "stock-adjust":
      guard request.number("pieces") != 0, request.number("ticket") != 0 else {
        throw KioskRequestError("a change of pieces needs 'pieces', and a 'ticket' of its own")
      }
      self = .adjust(id: id, pieces: request.number("pieces"), ticket: request.number("ticket"))
    case "stock-undo": self = .undo(number: request.number("change"))
    case _: return nil
    }
  }
}

/// A request as the kiosk forwards it to the page's inventory process.
package struct StockInquiry: Sendable {
  package var request: StockRequest
  /// Name of the device that asks, which the inventory records as the person.
  package var who: String
  /// Number of the connection that gets the response.
  package var number: UInt64
  /// Time after which the request has no effect.
  package var until: Instant

  package init(_ request: StockRequest, by who: String, number: UInt64, until: Instant) {
    (self.request, self.who, self.number, self.until) = (request, who, number, until)
  }

  /// Encodes the inquiry as a message to the process.
  @export(interface)
  package func encode() -> [UInt8] {
    let members =
      request.form.members + [
        .init(name: "who", value: .string(who)), .init(name: "number", value: .number(Int64(number))),
      ]
      + [.init(name: "deadline", value: .number(until.wholeMilliseconds))]
    return JSON.object(members).encoded()
  }

  /// Decodes a message from the kiosk.
  @export(interface)
  package init?(decoding bytes: [UInt8]) {
    guard let message = bytes.withUnsafeBytes({ ControlMessage($0) }) else { return nil }
    let members = RequestMembers(message)
    guard let request = try? StockRequest(members.text("request"), members) else { return nil }
    self.init(
      request, by: members.text("who"), number: UInt64(clamping: members.number("number")),
      until: Instant(milliseconds: members.number("deadline")))
  }
}

/// A response to the connection with this number.
package struct StockAnswer: Sendable {
  package var number: UInt64
  /// The response as JSON.
  package var json: [UInt8]

  package init(to number: UInt64, _ json: [UInt8]) { (self.number, self.json) = (number, json) }

  package func encode() -> [UInt8] {
    var writer = ByteWriter()
    writer.fields(number)
    return writer.bytes + json
  }

  package init?(decoding bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    guard let number = try? reader.next() as UInt64 else { return nil }
    self.init(to: number, Array(bytes[8...]))
  }
}
