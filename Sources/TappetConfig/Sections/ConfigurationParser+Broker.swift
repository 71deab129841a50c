// Parser for the `broker:` section of kiosk.yaml.

import CPlatform
import TappetCore
import TappetPlatform
import TappetTLS

extension YAMLReader {
  mutating func broker(_ node: YAMLNode?) -> (settings: BrokerSettings, storesPassword: Bool)? {
    hasBroker = node != nil
    guard let node else { return nil }
    let keys = [
      "url", "client_id", "ca", "crl", "certificate", "private_key", "protocol", "keepalive", "alpn",
      "username", "password", "plain_password", "answer_timeout",
    ]
    guard let mapping = mapping(node, keys: keys) else { return nil }
    var endpoints = required("url", in: mapping).map { self.endpoints($0) } ?? []
    if flag(mapping["plain_password"]) == true {
      for place in endpoints.indices where !endpoints[place].usesTLS { endpoints[place].allowsPlainPassword = true }
    }
    let clientID = self.clientID(required("client_id", in: mapping))
    let ca = path(mapping["ca"])
    let crl = path(mapping["crl"])
    let certificate = path(mapping["certificate"])
    let key = path(mapping["private_key"])
    if let value = mapping["certificate"], let certificate, key == nil, !Certificates.isBundleName(certificate) {
      note(.needsPartner("certificate", partner: "private_key"), at: value.position, node.place)
    }
    if let value = mapping["private_key"], certificate == nil {
      note(.needsPartner("private_key", partner: "certificate"), at: value.position, node.place)
    }
    for name in ["ca", "crl", "certificate", "private_key"] {
      guard let value = mapping[name], let path = path(value) else { continue }
      checkFile(path, at: value, isAuthority: name == "ca" || name == "crl")
    }
    if !endpoints.isEmpty, endpoints.allSatisfy({ !$0.usesTLS }) {
      // The files are for TLS, which none of the endpoints uses.
      for name in ["ca", "crl", "certificate", "private_key"] {
        if let value = mapping[name] { note(.needlessWithoutTLS(name), at: value.position, node.place) }
      }
    }
    let login = login(in: mapping, at: node, endpoints)
    let alpn = shortText(mapping["alpn"], sizeMax: Limits.protocolNameSizeMax)
    let version = choice(mapping["protocol"], of: ["3.1.1", "5"])
    // Without TLS, anyone could terminate the connection with an unknown property, which causes an assertion failure in
    // libmosquitto 2.0.11 to 2.0.20.
    if version == 1, let value = mapping["protocol"], endpoints.contains(where: { !$0.usesTLS }) {
      note(.needsTLS("protocol"), at: value.position, node.place)
    }
    let keepalive = duration(mapping["keepalive"], max: .seconds(18 * 3600))
    if let keepalive, keepalive < .seconds(5), let value = mapping["keepalive"] {
      invalid(value, expected: "5 s or more")
    }
    let answerTimeout = duration(mapping["answer_timeout"], max: Limits.answerTimeoutMax)
    if let answerTimeout, answerTimeout < .seconds(1), let value = mapping["answer_timeout"] {
      invalid(value, expected: "1 s or more")
    }
    guard let clientID, !endpoints.isEmpty else { return nil }
    var settings = BrokerSettings(
      endpoints: endpoints, clientID: clientID, caFile: ca, certificateFile: certificate, privateKeyFile: key,
      version: version.map { $0 == 1 ? .v5 : .v311 },
      keepaliveSeconds: keepalive.flatMap { UInt16(exactly: $0.wholeMilliseconds / 1000) } ?? 60, alpn: alpn,
      username: login.name, passwordFile: login.file)
    settings.crlFile = crl
    settings.needsQoS1 = true
    settings.answerTimeout = answerTimeout
    return (settings, login.isStored)
  }

  /// Reads the user name and the location of the password: the store, or a file that is read for each connection.
  private mutating func login(
    in mapping: YAMLMapping, at node: YAMLNode, _ endpoints: [BrokerEndpoint]
  ) -> (name: String?, file: String?, isStored: Bool) {
    let name = shortText(mapping["username"], sizeMax: Limits.usernameSizeMax)
    guard let value = mapping["password"] else { return (name, nil, false) }
    guard case .mapping = value.content, let password = self.mapping(value, keys: ["file", "stored"]) else {
      note(.passwordInFile, at: value)
      return (name, nil, false)
    }
    if mapping["username"] == nil {
      note(.needsPartner("password", partner: "username"), at: value.position, node.place)
    }
    if endpoints.contains(where: { !$0.usesTLS && !$0.allowsPlainPassword }) { note(.passwordWithoutTLS, at: value) }
    if let stored = password["stored"] {
      if password["file"] != nil || flag(stored) == false { invalid(stored, expected: "true, without 'file'") }
      return (name, nil, true)
    }
    guard let file = required("file", in: password), let path = path(file) else { return (name, nil, false) }
    if files != .ignored { checkPasswordFile(path, at: file) }
    return (name, path, false)
  }

  /// Checks a file that the kiosk reads for each connection, so that it may still be missing.
  private mutating func checkPasswordFile(_ path: String, at node: YAMLNode) {
    let line = privateLine(
      of: path, at: node, sizeMax: Limits.secretFileSizeMax, mayBeMissing: true,
      orNoteEmpty: .unusableLine(path: path, .noPassword))
    guard var line else { return }
    if line.count > Limits.brokerPasswordSizeMax {
      noteFile(.unusableLine(path: path, .tooLong(max: Limits.brokerPasswordSizeMax)), at: node)
    }
    LibCrypto.wipe(&line)
  }

  mutating func checkFile(_ path: String, at node: YAMLNode, isAuthority: Bool) {
    guard files != .ignored else { return }
    do throws(SystemError) { _ = try FileDescriptor.open(path, O_RDONLY | O_NONBLOCK) } catch {
      // A kiosk also starts if the file is missing, and reads it for each connection.
      if files != .used { noteFile(.fileUnreadable(path: path, error), at: node) }
      return
    }
    guard !isAuthority else { return }
    if let mode = Certificates.keyMode(path), mode & 0o077 != 0 {
      note(.keyFileOpen(path: path, mode: mode), at: node)
    }
    // Checked now, because no user is present to answer a prompt when the kiosk connects.
    if let problem = Certificates.askingProblem(path) { noteFile(.passphraseNeeded(problem), at: node) }
  }

  /// Reads the client id, whose length is limited by the status topic.
  ///
  /// MQTT 3.1.1 §3.1.3.1 allows a server to refuse more than 23 bytes; few servers do.
  private mutating func clientID(_ node: YAMLNode?) -> String? {
    guard let node, let text = text(node) else { return nil }
    guard BrokerSettings.isClientID(text) else {
      invalid(node, expected: "1 to \(Limits.clientIDSizeMax) bytes long, without '/', '+' and '#'")
      return nil
    }
    return text
  }

  private mutating func endpoints(_ node: YAMLNode) -> [BrokerEndpoint] {
    guard case .sequence = node.content else { return endpoint(node).map { [$0] } ?? [] }
    var endpoints: [BrokerEndpoint] = []
    for element in list(node) ?? [] {
      if let endpoint = endpoint(element) { endpoints.append(endpoint) }
    }
    return endpoints
  }

  private mutating func endpoint(_ node: YAMLNode) -> BrokerEndpoint? {
    guard let text = text(node) else { return nil }
    if let endpoint = BrokerEndpoint(url: text) { return endpoint }
    let keys = " (user name and password have separate keys: username, password)"
    let hasUser = text.utf8.contains(UInt8(ascii: "@"))
    invalid(node, expected: "mqtts://HOST[:PORT] or mqtt://HOST[:PORT]" + (hasUser ? keys : ""))
    return nil
  }
}

extension BrokerEndpoint {
  /// Parses `mqtts://host:port` (default 8883) or `mqtt://host:port` (default 1883), with IPv6 addresses in brackets.
  @export(interface)
  package init?(url: String) {
    var text = Array(url.utf8)[...]
    if text.last == UInt8(ascii: "/") { text = text.dropLast() }
    let usesTLS = text.starts(with: "mqtts://".utf8)
    guard usesTLS || text.starts(with: "mqtt://".utf8),
      let authority = URLAuthority(text.dropFirst(usesTLS ? 8 : 7))
    else { return nil }
    self.init(host: authority.host, port: authority.port ?? (usesTLS ? 8883 : 1883), usesTLS: usesTLS)
  }
}
