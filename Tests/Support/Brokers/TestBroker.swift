// A real mosquitto on 127.0.0.1, with certificates made for the run, and a collector for what a link posts.

import Foundation
import TappetCore

@testable import TappetPlatform

/// The private PKI of this run, made once by tools/demo/make-certificates and removed at the end.
package enum TestCertificates {
  package static let folder: String = {
    let folder = TestFolder.make("certificates")
    let script = URL(fileURLWithPath: Repository.path("tools/demo/make-certificates"))
    let made = try? Programs.run(script, [folder, "--all"])
    precondition(made?.status == 0, made?.errors ?? "make-certificates did not start")
    return folder
  }()

  package static func path(_ name: String) -> String { folder + "/" + name }
}

/// Folders that are gone when the tests are.
package enum TestFolder {
  nonisolated(unsafe) private static var made: [String] = []
  private static let lock = NSLock()
  private static let isWatchingExit: Bool = {
    atexit { TestFolder.removeAll() }
    return true
  }()

  package static func make(_ name: String) -> String {
    _ = isWatchingExit
    let path = NSTemporaryDirectory() + "tappet-\(name)-\(UUID().uuidString)"
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    lock.withLock { made.append(path) }
    return path
  }

  private static func removeAll() { lock.withLock { made.forEach { try? FileManager.default.removeItem(atPath: $0) } } }
}

/// One mosquitto process, startable again on the same port.
package final class TestBroker {
  package enum Security {
    case plain
    /// Wants client certificates, and takes their common name as user name.
    case mutual(server: String)
    /// TLS without client certificates; wants this user name and password.
    case password(user: String, password: String)
    /// The same without TLS.
    case plainPassword(user: String, password: String)
  }

  package let port: UInt16
  private let folder = TestFolder.make("broker")
  private let security: Security
  private let more: String
  private var process: TestProcess?

  package init(_ security: Security = .mutual(server: "server"), more: String = "") throws {
    self.security = security
    self.more = more
    port = TestSocket.freePort()
    try start()
  }

  deinit { stop() }

  package var log: String { textSoFar(folder + "/log") }

  package func start() throws {
    switch security {
    case .password(let user, let password), .plainPassword(let user, let password):
      // mosquitto_passwd hashes a file in place.
      let file = folder + "/users"
      try "\(user):\(password)\n".write(toFile: file, atomically: true, encoding: .utf8)
      let hashed = try Programs.run(Programs.installed("mosquitto_passwd"), ["-U", file])
      guard hashed.status == 0 else { throw TestFault(hashed.errors) }
    case .plain, .mutual: break
    }
    try configuration.write(toFile: folder + "/mosquitto.conf", atomically: true, encoding: .utf8)
    process = try TestProcess(try Programs.installed("mosquitto"), ["-c", folder + "/mosquitto.conf"])
    guard eventually({ TestSocket.answers(port) }) else { throw TestFault("mosquitto did not start: \(log)") }
  }

  /// SIGTERM, or SIGKILL when it is to die without a word.
  package func stop(abruptly: Bool = false) {
    process?.send(SIGCONT)
    process?.stop(abruptly ? SIGKILL : SIGTERM)
    process = nil
  }

  package func suspend() { process?.send(SIGSTOP) }
  package func resume() { process?.send(SIGCONT) }

  private var configuration: String {
    let common = """
      listener \(port) 127.0.0.1
      user \(NSUserName())
      persistence false
      sys_interval 0
      log_dest file \(folder)/log
      log_type all

      """
    switch security {
    case .plain: return common + "allow_anonymous true\n" + more
    case .plainPassword: return common + "password_file \(folder)/users\n" + more
    case .password:
      return common + """
        certfile \(TestCertificates.path("server.pem"))
        keyfile \(TestCertificates.path("server.key"))
        password_file \(folder)/users

        """ + more
    case .mutual(let server):
      return common + """
        cafile \(TestCertificates.path("broker-ca.pem"))
        certfile \(TestCertificates.path(server + ".pem"))
        keyfile \(TestCertificates.path(server + ".key"))
        require_certificate true
        use_identity_as_username true

        """ + more
    }
  }

  /// Settings that this broker accepts.
  package func settings(_ clientID: String = "kiosk-test", host: String = "localhost", version: MQTTVersion = .v311)
    -> BrokerSettings
  {
    switch security {
    case .plain, .plainPassword:
      BrokerSettings(
        endpoints: [BrokerEndpoint(host: host, port: port, usesTLS: false)], clientID: clientID, version: version)
    case .password(let user, _):
      BrokerSettings(
        endpoints: [BrokerEndpoint(host: host, port: port, usesTLS: true)], clientID: clientID,
        caFile: TestCertificates.path("ca.pem"), version: version, username: user)
    case .mutual:
      BrokerSettings(
        endpoints: [BrokerEndpoint(host: host, port: port, usesTLS: true)], clientID: clientID,
        caFile: TestCertificates.path("ca.pem"), certificateFile: TestCertificates.path("client.pem"),
        privateKeyFile: TestCertificates.path("client.key"), version: version)
    }
  }

  /// A mosquitto_sub on `filter`, subscribed by the time this returns; its lines are `retained qos topic payload`.
  package func subscribe(_ filter: String) throws -> TestSubscriber { try TestSubscriber(self, filter, security) }
}

/// A running mosquitto_sub.
package final class TestSubscriber {
  private let process: TestProcess
  private let file = TestFolder.make("subscriber") + "/out"

  package init(_ broker: TestBroker, _ filter: String, _ security: TestBroker.Security) throws {
    var arguments = ["-oL", "mosquitto_sub", "-d", "-h", "localhost", "-p", "\(broker.port)", "-q", "1"]
    arguments += ["-t", filter, "-F", "message %r %q %t %p"]
    if case .mutual = security {
      arguments += ["--cafile", TestCertificates.path("ca.pem")]
      arguments += ["--cert", TestCertificates.path("second-client.pem")]
      arguments += ["--key", TestCertificates.path("second-client.key")]
    }
    process = try TestProcess(try Programs.installed("stdbuf"), arguments, output: file)
    guard eventually({ self.text.contains("Subscribed (mid") }) else {
      throw TestFault("mosquitto_sub did not subscribe: \(text)\(broker.log)")
    }
  }

  private var text: String { textSoFar(file) }

  /// The messages so far: `retained qos topic payload`.
  package var messages: [String] {
    text.split(separator: "\n").filter { $0.hasPrefix("message ") }.map { String($0.dropFirst(8)) }
  }
}

/// Takes what a link posts, on any thread.
package final class LinkLog: @unchecked Sendable {
  package init() {}
  private let condition = NSCondition()
  private var posted: [LinkEvent] = []
  private var thread: String?

  package func take(_ event: LinkEvent) {
    condition.lock()
    thread = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
    posted.append(event)
    condition.broadcast()
    condition.unlock()
  }

  /// How often the posting thread has gone to sleep and woken, by the kernel's count.
  package var switches: Int? {
    guard let thread = condition.withLock({ thread }) else { return nil }
    let status = textSoFar("/proc/\(thread)/status")
    let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches") }
    return line.flatMap { Int($0.split(separator: "\t").last ?? "") }
  }

  package var events: [LinkEvent] { condition.withLock { posted } }

  /// Waits until `isThere` holds for what was posted so far; whether it did within the time.
  @discardableResult
  package func wait(seconds: Double = patience, until isThere: ([LinkEvent]) -> Bool) -> Bool {
    let end = Date().addingTimeInterval(seconds)
    condition.lock()
    defer { condition.unlock() }
    while !isThere(posted) { if !condition.wait(until: end) { return isThere(posted) } }
    return true
  }

  /// Waits for one event.
  package func wait(_ event: LinkEvent, seconds: Double = patience) -> Bool {
    wait(seconds: seconds) { $0.contains(event) }
  }

  /// Waits until there are `count` events, and gives the last.
  package func event(_ count: Int, seconds: Double = patience) -> LinkEvent? {
    wait(seconds: seconds) { $0.count >= count }
    return events.count >= count ? events[count - 1] : nil
  }
}
