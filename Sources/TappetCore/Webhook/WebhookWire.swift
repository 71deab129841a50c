// The messages between the kiosk and tappet-webhook, one per datagram. Numbers are big-endian; a text is preceded by
// its size in two bytes. Any bytes decode to a value or to `nil`.
//
//   kiosk   ──▶ 1 endpoint   number:2 method:1 redirects:1 plain:1 timeout_ms:4 url ca certificate key secret
//                            room count:1 (name value)…        a value: 0 text, or 1 path of a file; "" for none
//           ──▶ 2 begin
//           ──▶ 3 post       number:2 id:16 body…
//           ──▶ 4 call       number:2 id:16 method:1 answer_max:4 path body…
//   webhook ──▶ 1 taken      the next endpoint may come
//           ──▶ 2 ready      version:1
//           ──▶ 3 answered   id:16 status:2 pause:4            pause: Retry-After in ms; all ones without one
//           ──▶ 4 failed     id:16 trouble:1 code:4
//           ──▶ 5 replied    id:16 status:2 pause:4 body…
//           ──▶ 6 created    id:16 event
//           ──▶ 7 part       id:16 body…                      before `replied`, which has the last part

/// A command from the kiosk to tappet-webhook.
package enum WebhookOrder: Equatable, Sendable {
  /// Load the files for the given endpoint; the response is `taken`.
  case endpoint(UInt16, WebhookEndpoint)
  /// All endpoints have been sent: enter the sandbox, and accept requests; the response is `ready`.
  case begin
  /// Send the body to the endpoint with the given number; the response is `answered` or `failed`.
  case post(UInt16, EntryID, body: [UInt8])
  /// Send a request to the server of the endpoint with the given number; the response is `replied` or `failed`.
  ///
  /// At most `answerSizeMax` bytes of the response are read. Used by the command-line tools for homeservers and
  /// certificate authorities, never by the kiosk.
  case call(UInt16, EntryID, WebhookEndpoint.Method, path: String, answerSizeMax: UInt32, body: [UInt8])
}

/// A message from tappet-webhook.
package enum WebhookMessage: Equatable, Sendable {
  /// Version of the protocol; a different version means that the processes are from different builds.
  package static let protocolVersion: UInt8 = 6

  case taken
  case ready
  case answered(EntryID, status: UInt16, retryAfter: Duration?)
  case failed(EntryID, TransportError, code: Int32)
  /// The homeserver created this event for the message.
  case created(EntryID, event: String)
  /// A response to a call, after its other parts.
  case replied(EntryID, status: UInt16, retryAfter: Duration?, body: [UInt8])
  /// A part of a response that is larger than `Limits.webhookPartSizeMax`.
  case part(EntryID, body: [UInt8])
}

extension WebhookOrder {
  @export(interface)
  package func encode() -> [UInt8] {
    var writer = ByteWriter()
    switch self {
    case .endpoint(let number, let endpoint):
      writer.byte(1)
      writer.integer(number)
      writer.endpoint(endpoint)
    case .begin: writer.byte(2)
    case .post(let number, let id, let body):
      writer.byte(3)
      writer.integer(number)
      writer.id(id)
      writer.bytes += body
    case .call(let number, let id, let method, let path, let answerSizeMax, let body):
      writer.byte(4)
      writer.integer(number)
      writer.id(id)
      writer.byte(method.rawValue)
      writer.integer(answerSizeMax)
      writer.text(path)
      writer.bytes += body
    }
    return writer.bytes
  }

  @export(interface)
  package init?(decoding bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    switch reader.byte() {
    case 1:
      guard let number = reader.bigEndian16(), let endpoint = WebhookEndpoint(&reader) else { return nil }
      self = .endpoint(number, endpoint)
    case 2: self = .begin
    case 3:
      guard let number = reader.bigEndian16(), let id = reader.entryID() else { return nil }
      self = .post(number, id, body: Array(reader.rest()))
    case 4:
      guard let number = reader.bigEndian16(), let id = reader.entryID(),
        let method = reader.byte().flatMap({ WebhookEndpoint.Method(rawValue: $0) }),
        let answerSizeMax = reader.bigEndian32(), let path = reader.text()
      else { return nil }
      self = .call(number, id, method, path: path, answerSizeMax: answerSizeMax, body: Array(reader.rest()))
    default: return nil
    }
    guard reader.remaining == 0 else { return nil }
  }
}

extension WebhookMessage {
  @export(interface)
  package func encode() -> [UInt8] {
    var writer = ByteWriter()
    switch self {
    case .taken: writer.byte(1)
    case .ready: writer.bytes = [2, WebhookMessage.protocolVersion]
    case .answered(let id, let status, let pause): writer.answer(3, id, status, pause)
    case .failed(let id, let trouble, let code):
      writer.byte(4)
      writer.id(id)
      writer.byte(trouble.rawValue)
      writer.integer(code)
    case .created(let id, let event):
      writer.byte(6)
      writer.id(id)
      writer.text(event)
    case .replied(let id, let status, let pause, let body):
      writer.answer(5, id, status, pause)
      writer.bytes += body
    case .part(let id, let body):
      writer.byte(7)
      writer.id(id)
      writer.bytes += body
    }
    return writer.bytes
  }

  @export(interface)
  package init?(decoding bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    switch reader.byte() {
    case 1: self = .taken
    case 2:
      guard reader.byte() == WebhookMessage.protocolVersion else { return nil }
      self = .ready
    case 3:
      guard let id = reader.entryID(), let status = reader.bigEndian16(), let pause = reader.pause() else { return nil }
      self = .answered(id, status: status, retryAfter: pause)
    case 4:
      guard let id = reader.entryID(), let trouble = reader.byte().flatMap({ TransportError(rawValue: $0) }),
        let code = reader.bigEndian32()
      else { return nil }
      self = .failed(id, trouble, code: Int32(bitPattern: code))
    case 5:
      guard let id = reader.entryID(), let status = reader.bigEndian16(), let pause = reader.pause() else { return nil }
      self = .replied(id, status: status, retryAfter: pause, body: Array(reader.rest()))
    case 6:
      guard let id = reader.entryID(), let event = reader.text() else { return nil }
      self = .created(id, event: event)
    case 7:
      guard let id = reader.entryID() else { return nil }
      self = .part(id, body: Array(reader.rest()))
    default: return nil
    }
    guard reader.remaining == 0 else { return nil }
  }
}

extension ByteWriter {
  fileprivate mutating func answer(_ kind: UInt8, _ id: EntryID, _ status: UInt16, _ retryAfter: Duration?) {
    byte(kind)
    self.id(id)
    integer(status)
    pause(retryAfter)
  }

  /// Appends the pause that a server requests, in milliseconds; all bits are ones if there is none.
  mutating func pause(_ pause: Duration?) {
    integer(pause.map { min(UInt32(clamping: $0.wholeMilliseconds), .max - 1) } ?? .max)
  }

  /// Appends an endpoint without the action's name, which the receiver does not need.
  fileprivate mutating func endpoint(_ endpoint: WebhookEndpoint) {
    bytes += [endpoint.method.rawValue, endpoint.redirects, endpoint.allowsPlain ? 1 : 0]
    integer(UInt32(clamping: endpoint.timeout.wholeMilliseconds))
    value(endpoint.url)
    let files = [endpoint.caFile, endpoint.certificateFile, endpoint.privateKeyFile, endpoint.secretFile]
    for part in files + [endpoint.room] { text(part ?? "") }
    byte(UInt8(clamping: endpoint.headers.count))
    for header in endpoint.headers {
      text(header.name)
      value(header.value)
    }
  }

  private mutating func value(_ value: WebhookEndpoint.Value) {
    switch value {
    case .text(let content):
      byte(0)
      text(content)
    case .file(let path):
      byte(1)
      text(path)
    }
  }
}

extension ByteReader {
  /// Reads the pause that a server requests; the outer `nil` means that the message is too short.
  mutating func pause() -> Duration?? {
    bigEndian32().map { $0 == .max ? nil : .milliseconds(Int64($0)) }
  }
}

extension WebhookEndpoint {
  fileprivate init?(_ reader: inout ByteReader) {
    guard let method = reader.byte().flatMap({ Method(rawValue: $0) }), let redirects = reader.byte(),
      let plain = reader.byte(), let milliseconds = reader.bigEndian32(), let url = reader.value(),
      let ca = reader.text(), let certificate = reader.text(), let key = reader.text(), let secret = reader.text(),
      let room = reader.text(), let count = reader.byte()
    else { return nil }
    self.init(action: "", url: url)
    self.method = method
    self.redirects = redirects
    allowsPlain = plain != 0
    timeout = .milliseconds(Int64(milliseconds))
    caFile = ca.isEmpty ? nil : ca
    certificateFile = certificate.isEmpty ? nil : certificate
    privateKeyFile = key.isEmpty ? nil : key
    secretFile = secret.isEmpty ? nil : secret
    self.room = room.isEmpty ? nil : room
    for _ in 0..<count {
      guard let name = reader.text(), let value = reader.value() else { return nil }
      headers.append(Header(name: name, value: value))
    }
  }
}

extension ByteReader {
  fileprivate mutating func value() -> WebhookEndpoint.Value? {
    guard let kind = byte(), kind <= 1, let text = text() else { return nil }
    return kind == 0 ? .text(text) : .file(text)
  }
}
