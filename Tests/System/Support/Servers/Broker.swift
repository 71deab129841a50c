// A mosquitto that wants client certificates, and mosquitto_sub as the witness of what really arrived.

import TestSupport
import Foundation
import TappetTLS

/// A broker that can be stopped and started again; sessions outlive it, so that the witness misses nothing.
final class Broker {
  let port: UInt16
  private let folder: String
  private var service: Service?

  /// `certificate` is what it shows to its clients.
  init(in parent: String, certificate: String = "server") throws {
    folder = parent + "/broker-" + certificate
    port = TestSocket.freePort()
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try """
    user \(NSUserName())
    persistence true
    persistence_location \(folder)/
    max_queued_messages 0
    log_dest stderr
    log_type all
    listener \(port) 127.0.0.1
    cafile \(Certificates.path("broker-ca.pem"))
    certfile \(Certificates.path(certificate + ".pem"))
    keyfile \(Certificates.path(certificate + ".key"))
    require_certificate true
    use_identity_as_username true
    allow_anonymous false

    """.write(toFile: folder + "/mosquitto.conf", atomically: true, encoding: .utf8)
  }

  /// Has it close a connection at a packet with more bytes.
  func limit(packets size: Int) throws {
    let path = folder + "/mosquitto.conf"
    let configuration = try String(contentsOfFile: path, encoding: .utf8)
    try (configuration + "max_packet_size \(size)\n").write(toFile: path, atomically: true, encoding: .utf8)
  }

  func start() throws {
    service = try Service(
      try Programs.installed("mosquitto"), ["-c", folder + "/mosquitto.conf"], log: folder + "/log")
    guard eventually({ TestSocket.answers(self.port) }) else {
      throw TestFault("mosquitto did not start: \(service?.text ?? "")")
    }
  }

  /// Its log since it was started.
  var text: String { service?.text ?? "" }

  func stop() {
    service?.end()
    service = nil
  }

  /// From now on it keeps its connections and says nothing, until `thaw`.
  func freeze() { service?.signal(SIGSTOP) }

  func thaw() { service?.signal(SIGCONT) }
}

/// One message as the witness saw it.
struct Received: Equatable, CustomStringConvertible {
  var isRetained: Bool
  var topic: String
  var payload: String
  var description: String { "\(topic) \(payload)\(isRetained ? " (retained)" : "")" }
}

/// mosquitto_sub with a persistent session.
final class Witness {
  private let port: UInt16
  private let log: String
  private var clientID = "witness"
  private var service: Service?
  private var fences = 0

  init(_ broker: Broker, in folder: String) throws {
    port = broker.port
    log = folder + "/witness.log"
    try subscribe()
  }

  /// Begins, or continues the same session with the messages that the broker kept meanwhile: mosquitto_sub does not
  /// outlive every restart.
  func subscribe() throws {
    service?.end(SIGKILL)
    let before = subscriptionCount
    service = try Service(
      try Programs.installed("stdbuf"),
      [
        "-oL", "mosquitto_sub", "-d", "-c", "-i", clientID, "-t", "home/#", "-t", "music/#", "-t", "tappet/#", "-t",
        "homeassistant/#",
        "-t", "fence/#", "-F", "message %r %t %p",
      ] + connection(), log: log)
    guard eventually({ self.subscriptionCount > before }) else {
      throw TestFault("mosquitto_sub did not subscribe: \(service?.text ?? "")")
    }
  }

  /// Ends the session and begins another: the broker sends what it keeps.
  func subscribeAgain() throws {
    clientID += "-"
    try subscribe()
  }

  /// Waits until everything has come that the broker has had for it so far: what is published now comes last.
  func settle() throws {
    fences += 1
    let fence = "fence/\(fences)"
    let done = try Programs.run(
      try Programs.installed("mosquitto_pub"), connection() + ["-t", fence, "-m", "settled"])
    guard done.status == 0 else { throw TestFault("no fence was published: \(done.errors)") }
    guard eventually({ self.messages.contains { $0.topic == fence } }) else {
      throw TestFault("waited in vain for \(fence); the witness has \(all.suffix(20))")
    }
  }

  private func connection() throws -> [String] {
    [
      "-h", "localhost", "-p", "\(port)", "-q", "1", "--cafile", try Certificates.path("ca.pem"), "--cert",
      try Certificates.path("second-client.pem"), "--key", try Certificates.path("second-client.key"),
    ]
  }

  private var text: String { service?.text ?? "" }
  private var subscriptionCount: Int { text.components(separatedBy: "Subscribed (mid").count }

  private var messages: [Received] {
    text.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
      guard parts.count == 4, parts[0] == "message" else { return nil }
      return Received(isRetained: parts[1] == "1", topic: String(parts[2]), payload: String(parts[3]))
    }
  }

  /// All messages but those of `settle`.
  var all: [Received] { messages.filter { !$0.topic.hasPrefix("fence/") } }

  /// The messages of actions.
  var actions: [Received] { all.filter { $0.topic.hasPrefix("home/") } }
}
