// A kiosk with a page, and browsers as the kiosk sees them: connections on its socket for the page.

import Foundation
import TappetBase
import TappetJSON
import TappetPlatform
import TestSupport

extension KioskWorld {
  /// A kiosk with a page, whose alarm asks first.
  static func withPage(
    _ more: String = "", open: String = "nothing", publish: Bool = false, outputs: [String] = []
  ) throws -> KioskWorld {
    let list = outputs.isEmpty ? "" : "  outputs: [\(outputs.joined(separator: ", "))]\n"
    return try KioskWorld(KioskConfiguration(more: pageLines(open: open, publish: publish) + "\n" + list + more))
  }

  /// The lines of kiosk.yaml for an action and the page.
  static func pageLines(open: String = "nothing", socket: String = "web", publish: Bool = false) -> String {
    """
      - {name: alarm, title: Alarm <b>, topic: home/alarm, message: armed, confirm: 60 s}
    web:
      name: Front door
      names: [door.example]
      panel: [light, alarm, bell]
      open: \(open)
      socket: \(socket)
      publish: \(publish)
    """
  }

  /// A connection of tappet-web's, which has sent `enter` with the token.
  func browser(
    _ token: String? = nil, host: String = "door.example", from address: String = "192.0.2.7"
  ) throws -> PageClient {
    let client = try PageClient(folder + "/web")
    try client.enter(token, host: host, from: address)
    return client
  }

  /// Pairs a device through its socket; its token.
  func pair(_ name: String, level: String) throws -> String {
    let done = try tappet("web", "pair", name, "--level", level)
    guard done.status == 0 else { throw TestFault(done.errors) }
    let client = try browser()
    let answer = try client.ask("pair", secret: done.output)
    guard let token = client.secret else { throw TestFault("\(answer)") }
    return token
  }
}

/// One connection on the page's socket.
final class PageClient {
  private let socket: UnixSocket
  /// The response to `enter`.
  private(set) var entered = JSON.null
  /// The secret of the last response.
  private(set) var secret: String?

  init(_ path: String) throws { socket = try UnixSocket.connect(to: path) }

  func enter(_ token: String?, host: String = "door.example", from address: String = "192.0.2.7") throws {
    entered = try ask(
      "enter", ["from": .string(address), "network": .string(address), "host": .string(host)], secret: token)
  }

  /// Sends a request, and waits for its response.
  @discardableResult
  func ask(_ name: String, _ facts: KeyValuePairs<String, JSON> = [:], secret: String? = nil) throws -> JSON {
    let members = [JSON.Member(name: "request", value: .string(name))]
    let json = JSON.object(members + facts.map { JSON.Member(name: $0.key, value: $0.value) })
    guard socket.send(json.encoded() + (secret.map { [0] + Array($0.utf8) } ?? [])) else { throw TestFault("no kiosk") }
    guard let message = try next() else { throw TestFault("\(name): the connection ended") }
    let end = message.firstIndex(of: 0) ?? message.endIndex
    self.secret = end < message.endIndex ? String(decoding: message[(end + 1)...], as: UTF8.self) : nil
    guard let answer = JSON(decoding: Array(message[..<end])) else {
      throw TestFault(String(decoding: message, as: UTF8.self))
    }
    return answer
  }

  /// Presses a button now, or `age` earlier.
  func press(_ action: String, id: String = UUID().uuidString, age: Int64 = 0) throws -> JSON {
    try ask(
      "press",
      [
        "action": .string(action), "id": .string(id), "at": .number(Instant.now().wholeMilliseconds - age),
      ])
  }

  /// Confirms a question now, or `age` earlier.
  func confirm(_ question: JSON, age: Int64 = 0) throws -> JSON {
    try ask("confirm", ["question": question, "at": .number(Instant.now().wholeMilliseconds - age)])
  }

  /// The state of the kiosk as this browser sees it.
  var state: JSON { get throws { try ask("web-state")["data"] ?? .null } }

  /// Starts to watch; the first event is the state.
  func watch() throws -> JSON {
    guard socket.send(Array(#"{"request":"web-watch"}"#.utf8)) else { throw TestFault("no kiosk") }
    return try event("state")
  }

  /// Waits for an event of this name that satisfies the condition; its data.
  func event(_ name: String, where isWanted: (JSON) -> Bool = { _ in true }) throws -> JSON {
    while let message = try next() {
      let words = message.split(separator: UInt8(ascii: " "), maxSplits: 1)
      guard words.count == 2, words[0].elementsEqual(name.utf8), let json = JSON(decoding: Array(words[1])),
        let data = json["data"], isWanted(data)
      else { continue }
      return data
    }
    throw TestFault("waited in vain for '\(name)': the connection ended")
  }

  /// The names of the events before the next one of this name.
  func next(before name: String) throws -> [String] {
    var names: [String] = []
    while let message = try next() {
      let found = String(decoding: message.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)
      if found == name { return names }
      names.append(found)
    }
    throw TestFault("waited in vain for '\(name)': the connection ended")
  }

  /// The next message; `nil` if the kiosk has closed the connection.
  func next() throws -> [UInt8]? {
    guard socket.waitReadable(for: .seconds(Int64(patience))) else { throw TestFault("waited in vain for a message") }
    switch socket.receive(sizeMax: 65_536) {
    case .message(let bytes): return bytes
    case .closed: return nil
    case .nothing: throw TestFault("no message")
    }
  }
}
