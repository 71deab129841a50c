// tappet init: the broker, the kiosk's client identity, and the first connection.

import CPlatform
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetMessages
import TappetPlatform
import TappetTLS

extension SetupWizard {
  func askPreset() throws(CommandFailure) {
    start("The broker")
    let known = BrokerPreset.known()
    let titles: [(String, String)] = prompt == nil ? [] : known.map { ($0, BrokerPreset.load(name: $0)?.title ?? "") }
    for (index, (name, title)) in titles.enumerated() { list("  \(index + 1)  \(name): \(title)") }
    list("  \(known.count + 1)  another")
    list("  \(known.count + 2)  none: Matrix rooms, web servers, or only a relay")
    let choices = Choices(
      "Which broker?",
      titles + [("another", "Another one"), ("none", "No broker: Matrix rooms, web servers, or only a relay")])
    try resolve("preset", "Broker type (number or name)", default: "another", choices) { acceptPreset($0, known) }
    for note in preset?.notes ?? [] { inform("  - " + note) }
    if let preset, let other = preset.other {
      inform(
        "  - If the firewall allows only outgoing port \(other.port), enter HOST:\(other.port) (ALPN \(other.alpn)).")
    }
  }

  private func acceptPreset(_ answer: String, _ known: [String]) -> String? {
    preset = nil
    files.draft.isHomeAssistant = false
    let names = known + ["another", "none"]
    var name = answer
    if let number = Int64(decimal: answer.utf8), number >= 1, number <= names.count { name = names[Int(number) - 1] }
    isWithoutBroker = name == "none"
    if name == "another" || isWithoutBroker { return nil }
    guard let found = BrokerPreset.load(name: name) else {
      let nearest = Spelling.suggestion(BrokerPreset.nearest(to: name))
      return "unknown preset '\(name)'\(nearest); the presets are " + names.joined(separator: ", ")
    }
    preset = found
    files.draft.isHomeAssistant = found.isHomeAssistant
    return nil
  }

  func askURL() throws(CommandFailure) {
    if isWithoutBroker { return try askDestination() }
    let example = preset?.example ?? "broker.example"
    try resolve(
      "url", "Host, such as \(example), or mqtts://HOST:PORT, or mqtt://HOST without TLS; or 'none'", default: nil
    ) { answer in
      isWithoutBroker = answer == "none"
      if isWithoutBroker { return nil }
      let text = answer.utf8.contains(UInt8(ascii: "/")) ? answer : "mqtts://" + answer
      guard var endpoint = BrokerEndpoint(url: text) else {
        let given = answer.withoutUserInfo
        return given.isEmpty ? "a host is required" : "'\(given)' is neither a host nor a mqtts:// or mqtt:// URL"
      }
      let hasPort = BrokerEndpoint(url: text + ":1") == nil
      if !hasPort, endpoint.usesTLS, let port = preset?.port { endpoint.port = port }
      if !endpoint.usesTLS, !endpoint.host.isLoopbackHost, !allowsPlain(["allow-mqtt", "plain-password"]) {
        return plainRefusal("mqtts", "allow-mqtt")
      }
      files.draft.url = endpoint.text
      isOutputOnly = false
      files.draft.actions[0].effect = nil
      files.draft.actions.replaceSubrange(1..., with: otherActions)
      let other = preset?.other
      files.draft.alpn = arguments.value("alpn") ?? (other?.port == endpoint.port ? other?.alpn : nil)
      return nil
    }
    if isWithoutBroker { try askDestination() }
  }

  /// Prompts for the destination of the first action, which has no topic if there is no broker.
  ///
  /// Answers about the broker may have been given before; the other actions of an existing kiosk.yaml have topics.
  private func askDestination() throws(CommandFailure) {
    preset = nil
    (files.draft.url, files.draft.isHomeAssistant) = (nil, false)
    (files.authorityPEM, files.identity, files.password) = (nil, nil, nil)
    files.draft.actions.removeSubrange(1...)
    let question =
      "Matrix room, such as #door:example.org, or web server, such as https://HOST/PATH; 'none' to only drive an output"
    try resolve("send-to", question, default: nil) { (answer) throws(CommandFailure) in
      isOutputOnly = answer == "none"
      // The effect is known with the output.
      files.draft.actions[0].effect = nil
      if isOutputOnly { return nil }
      if RoomAddress.isValid(answer) {
        files.draft.actions[0].effect = .room(answer)
        return try mistake(in: "the destination")
      }
      guard let url = WebhookURL(answer) else {
        return "enter a room, such as #door:example.org, or a URL, such as https://HOST/PATH"
      }
      if url.isExposed, !allowsPlain(["allow-http"]) { return plainRefusal("https", "allow-http") }
      files.draft.actions[0].effect = .webServer(url: answer)
      if let mistake = try mistake(in: "the destination") { return mistake }
      return try mistake(of: url)
    }
  }

  /// Tries the web server; returns an error message if it does not respond, unless the user keeps the answer.
  private func mistake(of url: WebhookURL) throws(CommandFailure) -> String? {
    inform("  Connecting to \(url.origin) …")
    let probe = DeviceProbe.webServer(url, endedBy: files.prompt.signalDescriptor)
    if probe.verdict != .bad {
      inform("  " + probe.text)
      return nil
    }
    if files.prompt.isOver { throw .reported(.refused) }
    let isUntested = arguments.has("untested")
    guard prompt != nil || isUntested else { return probe.text }
    Output.printError("  " + probe.text)
    let keeps = isUntested || prompt?.confirm("  Use it anyway?", default: false) == true
    return keeps ? nil : "enter the corrected URL, or a room"
  }

  private static var plainRisk: String { "everyone on the network can read and change the messages" }

  /// Whether messages may be sent without TLS: one of the options permits it, or the user consents.
  private func allowsPlain(_ options: [String]) -> Bool {
    options.contains { arguments.has($0) }
      || prompt?.confirm("  Without TLS, \(Self.plainRisk). Use it anyway?", default: false) == true
  }

  private func plainRefusal(_ scheme: String, _ option: String) -> String {
    prompt == nil
      ? "without TLS, \(Self.plainRisk); use \(scheme)://, or add --\(option)" : "use an address with \(scheme)://"
  }

  // MARK: Identity

  /// Whether the broker is addressed with mqtts://.
  var usesTLS: Bool { files.draft.url.flatMap { BrokerEndpoint(url: $0) }?.usesTLS == true }

  func askAuthority() throws(CommandFailure) {
    files.authorityPEM = nil
    guard usesTLS else { return }
    start("Certificates")
    let question = "Broker's CA certificate (a file, or 'system' for the system's trust store)"
    let choices = Choices(
      "Who has signed the broker's certificate?", [("system", "A public CA, which every browser trusts")],
      other: "Another CA: its certificate, a file on this board")
    try resolve("ca", question, default: "system", choices) { answer in
      files.authorityPEM = nil
      if answer == "system" { return nil }
      do throws(CertificateProblem) {
        let found = try AuthorityFile.read(answer)
        files.authorityPEM = found.pem
        sources.append(answer)
        inform("  " + found.subjects.map { $0.quoted }.joined(separator: "\n  "))
        return nil
      } catch { return error.sentence }
    }
  }

  func askCertificate() throws(CommandFailure) {
    (files.identity, isRequested) = (nil, false)
    guard usesTLS else { return }
    let usual = preset?.wantsCertificate == true ? nil : "none"
    let question = "This kiosk's certificate (a .p12 or .pem file, 'request' for a new key and request, or 'none')"
    let choices = Choices(
      "This kiosk's certificate", [("none", "None"), ("request", "Create a key and a request")],
      other: "A file on this board, .p12 or .pem")
    try resolve("certificate", question, default: usual, choices) { answer in
      files.identity = nil
      isRequested = answer == "request"
      if isRequested { return nil }
      if answer == "none" {
        guard let preset, preset.wantsCertificate else { return nil }
        return "\(preset.title) requires a certificate; enter 'request' to create a key and a request"
      }
      if answer.isEmpty { return "specify a file, or 'request'" }
      return readIdentity([answer])
    }
  }

  /// Returns an error message about the files, or `nil`.
  private func readIdentity(_ paths: [String]) -> String? {
    do throws(CertificateProblem) {
      let identity = try ClientIdentity.read(paths) { passphrase(of: $0) }
      let now = SystemClock().now().unixSeconds
      let details = identity.details(path: paths[0])
      if details.daysLeft(atUnixSeconds: now) < 0, !arguments.has("untested") { return details.sentence(at: now) }
      inform("  " + details.sentence(at: now))
      files.identity = identity
      sources += paths
      return nil
    } catch {
      guard case .bundleWithoutKey = error, paths.count == 1 else { return error.promptSentence }
      if let key = arguments.value("private-key") { return readIdentity([paths[0], key]) }
      let usual = earlier.last { $0.option == "private-key" }?.answer
      guard let key = prompt?.ask("Private key of the certificate (a file)", default: usual) ?? usual, !key.isEmpty
      else {
        return error.sentence
      }
      return readIdentity([paths[0], key])
    }
  }

  private func passphrase(of path: String) -> SecretBytes? {
    if arguments.has("passphrase-file") { return Prompt.passphrase(of: path, arguments) }
    return prompt?.secret("Passphrase of \(path)")
  }

  func askClientID() throws(CommandFailure) {
    if isWithoutBroker { return }
    let usual = files.identity?.commonName.flatMap { BrokerSettings.isClientID($0) ? $0 : nil } ?? Self.hostClientID()
    try resolve("client-id", "Client id, unique on the broker", default: usual) { answer in
      guard BrokerSettings.isClientID(answer) else {
        return "a client id must be 1 to \(Limits.clientIDSizeMax) bytes long and must not contain '/', '+' or '#'"
      }
      if let preset, let max = preset.clientIDSizeMax, answer.utf8.count > max {
        return "\(preset.title) accepts client ids of at most \(max) bytes"
      }
      files.draft.clientID = answer
      return nil
    }
  }

  private static func hostClientID() -> String {
    let text = NetworkIdentity.hostName() ?? ""
    return BrokerSettings.isClientID("kiosk-" + text) && !text.isEmpty ? "kiosk-" + text : "kiosk"
  }

  /// Creates the key and the request, with consent; the rest of the setup needs the CA's certificate.
  private func requestCertificate() throws(CommandFailure) {
    let (key, request) = (files.folder + "/" + ConfigTemplate.key, files.folder + "/kiosk.csr")
    let draft = try CertRequest.draft(key: key, name: files.draft.clientID, more: nil)
    let targets = (draft.newKey == nil ? [] : [key]) + [request]
    try requireConsent(
      to: targets,
      [("Broker", brokerSummary), ("Certificate", "requested; the other questions follow once it is issued")])
    try CertRequest.write(draft, key: key, name: files.draft.clientID, out: request)
    Output.inform(
      "Then continue with: tappet init --config \(files.path) --private-key \(key) --certificate FILE (from the CA)."
    )
    throw .reported(.success)
  }

  // MARK: The first connection

  func tryBroker() throws(CommandFailure) {
    if !isWithoutBroker, isRequested { try requestCertificate() }
    while !isWithoutBroker {
      guard let broker = try files.configuration().broker else { throw .reported(.configuration) }
      for objection in preset?.objections(to: broker, actions: []) ?? [] {
        inform("  " + objection.sentence(preset?.title ?? ""))
      }
      inform("  Connecting to \(broker.endpoints[0].text) …")
      let probe = DeviceProbe.broker(
        broker, endpoint: 0, isIdle: true, endedBy: files.prompt.signalDescriptor)
      if probe.verdict != .bad { return inform("  " + probe.text) }
      if files.prompt.isOver { throw .reported(.refused) }
      Output.printError("  " + probe.text)
      guard let prompt else {
        if arguments.has("untested") { return }
        throw .refused("nothing was written; use --untested to write the files anyway")
      }
      let question = "Try again (t), change the broker (b) or the credentials (c), or go on anyway (g)?"
      let choices = Choices(
        "What now?",
        [
          ("t", "Try again"), ("b", "Change the broker"), ("c", "Change the credentials"), ("g", "Go on anyway"),
        ])
      guard let answer = prompt.ask(question, default: "t", choices) else { throw .reported(.refused) }
      if answer == "g" { return }
      guard answer == "b" || answer == "c" else { continue }
      // Each option is used as an answer only once.
      arguments = arguments.without([
        "url", "alpn", "ca", "certificate", "private-key", "client-id", "username", "password-file",
      ])
      if answer == "b" {
        try askURL()
      } else {
        for question in [askAuthority, askCertificate, askClientID, askUsername, askPassword] { try question() }
      }
    }
  }
}

extension BrokerPreset.PresetConflict {
  /// Returns a human-readable sentence; `broker` is the preset's title.
  func sentence(_ broker: String) -> String {
    switch self {
    case .clientIDTooLong(let max): "\(broker) accepts a client id of at most \(max) bytes"
    case .topicTooLong(let action, let max): "\(action): \(broker) accepts topics of at most \(max) bytes"
    case .topicTooDeep(let action, let max): "\(action): \(broker) accepts topics of at most \(max) levels"
    case .messageTooLong(let action, let max): "\(action): \(broker) accepts messages of at most \(max) bytes"
    case .keepalive(let min, let max): "\(broker) requires a keepalive from \(min) to \(max) s"
    case .certificateMissing: "\(broker) requires a client certificate"
    }
  }
}
