// tappet init: the broker, who we are there, and whether it lets us in.

import CPlatform
import TappetCore
import TappetDevices
import TappetRuntime

extension Setup {
  func askBroker() -> Step {
    begin("The broker")
    let known = BrokerPreset.known()
    if interview != nil {
      for (index, name) in known.enumerated() {
        say("  \(index + 1)  \(name): \(BrokerPreset.load(name: name)?.title ?? "")")
      }
      say("  \(known.count + 1)  another")
    }
    let step = settle("preset", "Which kind is it, by number or name", usual: "another") { self.takePreset($0, known) }
    guard case .done = step else { return step }
    for note in preset?.notes ?? [] { say("  - " + note) }
    if let preset, let other = preset.other {
      say("  - Where only port \(other.port) is let out, answer HOST:\(other.port) (ALPN \(other.alpn)).")
    }
    return askURL()
  }

  private func takePreset(_ answer: String, _ known: [String]) -> String? {
    preset = nil
    var name = answer
    if let number = Int64(decimal: answer.utf8), number >= 1, number <= known.count + 1 {
      name = number > known.count ? "another" : known[Int(number) - 1]
    }
    if name == "another" { return nil }
    guard let found = BrokerPreset.load(name: name) else {
      let nearest = BrokerPreset.nearest(to: name).map { " (did you mean '\($0)'?)" } ?? ""
      return "there is no preset '\(name)'\(nearest); there are: " + known.joined(separator: ", ") + ", another"
    }
    preset = found
    return nil
  }

  func askURL() -> Step {
    let example = preset?.example ?? "broker.example"
    return settle("url", "Its host, as \(example), or mqtts://HOST:PORT", usual: nil) { answer in
      let text = answer.utf8.contains(UInt8(ascii: "/")) ? answer : "mqtts://" + answer
      guard var endpoint = BrokerEndpoint(url: text) else {
        return answer.isEmpty ? "a host is needed" : "'\(answer)' is no host and no mqtts:// or mqtt:// URL"
      }
      let named = BrokerEndpoint(url: text + ":1") == nil
      if !named, endpoint.usesTLS, let port = self.preset?.port { endpoint.port = port }
      self.files.draft.url = endpoint.text
      let other = self.preset?.other
      self.files.draft.alpn = self.arguments.value("alpn") ?? (other?.port == endpoint.port ? other?.alpn : nil)
      return nil
    }
  }

  // MARK: Who we are

  func askIdentity() -> Step {
    if BrokerEndpoint(url: files.draft.url)?.usesTLS == true {
      begin("Certificates")
      let step = askAuthority()
      guard case .done = step else { return step }
      let certificate = askCertificate()
      guard case .done = certificate else { return certificate }
    }
    let client = askClientID()
    guard case .done = client, wantsRequest else { return client }
    return makeRequest()
  }

  private func askAuthority() -> Step {
    settle("ca", "The broker's CA certificate (a file; 'system': the system's trust store)", usual: "system") {
      answer in
      self.files.authorityPEM = nil
      if answer == "system" { return nil }
      do throws(CertificateProblem) {
        let found = try AuthorityFile.read(answer)
        self.files.authorityPEM = found.pem
        self.sources.append(answer)
        self.say("  " + found.subjects.joined(separator: "\n  "))
        return nil
      } catch { return error.sentence }
    }
  }

  private var wantsRequest: Bool { files.identity == nil && isRequested }

  private func askCertificate() -> Step {
    let usual = preset?.wantsCertificate == true ? nil : "none"
    let question = "This kiosk's certificate (a .p12 or .pem file; 'request': make a key and ask for one; 'none')"
    return settle("certificate", question, usual: usual) { answer in
      self.files.identity = nil
      self.isRequested = answer == "request"
      if self.isRequested { return nil }
      if answer == "none" {
        guard self.preset?.wantsCertificate == true else { return nil }
        return "\(self.preset?.title ?? "this broker") lets nobody in without one; 'request' makes a key and a request"
      }
      if answer.isEmpty { return "name a file, or answer 'request'" }
      return self.readIdentity([answer])
    }
  }

  private func readIdentity(_ paths: [String]) -> String? {
    do throws(CertificateProblem) {
      let identity = try ClientIdentity.read(paths) { self.passphrase(of: $0) }
      let now = SystemClock().now().unixSeconds
      let details = identity.details(path: paths[0])
      if details.daysLeft(atUnixSeconds: now) < 0, !arguments.has("untested") { return details.sentence(at: now) }
      say("  " + details.sentence(at: now))
      files.identity = identity
      sources += paths
      return nil
    } catch {
      guard case .bundleWithoutKey = error, paths.count == 1 else { return PassphraseSource.sentence(for: error) }
      if let key = arguments.value("private-key") { return readIdentity([paths[0], key]) }
      guard let key = interview?.ask("Its private key (a file)"), !key.isEmpty else { return error.sentence }
      return readIdentity([paths[0], key])
    }
  }

  private func passphrase(of path: String) -> SecretText? {
    if arguments.value("passphrase-file") != nil { return PassphraseSource(arguments).ask(path) }
    return interview?.secret("Passphrase of \(path)")
  }

  private func askClientID() -> Step {
    let usual = files.identity?.commonName.flatMap { BrokerSettings.isClientID($0) ? $0 : nil } ?? Self.hostClientID()
    return settle("client-id", "Client id, unique at the broker", usual: usual) { answer in
      guard BrokerSettings.isClientID(answer) else {
        return "a client id has 1 to \(Limits.clientIDSizeMax) bytes without '/', '+' and '#'"
      }
      if let max = self.preset?.clientIDSizeMax, answer.utf8.count > max {
        return "\(self.preset?.title ?? "this broker") takes at most \(max) bytes"
      }
      self.files.draft.clientID = answer
      return nil
    }
  }

  private static func hostClientID() -> String {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, 255) == 0 else { return "kiosk" }
    let text = name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } } ?? ""
    return BrokerSettings.isClientID("kiosk-" + text) && !text.isEmpty ? "kiosk-" + text : "kiosk"
  }

  /// The key stays; everything else waits for what the CA sends back.
  private func makeRequest() -> Step {
    let name = files.draft.clientID
    let key = files.folder + "/" + KioskDraft.key
    let request = files.folder + "/kiosk.csr"
    let status = CertRequestCommand.request(key: key, name: name, out: request, arguments)
    if status == .success {
      Output.complain(
        "Then go on with: tappet init --config \(files.path) --private-key \(key) --certificate FILE, the file that the CA sends back."
      )
    }
    return .stop(status)
  }

  // MARK: Whether it lets us in

  func tryBroker() -> Step {
    while true {
      guard let configuration = files.trial() else { return .stop(files.trialStatus) }
      for objection in preset?.objections(to: configuration.broker, actions: []) ?? [] {
        say("  " + objection.sentence(preset?.title ?? ""))
      }
      say("  Connecting to \(files.draft.url) …")
      let trial = Trial.broker(configuration, endpoint: 0, endedBy: files.interview.signals)
      if trial.isGood {
        say("  " + trial.text)
        return .done
      }
      if files.interview.wasInterrupted() { return .stop(.refused) }
      Output.complain("  " + trial.text)
      guard let interview else {
        if arguments.has("untested") { return .done }
        Output.complain("tappet init: nothing was written; --untested writes it all the same")
        return .stop(.refused)
      }
      let question = "Try again (t), change the broker (b) or the certificates (c), or go on without (g)?"
      guard let answer = interview.ask(question, usual: "t") else { return .stop(.refused) }
      var step = Step.done
      switch answer {
      case "b": step = askAgain(askURL)
      case "c": step = askAgain(askIdentity)
      case "g": return .done
      default: break
      }
      guard case .done = step else { return step }
    }
  }

  /// Options have had their turn.
  private func askAgain(_ question: () -> Step) -> Step {
    arguments = arguments.without(["url", "alpn", "ca", "certificate", "private-key", "client-id"])
    return question()
  }
}

extension BrokerPreset.Objection {
  /// One sentence; `broker` is the preset's title.
  func sentence(_ broker: String) -> String {
    switch self {
    case .clientIDTooLong(let max): "\(broker) takes a client id of at most \(max) bytes"
    case .topicTooLong(let action, let max): "\(action): \(broker) takes topics of at most \(max) bytes"
    case .topicTooDeep(let action, let max): "\(action): \(broker) takes topics of at most \(max) levels"
    case .messageTooLong(let action, let max): "\(action): \(broker) takes messages of at most \(max) bytes"
    case .keepalive(let min, let max): "\(broker) wants a keepalive from \(min) to \(max) s"
    case .certificateMissing: "\(broker) lets nobody in without a client certificate"
    }
  }
}
