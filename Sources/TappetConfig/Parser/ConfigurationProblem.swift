// An error in a configuration, as data: file, line, column, kind, and the nearest valid word. TappetMessages contains
// the sentences.

import TappetCore
import TappetPlatform

/// An error in a configuration.
package struct ConfigurationProblem: Hashable, Sendable {
  /// The kind of error.
  package indirect enum Kind: Hashable, Sendable {
    case cannotRead(SystemError)
    case tooLarge(size: Int, max: Int)
    case notUTF8
    case yaml(YAMLError)
    /// `<<`, whose meaning depends on the parser.
    case mergeKey
    case keyNotText
    case unknownKey(String, nearest: String?)
    case duplicateKey(String)
    case missingKey(String)
    case wrongType(expected: String, found: String)
    case invalidValue(String, expected: String)
    case needsPartner(String, partner: String)
    /// A value that needs a broker, although none is configured.
    case needsBroker
    /// A value that is supported only for brokers with TLS.
    case needsTLS(String)
    case duplicateName(String)
    case malformedName(NameFault)
    case duplicateIndex(Int64)
    case unknownAction(String, nearest: String?)
    /// `by` is the place in the file that already uses the line.
    case lineUsedTwice(String, by: String)
    /// An external tag without the acknowledgement that it proves nothing.
    case tagNotTrusted
    /// A trigger that can be copied, for an action that drives an output or unlocks the panel.
    case needsProof(String, CopiedTrigger)
    /// Two tags with the same UID, text or URI.
    case duplicateTag
    case unknownButton(String, nearest: String?)
    /// An output that the panel does not have.
    case unknownOutput(String, nearest: String?)
    case unknownInput(String, nearest: String?)
    /// An interlock group that contains only this output.
    case loneInterlock(String)
    case unknownLight(String, nearest: String?)
    /// An action with `confirm` on a gesture that does not allow a confirmation.
    case unanswerable(String, gesture: String)
    /// `lock_after` without a code or an action that unlocks the panel.
    case nothingUnlocks
    /// `%T` without a `timestamp_key`.
    case timestampWithoutKey
    case fileUnreadable(path: String, SystemError)
    /// A file whose first line cannot be what it is for.
    case unusableLine(path: String, FirstLineFault)
    /// A time zone that is not installed.
    case timeZoneMissing(String)
    case unusableProfile(BoardProfileError)
    case keyFileOpen(path: String, mode: UInt32)
    case keyFileMalformed(path: String)
    /// A malformed key for signed commands; it must have 64 hex digits.
    case signingKeyMalformed(path: String)
    /// A topic with tokens, although neither the topic nor the configuration has a key for them.
    case tokenWithoutKey
    /// A password for an endpoint without TLS, where it could be intercepted.
    case passwordWithoutTLS
    /// A certificate or key, although no endpoint uses TLS.
    case needlessWithoutTLS(String)
    /// A password in the configuration file itself, where it is not allowed; messages must not contain it either.
    case passwordInFile
    /// An invalid webhook URL; it is not shown, because it may be secret.
    case badWebhookURL
    /// A webhook to another machine without TLS.
    case plainWebhook
    case webhookSecretMalformed(path: String)
    /// An unreadable session file of `matrix`, which is created by `tappet matrix login`.
    case sessionUnreadable(path: String, SystemError)
    case sessionMalformed(path: String)
    /// Two mutually exclusive keys.
    case excludes(String, other: String)
    case badMessage
    /// A text with an unknown or unterminated placeholder for a fact about the tap.
    case badPlaceholder
    /// An unquoted message that YAML parses as a mapping or list.
    case unquotedMessage
    /// A key that requires a passphrase.
    case passphraseNeeded(CertificateProblem)
    /// Number of further errors that are not listed.
    case more(count: Int)
  }

  /// The file name as specified by the caller.
  package var file: String
  /// The place in the file.
  package var position: TextPosition
  /// The place in the YAML tree, such as `actions[0].topic`; empty for the root.
  package var place: String
  /// The kind of error.
  package var kind: Kind
}

/// The reason why the first line of a file cannot be the secret that it should be.
package enum FirstLineFault: Hashable, Sendable {
  case noPassword
  case noValue
  case notText(TextFault)
  case tooLong(max: Int)
  /// A value for a request contains a control character, which could start a new header.
  case unprintable
}

/// A trigger of an action that can be copied, and therefore proves nothing.
package enum CopiedTrigger: Hashable, Sendable {
  /// The UID, text or URI of an external tag.
  case externalTag
  /// The barcode that a scanner reads.
  case scan
  /// The alert of the inventory about low stock or an overdue loan.
  case inventory
}
