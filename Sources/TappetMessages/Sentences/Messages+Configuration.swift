// Sentences for errors in a configuration.

import CPlatform
import TappetConfig
import TappetCore
import TappetPlatform

extension SystemError {
  /// Returns the text of an error with a file, and the remedy if this user may not access it.
  package func adviceText(or remedy: String = "correct its owner and mode") -> String {
    text + (code == EACCES ? "; use sudo, or \(remedy)" : "")
  }
}

extension ConfigurationProblem {
  /// Human-readable message, one sentence, with file, line and column.
  ///
  /// `kiosk.yaml:12:5: unknown key 'topc' in actions[0] (did you mean 'topic'?)`
  package var sentence: String {
    @export(interface) get {
      // If the file could not be read, there is no line number.
      if case .cannotRead(let error) = kind { return "\(file) cannot be read: \(error.adviceText())".escaped }
      return "\(file):\(position.line):\(position.column): \(words)".escaped
    }
  }

  /// The message without the position in the file, for a file that does not exist yet.
  package var reason: String { words.escaped }

  /// The message about an answer in a dialogue, such as `the name`, which replaces the place in the file.
  package func reason(of answer: String) -> String {
    var asked = self
    asked.place = answer
    return asked.reason
  }

  private var words: String {
    let inPlace = place.isEmpty ? "" : " in \(place)"
    let what = place.isEmpty ? "the file" : place
    switch kind {
    case .cannotRead(let error): return error.adviceText()
    case .tooLarge(let size, let max): return "the file is \(size) bytes long; the maximum is \(max)"
    case .notUTF8: return "the file is not UTF-8 text"
    case .yaml(let error): return error.sentence
    case .mergeKey: return "merge keys ('<<') are not supported\(inPlace); write the values out"
    case .keyNotText: return "a key\(inPlace) is not text"
    case .unknownKey(let key, let nearest): return "unknown key '\(key)'\(inPlace)" + Spelling.suggestion(nearest)
    case .duplicateKey(let key): return "duplicate key '\(key)'\(inPlace)"
    case .missingKey(let key): return "the key '\(key)' is missing\(inPlace)"
    case .wrongType(let expected, let found): return "\(what) must be \(expected), not \(found)"
    case .invalidValue(let value, let expected): return "\(what) must be \(expected), not '\(value)'"
    case .needsBroker: return "\(what) needs a broker: add 'broker', with 'url' and 'client_id'"
    case .needsTLS:
      return
        "MQTT 5 requires mqtts://, because a single packet from a hostile broker can crash the kiosk "
        + "(a bug in libmosquitto); use mqtts://, or leave out 'protocol'"
    case .needsPartner(let key, let partner): return "'\(key)' also needs '\(partner)'\(inPlace)"
    case .duplicateName(let name): return "another action is already named '\(name)'"
    case .duplicateIndex(let index): return "another action already has the index \(index); indexes must be unique"
    case .malformedName(let fault): return fault.sentence(of: "name")
    case .unknownAction(let name, let nearest):
      return "\(what): there is no action '\(name)'" + Spelling.suggestion(nearest)
    case .tagNotTrusted:
      return "\(what) requires 'trust: uid', which acknowledges that such a tag can be copied and cannot drive outputs"
    case .needsProof(let name, let trigger):
      return "\(what): '\(name)' drives an output or unlocks the panel, and \(trigger.restriction)"
    case .duplicateTag: return "\(what) is already in the list"
    case .lineUsedTwice(let line, let place): return "\(what): \(line) is already used by \(place)"
    case .unknownButton(let name, let nearest):
      return "\(what): there is no button '\(name)'" + Spelling.suggestion(nearest)
    case .unknownOutput(let name, let nearest):
      return "\(what): there is no output '\(name)' in 'panel.outputs'" + Spelling.suggestion(nearest)
    case .unknownInput(let name, let nearest):
      return "\(what): there is no input '\(name)' in 'panel.inputs'" + Spelling.suggestion(nearest)
    case .loneInterlock(let group):
      return "\(what): no other output has 'interlock: \(group)'; a group needs at least two outputs"
    case .unknownLight(let name, let nearest):
      return "\(what): there is no light '\(name)'" + Spelling.suggestion(nearest)
    case .unanswerable(let name, let gesture):
      return
        "\(what): the action '\(name)' requires confirmation ('confirm'), which '\(gesture)' cannot provide; "
        + "use press, hold, double or triple"
    case .nothingUnlocks:
      return "\(what) sets 'lock_after', but nothing unlocks it; add 'unlock_code', or 'unlock: true' to an action"
    case .timestampWithoutKey: return "\(what) uses %T, but no 'timestamp_key' is set"
    case .unusableLine(let path, let fault): return fault.sentence(path)
    case .timeZoneMissing(let name): return OldTimeZone.sentence(name)
    case .fileUnreadable(let path, let error): return "\(path) cannot be read: \(error.adviceText())"
    case .keyFileOpen(let path, let mode):
      return "\(path) can be read by others (mode \(Self.octal(mode))); run: chmod 600 \(path)"
    case .keyFileMalformed(let path): return "\(path) must contain 32, 48 or 64 hex digits and nothing else"
    case .signingKeyMalformed(let path): return "\(path) must contain 64 hex digits and nothing else"
    case .tokenWithoutKey: return "\(what) requires its own 'key', or a global 'timestamp_key'"
    case .passwordWithoutTLS: return "\(what) is only sent over TLS: " + Self.plainPasswordAdvice
    case .needlessWithoutTLS(let key): return "'\(key)' has no effect with mqtt://: use mqtts://, or leave it out"
    case .passwordInFile:
      return "\(what) must be {file: FILE}: write the password into a separate file, with mode 0600"
    case .badWebhookURL:
      return "\(what) must be 'https://HOST/…' without a user, spaces or '#', or {file: FILE} containing such a URL"
    case .plainWebhook:
      return "\(what) would be sent over the network without TLS: use https://, or set 'allow_http: true'"
    case .webhookSecretMalformed(let path):
      return "\(path) must contain 'whsec_' followed by 16 to 128 bytes in Base64; create a secret with: "
        + "echo \"whsec_$(openssl rand -base64 32)\""
    case .sessionUnreadable(let path, let error):
      return "\(path) cannot be read: \(error.text); create it with 'tappet matrix login USER'"
    case .sessionMalformed(let path):
      return "\(path) contains no session; create it with 'tappet matrix login USER'"
    case .excludes(let key, let other): return "\(what): an action can have '\(key)' or '\(other)', not both"
    case .passphraseNeeded(let problem): return problem.sentence
    case .more(let count): return "and \(count) more"
    case .unusableProfile(let error): return error.sentences.joined(separator: "; ")
    case .unquotedMessage:
      return "\(what) looks like a YAML mapping or list; enclose it in quotes: message: '{\"command\":1}'"
    case .badMessage: return "\(what) must be text without NUL, at most \(Limits.messageSizeMax) bytes"
    case .badPlaceholder:
      return "\(what) contains a '%{' that starts none of \(Self.placeholders); to send it, use 'format: literal'"
    }
  }

  private static let plainPasswordAdvice =
    "use mqtts://, or leave the password out; if everyone on the network may read it, set 'plain_password: true'"

  private static var placeholders: String { TapFact.allCases.map { "%{\($0.rawValue)}" }.joined(separator: " ") }

  private static func octal(_ mode: UInt32) -> String { "0" + String(mode, radix: 8) }
}

extension FirstLineFault {
  fileprivate func sentence(_ path: String) -> String {
    switch self {
    case .noPassword: "\(path) has an empty first line; write the password into it"
    case .noValue: "\(path) is empty; write the value into its first line"
    case .notText(let fault): fault.sentence(path)
    case .tooLong(let max): "the first line of \(path) is longer than \(max) bytes"
    case .unprintable: "the first line of \(path) contains a control character, such as a tab"
    }
  }
}

extension TextFault {
  /// Returns a human-readable message about the file at `path`, one sentence.
  @export(interface)
  package func sentence(_ path: String) -> String {
    switch self {
    case .containsNUL: "\(path) contains NUL characters, so it is not text in UTF-8 or UTF-16; save it as UTF-8"
    case .utf16Damaged: "\(path) looks like UTF-16, but is damaged; save it as UTF-8"
    }
  }
}

extension CopiedTrigger {
  /// The part of a sentence that states what the trigger cannot do, why, and the remedy.
  fileprivate var restriction: String {
    switch self {
    case .externalTag:
      "external tags cannot do that, because they can be copied; write a tag with 'tappet tag write' instead"
    case .scan: "barcodes cannot do that, because they can be copied; use an action that does neither"
    case .inventory:
      "the inventory cannot do that, because barcodes, which can be copied, change it; use an action that does neither"
    }
  }
}

extension YAMLError {
  /// Human-readable error, one sentence.
  fileprivate var sentence: String {
    switch self {
    case .syntax(let problem): return "the file is not valid YAML: \(problem)"
    case .unquoted(let value):
      let isIndicator = value.unicodeScalars.first.map { ["%", "@", "`"].contains($0) } ?? false
      let why = isIndicator ? "starts with \(String(value.unicodeScalars.prefix(1)))" : "contains ': '"
      return "a value that \(why) must be in quotes: '\(Self.quoted(value))'"
    case .misplaced(let problem):
      return "the file is not valid YAML: \(problem); is this line indented like its neighbours, and each quote closed?"
    case .tab: return "a tab is used for indentation; indent with spaces only"
    case .noBreakSpace: return "a no-break space (U+00A0) is used where only a plain space is allowed; retype it"
    case .tag(let tag): return "the tag '\(tag)' is not supported; write the value without it, or in quotes"
    case .unknownAlias(let name):
      return "the alias '*\(name)' is not defined before it is used; write a text in quotes"
    case .tooManyNodes(let max): return "the file contains more than \(max) values, counting each alias"
    case .tooDeep(let max): return "the file is nested more than \(max) levels deep"
    case .severalDocuments: return "a second document starts here; a configuration must be a single document"
    case .empty: return "the file is empty, or contains only comments"
    }
  }

  /// Doubles the quotes in a value, as YAML requires within single quotes.
  private static func quoted(_ value: String) -> String {
    String(decoding: value.utf8.flatMap { $0 == 0x27 ? [0x27, 0x27] : [$0] }, as: UTF8.self)
  }
}
