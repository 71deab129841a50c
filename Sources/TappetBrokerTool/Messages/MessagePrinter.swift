// Formats messages for a terminal or a program; terminal control characters in a message are escaped.

import TappetBroker
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform

/// Prints messages in the requested format; all messages of one turn are written together.
final class MessagePrinter {
  private enum Form {
    case text, csv
    case template(LineTemplate)
    case json(JSONReport)
  }

  private let form: Form
  private var lines = ""
  private let tokens: TokenDecoder?
  private var difference: PayloadDifference?

  init(_ arguments: Arguments) throws(CommandFailure) {
    tokens = arguments.has("decode-token") ? TokenDecoder(key: try Tokens.key(arguments)) : nil
    difference = arguments.has("diff") ? PayloadDifference() : nil
    if let report = arguments.report {
      form = .json(report)
      report.beginList()
    } else if arguments.has("csv") {
      form = .csv
      lines = "time,topic,qos,retained,size,encoding,payload\n"
    } else if let template = arguments.value("format").flatMap({ LineTemplate($0) }) {
      form = .template(template)
    } else {
      form = .text
    }
  }

  /// Formats a message that has just arrived.
  func take(_ message: LinkMessage) { take(message, at: SystemClock().now().unixMilliseconds) }

  /// Formats a message that arrived at the given time; the number is shown only in the text formats.
  func take(_ message: LinkMessage, at time: Int64, number: Int? = nil) {
    switch form {
    case .text:
      lines += number.map { String(repeating: " ", count: $0 < 10 ? 3 : 2) + "\($0)  " } ?? ""
      let text = difference?.changes(message)?.escaped ?? message.text
      lines += line(message, text + (tokens?.note(message.payload, at: time / 1000) ?? ""), time)
    case .template(let template): lines += template.line(message, time)
    case .csv: lines += row(message, time)
    case .json(let report): report.print(message.json(time))
    }
  }

  /// Writes the formatted messages.
  func flush() {
    guard !lines.isEmpty else { return }
    Output.write(lines)
    lines = ""
  }

  private func line(_ message: LinkMessage, _ text: String, _ time: Int64) -> String {
    let thousandths = String(1000 + (time % 1000 + 1000) % 1000).dropFirst()
    let kept = message.isRetained ? "r" : " "
    return WallTime.timeOfDay(unixMilliseconds: time) + "." + thousandths + " q\(message.qos)" + kept + " "
      + message.topic.escaped + "  " + text + "\n"
  }

  /// Returns a CSV row (RFC 4180).
  private func row(_ message: LinkMessage, _ time: Int64) -> String {
    let (encoding, payload) = message.encoded
    let fields = [
      WallTime.utc(unixMilliseconds: time) ?? "", message.topic.escaped, String(message.qos),
      message.isRetained ? "1" : "0", String(message.size), encoding, payload.escapedLines,
    ]
    return fields.map { MessagePrinter.field($0) }.joined(separator: ",") + "\n"
  }

  private static func field(_ payload: String) -> String {
    let text = CSV.guarded(payload)
    guard text.utf8.contains(where: { $0 == 0x22 || $0 == 0x2C || $0 == 0x0A }) else { return text }
    return "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }
}

extension LinkMessage {
  /// The payload as text if it is valid UTF-8, otherwise as base64.
  var encoded: (encoding: String, text: String) {
    if let text = String(validating: payload, as: UTF8.self) { return ("text", text) }
    return ("base64", String(decoding: Base64.encode(payload), as: UTF8.self))
  }

  /// The payload as a single line that is safe to print.
  var text: String {
    if payload.isEmpty { return "(no bytes)" }
    let (encoding, text) = encoded
    return encoding == "text" ? text.escaped : "base64:" + text
  }

  /// Returns the start of the payload as a single line that is safe to print.
  func summary(_ sizeMax: Int) -> String {
    guard payload.count > sizeMax else { return text }
    var part = self
    part.payload = Array(payload.prefix(sizeMax))
    // A character cut in two is omitted.
    while let last = part.payload.last, last & 0xC0 == 0x80 { part.payload.removeLast() }
    if let last = part.payload.last, last & 0xC0 == 0xC0 { part.payload.removeLast() }
    return part.text + "…"
  }

  func json(_ time: Int64) -> JSON {
    let (encoding, text) = encoded
    return .object([
      "time": .time(unixMilliseconds: time), "topic": .string(topic), "qos": .number(Int64(qos)),
      "retained": .bool(isRetained), "size": .number(Int64(size)), "encoding": .string(encoding),
      "payload": .string(text),
    ])
  }
}
