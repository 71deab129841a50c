// tappet check: everything that the kiosk needs, tried by using it, one line each.

import CPlatform
import TappetConfig
import TappetCore
import TappetMessages
import TappetPlatform
import TappetStore
import TappetTLS

extension Command {
  static var check: Command {
    Command(
      words: "check", section: .running, summary: "check everything that the kiosk needs",
      options: [.json],
      details: """
        Checks the configuration, the timestamp key, the certificates and their remaining days, the secrets,
        the state folder, the clock, the reader and the broker: one line each, with what is wrong and what
        to do. A running kiosk is asked about its reader and its connection, which only one process can
        have.
        The panel's lines are requested and released (only looked at while a kiosk runs), and with
        'panel.profile' the board's header is drawn.
        Exit status: 0 all is well; 1 something is wrong; 3 mistakes in the configuration. A certificate
        that is about to expire is not a fault yet: its line has the remaining days.
        """,
      body: .configured { (arguments, configuration) throws(CommandFailure) in
        var checkup = Checkup(configuration, printsLines: !arguments.asJSON)
        checkup.run()
        if arguments.asJSON { Output.print(checkup.json) }
        if !checkup.isGood { throw .reported(.refused) }
      })
  }
}

/// Checks the parts; each finding is printed as it is made, since some take seconds.
private struct Checkup {
  private struct Finding {
    var part: String
    var isGood: Bool
    var text: String
  }

  private let configuration: KioskConfiguration
  private let printsLines: Bool
  private var findings: [Finding] = []

  var isGood: Bool { findings.allSatisfy { $0.isGood } }

  var json: JSON {
    .array(
      findings.map {
        .object(["part": .string($0.part), "good": .bool($0.isGood), "text": .string($0.text)])
      })
  }

  init(_ configuration: KioskConfiguration, printsLines: Bool) {
    self.configuration = configuration
    self.printsLines = printsLines
  }

  mutating func run() {
    let count = configuration.actions.count
    note("config", true, "\(count) \(count == 1 ? "action" : "actions"), no mistakes")
    checkCertificates()
    let kiosk = RunningKiosk(configuration)
    checkSecrets(isRunning: kiosk != nil)
    let clockIsGood = SystemClock().isSynchronised()
    note(
      "clock", clockIsGood || !configuration.checksClock,
      clockIsGood
        ? "synchronised"
        : configuration.checksClock
          ? "not synchronised: messages with %T wait; start a time service, or set 'clock: trust'"
          : "not synchronised, but trusted because of 'clock: trust'")
    if let kiosk { askKiosk(kiosk) } else { tryDevices() }
    checkPanel(isRunning: kiosk != nil)
  }

  private mutating func note(_ part: String, _ isGood: Bool, _ text: String) {
    findings.append(Finding(part: part, isGood: isGood, text: text))
    guard printsLines else { return }
    let mark =
      isatty(1) == 1 ? (isGood ? "\u{1B}[32mok  \u{1B}[0m" : "\u{1B}[31mFAIL\u{1B}[0m") : isGood ? "ok  " : "FAIL"
    Output.print("\(mark)  \(Help.padded(part, 13))\(text)")
  }

  private mutating func checkCertificates() {
    guard configuration.broker.endpoints.contains(where: { $0.usesTLS }) else {
      return note("certificates", true, "none needed: no endpoint uses TLS")
    }
    let now = SystemClock().now().unixSeconds
    for fact in Certificates.inspect(configuration.broker) {
      switch fact {
      case .systemTrustStore:
        note("certificates", true, "the broker's certificate is checked against the system's trust store")
      case .certificate(let details):
        let isValid = details.daysLeft(atUnixSeconds: now) >= 0 && details.notBeforeUnixSeconds <= now
        note("certificate", isValid, details.sentence(at: now))
      case .keyMatches(_, let key): note("private key", true, "\(key) belongs to the certificate")
      case .keyOpenToOthers(let path, _):
        note("private key", false, "\(path) can be read by others; run: chmod 600 \(path)")
      case .problem: break
      }
    }
    for mistake in Certificates.mistakes(configuration.broker) { note("certificate", false, mistake.sentence) }
  }

  private mutating func checkSecrets(isRunning: Bool) {
    let store: SecretStore
    do throws(SecretStoreError) { store = try SecretStore.open(folder: configuration.stateFolder) } catch {
      if isRunning, case .sealingKey(.lost) = error {
        return note(
          "state", true, "\(configuration.stateFolder); the running kiosk has the sealing key from the service manager"
        )
      }
      return note("state", false, error.sentence)
    }
    do throws(SecretStoreError) {
      note("state", true, configuration.stateFolder)
      let stored = try store.secrets()
      let secrets = stored.readable.map { $0.secret }
      for secret in stored.unreadable {
        note(
          "secrets", false,
          "secret \(secret.id) of \(secret.action) was sealed under another key, or is damaged; remove it and "
            + "import it again"
        )
      }
      for action in configuration.actions {
        let own = secrets.filter { $0.action == action.name }
        if own.isEmpty { continue }
        let stray = own.filter { $0.index != action.index }
        note(
          "secrets", stray.isEmpty,
          stray.isEmpty
            ? "\(action.name): \(own.count) of \(Limits.secretsPerActionMax)"
            : "\(action.name) has index \(action.index), but its tags have \(stray[0].index); add "
              + "'index: \(stray[0].index)' to it"
        )
      }
      for secret in secrets where !configuration.actions.contains(where: { $0.name == secret.action }) {
        note(
          "secrets", false,
          "secret \(secret.id) is for \(secret.action), which is not configured; remove it, or add the action")
      }
      if secrets.isEmpty { note("secrets", true, "none yet: every tag is refused; 'tappet secret import' adds one") }
    } catch { note("state", false, error.sentence) }
  }

  private mutating func askKiosk(_ kiosk: RunningKiosk) {
    guard let status = kiosk.ask("status") else {
      return note("kiosk", false, "it is running, but does not answer; look at its log")
    }
    for part in Command.statusParts {
      let text = status[part]?["text"]?.text ?? ""
      note(part, status[part]?["good"] == .bool(true), text + " (reported by the running kiosk)")
    }
  }

  private mutating func tryDevices() {
    let reader = DeviceProbe.reader(configuration)
    note("reader", reader.isGood, reader.text)
    for index in configuration.broker.endpoints.indices {
      let broker = DeviceProbe.broker(configuration, endpoint: index)
      note("broker", broker.isGood, broker.text)
    }
  }
}

extension Checkup {
  fileprivate mutating func checkPanel(isRunning: Bool) {
    // It replaces real lines.
    if let path = configuration.panel.simulator { return note("panel", true, "virtual, at " + path) }
    let probe = PanelProbe(configuration, isRunning: isRunning, colour: isatty(1) == 1)
    for finding in probe.findings { note("panel", finding.isGood, finding.text) }
    guard printsLines, !probe.drawing.isEmpty else { return }
    Output.print("")
    for line in probe.drawing { Output.print(line) }
  }
}
