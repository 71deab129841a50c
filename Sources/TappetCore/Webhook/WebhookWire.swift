// The messages between the kiosk and tappet-webhook, one per datagram; WireField.swift defines the encoding of fields.
//
//   kiosk   ──▶ 1 endpoint   number:2 method:1 redirects:1 plain timeout_ms:4 url ca? certificate? key? secret?
//                            (name value)…                     a value: 0 text, 1 path of a file, or 2 of a session
//           ──▶ 2 begin
//           ──▶ 3 post       number:2 id:16 body…
//           ──▶ 4 call       number:2 id:16 method:1 answer_max:4 path body…
//   webhook ──▶ 1 taken      the next endpoint may come
//           ──▶ 2 ready      version:1
//           ──▶ 3 answered   id:16 status:2 pause?             pause: Retry-After
//           ──▶ 4 failed     id:16 trouble:1 code:4
//           ──▶ 5 replied    id:16 status:2 pause? body…
//           ──▶ 6 part       id:16 body…                      before `replied`, which has the last part

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
  package static let protocolVersion: UInt8 = 8

  case taken
  case ready
  case answered(EntryID, status: UInt16, retryAfter: Duration?)
  case failed(EntryID, TransportError, code: Int32)
  /// A response to a call, after its other parts.
  case replied(EntryID, status: UInt16, retryAfter: Duration?, body: [UInt8])
  /// A part of a response that is larger than `Limits.webhookPartSizeMax`.
  case part(EntryID, body: [UInt8])
}

extension WebhookOrder: WireField {
  @export(interface)
  package func encode() -> [UInt8] { datagram }

  @export(interface)
  package init(decoding bytes: [UInt8]) throws(WireError) { try self.init(datagram: bytes) }

  @export(interface)
  package func write(to writer: inout ByteWriter) {
    switch self {
    case .endpoint(let number, let endpoint): writer.message(1, number, endpoint)
    case .begin: writer.message(2)
    case .post(let number, let id, let body): writer.message(3, number, id, rest: body)
    case .call(let number, let id, let method, let path, let answerSizeMax, let body):
      writer.message(4, number, id, method, answerSizeMax, path, rest: body)
    }
  }

  @export(interface)
  package init(from reader: inout ByteReader) throws(WireError) {
    let kind: UInt8 = try reader.next()
    switch kind {
    case 1: self = try .endpoint(reader.next(), reader.next())
    case 2: self = .begin
    case 3: self = try .post(reader.next(), reader.next(), body: reader.rest())
    case 4:
      let (number, id): (UInt16, EntryID) = (try reader.next(), try reader.next())
      let (method, sizeMax): (WebhookEndpoint.Method, UInt32) = (try reader.next(), try reader.next())
      self = try .call(number, id, method, path: reader.next(), answerSizeMax: sizeMax, body: reader.rest())
    default: throw .unknownKind(kind)
    }
  }
}

extension WebhookMessage: WireField {
  @export(interface)
  package func encode() -> [UInt8] { datagram }

  @export(interface)
  package init(decoding bytes: [UInt8]) throws(WireError) { try self.init(datagram: bytes) }

  @export(interface)
  package func write(to writer: inout ByteWriter) {
    switch self {
    case .taken: writer.message(1)
    case .ready: writer.message(2, WebhookMessage.protocolVersion)
    case .answered(let id, let status, let pause): writer.message(3, id, status, pause)
    case .failed(let id, let trouble, let code): writer.message(4, id, trouble, code)
    case .replied(let id, let status, let pause, let body): writer.message(5, id, status, pause, rest: body)
    case .part(let id, let body): writer.message(6, id, rest: body)
    }
  }

  @export(interface)
  package init(from reader: inout ByteReader) throws(WireError) {
    let kind: UInt8 = try reader.next()
    switch kind {
    case 1: self = .taken
    case 2:
      try reader.expect(version: WebhookMessage.protocolVersion)
      self = .ready
    case 3: self = try .answered(reader.next(), status: reader.next(), retryAfter: reader.next())
    case 4: self = try .failed(reader.next(), reader.next(), code: reader.next())
    case 5:
      self = try .replied(reader.next(), status: reader.next(), retryAfter: reader.next(), body: reader.rest())
    case 6: self = try .part(reader.next(), body: reader.rest())
    default: throw .unknownKind(kind)
    }
  }
}

extension WebhookEndpoint.Method: WireField {}
extension TransportError: WireField {}

/// Without the action's name, which the receiver does not need.
extension WebhookEndpoint: WireField {
  package func write(to writer: inout ByteWriter) {
    writer.fields(method, redirects, allowsPlain, timeout, url)
    writer.fields(caFile, certificateFile, privateKeyFile, secretFile, headers)
  }

  package init(from reader: inout ByteReader) throws(WireError) {
    self.init(action: "", url: .text(""))
    (method, redirects, allowsPlain) = (try reader.next(), try reader.next(), try reader.next())
    (timeout, url) = (try reader.next(), try reader.next())
    (caFile, certificateFile, privateKeyFile) = (try reader.next(), try reader.next(), try reader.next())
    (secretFile, headers) = (try reader.next(), try reader.next())
  }
}

extension WebhookEndpoint.Header: WireField {
  package func write(to writer: inout ByteWriter) { writer.fields(name, value) }

  package init(from reader: inout ByteReader) throws(WireError) {
    self.init(name: try reader.next(), value: try reader.next())
  }
}

extension WebhookEndpoint.Value: WireField {
  package func write(to writer: inout ByteWriter) {
    switch self {
    case .text(let text): writer.message(0, text)
    case .file(let path): writer.message(1, path)
    case .session(let path): writer.message(2, path)
    }
  }

  @export(interface)
  package init(from reader: inout ByteReader) throws(WireError) {
    let kind: UInt8 = try reader.next()
    switch kind {
    case 0: self = .text(try reader.next())
    case 1: self = .file(try reader.next())
    case 2: self = .session(try reader.next())
    default: throw .unknownKind(kind)
    }
  }
}
