// Sentences for errors in devices and formats: cause and remedy. Switches over errors have no `default`, so that a new
// error without a sentence does not compile.

import CPlatform
import TappetCore
import TappetPlatform
import TappetSQLite
import TappetStore
import TappetTLS

extension SecretStoreError {
  /// Human-readable message, one sentence.
  package var sentence: String {
    @export(interface) get {
      switch self {
      case .store(let error): error.sentence
      case .sealingKey(let error): error.sentence
      case .secret(let error): error.sentence
      case .noTimestampKey:
        "the configuration requires a stored timestamp key, but none exists; run: tappet token key"
      case .noBrokerPassword:
        "the configuration requires a stored broker password, but none exists; run: tappet broker password"
      case .keyIsGiven:
        "the service manager provides the sealing key (its credential tappet.key); provide the new key there, the old "
          + "key as tappet.key.old, and restart the kiosk, which then reseals everything"
      }
    }
  }
}

extension DatabaseError {
  /// Human-readable message, one sentence.
  package var sentence: String {
    @export(interface) get {
      switch self {
      case .full(let failure): "no space is left for \(failure.path); free some space"
      case .readOnly(let failure):
        "\(failure.path) is read-only; remount the disk, or correct the file's owner and mode"
      case .ioError(let failure) where SystemError(call: "open", code: failure.systemCode).isShortage:
        "\(failure.path) cannot be opened: \(SystemError(call: "open", code: failure.systemCode).text)"
      case .ioError(let failure):
        "the disk reports an error at \(failure.path) (SQLite code \(failure.code)); the card may be failing"
      case .corrupt(let failure): Self.damaged(failure.path)
      case .busy(let failure): "\(failure.path) is in use by another program; stop that program and try again"
      case .otherSchema(let found, let known, let path):
        "\(path) was written by a different version of Tappet (schema \(found); this version supports \(known)): "
          + "export it with that version ('tappet backup', 'tappet inventory export'), move it away, and import it here"
      case .cannotOpen(let path, let error): "\(path) cannot be opened: \(error.adviceText())"
      case .foreignOwner(let path, let user):
        "\(path) belongs to another user (\(user)); run as that user, or change its owner"
      case .sharedFolder(let path): "other users also use the folder \(path); specify a separate folder"
      case .wrongFileType(let path): "\(path) is not a regular file or folder; move it away"
      case .other(let failure): "the database \(failure.path) failed (SQLite code \(failure.code))"
      }
    }
  }
}

extension SealingKeyError {
  /// Human-readable message, one sentence.
  package var sentence: String {
    @export(interface) get {
      switch self {
      case .unreadable(let path, let error): "the sealing key \(path) cannot be read: \(error.adviceText())"
      case .unwritable(let path, let error): "the sealing key \(path) cannot be written: \(error.text)"
      case .readableByOthers(let path, _): "the sealing key \(path) can be read by others; run: chmod 600 \(path)"
      case .foreignOwner(let path, let user):
        "the sealing key \(path) belongs to another user (\(user)); run as that user, or change its owner"
      case .malformed(let path, let size):
        "the sealing key \(path) must be a file of 32 bytes, not \(size); restore it from a backup"
      case .lost(let path):
        "the sealing key \(path), under which the secrets were sealed, does not exist; "
          + "if the service manager provides it to the kiosk, start the kiosk (the tool then works through the kiosk); "
          + "otherwise, recreate it from a backup with 'tappet restore', or move tappet.db and secrets.db away and "
          + "import the secrets again"
      case .notResealed(let error): "the secrets could not be sealed under another key: \(error.sentence)"
      case .notMade: "no sealing key could be created: \(SharedSentence.noRandomness)"
      case .folder(let error): error.sentence
      }
    }
  }
}

extension AuditState {
  /// State of the audit log as one sentence.
  package var sentence: String {
    @export(interface) get {
      switch self {
      case .whole(let count): "the audit log is intact: \(plural(count, "entry", "entries"))"
      case .broken(let number):
        "the audit log is broken at entry \(number): this entry or an adjacent one was changed, removed or inserted "
          + "by something other than Tappet"
      }
    }
  }
}

extension SecretError {
  /// Human-readable message, one sentence.
  package var sentence: String {
    @export(interface) get {
      switch self {
      case .limitReached(let action, let max):
        "\(action) already has \(max) secrets, the maximum; remove one first"
      case .alreadyThere(let id): "this secret already exists (\(id))"
      case .label(let fault): fault.sentence(of: "label")
      case .foreignKey:
        "the database was sealed under another key; restore that key, or move tappet.db and secrets.db away and import "
          + "the secrets again"
      case .unreadable(let name): "the stored '\(name)' was sealed under another key, or is damaged; store it again"
      case .person(let error): error.sentence
      case .peopleRow(let line, let fault): "line \(line): \(fault.sentence)"
      case .notSealed: "the secret could not be sealed: out of memory, or the random number generator failed"
      case .store(let error): error.sentence
      }
    }
  }
}

extension PersonLimits {
  /// Human-readable limits: `Mon-Fri 07:00-19:30, until 2026-12-31, 1 use`.
  package var sentence: String {
    var parts = times.hours.map { $0.text }
    if let from = times.from { parts.append("from " + from.text) }
    if let until = times.until { parts.append("until " + until.text) }
    if let uses { parts.append(used > 0 ? "\(used) of \(uses) uses" : plural(uses, "use")) }
    return parts.joined(separator: ", ")
  }
}

extension PersonLimitsError {
  /// Human-readable message, one sentence.
  package var sentence: String {
    @export(interface) get {
      switch self {
      case .day(let text): "'\(text)' is not a date such as 2026-12-25"
      case .endsBeforeBegin: "the last day precedes the first day"
      case .hours(let text):
        "'\(text)' is not a range of days and hours such as 'Mon-Fri 07:00-19:30', with English names of days; "
          + "separate several with ';'"
      case .hoursEndBeforeBegin(let text):
        "'\(text)' ends before it starts; split it at midnight: 24:00 and 00:00"
      case .overlap(let text): "'\(text)' overlaps with hours listed before it"
      case .tooManyHours(let max): "there are more than \(max) ranges of hours"
      case .uses(let max): "the number of uses must be from 0 to \(max)"
      }
    }
  }
}

extension PeopleRowFault {
  /// Human-readable message, one sentence.
  package var sentence: String {
    @export(interface) get {
      switch self {
      case .person(let error): error.sentence
      case .spelling(let name, let known):
        "'\(name)' and '\(known)' differ only in capital letters; write one name for one person"
      case .limits(let error): error.sentence
      case .spreadsheetDay(let text, let column):
        "\(column) is '\(text)': Excel has changed the date; format the column as yyyy-mm-dd"
      case .suspended(let text): "suspended must be 'yes', 'no' or empty, not '\(text)'"
      case .number(let text, let column): "\(column) must be a whole number or empty, not '\(text)'"
      case .unknownTag(let tag):
        "there is no secret '\(tag)' here; use 'tappet secret list' to list the ids. To import the people without "
          + "their tags, remove the column 'tag'"
      case .ambiguousTag(let fingerprint): "several secrets have the fingerprint \(fingerprint); specify the id of one"
      case .tagTwice(let tag, let line): "line \(line) assigns the tag \(tag) to another person"
      case .differs(let name, let column, let line):
        "'\(name)' has a different '\(column)' in line \(line); all rows of a person must have the same value"
      case .noRandomNumbers: SharedSentence.noRandomness
      }
    }
  }
}

extension NameFault {
  /// Returns a human-readable message, one sentence; `what` is the kind of text, such as `label`.
  @export(interface)
  package func sentence(of what: String) -> String {
    switch self {
    case .tooLong(let size, let max): "the \(what) is \(size) bytes long; the maximum is \(max)"
    case .unseen(let scalar, let place):
      "character \(place) of the \(what), U+\(scalar.codePoint), is invisible; delete it, or retype the \(what)"
    }
  }
}

extension Unicode.Scalar {
  /// Code point in the notation of the Unicode Standard, without `U+`.
  fileprivate var codePoint: String {
    let digits = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
  }
}

extension PersonError {
  /// Human-readable message, one sentence.
  package var sentence: String {
    @export(interface) get {
      switch self {
      case .nameMissing: "a person needs a name"
      case .name(let fault): fault.sentence(of: "name")
      case .nameTaken(let name): "a person named '\(name)' already exists"
      case .unknown(let name, let nearest):
        "there is no person '\(name)'" + Spelling.suggestion(nearest) + "; use 'tappet person list' to list the names"
      case .limitReached(let max): "there are already \(max) people, the maximum for a kiosk"
      }
    }
  }
}

extension ShareURLError {
  /// Human-readable message, one sentence.
  package var sentence: String {
    @export(interface) get {
      switch self {
      case .notAShareURL: "this is not a share code; share codes start with smpshare://secret?"
      case .missingIndex: "the share code does not specify its action (idx)"
      case .malformedIndex: "the share code's action (idx) is not a whole number"
      case .missingKey: "the share code has no key"
      case .malformedKey: "the share code's key must have exactly 64 hex digits"
      case .repeatedParameter: "the share code repeats a parameter"
      case .malformedLabel: "the share code's label is not percent-encoded text"
      case .label(let fault): fault.sentence(of: "share code's label")
      }
    }
  }
}

extension TimestampTokenError {
  /// Human-readable message, one sentence.
  package var sentence: String {
    @export(interface) get {
      switch self {
      case .timeOutOfRange(let time): "a token can only contain times from 1970 to 2106, not \(time)"
      case .notHexadecimal: "a token must have exactly 32 hex digits"
      case .checksum: "the token was sealed with another key, or altered in transit"
      case .outsideWindow(let age): age < 0 ? "the token is \(-age) s in the future" : "the token is \(age) s old"
      case .repeated: "the token was used before"
      case .crypto: "the token could not be computed: out of memory, or the random number generator failed"
      }
    }
  }
}

extension TagContentError {
  /// Human-readable message, one sentence.
  package var sentence: String {
    @export(interface) get {
      switch self {
      case .unsupportedModel(let model): "a \(model.name) cannot be used; use an NTAG213, 215 or 216"
      case .empty: "the tag is empty; write it first"
      case .noMessage: "the tag contains no NDEF message; write it first"
      case .incomplete: "the tag was not read completely; hold it longer"
      case .memory(.noCapabilityContainer): "the tag is not formatted for NDEF; format it first"
      case .memory(.unsupportedVersion(let version)):
        "the tag's NDEF version, \(version >> 4), is not supported"
      case .memory(.readProtected): "the tag is read-protected"
      case .memory(.lengthBeyondMemory(let offset, let length, let end)):
        "the tag is damaged: a block at byte \(offset) claims \(length) bytes, but the memory ends at \(end); "
          + "write it again"
      case .memory(.malformedControl(let offset)):
        "the tag is damaged: its control block at byte \(offset) is invalid; write it again"
      case .memory(.tooManyControls): "the tag is damaged: it has too many control blocks; write it again"
      case .message(let error): "the tag's content is not an NDEF message: \(error.words); write it again"
      case .noURI: "there is no link on the tag; write it first"
      case .tooLong(let size): "the tag's link is \(size) bytes long, longer than any tag URL"
      case .strayByte(let byte):
        "the tag's link contains or is followed by \(byte == 0x20 ? "a space" : "the byte 0x" + Hex.encode([byte])), "
          + "which is not allowed in a link; write the link again without it"
      }
    }
  }
}

extension NDEFError {
  fileprivate var words: String {
    switch self {
    case .empty: "it is empty"
    case .truncated(let offset): "the record at byte \(offset) is longer than the message"
    case .misplacedBegin(let offset): "the record at byte \(offset) has the wrong message-begin flag for its position"
    case .missingEnd: "no record is marked as the last one"
    case .bytesBehindEnd(let offset): "there are bytes after the last record, starting at byte \(offset)"
    case .chunked(let offset): "the record at byte \(offset) is chunked, which is not supported"
    case .reservedFormat(let offset): "the record at byte \(offset) has a reserved type name format"
    case .unexpectedType(let offset): "the record at byte \(offset) has a type, which its format does not allow"
    case .emptyWithContent(let offset): "the record at byte \(offset) is marked as empty, but is not"
    case .tooManyRecords(let max): "it contains more than \(max) records"
    }
  }
}

extension NDEFRecord {
  /// Human-readable type and size of the record.
  @export(interface)
  package var words: String {
    @export(interface) get {
      let kind: String
      switch typeNameFormat {
      case 0: return "empty record"
      case 1: kind = wellKnownWords
      case 2: kind = "MIME " + typeText
      case 3: kind = uri == nil ? "invalid absolute URI" : "absolute URI"
      case 4: kind = typeText == "android.com:pkg" ? "Android application" : "external type " + typeText
      default: kind = "data of unknown type"
      }
      let isTextLost = text == nil && isWellKnown("T")
      return kind + ", " + plural(payload.count, "byte")
        + (isTextLost ? ", damaged: not in the encoding that it declares" : "")
    }
  }

  private var typeText: String { String(decoding: type, as: UTF8.self).escaped }

  private var wellKnownWords: String {
    if isWellKnown("U") { return "link" }
    if isWellKnown("T") { return "text" }
    if isWellKnown("Sp") { return posterRecords().isEmpty ? "damaged Smart Poster" : "Smart Poster" }
    if isWellKnown("Hs") || isWellKnown("Hr") { return "connection handover" }
    return "NFC Forum type " + typeText
  }
}

extension TagReadingError {
  /// Human-readable message, one sentence.
  package var sentence: String {
    switch self {
    case .content(let error): error.sentence
    case .url(let error): error.sentence
    }
  }
}

extension TagURLError {
  /// Human-readable message, one sentence.
  package var sentence: String {
    @export(interface) get {
      switch self {
      case .invalidScheme: "the tag's link does not start with smp://; it was not written for Tappet"
      case .invalidHost: "the tag's link is not an action (smp://action?…)"
      case .noParameters: "the tag's link does not specify an action"
      case .missing(let parameter): "the tag's link lacks '\(parameter.name)'"
      case .malformed(let parameter): "the tag's link has a malformed '\(parameter.name)'"
      case .repeated(let parameter): "the tag's link contains '\(parameter.name)' twice"
      case .repeatedUnknown: "the tag's link repeats a parameter"
      }
    }
  }
}

extension TagURLParameter {
  fileprivate var name: String {
    switch self {
    case .index: "idx"
    case .timestamp: "ts"
    case .signature: "sig"
    case .key: "key"
    }
  }
}

extension CertificateDetails {
  /// Returns one line about the certificate for `tappet check`.
  @export(interface)
  package func sentence(at now: Int64, isNeeded: Bool = true) -> String {
    let days = daysLeft(atUnixSeconds: now)
    if now < notBeforeUnixSeconds {
      return "\(path): \(subject.quoted) is not valid yet; is this machine's clock correct?"
    }
    if days < 0 {
      return "\(path): \(subject.quoted) expired \(CertificateDetails.ago(daysLeft: days)); "
        + (isNeeded ? "replace it" : "another certificate in the file is valid: remove this certificate")
    }
    return "\(path): \(subject.quoted), \(plural(days, "day")) left"
      + (days < Limits.certificateWarningDays ? "; renew it now" : "")
  }

  /// Returns the time since expiry; `days` is the number of days left, rounded down: -1 means less than a day ago.
  static func ago(daysLeft days: Int64) -> String {
    switch days {
    case -1: "less than a day ago"
    case -2: "1 day ago"
    default: "\(-days - 1) days ago"
    }
  }
}

/// A sentence for a fault that can occur in several places.
package enum SharedSentence {
  /// The kernel provides no random numbers.
  package static var noRandomness: String { "the system's random number generator failed" }
  /// As many requests as the limit allows are pending.
  package static var tooManyRequests: String { "too many requests are pending; try again" }
}
