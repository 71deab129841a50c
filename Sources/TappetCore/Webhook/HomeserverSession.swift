// The kiosk's session at a homeserver, as stored in the session file: one value per line, preceded by a keyword.
//
//   homeserver https://matrix.example.org
//   user @kiosk:example.org
//   device GHTYAJCE
//   token syt_a2lvc2s_…

/// The kiosk's user, device and token at a homeserver; the token is wiped when its last reference is released.
package struct HomeserverSession: Sendable {
  /// The homeserver's URL, without a trailing slash.
  package let homeserver: String
  /// The user id, `@name:server`.
  package let user: String
  /// The device id, which later sessions reuse: transaction ids, which prevent duplicates, are scoped to a device.
  package let device: String
  package let token: SecretBytes

  package init(homeserver: String, user: String, device: String, token: SecretBytes) {
    self.homeserver = homeserver
    self.user = user
    self.device = device
    self.token = token
  }

  /// Decodes a session file; `nil` unless it consists of exactly the four lines.
  @export(interface)
  package init?(_ bytes: [UInt8]) {
    var lines = bytes.split(separator: UInt8(ascii: "\n"))[...]
    func takeValue(_ word: String) -> ArraySlice<UInt8>? {
      guard let line = lines.popFirst(), line.starts(with: (word + " ").utf8) else { return nil }
      let value = line.dropFirst(word.utf8.count + 1)
      return value.isEmpty || !value.allSatisfy { (0x21...0x7E).contains($0) } ? nil : value
    }
    func text(_ word: String) -> String? { takeValue(word).map { String(decoding: $0, as: UTF8.self) } }
    guard let homeserver = text("homeserver"), let user = text("user"), let device = text("device"),
      let token = takeValue("token"), lines.isEmpty, let url = WebhookURL(homeserver),
      url.usesTLS || url.host.isLoopbackHost
    else { return nil }
    var secret = Array(token)
    self.init(homeserver: homeserver, user: user, device: device, token: SecretBytes(taking: &secret))
  }

  /// The content of the session file.
  package var encoded: SecretBytes {
    var bytes = Array("homeserver \(homeserver)\nuser \(user)\ndevice \(device)\ntoken ".utf8)
    bytes += token.withBytes { Array($0) } + [UInt8(ascii: "\n")]
    return SecretBytes(taking: &bytes)
  }
}
