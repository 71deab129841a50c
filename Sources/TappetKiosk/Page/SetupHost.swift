// The page of 'tappet init --web': a browser that has typed the code from the terminal answers the questions of a
// 'tappet init' that runs as a child. There is no kiosk yet; this socket takes its place for tappet-web.

import CPlatform
import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform

/// Serves the page of a set-up.
///
/// Confined to one thread.
package final class SetupHost {
  /// Option of tappet-tool that specifies the descriptor number of the socket.
  package static let option = "--setup-socket"

  /// The digits of the code that pairs the browser.
  package let digits: String
  /// The exit status of the set-up; `nil` while it runs.
  package private(set) var status: Int32?
  private let child = HelperHost<[UInt8]>(sizeMax: Limits.webMessageSizeMax) { $0 }
  private var server: ControlServer?
  private var pairing: PairingCode
  /// SHA-256 of the browser's token; `nil` until it is paired.
  private var tokenHash: [UInt8]?
  /// Whether a browser has typed the code.
  package var isPaired: Bool { tokenHash != nil }
  /// Whether no browser can be paired any longer, and none is.
  package var isUnreachable: Bool { !isPaired && pairing.isOver(at: Instant.now()) }
  /// PID of the tappet-web that may connect.
  package var webServer: pid_t = 0
  /// Transcript for a browser that returns: lines, answers and the open question, oldest first.
  private var transcript: [JSON] = []
  private var transcriptSize = 0
  private var questions: Int64 = 0
  /// Time at which a child that is to stop is killed.
  private var killAt: Instant?
  /// The question that is being asked; `nil` if there is none.
  private var question: JSON?

  /// Listens on a new socket; `nil` if there are no random numbers.
  @export(interface)
  package init?(socket path: String, _ reactor: Reactor) throws(SystemError) {
    guard let digits = try? PairingCode.newDigits() else { return nil }
    self.digits = String(decoding: digits, as: UTF8.self)
    pairing = PairingCode(digits: digits, name: "set-up", level: .manage, at: Instant.now())
    server = try ControlServer(
      listener: UnixSocket.listen(at: path, mode: 0o666), reactor: reactor, clientsMax: Limits.pageClientsMax,
      isTrusted: { _ in true }, isRefused: calling(self) { $1.peer?.process != $0.webServer },
      answer: calling(self) { $0.answer($1, from: $2) })
  }

  /// Starts 'tappet init' with these options.
  package func start(_ options: [String], _ reactor: Reactor) throws(SystemError) {
    child.onNotice = calling(self) { $0.handle($1) }
    try child.start(
      InstalledPrograms.locate("tappet-tool"), SetupHost.option, ["init"] + options, reactor,
      variables: ["TAPPET_", "HOME=", "PATH=", "TMPDIR="])
  }

  /// Ends the set-up, which then has written nothing unless it was complete; it is killed if that takes too long.
  @export(interface)
  package func stop() {
    let now = Instant.now()
    if killAt == nil {
      killAt = now + Limits.setupStopMax
      if let id = child.processID { kill(id, SIGINT) }
      child.stop()
    } else if let killAt, killAt <= now {
      child.kill()
    }
  }

  /// Whether `stop` was called.
  package var isStopping: Bool { killAt != nil }

  // MARK: The child

  private func handle(_ notice: HelperNotice<[UInt8]>) {
    switch notice {
    case .message(let message):
      guard var json = JSON(decoding: message) else { return child.kill() }
      if let result = json["result"]?.wholeNumber { status = Int32(clamping: result) }
      if json["question"] != nil {
        questions += 1
        json = .object(json.members + [.init(name: "number", value: .number(questions))])
        question = json
      }
      tell(json)
    case .malformed: child.kill()
    case .ended:
      guard status == nil else { return }
      status = 1
      tell(.object(["result": .number(1)]))
    }
  }

  /// Passes a message on to the browser, and keeps it for one that comes back.
  private func tell(_ json: JSON) {
    let message = json.encoded()
    if json["progress"] == nil {
      transcript.append(json)
      transcriptSize += message.count
      while transcriptSize > Limits.setupHistorySizeMax, transcript.count > 1 {
        transcriptSize -= transcript.removeFirst().encoded().count
      }
    }
    server?.tellWatchers { _ in message }
  }

  // MARK: The browser

  /// The response to any other browser than the one that has typed the code.
  private static var taken: JSON {
    .failure("another browser has typed the code; to use this one, run the command again", code: "code-over")
  }

  private func answer(_ message: ControlMessage, from client: ControlServer.Client) {
    guard !client.isGone, case .page(let request)? = try? KioskRequest(message) else {
      return client.send(.failure("this is not possible during the set-up", code: "not-allowed"))
    }
    if case .enter(let entry) = request { return enter(entry, client) }
    guard let session = client.page else {
      return client.send(.failure("the first request must be 'enter'", code: "request-malformed"))
    }
    if case .pair(let code) = request { return pair(code, client, session) }
    guard session.level == .manage else {
      return client.send(isPaired ? SetupHost.taken : .failure("this browser is not paired", code: "not-allowed"))
    }
    switch request {
    case .state:
      client.send(
        .object([
          "now": .number(Instant.now().wholeMilliseconds),
          "data": .object(["name": .string("Tappet"), "level": .string("manage"), "setup": .bool(true)]),
        ]))
    case .watchSetup:
      client.isWatching = true
      // One message: many would not fit into the socket's buffer.
      client.send(.object(["history": .array(transcript)]))
    case .answerSetup(let number, let answer):
      guard let question, number == questions else {
        return client.send(.failure("there is no question", code: "question-over"))
      }
      self.question = nil
      answer.withBytes { bytes in
        // A browser that returns sees the answer, too, unless it is a secret.
        let shown = question["kind"]?.text == "secret" ? "••••" : String(decoding: bytes, as: UTF8.self).escaped
        if transcript.last == question { transcriptSize -= transcript.removeLast().encoded().count }
        tell(.object(["asked": question["question"] ?? .null, "answer": .string(shown)]))
        var order = [UInt8(ascii: "=")] + Array(bytes)
        _ = child.send(order)
        LibCrypto.wipe(&order)
      }
      client.send(.object([:]))
    case _: client.send(.failure("this is not possible during the set-up", code: "not-allowed"))
    }
  }

  private func enter(_ entry: PageEntry, _ client: ControlServer.Client) {
    guard PageSettings.serves(host: entry.host, as: [], hostName: NetworkIdentity.hostName()) else {
      return client.send(
        .failure(
          "the page is not served as \(entry.host.prefix(80).description.quoted); use an address",
          code: "host-unknown"))
    }
    let hash = entry.token.map { $0.withBytes { LibCrypto.digest(Array($0)) } }
    let isPaired = hash.map { hash in tokenHash.map { LibCrypto.areEqual($0, hash) } ?? false } ?? false
    client.page = PageSession(
      device: nil, level: isPaired ? .manage : nil, address: entry.address, network: entry.network)
    client.send(
      .object([
        "name": .string("Tappet"), "level": .optional(isPaired ? PageLevel.manage.name : nil),
        "device": .optional(isPaired ? "set-up" : nil), "setup": .bool(true),
      ]))
  }

  private func pair(_ code: SecretBytes, _ client: ControlServer.Client, _ session: PageSession) {
    guard tokenHash == nil else { return client.send(SetupHost.taken) }
    switch pairing.judge(code, from: session.network, at: Instant.now()) {
    case .wrong: return client.send(.failure("the code is wrong", code: "code-wrong"))
    case .over:
      return client.send(
        .failure("the code has expired, or was typed wrong too often; run the command again", code: "code-over"))
    case .accepted: break
    }
    guard var digits = (try? LibCrypto.random(count: 32)).map({ Hex.digits(of: $0) }) else {
      return client.send(.failure(SharedSentence.noRandomness, code: "failed"))
    }
    tokenHash = LibCrypto.digest(digits)
    client.send(.object(["device": .string("set-up")]), enclosing: SecretBytes(taking: &digits))
  }
}
