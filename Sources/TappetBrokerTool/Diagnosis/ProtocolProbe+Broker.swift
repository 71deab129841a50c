// Detects which protocol a port speaks if it does not speak the configured protocol.

import TappetCommandLine
import TappetCore
import TappetMessages
import TappetPlatform

extension ProtocolProbe {
  /// Returns the detected protocol and the URL to use instead, as a sentence; `nil` if nothing was detected.
  static func finding(_ settings: BrokerSettings, _ endpoint: BrokerEndpoint, address: String) -> String? {
    if !endpoint.usesTLS, speaksTLS(settings, endpoint) { return "this port speaks TLS: use " + flipped(endpoint).text }
    guard let words = firstWords(address: address, port: endpoint.port, greeting: greeting) else { return nil }
    if words.first == 0x20, words.count >= 4 {
      return endpoint.usesTLS ? "this port speaks MQTT without TLS: use " + flipped(endpoint).text : nil
    }
    return stranger(words)
  }

  private static func stranger(_ words: [UInt8]) -> String? {
    let text = String(decoding: words.prefix { $0 != 0x0D && $0 != 0x0A }, as: UTF8.self)
    if text.begins(with: "HTTP/") { return "a web server responds on this port (\(text.quoted))" }
    if text.begins(with: "SSH-") { return "an SSH server responds on this port (\(text.quoted))" }
    if text.begins(with: "220") { return "a mail or FTP server responds on this port (\(text.quoted))" }
    guard words.count >= 4, text.isPrintable else { return nil }
    return "another service responds on this port (\(text.quoted))"
  }

  /// Whether a TLS handshake gets as far as the certificates; sends neither a client certificate nor a login.
  private static func speaksTLS(_ settings: BrokerSettings, _ endpoint: BrokerEndpoint) -> Bool {
    let bare = BrokerSettings(
      endpoints: [flipped(endpoint)], clientID: settings.clientID, version: .v311, announcesStatus: false)
    guard let client = try? BrokerClient(bare) else { return false }
    defer { client.shutdown() }
    switch client.connect(endpoint: 0, within: Limits.probeStepMax) {
    case .connected: return true
    case .failed(.tls(.notTLS)), .failed(.tls(.protocolError)): return false
    case .failed(.tls), .failed(.closedBeforeConnack(usesTLS: true, _)), .failed(.closedDuringHandshake): return true
    case .failed, .interrupted, .timeUp: return false
    }
  }

  private static func flipped(_ endpoint: BrokerEndpoint) -> BrokerEndpoint {
    BrokerEndpoint(host: endpoint.host, port: endpoint.port, usesTLS: !endpoint.usesTLS)
  }

  /// A CONNECT packet of MQTT 3.1.1 without a client id (§3.1.3.1), which could be that of somebody else; a web server
  /// responds with an error.
  private static var greeting: [UInt8] {
    [0x10, 0x0C, 0x00, 0x04] + Array("MQTT".utf8) + [0x04, 0x02, 0x00, 0x3C, 0x00, 0x00]
  }
}
