// An endpoint with the contents of its files, which are read once, before the process gives up access to the disk.

import CPlatform
import TappetCore
import TappetPlatform

/// The data needed for requests to one server.
package final class LoadedEndpoint {
  let endpoint: WebhookEndpoint
  /// The endpoint's URL; `nil` if its file could not be read.
  private(set) var url: SecretBytes?
  /// Whether the endpoint is reached over TLS.
  private(set) var usesTLS = false
  private(set) var headers: [SecretBytes] = []
  private(set) var ca: SecretBytes?
  private(set) var certificate: SecretBytes?
  private(set) var privateKey: SecretBytes?
  private(set) var secret: WebhookSecret?
  /// The session's user and device; `nil` if there is no session.
  package private(set) var login: (user: String, device: String)?
  /// Reason why no request can be made: an errno, or 0 for a file with invalid content.
  package private(set) var trouble: Int32?

  /// Reads the endpoint's files.
  @export(interface)
  package init(_ endpoint: WebhookEndpoint) {
    self.endpoint = endpoint
    if case .session(let path) = endpoint.url { loadSession(path) } else { loadURL() }
    for header in endpoint.headers { load(header) }
    ca = endpoint.caFile.flatMap { whole($0) }
    certificate = endpoint.certificateFile.flatMap { whole($0) }
    privateKey = endpoint.privateKeyFile.flatMap { whole($0) }
    if let path = endpoint.secretFile, let line = line(of: path) {
      secret = line.withBytes { WebhookSecret(Array($0)[...]) }
      if secret == nil { trouble = trouble ?? 0 }
    }
  }

  private func loadURL() {
    switch endpoint.url {
    case .text(let text): url = SecretBytes(copying: text)
    case .file(let path): url = line(of: path)
    case .session: break
    }
    guard let url else { return }
    let parts = url.withBytes { WebhookURL(String(decoding: $0, as: UTF8.self)) }
    guard let parts, parts.usesTLS || parts.host.isLoopbackHost || endpoint.allowsPlain else {
      trouble = trouble ?? 0
      return
    }
    usesTLS = parts.usesTLS
  }

  /// Loads the homeserver, user, device and token of a session.
  private func loadSession(_ path: String) {
    switch TextFile.read(path, sizeMax: Limits.roomSessionSizeMax) {
    case .failure(let error): trouble = error.code
    case .success(var content):
      defer { LibCrypto.wipe(&content.bytes) }
      guard let session = HomeserverSession(content.bytes) else { return trouble = 0 }
      url = SecretBytes(copying: session.homeserver)
      login = (session.user, session.device)
      usesTLS = session.homeserver.begins(with: "https:")
      var line = Array("Authorization: Bearer ".utf8) + session.token.withBytes { Array($0) }
      headers.append(SecretBytes(taking: &line))
    }
  }

  private func load(_ header: WebhookEndpoint.Header) {
    let value: SecretBytes?
    switch header.value {
    case .text(let text): value = SecretBytes(copying: text)
    case .file(let path): value = line(of: path)
    // Only a URL can be that of a session.
    case .session: return trouble = trouble ?? 0
    }
    guard let value else { return }
    var line = Array((header.name + ": ").utf8) + value.withBytes { Array($0) }
    // A control character could start a new header.
    guard line.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
      LibCrypto.wipe(&line)
      return trouble = trouble ?? 0
    }
    headers.append(SecretBytes(taking: &line))
  }

  private func line(of path: String) -> SecretBytes? {
    read(path, sizeMax: Limits.secretFileSizeMax) { content in
      // The kiosk checks the mode only when it reads its configuration.
      var line = content.mode & 0o077 == 0 ? (try? content.firstLine()) ?? [] : []
      return SecretBytes(taking: &line)
    }
  }

  /// Returns the contents of a certificate or key file.
  private func whole(_ path: String) -> SecretBytes? {
    read(path, sizeMax: Limits.certificateFileSizeMax) { content in
      content.bytes.removeLast(content.bytes.count - content.bytes.withUnsafeMutableBytes(PEMText.tidy))
      return SecretBytes(taking: &content.bytes)
    }
  }

  private func read(_ path: String, sizeMax: Int, _ take: (inout TextFile) -> SecretBytes) -> SecretBytes? {
    switch TextFile.read(path, sizeMax: sizeMax) {
    case .failure(let error):
      trouble = trouble ?? error.code
      return nil
    case .success(var content):
      defer { LibCrypto.wipe(&content.bytes) }
      let taken = take(&content)
      if taken.count == 0 { trouble = trouble ?? 0 }
      return taken.count == 0 ? nil : taken
    }
  }
}

extension SecretBytes {
  fileprivate convenience init(copying text: String) {
    var bytes = Array(text.utf8)
    self.init(taking: &bytes)
  }
}
