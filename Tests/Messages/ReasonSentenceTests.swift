import CPlatform
import Foundation
import TappetConfig
import TappetCore
import TappetMessages
import TappetPlatform
import TappetSQLite
import TappetStore
import TestSupport
import Testing

@Suite struct ReasonSentenceTests {
  @Test func `too many open files are not blamed on the storage card`() {
    let failure = DatabaseFailure(code: 14, systemCode: EMFILE, path: "/s/tappet.db")
    #expect(DatabaseError.ioError(failure).sentence == "/s/tappet.db cannot be opened: Too many open files")
    let worn = DatabaseFailure(code: 10, systemCode: EIO, path: "/s/tappet.db")
    #expect(DatabaseError.ioError(worn).sentence.contains("card may be failing"))
  }

  @Test func `a database of a different version is refused with instructions to move its content`() {
    let sentence = DatabaseError.otherSchema(found: 17, known: 1, path: "/s/tappet.db").sentence
    #expect(sentence.hasPrefix("/s/tappet.db was written by a different version of Tappet (schema 17; this"))
    for way in ["tappet backup", "tappet inventory export"] { #expect(sentence.contains("'\(way)'"), "\(sentence)") }
  }

  @Test func `a user who may not open the state folder is shown how to get access`() {
    func sentence(_ code: Int32) -> String {
      DatabaseError.cannotOpen(path: "/s", SystemError(call: "open", code: code)).sentence
    }
    #expect(sentence(EACCES) == "/s cannot be opened: Permission denied; use sudo, or correct its owner and mode")
    #expect(sentence(ELOOP) == "/s cannot be opened: Too many levels of symbolic links")
  }

  @Test func `a damaged inventory is reported with advice to restore its export, and not to import secrets`() {
    func sentence(_ path: String) -> String {
      DatabaseError.corrupt(DatabaseFailure(code: 11, systemCode: 0, path: path)).sentence
    }
    let inventory = sentence("/s/inventory.db")
    #expect(inventory.contains("import an export of the inventory") && !inventory.contains("secrets"))
    #expect(sentence("/s/tappet.db").contains("import the secrets again"))
  }

  @Test func `a revoked tag's owner is not advised to import its secret again`() {
    let sentence = TapRefusal.noTagConfigured(action: "door").sentence(.tag)
    #expect(
      sentence == "tap refused: 'door' has no secret, because it was removed or never imported; unless the tag was "
        + "revoked, import the secret that it was written with, or write it again")
  }

  @Test func `if tappet-matrix is missing, the report does not name tappet-webhook`() {
    let sentence = KioskStatus.Rooms.lost(.notStarted(code: ENOENT)).sentence
    #expect(sentence.contains("tappet-matrix") && !sentence.contains("tappet-webhook"), "\(sentence)")
  }

  @Test func `too many scans are not blamed on a tag`() {
    let scans = TapRefusal.tooMany(wait: .milliseconds(200), ofScans: true).sentence(.tag)
    #expect(scans == "scan refused: too many scans; try again in 1 s")
    #expect(TapRefusal.tooMany(wait: .seconds(5)).sentence(.tag).contains("too many taps with this tag"))
  }

  @Test func `a record shows the complete UID only to users who may see keys`() {
    let record = LogRecord(.info, "tap-refused", "refused", [("uid", "04010203040506")])
    #expect(record.json(maySeeKeys: true)["uid"]?.text == "04010203040506")
    #expect(record.json(maySeeKeys: false)["uid"]?.text == "…0506")
  }

  @Test func `a certificate for other names is reported with up to five of them`() {
    func sentence(_ expected: String, _ names: String) -> String {
      LinkFailure.tls(.hostMismatch(expected: expected, subject: "CN = broker", names: names)).sentence
    }
    #expect(
      sentence("10.0.0.2", "DNS:broker.local").contains("not issued for '10.0.0.2', but for \"DNS:broker.local\""))
    #expect(sentence("h", (1...7).map { "DNS:\($0)" }.joined(separator: ", ")).contains("DNS:5\" and 2 more"))
    #expect(sentence("10.0.0.2", "DNS:10.0.0.2").contains("has the address as a DNS name"))
    #expect(sentence("h", "").contains("the CN is ignored"))
  }

  @Test(arguments: [
    ("pn532_i2c:/dev/i2c-1", "dtparam=i2c_arm=on"), ("pn532_spi:/dev/spidev0.0:500000", "dtparam=spi=on"),
    ("pn532_uart:/dev/ttyAMA0", "enable_uart=1"), ("pn532_uart:/dev/ttyUSB0", "plug it in"),
  ])
  func `a missing bus is reported with instructions to enable it`(_ device: String, _ advice: String) {
    #expect(ReaderLoss.fault(.notFound, code: 0).sentence(device: device).contains(advice))
    #expect(ReaderLoss.fault(.silent, code: 0).sentence(device: "x" + device).contains("lacks the driver 'x"))
  }

  /// The record of a report by a kiosk with the broker mqtt://b and this part of kiosk.yaml.
  private func sentence(_ report: Report, _ more: String, in folder: String = "/") throws -> String {
    let text = "broker: {url: 'mqtt://b', client_id: k}\nstate: /s\nreader: {device: none}\n" + more
    guard case .loaded(let configuration) = ConfigurationParser.parse(Array(text.utf8), name: "k", folder: folder)
    else {
      throw TestFault(text)
    }
    return LogRecord(report, configuration).sentence
  }

  @Test func `only a broker that refuses MQTT 5 is reported as not supporting it`() throws {
    func fallback(_ failure: LinkFailure, _ duration: Duration) throws -> String {
      try sentence(
        .link(.didFallBack(endpoint: 0, failure, for: duration)), "actions: [{name: light, topic: a, message: b}]\n")
    }
    let refused = try fallback(.refused(.unsupportedProtocolVersion), .seconds(7 * 86_400))
    #expect(refused.contains(" does not support MQTT 5: using MQTT 3.1.1 for 7 days, in which"), "\(refused)")
    #expect(!refused.contains("possibly"))
    let malformed = try fallback(.protocolViolated(code: 21), .seconds(86_400))
    #expect(malformed.contains(" possibly does not support MQTT 5 (the server violated the MQTT protocol"))
    #expect(malformed.contains("): using MQTT 3.1.1 for 1 day, in which"), "\(malformed)")
  }

  @Test func `an unset clock is blamed only for features that the configuration uses`() throws {
    let held = "until it is, entries from before the machine's last start are held"
    let plain = try sentence(.clock(.unknown), "actions: [{name: light, topic: a/b, message: 'on'}]\n")
    #expect(plain.contains(held + "; start a time service"), "\(plain)")
    let folder = TestFolder.make("clock")
    try (String(repeating: "a1", count: 32) + "\n").write(
      toFile: folder + "/token.key", atomically: true, encoding: .utf8)
    chmod(folder + "/token.key", 0o600)
    let all = try sentence(
      .clock(.unknown),
      "actions: [{name: light, topic: a/b, message: 'on', hours: ['mon-fri 8:00-18:00']}]\n"
        + "commands: [{topic: c/d, trust: token, key: {file: token.key}, actions: [light]}]\n", in: folder)
    #expect(all.contains(held + ", and actions with hours are refused, and commands with a time are"), "\(all)")
  }

  @Test func `only a kiosk announces a restart of its reader`() {
    #expect(ReaderLoss.silent.sentence(device: nil).contains("it is restarted"))
    #expect(ReaderLoss.silent.sentence(device: nil, of: .library).contains("open the reader again"))
    #expect(ReaderLoss.silent.sentence(device: nil, of: .tool).contains("try again"))
  }

  @Test func `nouns agree in number with their counts`() {
    #expect(plural(1, "message") == "1 message" && plural(0, "message") == "0 messages")
    #expect(plural(UInt64(2), "entry", "entries") == "2 entries")
  }
}
