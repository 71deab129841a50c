// tappet check: everything that the kiosk needs, looked at by using it, a line each.

import CPlatform
import TappetCore
import TappetDevices
import TappetRuntime

enum CheckCommand {
  static func run(_ words: [String]) -> ExitStatus {
    switch Arguments.parse(words, command: "check", options: [.config, .json]) {
    case .failure(let stop): return stop.status
    case .success(let arguments):
      guard let configuration = Settings.load(arguments) else { return .configuration }
      var checkup = Checkup(configuration, printsLines: !arguments.has("json"))
      checkup.run()
      if arguments.has("json") { Output.print(checkup.json) }
      return checkup.isGood ? .success : .refused
    }
  }
}

/// Goes through the parts; each finding is printed as it is made, since some take seconds.
private struct Checkup {
  private struct Finding {
    var part: String
    var isGood: Bool
    var text: String
  }

  private let configuration: Configuration
  private let printsLines: Bool
  private var findings: [Finding] = []

  var isGood: Bool { findings.allSatisfy { $0.isGood } }

  var json: JSON {
    .array(
      findings.map {
        .object(["part": .string($0.part), "good": .bool($0.isGood), "text": .string($0.text)])
      })
  }

  init(_ configuration: Configuration, printsLines: Bool) {
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
          : "not synchronised, but trusted by 'clock: trust'")
    if let kiosk { askKiosk(kiosk) } else { tryDevices() }
    checkPanel(isRunning: kiosk != nil)
  }

  private mutating func note(_ part: String, _ isGood: Bool, _ text: String) {
    findings.append(Finding(part: part, isGood: isGood, text: text))
    guard printsLines else { return }
    let mark =
      isatty(1) == 1 ? (isGood ? "\u{1B}[32mok  \u{1B}[0m" : "\u{1B}[31mFAIL\u{1B}[0m") : isGood ? "ok  " : "FAIL"
    Output.print("\(mark)  \(part)\(String(repeating: " ", count: max(1, 13 - part.utf8.count)))\(text)")
  }

  private mutating func checkCertificates() {
    guard configuration.broker.endpoints.contains(where: { $0.usesTLS }) else {
      return note("certificates", true, "none needed: no endpoint uses TLS")
    }
    let now = SystemClock().now().unixSeconds
    for fact in Certificates.inspect(configuration.broker) {
      switch fact {
      case .systemTrustStore: note("certificates", true, "the broker's is checked against the system's trust store")
      case .certificate(let details):
        let isValid = details.daysLeft(atUnixSeconds: now) >= 0 && details.notBeforeUnixSeconds <= now
        note("certificate", isValid, details.sentence(at: now))
      case .keyMatches(_, let key): note("private key", true, "\(key) belongs to the certificate")
      case .keyOpenToOthers(let path, _):
        note("private key", false, "\(path) can be read by others; run: chmod 600 \(path)")
      case .problem: break
      }
    }
    for mistake in Certificates.mistakes(configuration.broker) { note("certificate", false, mistake) }
  }

  private mutating func checkSecrets(isRunning: Bool) {
    let vault: Vault
    do throws(VaultError) { vault = try Vault.open(configuration) } catch {
      if isRunning, case .sealingKey(.lost) = error {
        return note(
          "state", true, "\(configuration.stateFolder); the running kiosk has the sealing key, of the service manager's"
        )
      }
      return note("state", false, error.sentence)
    }
    do throws(VaultError) {
      note("state", true, configuration.stateFolder)
      let stored = try vault.secrets()
      let secrets = stored.readable.map { $0.secret }
      for secret in stored.unreadable {
        note(
          "secrets", false,
          "secret \(secret.id) of \(secret.action) was sealed under another key, or is damaged; remove it and import it anew"
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
            : "\(action.name) has index \(action.index), but its tags carry \(stray[0].index); add 'index: \(stray[0].index)' to it"
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
      return note("kiosk", false, "it runs, but does not answer; look at its log")
    }
    for part in ["reader", "broker", "disk", "panel"] {
      note(
        part, status[part]?["good"] == .bool(true), (status[part]?["text"]?.text ?? "") + " (says the running kiosk)")
    }
  }

  private mutating func tryDevices() {
    let reader = Trial.reader(configuration)
    note("reader", reader.isGood, reader.text)
    for index in configuration.broker.endpoints.indices {
      let broker = Trial.broker(configuration, endpoint: index)
      note("broker", broker.isGood, broker.text)
    }
  }
}

extension Checkup {
  fileprivate mutating func checkPanel(isRunning: Bool) {
    // Its lines take the place of real ones.
    if let path = configuration.panel.simulator { return note("panel", true, "virtual, at " + path) }
    let trial = PanelTrial(configuration, isRunning: isRunning, colour: isatty(1) == 1)
    for finding in trial.findings { note("panel", finding.isGood, finding.text) }
    guard printsLines, !trial.drawing.isEmpty else { return }
    Output.print("")
    for line in trial.drawing { Output.print(line) }
  }
}
