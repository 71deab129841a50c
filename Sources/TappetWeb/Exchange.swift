// One request of a browser, and the connection to the kiosk on its behalf: one for each request, closed after it.

import CMicroHTTPD
import TappetBase
import TappetJSON
import TappetPlatform

/// A request in progress.
///
/// While the kiosk is asked, and while a stream has nothing to send, the browser's connection is suspended.
final class Exchange {
  /// The stages of a request.
  enum Stage {
    case receiving
    /// The kiosk has been asked.
    case asking(Inquiry)
    /// The kiosk's response has arrived, or none.
    case answered(Inquiry, KioskAnswer)
    case streaming(Inquiry)
  }

  /// The kiosk's response to an inquiry.
  enum KioskAnswer {
    /// The response to the request, with its secret.
    case replied(JSON, secret: [UInt8])
    /// The kiosk refused, for a reason with this code and sentence.
    case refused(code: String, String)
    /// The kiosk cannot be reached, or did not respond in time.
    case away
    /// The stream has started.
    case streams
  }

  let connection: OpaquePointer?
  /// Descriptor of the connection, once the request is complete.
  var descriptor: Int32?
  let method: String
  let path: String
  private(set) var body: [UInt8] = []
  private(set) var isTooLarge = false
  private(set) var stage = Stage.receiving
  /// Time at which the kiosk must have responded; `nil` unless it was asked.
  private(set) var deadline: Instant?
  private var kiosk: UnixSocket?
  private var watch: Watch?
  /// Watch for the end of a browser's connection, which libmicrohttpd does not notice while it is suspended.
  private var leaving: Watch?
  /// Network of the browser, empty until the kiosk is asked, and the kiosk's response to `enter`.
  private var entry: (network: String, response: JSON?) = ("", nil)
  /// Bytes of the stream that the browser has not received yet, and the number of a backup's parts in them.
  private var pending: (bytes: [UInt8], parts: Int) = ([], 0)
  private var isSuspended = false
  private var isEnding = false

  init(_ connection: OpaquePointer?, method: String, path: String) {
    self.connection = connection
    self.method = method
    self.path = path
  }

  private var purpose: Inquiry.Purpose? {
    switch stage {
    case .asking(let inquiry), .answered(let inquiry, _), .streaming(let inquiry): inquiry.purpose
    case .receiving: nil
    }
  }

  /// The kiosk's response to `enter`.
  var entered: JSON? { entry.response }

  /// Name of the paired device; `nil` for any other browser.
  var device: String? { entered?["device"]?.text }

  /// Whether the socket is that of 'tappet init --web', and not a kiosk's.
  var isSetup: Bool { entered?["setup"] == .bool(true) }

  /// The owner of the stream.
  var visitor: Visitor { Visitor(device: device, network: entry.network) }

  /// Whether the exchange is a stream that has not ended.
  var isOpenStream: Bool { if case .streaming = stage { !isEnding } else { false } }

  /// Adds a part of the body; a body that is too large is read to its end, and not kept.
  func receive(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard body.count + bytes.count <= Limits.webBodySizeMax else { return isTooLarge = true }
    body += bytes
  }

  // MARK: The kiosk

  /// Asks the kiosk, and suspends the browser's connection until it has responded; returns false if the kiosk cannot be
  /// reached.
  func ask(
    _ inquiry: Inquiry, from browser: BrowserAddress, _ place: [JSON.Member], at path: String, _ reactor: Reactor
  ) -> Bool {
    entry.network = browser.network
    stage = .answered(inquiry, .away)
    do throws(SystemError) {
      let socket = try UnixSocket.connect(to: path)
      kiosk = socket
      watch = try reactor.watch(
        socket.fileDescriptor, for: .readable, calling(self) { exchange, _ in exchange.readKiosk() })
      let enter = Inquiry.enter(from: browser, host: host, token: token, place)
      guard socket.send(enter), socket.send(inquiry.message) else {
        closeKiosk()
        return false
      }
    } catch { return false }
    // Either may contain a password.
    var inquiry = inquiry
    (inquiry.message, body) = ([], [])
    if inquiry.purpose.isStream, let descriptor {
      leaving = try? reactor.watch(descriptor, for: [], calling(self) { exchange, _ in exchange.leave() })
    }
    stage = .asking(inquiry)
    deadline = Instant.now() + Limits.webAnswerMax
    suspend()
    return true
  }

  /// Gives up on a kiosk that has not responded in time.
  func expire(at now: Instant) { if let deadline, deadline <= now { finish(.away) } }

  private func readKiosk() {
    while let socket = kiosk {
      switch socket.receive(sizeMax: Limits.webMessageSizeMax) {
      case .nothing: return
      case .closed: return isStreaming ? endStream() : finish(.away)
      case .message(let bytes): handle(bytes)
      }
    }
  }

  private var isStreaming: Bool {
    switch stage {
    case .streaming, .answered(_, .streams): true
    case .receiving, .asking, .answered: false
    }
  }

  private func handle(_ message: [UInt8]) {
    if isStreaming { return push(message) }
    guard case .asking(let inquiry) = stage else { return }
    if entered != nil, inquiry.purpose == .events, message.first != UInt8(ascii: "{") {
      pending.bytes = Array("retry: 1000\n\n".utf8)
      finish(.streams)
      return push(message)
    }
    let end = message.firstIndex(of: 0) ?? message.endIndex
    guard let json = JSON(decoding: Array(message[..<end])) else { return finish(.away) }
    if let sentence = json["error"]?.text { return finish(.refused(code: json["code"]?.text ?? "", sentence)) }
    guard entered != nil else { return entry.response = json }
    if inquiry.purpose == .job {
      finish(.streams)
      return push(message)
    }
    finish(.replied(json, secret: Array(message[end...].dropFirst())))
  }

  private func finish(_ answer: KioskAnswer) {
    guard case .asking(let inquiry) = stage else { return }
    stage = .answered(inquiry, answer)
    deadline = nil
    if case .streams = answer {} else { closeKiosk() }
    resume()
  }

  private func closeKiosk() {
    watch = nil
    kiosk = nil
  }

  // MARK: The stream

  /// Queues the stream of events as the response; returns false if the connection must be closed.
  func queueStream(_ request: UnsafeMutableRawPointer, of inquiry: Inquiry) -> Bool {
    stage = .streaming(inquiry)
    let response = tw_stream(
      { request, bytes, room in
        guard let request, let bytes else { return -1 }
        return Unmanaged<Exchange>.fromOpaque(request).takeUnretainedValue().readStream(bytes, room)
      }, request)
    let type = inquiry.purpose == .events ? "text/event-stream" : "application/x-ndjson"
    Answer.guardHeaders(response, type: type, cache: "no-store")
    if let cookie = renewedCookie { tw_add_header(response, "Set-Cookie", cookie) }
    tw_add_header(response, "X-Accel-Buffering", "no")
    return tw_answer(connection, 200, response) == 0
  }

  /// Adds a message of the kiosk's, which is JSON of one line; that of an event follows its name and a space.
  private func push(_ message: [UInt8]) {
    guard !message.contains(UInt8(ascii: "\n")) else { return }
    guard pending.bytes.count + message.count <= Limits.webStreamSizeMax else { return endStream() }
    if purpose == .job {
      pending.bytes += message + [UInt8(ascii: "\n")]
      if message.starts(with: Exchange.partStart) {
        pending.parts += 1
      } else if JSON(decoding: message)?["result"] != nil {
        return endStream()
      }
    } else if let space = message.firstIndex(of: UInt8(ascii: " ")) {
      pending.bytes += Array("event: ".utf8) + message[..<space] + Array("\ndata: ".utf8) + message[(space + 1)...]
      pending.bytes += Array("\n\n".utf8)
    }
    resumeStream()
  }

  private static let partStart = Array("{\"part\":".utf8)

  /// Ends a stream whose browser has closed its connection.
  private func leave() {
    leaving = nil
    isEnding = true
    finish(.away)
    closeKiosk()
    resume()
  }

  /// Ends the stream; the browser may ask for another one.
  func endStream() {
    if purpose == .events { pending.bytes += Array("event: gone\ndata: null\n\n".utf8) }
    isEnding = true
    closeKiosk()
    resumeStream()
  }

  private func resumeStream() { if case .streaming = stage { resume() } }

  private func readStream(_ bytes: UnsafeMutablePointer<UInt8>, _ room: Int) -> Int {
    guard !pending.bytes.isEmpty else {
      if isEnding { return -1 }
      suspend()
      return 0
    }
    let count = min(room, pending.bytes.count)
    for index in 0..<count { bytes[index] = pending.bytes[index] }
    pending.bytes.removeFirst(count)
    if pending.bytes.isEmpty {
      for _ in 0..<pending.parts { _ = kiosk?.send(Inquiry.received) }
      pending.parts = 0
    }
    return count
  }

  private func suspend() {
    guard !isSuspended else { return }
    isSuspended = true
    tw_suspend(connection)
  }

  private func resume() {
    guard isSuspended else { return }
    isSuspended = false
    tw_resume(connection)
  }
}
