// The checks performed by 'tappet check'. Each finding is printed immediately, because some checks take seconds.

import CPlatform
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON
import TappetKiosk
import TappetMessages
import TappetPanel
import TappetPlatform
import TappetStore
import TappetTLS

/// The findings of the checks performed so far.
struct CheckReport {
  private struct Finding {
    var part: String
    var verdict: CheckResult
    /// Machine-readable code, if the reason has one.
    var code: String?
    var text: String
  }

  private let printsLines: Bool
  private var findings: [Finding] = []
  /// Latest time that the kiosk accepted as valid, in seconds since 1970.
  private var latestTime: Int64?

  var isGood: Bool { findings.allSatisfy { $0.verdict != .bad } }

  var json: JSON {
    let list = findings.map { finding in
      JSON.object([
        "part": .string(finding.part), "good": .bool(finding.verdict != .bad), "note": .bool(finding.verdict == .note),
        "code": .optional(finding.code), "text": .string(finding.text),
      ])
    }
    return .object(["findings": .array(list)])
  }

  init(printsLines: Bool) { self.printsLines = printsLines }

  mutating func note(_ part: String, _ isGood: Bool, _ text: String, code: String? = nil) {
    note(part, isGood ? .good : .bad, text, code: code)
  }

  mutating func note(_ part: String, _ verdict: CheckResult, _ text: String, code: String? = nil) {
    findings.append(Finding(part: part, verdict: verdict, code: code, text: text))
    guard printsLines else { return }
    Output.write("\(Self.mark(verdict))  \(Help.padded(part, 15))\(text.escaped)\n")
  }

  private static func mark(_ verdict: CheckResult) -> String {
    let (colour, word) =
      switch verdict {
      case .good: (32, "ok  ")
      case .note: (33, "note")
      case .bad: (31, "FAIL")
      }
    return isatty(1) == 1 ? "\u{1B}[\(colour)m\(word)\u{1B}[0m" : word
  }

  // MARK: Parts

  /// Checks the configuration and its files; `path` is `nil` if the configuration may not be in its place yet.
  mutating func checkFiles(_ configuration: KioskConfiguration, path: String? = nil) {
    let count = configuration.actions.count
    note("config", .good, "\(plural(count, "action")), no errors")
    checkTriggers(configuration)
    if configuration.timestampKey != nil { note("timestamp key", .good, "read from its file") }
    checkCommands(configuration)
    checkForeignTags(configuration)
    if let site = configuration.site { note("site", .good, "\(site.name): people are received from \(site.topic)") }
    checkCertificates(configuration.broker)
    checkWebhooks(configuration)
    checkInventory(configuration)
    for warning in FolderProbe.warnings(configuration, path: path) { note("folder", .bad, warning) }
  }

  /// Checks every part by using it.
  mutating func checkAll(_ configuration: KioskConfiguration, path: String, delivers: Bool) {
    checkFiles(configuration, path: path)
    var kiosk: RunningKiosk?
    do throws(CommandFailure) { kiosk = try RunningKiosk.find(configuration) } catch {
      note("kiosk", .bad, error.sentence ?? "", code: error.code)
    }
    var configuration = configuration
    checkStore(&configuration, isRunning: kiosk != nil)
    checkClock(configuration)
    if kiosk == nil || configuration.reader == nil {
      let reader = DeviceProbe.reader(configuration)
      note("reader", reader.verdict, reader.text, code: reader.code)
    } else {
      note(
        "reader", .note, "not tried: the running kiosk is using it; use 'tappet check --running' to query the kiosk")
    }
    checkBroker(configuration, delivers: delivers, isRunning: kiosk != nil)
    checkWebServers(configuration)
    checkRooms(configuration)
    checkPage(configuration, kiosk)
    checkPanel(configuration, kiosk)
  }

  /// Connects to each of the broker's endpoints, unless its stored password could not be read.
  private mutating func checkBroker(_ configuration: KioskConfiguration, delivers: Bool, isRunning: Bool) {
    guard let broker = configuration.broker else {
      let absent = KioskStatus.Link.absent
      return note("broker", .good, absent.sentence(configuration), code: absent.code)
    }
    guard !configuration.storesPassword || broker.password != nil else {
      return note("broker", .note, "not tried: its password is sealed; use 'tappet check --running' to query the kiosk")
    }
    let isIdle = !isRunning && FolderProbe.isIdle(configuration.stateFolder)
    var isConnected = false
    for index in broker.endpoints.indices {
      let found = DeviceProbe.broker(broker, endpoint: index, isIdle: isIdle)
      note("broker", found.verdict, found.text, code: found.code)
      isConnected = isConnected || found.verdict == .good
      if delivers { checkDelivery(broker, endpoint: index, configuration.actions) }
    }
    guard isConnected, !delivers, configuration.actions.contains(where: { $0.sampleTopic != nil }) else { return }
    note(
      "delivery", .note,
      "not tried: 'tappet check --deliver' finds out whether the broker accepts the actions' messages")
  }

  /// Adds the state that the running kiosk reports for each part.
  mutating func askKiosk(_ configuration: KioskConfiguration) throws(CommandFailure) {
    guard let kiosk = try RunningKiosk.find(configuration) else {
      throw .failed(RunningKiosk.absence(configuration), FailureCode.kioskAbsent)
    }
    guard let status = kiosk.ask(.status)?.json else {
      return note(
        "kiosk", .bad, "running, but not responding; check its log", code: FailureCode.kioskSilent)
    }
    for part in Command.statusParts(of: status) {
      let facts = status[part.rawValue]
      note(part.rawValue, facts?["good"] == .bool(true), facts?["text"]?.text ?? "", code: facts?["code"]?.text)
    }
    if let zone = status["clock"]?["zone"]?.text { note("time zone", .bad, zone, code: TimeFault.zoneUnknown.code) }
  }

  private mutating func checkCertificates(_ broker: BrokerSettings?) {
    guard let broker else { return note("certificates", .good, "none needed: no broker is configured") }
    if broker.sendsPlainPassword, broker.username != nil {
      note(
        "password", .note,
        "sent without TLS ('plain_password'): everyone on the network can read it, and publish with it; use an account "
          + "that has only the permissions that the kiosk needs")
    }
    guard broker.endpoints.contains(where: { $0.usesTLS }) else {
      return note("certificates", .good, "none needed: no endpoint uses TLS")
    }
    let now = SystemClock().now().unixSeconds
    let facts = Certificates.inspect(broker)
    let needed = Certificates.needed(facts, atUnixSeconds: now)
    for fact in facts {
      switch fact {
      case .systemTrustStore:
        note("certificates", .good, "the broker's certificate is checked against the system's trust store")
      case .certificate(let details):
        let verdict: CheckResult = details.isValid(atUnixSeconds: now) ? .good : needed.contains(fact) ? .bad : .note
        note("certificate", verdict, details.sentence(at: now, isNeeded: verdict != .note))
      case .revocationLists(let path, let count):
        note("revocation", .good, "\(path): \(plural(count, "list")), currently valid")
      case .keyMatches(_, let key): note("private key", .good, "\(key) belongs to the certificate")
      case .keyOpenToOthers(let path, _):
        note("private key", .bad, "\(path) can be read by others; run: chmod 600 \(path)")
      case .problem: break
      }
    }
    for mistake in Certificates.mistakes(broker) { note("certificate", .bad, mistake.sentence, code: mistake.code) }
  }

  private mutating func checkCommands(_ configuration: KioskConfiguration) {
    for plan in configuration.commands {
      let what = (plan.outputs + plan.actions + (plan.managesPeople ? ["people"] : [])).joined(separator: ", ")
      let drives = what.isEmpty && plan.asksChecks ? [] : ["drives " + (what.isEmpty ? "nothing" : what)]
      let uses = drives + (plan.asksChecks ? ["reports the state of the kiosk's parts"] : [])
      let proof =
        switch plan.trust {
        case .trusted: "every client that the broker allows to publish to this topic"
        case .token: "senders with the key of its tokens"
        case .signed(nil): "senders with a secret of the action"
        case .room(let commanders): commanders.text
        case .signed: "senders with its key, or a secret of the action"
        }
      let stranger = plan.window == nil ? ", without an age limit" : ""
      note("commands", .good, plan.topic + " " + uses.joined(separator: " and ") + " for " + proof + stranger)
      if let reply = plan.replyTopic, let other = configuration.topic(below: reply) {
        note(
          "commands", .note,
          "\(plan.topic): with MQTT 5, a sender can request a reply to any topic below '\(reply)', such as "
            + "\(other); set a 'reply' with no topics below it, such as \(reply)/reply")
      }
      if case .token(nil) = plan.trust, let action = configuration.actions.first(where: { $0.publishesToken }) {
        note(
          "commands", .note,
          "\(plan.topic): its tokens use the same key as %T, so anyone who reads a %T token that another board sealed "
            + "with this key, as in \(action.name), can use the token to authenticate a command; set a separate 'key'")
      }
    }
  }

  private mutating func checkForeignTags(_ configuration: KioskConfiguration) {
    let count = configuration.foreignTags.count
    if count > 0 {
      let known = plural(count, "external tag is", "external tags are")
      note(
        "tags", .note,
        known + " identified by data that can be copied, such as a UID, and cannot drive this kiosk's outputs; "
          + "programs that receive its messages must not open doors on the strength of such tags")
    }
    guard let topic = configuration.unknownTags?.sampleTopic else { return }
    note("unknown tags", .note, "published, for example to " + topic)
  }

  /// Checks the programs for webhooks and rooms; the webhooks' files were already read with the configuration.
  private mutating func checkWebhooks(_ configuration: KioskConfiguration) {
    // The commands for rooms, of which this is one, send their requests through tappet-webhook.
    if !configuration.webhooks.isEmpty || configuration.matrix != nil, access(WebhookProgram.path, X_OK) != 0 {
      return note(
        configuration.matrix == nil ? "webhooks" : "rooms", .bad,
        "\(WebhookProgram.path) is missing: install the package tappet-webhook",
        code: "webhooks-not-started")
    }
    if configuration.matrix != nil, access(MatrixProgram.path, X_OK) != 0 {
      note(
        "rooms", .bad, "\(MatrixProgram.path) is missing: install the package tappet-matrix",
        code: "rooms-not-started")
    }
    for webhook in configuration.webhooks {
      note("webhook", .good, "\(webhook.action): \(webhook.method.word) to \(webhook.place)")
    }
    for post in configuration.matrix?.posts ?? [] { note("room", .good, "\(post.action): posts to \(post.room)") }
  }

  private mutating func checkInventory(_ configuration: KioskConfiguration) {
    guard let inventory = configuration.inventory else { return }
    guard access(InventoryHelper.path, X_OK) == 0 else {
      return note(
        "inventory", .bad, "\(InventoryHelper.path) is missing: install the package tappet",
        code: "inventory-not-started")
    }
    guard let scanner = inventory.scanner else { return note("inventory", .good, "tags of things; no scanner set") }
    var status = stat()
    do throws(SystemError) {
      try checked("access") { access(scanner, R_OK) }
      try checked("stat") { stat(scanner, &status) }
      guard tp_is_character_device(status.st_mode) != 0 else { throw SystemError(call: "stat", code: ENOTTY) }
      note("scanner", .good, scanner)
    } catch { note("scanner", .bad, LogRecord(scannerErrno: error.code).sentence, code: "scanner-lost") }
  }

  private mutating func checkClock(_ configuration: KioskConfiguration) {
    if SystemClock().isSynchronized() {
      guard configuration.checksClock, let behind = SystemClock.secondsBehind(SystemClock().now(), latestTime) else {
        return note("clock", .good, "synchronized")
      }
      let text = LogRecord.clockBehind(behind) + ": check the time service; if the clock is correct, set 'clock: trust'"
      return note("clock", .bad, text, code: "clock-behind")
    }
    guard configuration.checksClock else {
      return note("clock", .good, "not synchronized, but trusted because of 'clock: trust'")
    }
    let effects = configuration.effectsOfUnsetClock()
    guard !effects.isEmpty else {
      return note("clock", .good, "not synchronized, but neither an action nor a command needs it")
    }
    note(
      "clock", .bad,
      "not synchronized: \(effects.joined(separator: ", and ")); start a time service, or set 'clock: trust'")
  }

  private mutating func checkPanel(_ configuration: KioskConfiguration, _ kiosk: RunningKiosk?) {
    if let path = configuration.panel.simulator {
      note("panel", .good, "virtual, at \(path): its lines are simulated")
    }
    let probe = PanelProbe(configuration, isRunning: kiosk != nil, colour: isatty(1) == 1)
    for finding in probe.findings { note("panel", finding.isGood, finding.text) }
    // A fault that only the kiosk sees, such as safe levels that it cannot record.
    if probe.findings.allSatisfy({ $0.isGood }), let facts = kiosk?.ask(.status)?.json["panel"],
      facts["good"] == .bool(false)
    {
      note("panel", .bad, facts["text"]?.text ?? "", code: facts["code"]?.text)
    }
    if configuration.panel.simulator == nil, !configuration.panel.outputs.isEmpty, LinePersistence.isOn() {
      note(
        "panel", .note,
        "this kernel keeps the level of a released line (persist_gpio_outputs): if the kiosk is killed, an output "
          + "stays on until its service has run 'tappet output safe'; to have lines released, set "
          + "'dtparam=strict_gpiod' in /boot/firmware/config.txt")
    }
    guard printsLines, !probe.drawing.isEmpty else { return }
    Output.print("")
    for line in probe.drawing { Output.write(line + "\n") }
  }
}

// MARK: The state folder

extension CheckReport {
  fileprivate mutating func checkStore(_ configuration: inout KioskConfiguration, isRunning: Bool) {
    let store: SecretStore
    do throws(SecretStoreError) { store = try SecretStore.open(folder: configuration.stateFolder) } catch {
      if isRunning, case .sealingKey(.lost) = error {
        return note(
          "state", .good,
          "\(configuration.stateFolder); only the running kiosk has the sealing key, from the service manager")
      }
      return note("state", .bad, error.sentence)
    }
    note("state", .good, configuration.stateFolder)
    latestTime = try? store.store.latestTime()
    do throws(SecretStoreError) {
      if configuration.storesPassword {
        configuration.broker?.password = try store.brokerPassword()
        note("password", .good, "stored, sealed")
      }
    } catch { note("password", .bad, error.sentence) }
    do throws(SecretStoreError) {
      if configuration.storesTimestampKey {
        _ = try store.timestampKey()
        note("timestamp key", .good, "stored, sealed")
      }
    } catch { note("timestamp key", .bad, error.sentence) }
    do throws(SecretStoreError) {
      if let site = configuration.site {
        let record = try store.siteRecord()
        let isOurs = record?.site == site.name
        note(
          "site", isOurs ? .good : .note,
          isOurs
            ? record?.timedSentence ?? ""
            : "no bundle of people has been applied; use 'tappet people push' to send a bundle")
      }
    } catch { note("site", .bad, error.sentence) }
    do throws(SecretStoreError) {
      let audit = try store.auditState()
      if case .broken = audit { note("audit", .bad, audit.sentence) } else { note("audit", .good, audit.sentence) }
    } catch { note("audit", .bad, error.sentence) }
    do throws(SecretStoreError) { checkSecrets(try store.secrets(), configuration) } catch {
      note("secrets", .bad, error.sentence)
    }
  }

  private mutating func checkSecrets(_ stored: StoredSecrets, _ configuration: KioskConfiguration) {
    let actions = configuration.actions
    let secrets = stored.readable.map { $0.secret }
    for secret in stored.unreadable {
      note(
        "secrets", .bad,
        "secret \(secret.id) of \(secret.action) was sealed under another key, or is damaged; remove it and "
          + "import it again")
    }
    for action in actions {
      let own = secrets.filter { $0.action == action.name }
      guard action.isIndexGiven, let stray = own.first(where: { $0.index != action.index }) else {
        if !own.isEmpty {
          note("secrets", .good, "\(action.name): \(own.count)")
        }
        continue
      }
      note(
        "secrets", .bad,
        "\(action.name) has index \(action.index), but its tags have index \(stray.index); "
          + "set 'index: \(stray.index)', or remove 'index'"
      )
    }
    for secret in secrets where !actions.contains(where: { $0.name == secret.action }) {
      note(
        "secrets", .bad,
        "secret \(secret.id) is for \(secret.action), which is not configured; "
          + "use 'tappet action rename \(secret.action) NAME' to assign it to another action, or "
          + "'tappet secret remove' to remove it")
    }
    let isUsed = configuration.reader != nil || configuration.commands.contains { $0.trust.word == "signed" }
    if secrets.isEmpty, isUsed {
      note(
        "secrets", .note,
        "none yet, so every signed tag is refused; use 'tappet tag write' to create a secret, or "
          + "'tappet secret import' to import one")
    }
  }
}
