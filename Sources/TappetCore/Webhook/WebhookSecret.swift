// Signatures as specified by Standard Webhooks, so that receivers can verify them with its libraries.

/// The secret that an action's requests are signed with; wiped when its last reference is released, and never printed.
package final class WebhookSecret: Sendable {
  private let key: SecretBytes

  /// Decodes `whsec_` and Base64, or Base64 alone; `nil` for anything else, and for too short a secret.
  @export(interface)
  package init?(_ line: ArraySlice<UInt8>) {
    var digits = line
    if digits.starts(with: "whsec_".utf8) { digits = digits.dropFirst(6) }
    guard var decoded = Base64.decode(Array(digits)) else { return nil }
    key = SecretBytes(taking: &decoded)
    guard (Limits.webhookSecretSizeMin...Limits.webhookSecretSizeMax).contains(key.count) else { return nil }
  }

  /// The value of `webhook-signature`: `v1,` and the Base64 of HMAC-SHA256 of `id.timestamp.body`.
  package func signature(id: EntryID, unixSeconds: Int64, body: [UInt8]) throws(CryptoError) -> String {
    let message = id.hexDigits + Array(".\(unixSeconds).".utf8) + body
    let code = try key.withBytes { bytes throws(CryptoError) in
      try MessageAuthenticator(key: bytes).authenticate(message)
    }
    return "v1," + String(decoding: Base64.encode(code), as: UTF8.self)
  }
}
