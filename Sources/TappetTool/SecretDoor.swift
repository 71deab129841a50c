// Where the tool takes its requests about secrets: to the running kiosk, which has the sealing key and takes changes over at
// once; without one it opens the store itself.

import CPlatform
import TappetCore
import TappetDevices
import TappetRuntime

/// A request that came to nothing.
struct SecretRefusal: Error {
  var sentence: String
  var status: ExitStatus
}

/// The way to the secrets of one configuration.
struct SecretDoor {
  let configuration: Configuration

  /// What came of the request; `members` are its facts.
  func ask(
    _ name: String, _ members: [JSON.Member] = [], enclosing enclosure: SecretBytes? = nil
  ) throws(SecretRefusal) -> ControlMessage {
    let json = JSON.object([JSON.Member(name: "request", value: .string(name))] + members)
    let answer: ControlMessage
    if let kiosk = RunningKiosk(configuration) {
      guard let reply = kiosk.converse(json, enclosing: enclosure, waiting: .seconds(30)) else {
        throw SecretRefusal(
          sentence: "the running kiosk does not answer; look at its log, and ask again what became of it",
          status: .failure)
      }
      answer = reply
    } else {
      answer = try askHere(json, enclosure)
    }
    guard let sentence = answer.json["error"]?.text else { return answer }
    throw SecretRefusal(
      sentence: sentence, status: answer.json["refused"] == .bool(true) ? .refused : .failure)
  }

  private func askHere(_ json: JSON, _ enclosure: SecretBytes?) throws(SecretRefusal) -> ControlMessage {
    let desk = SecretDesk(configuration, owner: geteuid())
    let reply = desk.answer(SecretRequest(json, enclosing: enclosure, by: .current()))
    if let trouble = reply.copyTrouble { Output.complain("tappet: " + Line(copyTrouble: trouble).sentence) }
    // One may have started since.
    if reply.secrets != nil, let kiosk = RunningKiosk(configuration) {
      guard let answer = kiosk.ask("reload-secrets"), answer["error"] == nil else {
        throw SecretRefusal(
          sentence: "the change is stored, but the kiosk that has just started did not take it over; restart it",
          status: .failure)
      }
    }
    return ControlMessage(reply.json, enclosing: reply.enclosure)
  }
}

extension JSON.Member {
  /// A text, or nothing to say.
  static func text(_ name: String, _ value: String?) -> [JSON.Member] {
    value.map { [JSON.Member(name: name, value: .string($0))] } ?? []
  }
}

/// A moment as people write it.
enum TimeText {
  /// The first second of 2020: older than anything that is kept here, and younger than a clock that was never set.
  private static let floorUnixSeconds: Int64 = 1_577_836_800

  /// In the machine's time zone: `2026-11-21 10:51`.
  static func local(_ unixSeconds: Int64) -> String {
    guard unixSeconds >= floorUnixSeconds else { return "at an unknown time" }
    var time = time_t(unixSeconds)
    var parts = tm()
    localtime_r(&time, &parts)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return
      "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday)) \(two(parts.tm_hour)):\(two(parts.tm_min))"
  }
}
