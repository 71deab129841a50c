import Testing

@testable import TappetCore

/// A key from 64 digits that the test knows to be right.
func secretKey(_ hex: String) throws -> SecretKey { try #require(SecretKey(hex: hex)) }

/// A secret of an action, named by its key's digits.
func tagSecret(_ hex: String, action: String = "action", index: Int64 = 0) throws -> TagSecret {
  TagSecret(
    id: hex, action: action, index: index, key: try secretKey(hex), createdUnixSeconds: 0, label: nil)
}
