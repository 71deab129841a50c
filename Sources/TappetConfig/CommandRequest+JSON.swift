// The payload of a command: JSON, one word, or an action URL (docs/formats.md, "Commands").

import TappetCore
import TappetJSON

extension CommandArrival.Content {
  /// Reads a payload of at most `Limits.commandSizeMax` bytes.
  ///
  /// If `isFirmware` is set, the payload is read in the same way as by the ESP32 firmware.
  @export(interface)
  package init(_ payload: [UInt8], isFirmware: Bool = false) {
    if isFirmware {
      self = .init(toFirmware: payload)
      return
    }
    let text = CommandRequest.trimmed(payload)
    if text.starts(with: "smp://".utf8) {
      self = .request(CommandRequest(.url(Array(text))))
    } else if text.first == UInt8(ascii: "{") {
      let json = JSON(decoding: Array(text))
      // Replies are ignored, because a sender may have chosen this topic for its replies.
      let isReply = json?["result"] != nil
      self = isReply ? .report : json.flatMap { CommandRequest($0) }.map { .request($0) } ?? .malformed
    } else if (1...Limits.outputWordSizeMax).contains(text.count),
      text.allSatisfy({ $0.isASCIILetter })
    {
      self = .request(CommandRequest(.word(String(decoding: text, as: UTF8.self))))
    } else {
      self = .malformed
    }
  }
}

extension CommandArrival.Content {
  /// Reads a command as the ESP32 firmware does: names are case-insensitive, and the first of repeated members counts.
  fileprivate init(toFirmware payload: [UInt8]) {
    guard !payload.starts(with: #"{"TT_ID""#.utf8) else {
      self = .report
      return
    }
    guard case .object(let members)? = JSON(decoding: payload) else {
      self = .malformed
      return
    }
    func first(_ name: String) -> JSON? { members.first { $0.name.asciiLowercased == name }?.value }
    guard first("result") == nil else {
      self = .report
      return
    }
    guard let number = first("command")?.wholeNumber else {
      self = .malformed
      return
    }
    var request = CommandRequest(CommandRequest.Form.number(number))
    request.token = first("otp-auth")?.text
    if let name = first("sender")?.text, name.utf8.count <= Limits.commandIDSizeMax, name.isPrintable {
      request.statedSender = name
    }
    self = .request(request)
  }
}

extension CommandRequest {
  fileprivate static func trimmed(_ payload: [UInt8]) -> ArraySlice<UInt8> {
    var text = payload[...]
    while let last = text.last, last <= 0x20 { text.removeLast() }
    return text.drop { $0 <= 0x20 }
  }

  /// Reads the request in an object; `nil` if a relevant member has the wrong type, or nothing is requested.
  fileprivate init?(_ json: JSON) {
    guard let form = Form(json) else { return nil }
    self.init(form)
    switch json["id"] {
    case nil, .null: break
    case .string(let text):
      guard text.utf8.count <= Limits.commandIDSizeMax, text.isPrintable else { return nil }
      id = text
    case .number(let number): id = String(number)
    default: return nil
    }
    if let time = json["t"] {
      guard let seconds = time.wholeNumber else { return nil }
      unixSeconds = seconds
    }
    token = json["token"]?.text
    hmac = json["hmac"]?.text
    guard let nonce = json["nonce"] else { return }
    guard let text = nonce.text, (Limits.commandNonceSizeMin...Limits.commandNonceSizeMax).contains(text.utf8.count),
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { return nil }
    self.nonce = text
  }
}

extension CommandRequest.Form {
  /// Reads exactly one of `action`, `output` with `do`, `url` and `run`.
  fileprivate init?(_ json: JSON) {
    switch (json["action"], json["output"], json["url"], json["run"]) {
    case (.string(let name), nil, nil, nil): self = .target(.action(name.nameForm))
    case (nil, .string(let name), nil, nil):
      guard let request = json["do"]?.text.flatMap({ OutputRequest(ignoringCase: $0) }) else { return nil }
      self = .target(.output(OutputOrder(output: name.nameForm, request: request)))
    case (nil, nil, .string(let url), nil): self = .url(Array(url.utf8))
    case (nil, nil, nil, .string("check")): self = .target(.check)
    default: return nil
    }
  }
}
