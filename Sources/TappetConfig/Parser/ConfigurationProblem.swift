// A mistake in a configuration, as facts: file, line, column, kind, and the nearest right word. TappetMessages has the
// sentences.

import TappetCore
import TappetPlatform

/// A mistake in a configuration.
package struct ConfigurationProblem: Hashable, Sendable {
  /// The kind of mistake.
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
    /// A value that is only for brokers behind TLS.
    case needsTLS(String)
    case duplicateName(String)
    case malformedName(NameFault)
    case duplicateIndex(Int64)
    case unknownAction(String, nearest: String?)
    /// `by` is the place in the file that already has it.
    case lineUsedTwice(String, by: String)
    /// A tag that others wrote, without the acknowledgement that it proves nothing.
    case tagNotTrusted
    /// The same for an action that drives an output or unlocks the panel.
    case tagOpensDoor(String)
    /// Two tags with one UID, text or URI.
    case duplicateTag
    case unknownButton(String, nearest: String?)
    /// The output is not on the panel.
    case unknownOutput(String, nearest: String?)
    /// The group has only this output.
    case loneInterlock(String)
    case unknownLight(String, nearest: String?)
    /// An action with `confirm` at a gesture that cannot answer.
    case unanswerable(String, gesture: String)
    /// `lock_after`, but neither a code nor an action that unlocks.
    case nothingUnlocks
    /// `%T` where no timestamp_key is set.
    case timestampWithoutKey
    case fileUnreadable(path: String, SystemError)
    case unusableProfile(BoardProfileError)
    case keyFileOpen(path: String, mode: UInt32)
    case keyFileMalformed(path: String)
    /// The key of signed commands, which has 64 digits.
    case signingKeyMalformed(path: String)
    /// Tokens need a key, here or for all.
    case tokenWithoutKey
    /// A password for an endpoint to which everybody on the way could read it.
    case passwordWithoutTLS
    /// The password itself, which belongs neither here nor into a message.
    case passwordInFile
    case passwordFileEmpty(path: String)
    /// A webhook's URL that is none; it is not shown, because it may be a secret.
    case badWebhookURL
    /// A webhook without TLS to another machine.
    case plainWebhook
    case webhookSecretMalformed(path: String)
    case secretFileEmpty(path: String)
    /// The session of `matrix`, which `tappet matrix login` makes.
    case sessionUnreadable(path: String, SystemError)
    case sessionMalformed(path: String)
    /// Two keys of which one is wanted.
    case excludes(String, other: String)
    case badMessage
    /// A text that names a fact about the tap that there is not, or does not end the name.
    case badPlaceholder
    /// A message without quotes that YAML takes for a mapping or a list.
    case unquotedMessage
    /// A key that only a passphrase opens.
    case passphraseNeeded(CertificateProblem)
    /// Number of further mistakes that are not listed.
    case more(count: Int)
  }

  /// The file's name as the caller gave it.
  package var file: String
  /// The place in the file.
  package var position: TextPosition
  /// The place in the tree: `actions[0].topic`; empty at the top.
  package var place: String
  /// The kind of mistake.
  package var kind: Kind
}
