// Signatures as specified by Standard Webhooks, so that receivers can verify them with the libraries of that project.

/// The secret with which an action's requests are signed; wiped when its last reference is released, and never printed.
package final class WebhookSecret: Sendable {
  private let key: SecretBytes

  /// Decodes Base64, optionally prefixed with `whsec_`; `nil` for any other format, or a secret of invalid length.
  @export(interface)
  package init?(_ line: ArraySlice<UInt8>) {
    var digits = line
    if digits.starts(with: "whsec_".utf8) { digits = digits.dropFirst(6) }
    guard var decoded = Base64.decode(Array(digits)) else { return nil }
    key = SecretBytes(taking: &decoded)
    guard (Limits.webhookSecretSizeMin...Limits.webhookSecretSizeMax).contains(key.count) else { return nil }
  }

  /// Returns the value of `webhook-signature`: `v1,` and the HMAC-SHA256 of `id.timestamp.body` in Base64.
  package func signature(id: EntryID, unixSeconds: Int64, body: [UInt8]) throws(CryptoError) -> String {
    let message = id.hexDigits + Array(".\(unixSeconds).".utf8) + body
    let code = try key.withBytes { bytes throws(CryptoError) in
      try MessageAuthenticator.authenticate(message, key: bytes)
    }
    return "v1," + String(decoding: Base64.encode(code), as: UTF8.self)
  }
}
