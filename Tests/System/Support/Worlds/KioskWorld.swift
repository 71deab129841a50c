// A kiosk as it ships, in a world of its own: certificates, broker, witness, simulated reader, configuration, secrets.

import Foundation
import TappetConfig
import TappetTLS
import TestSupport
import Testing

final class KioskWorld {
  /// The content of kiosk.yaml; a test changes its subject.
  struct KioskConfiguration {
    var host = "localhost"
    var scheme = "mqtts"
    /// `nil` means the world's own broker.
    var port: UInt16?
    /// More brokers, to go to when the first one fails.
    var otherPorts: [UInt16] = []
    var ca: String? = "ca.pem"
    var certificate: String? = "client"
    var clientID = "kiosk"
    var more = ""
  }

  let folder: String
  let broker: Broker
  private(set) var witness: Witness?
  private(set) var sim: Service?
  private(set) var kiosk: Service?
  /// The keys of the actions garage (0) and light (1).
  let keys = [Signing.key(), Signing.key()]
  let timestampKey = String(Signing.key().prefix(32))
  private var cards = 0

  var configPath: String { folder + "/kiosk.yaml" }

  /// Starts everything but the kiosk itself.
  init(_ configuration: KioskConfiguration = KioskConfiguration(), withBroker: Bool = true) throws {
    folder = try Programs.temporaryFolder().path
    broker = try Broker(in: folder)
    if withBroker {
      try broker.start()
      witness = try Witness(broker, in: folder)
    }
    try startSimulator()
    try timestampKey.write(toFile: folder + "/timestamp.key", atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder + "/timestamp.key")
    try write(configuration)
    for index in 0...1 { try importSecret(index: index, key: keys[index]) }
  }

  deinit {
    kiosk?.end(SIGKILL)
    witness = nil
    sim?.end()
    broker.stop()
    try? FileManager.default.removeItem(atPath: folder)
  }

  func write(_ configuration: KioskConfiguration) throws {
    let ports = [configuration.port ?? broker.port] + configuration.otherPorts
    let urls = ports.map { "\(configuration.scheme)://\(configuration.host):\($0)" }
    var text = """
      broker:
        url: [\(urls.joined(separator: ", "))]
        client_id: \(configuration.clientID)

      """
    // A full path is another authority's.
    func file(_ name: String) throws -> String { name.hasPrefix("/") ? name : try Certificates.path(name) }
    if let ca = configuration.ca { text += "  ca: \(try file(ca))\n" }
    if let name = configuration.certificate {
      text += "  certificate: \(try file(name + ".pem"))\n"
      text += "  private_key: \(try file(name + ".key"))\n"
    }
    text += """
      timestamp_key: {file: timestamp.key}
      reader: {device: "pn532_uart:\(folder)/reader"}
      clock: trust
      state: state
      actions:
        - {name: garage, topic: home/garage, message: '{"otp-auth":"%T"}', cooldown: 0 s}
        - {name: light, topic: home/light, message: '%I', cooldown: 0 s}
        - {name: bell, topic: home/bell, message: ring, cooldown: 0 s}
      \(configuration.more)

      """
    try text.write(toFile: configPath, atomically: true, encoding: .utf8)
  }

  // MARK: Parts

  /// `isPaced`: bytes and pages take the time that they take in the air and on the line.
  func startSimulator(isPaced: Bool = false) throws {
    let service = try Service(
      try Programs.built("tappet-sim"),
      [
        "--link", folder + "/reader", "--control", folder + "/sim", "--panel", folder + "/panel", "--pace",
        isPaced ? "on" : "off",
      ],
      log: folder + "/sim.log")
    sim = service
    guard eventually({ service.text.contains("ready ") }) else { throw TestFault(service.text) }
  }

  /// Starts `tappet run`, and waits until the last light is `light`.
  func start(
    until light: String = "ready", executable: URL? = nil, environment: [String: String] = [:]
  ) throws {
    let before = lights.count
    kiosk = try Service(
      try executable ?? Programs.built("tappet"),
      ["run", "--plain", "--config", configPath, "--light-trace", folder + "/lights"],
      log: folder + "/kiosk.log", environment: environment)
    try awaitLight(light, after: before)
  }

  /// Starts `tappet run`, and waits until a tag counts as a tap: one that is there earlier was perhaps left there.
  func startForTaps(until light: String) throws {
    func readyCount() -> Int { log.components(separatedBy: "event=reader-ready").count }
    let before = readyCount()
    try start(until: light)
    guard eventually({ readyCount() > before }) else { throw TestFault("no reader: \(log.suffix(2000))") }
  }

  /// The broker comes back, and the witness with it.
  func restartBroker() throws {
    try broker.start()
    try witness?.subscribe()
  }

  @discardableResult
  func tappet(_ words: String..., input: String = "", limit: Double = patience) throws -> Finished {
    try tappet(words, input: input, limit: limit)
  }

  @discardableResult
  func tappet(_ words: [String], input: String = "", limit: Double = patience) throws -> Finished {
    try Programs.run(try Programs.built("tappet"), words + ["--config", configPath], input: input, limit: limit)
  }

  /// A command of the simulator's control socket; its answer.
  @discardableResult
  func tell(_ command: String) throws -> String {
    let answer = try LocalStream.ask(folder + "/sim", command)
    guard !answer.hasPrefix("error") else { throw TestFault("\(command): \(answer)") }
    return answer
  }

  /// Lets a secret's tags act; its id.
  @discardableResult
  func importSecret(index: Int, key: String) throws -> String {
    let done = try tappet("secret", "import", input: "smpshare://secret?idx=\(index)&key=\(key)&label=Test\n")
    guard done.status == 0 else { throw TestFault(done.errors) }
    return String(done.output.prefix { $0 != " " })
  }

  // MARK: Observation

  /// Lights and levels so far, with their times in nanoseconds.
  var trace: [(time: Int64, what: String)] {
    textSoFar(folder + "/lights").split(separator: "\n").map {
      let words = $0.split(separator: " ")
      return (Int64(words.first ?? "") ?? -1, String(words.last ?? ""))
    }
  }

  /// Names of all lights so far.
  var lights: [String] { trace.map { $0.what }.filter { !$0.contains("=") } }

  var log: String { kiosk?.text ?? "" }
  /// The messages of actions that the witness has so far; perhaps fewer than the kiosk knows to be delivered.
  var received: [Received] { witness?.actions ?? [] }

  /// Waits until the witness has at least this many messages of actions in all.
  func received(_ count: Int) throws -> [Received] {
    guard eventually({ self.received.count >= count }) else {
      throw TestFault("waited in vain for \(count) messages; there are \(received); log:\n\(log.suffix(2000))")
    }
    return received
  }

  /// The messages of actions after a fence: what is not among them was not published before.
  func settled() throws -> [Received] {
    guard let witness else { throw TestFault("this world has no witness") }
    try witness.settle()
    return witness.actions
  }

  func awaitLight(_ name: String, after count: Int, seconds: Double = patience) throws {
    guard eventually(within: seconds, { self.lights.dropFirst(count).contains(name) }) else {
      throw TestFault(
        "waited in vain for '\(name)'; lights: \(lights.dropFirst(count)); log:\n\(log.suffix(2000))")
    }
  }

  /// How many commands of this code (all codes, if nil) the chip got; 4a looks for a tag.
  func commandCount(_ code: String? = "4a") throws -> Int {
    try tell("counters").split(separator: "\n").reduce(0) { sum, line in
      guard line.hasPrefix("command-" + (code ?? "")) else { return sum }
      return sum + (Int(line.split(separator: " ").last ?? "") ?? 0)
    }
  }

  /// Whether the tag on the reader comes to answer turn after turn without being looked for.
  func tagAnswers() throws -> Bool {
    try eventually {
      let (looks, questions) = (try commandCount(), try commandCount("42"))
      return try eventually { try commandCount("42") >= questions + 2 } && commandCount() == looks
    }
  }

  // MARK: Taps

  /// A card that was not used before.
  func freshUID() -> String {
    cards += 1
    let digits = String(cards, radix: 16)
    return "04a1b2c3" + String(repeating: "0", count: 6 - digits.count) + digits
  }

  func url(_ index: Int) throws -> String { try Signing.url(index: "\(index)", key: keys[index]) }

  /// The outcome of one tap.
  struct Outcome {
    var lights: [String]
    var log: String
    var received: [Received]
  }

  /// Holds a tag to the reader until `light` was shown and its messages came, and takes it away until the reader knows.
  func tap(_ placement: String, until light: String, messages: Int = 0) throws -> Outcome {
    let (lightsBefore, logBefore) = (lights.count, log.utf8.count)
    // A late message of another tap must not be counted for this one.
    let receivedBefore = messages > 0 ? try settled().count : received.count
    try tell("place " + placement)
    try awaitLight(light, after: lightsBefore)
    // The light may have been that of an earlier tap.
    let receivedAll = try received(receivedBefore + messages)
    try takeAway()
    return Outcome(
      lights: Array(lights.dropFirst(lightsBefore)),
      log: String(decoding: log.utf8.dropFirst(logBefore), as: UTF8.self),
      received: Array(receivedAll.dropFirst(receivedBefore)))
  }

  /// A good tap of the action light, delivered.
  @discardableResult
  func goodTap() throws -> Outcome {
    let outcome = try tap("ntag213 uid=\(freshUID()) url=\(try url(1))", until: "delivered-by-tag", messages: 1)
    #expect(outcome.received.count == 1, "\(outcome.received)")
    return outcome
  }

  /// Takes the tag away; the reader has looked often enough to know.
  func takeAway() throws {
    // It may have left by itself.
    _ = try? tell("take")
    // Without a kiosk nobody looks.
    guard let kiosk, kiosk.isRunning else { return }
    let before = try commandCount()
    guard try eventually({ try self.commandCount() >= before + 8 }) else {
      throw TestFault("the reader looks for tags no more; log:\n\(log.suffix(2000))")
    }
  }
}

/// A tag of others with a text, in the simulator's words.
func textTag(_ uid: String, _ text: String) -> String {
  let payload = [2] + Array("en\(text)".utf8)
  let record = [0xD1, 1, UInt8(payload.count), UInt8(ascii: "T")] + payload
  return "ntag215 uid=\(uid) ndef=" + record.map { String(format: "%02x", $0) }.joined()
}
