// The error codes of tappet.h, their texts, and the last failure of an object. Errors are mapped to codes only here.

import CPlatform
import CTappet
import TappetConfig
import TappetCore
import TappetInventory
import TappetMessages
import TappetPlatform
import TappetSQLite
import TappetStore

/// The codes of `enum tappet_error`, with the values of the header.
enum ErrorCode: Int32 {
  case argument = -1
  case buffer = -2
  case memory = -3
  case object = -4
  case state = -5
  case thread = -6
  case fork = -7
  case limit = -8
  case scheme = -10
  case host = -11
  case parameters = -12
  case parameter = -13
  case signature = -14
  case label = -15
  case hex = -16
  case time = -20
  case token = -21
  case checksum = -22
  case window = -23
  case repeated = -24
  case ndefTruncated = -30
  case ndefStructure = -31
  case ndefChunked = -32
  case ndefRecord = -33
  case ndefCount = -34
  case ndefNoURI = -35
  case system = -40
  case store = -41
  case control = -42
  case configuration = -44
  case notConnected = -50
  case refused = -51

  var text: StaticString {
    switch self {
    case .argument: "an argument is NULL, or out of range"
    case .buffer: "the buffer is too small"
    case .memory: "out of memory, or the random number generator failed"
    case .object: "there is no such object: it was freed, or is of a different kind"
    case .state: "the call is not allowed in the object's current state"
    case .thread: "another thread is using this object"
    case .fork: "the object belongs to the parent process, from which this process was forked"
    case .limit: "the maximum number has been reached"
    case .scheme: "the URL has a different scheme, or is not smpshare://secret"
    case .host: "the URL is not smp://action"
    case .parameters: "the URL has no parameters"
    case .parameter: "a parameter of the URL is missing, malformed or repeated"
    case .signature: "the signature matches none of the keys"
    case .label: "the label is not one line of text, or is too long"
    case .hex: "the text is not an even number of hexadecimal digits"
    case .time: "a token can only contain times from 1970 to 2106"
    case .token: "a token must be exactly 32 hexadecimal digits"
    case .checksum: "the token was sealed with a different key, or modified"
    case .window: "the token is too old, or too far in the future"
    case .repeated: "the token has already been accepted"
    case .ndefTruncated: "a record of the NDEF message claims more bytes than the message contains"
    case .ndefStructure: "the NDEF message's begin or end flag is misplaced"
    case .ndefChunked: "a record of the NDEF message is chunked"
    case .ndefRecord: "a record of the NDEF message is invalid for its format"
    case .ndefCount: "the NDEF message has too many records, or none"
    case .ndefNoURI: "the NDEF message contains no URI"
    case .system: "a system call failed"
    case .store: "the database or its sealing key cannot be used"
    case .control: "the control socket cannot be created"
    case .configuration: "the configuration has errors"
    case .notConnected: "there is no connection to the broker"
    case .refused: "the broker refused the request"
    }
  }
}

/// The failure of a call, with details.
struct Failure: Error {
  var code: ErrorCode
  var systemCode: Int32 = 0
  var position: TextPosition?
  var sentence: String

  /// Creates a failure with the code's default text or a more specific one.
  init(_ code: ErrorCode, _ sentence: String? = nil, systemCode: Int32 = 0, position: TextPosition? = nil) {
    self.code = code
    self.systemCode = systemCode
    self.position = position
    self.sentence = sentence ?? "\(code.text)"
  }

  init(_ error: SystemError) {
    self.init(.system, "\(error.call) failed: \(error.text)", systemCode: error.code)
  }

  init(_ error: RuntimeError) {
    switch error {
    case .system(let system): self.init(system)
    case .secretStore: self.init(.store, error.sentence)
    case .stateInUse: self.init(.control, error.sentence, systemCode: EADDRINUSE)
    case .control(_, let system): self.init(.control, error.sentence, systemCode: system.code)
    case .controlTaken: self.init(.control, error.sentence, systemCode: EADDRINUSE)
    case .lightTrace(_, let system): self.init(.system, error.sentence, systemCode: system.code)
    case .noRandomness: self.init(.memory, error.sentence)
    }
  }

  init(_ error: InventoryError) {
    if case .store(let cause) = error {
      self.init(.store, error.sentence, systemCode: cause.systemCode)
    } else {
      self.init(.argument, error.sentence)
    }
  }

  /// Creates a failure from at least one configuration problem.
  init(_ problems: [ConfigurationProblem]) {
    var text = ""
    for problem in problems {
      if !text.isEmpty { text += "\n" }
      text += problem.sentence
    }
    if case .cannotRead(let error) = problems.first?.kind {
      self.init(.configuration, text, systemCode: error.code)
    } else {
      self.init(.configuration, text, position: problems.first?.position)
    }
  }
}

extension DatabaseError {
  /// The underlying errno; 0 if there is none.
  fileprivate var systemCode: Int32 {
    switch self {
    case .full(let failure), .readOnly(let failure), .ioError(let failure), .corrupt(let failure), .busy(let failure),
      .other(let failure):
      failure.systemCode
    case .cannotOpen(_, let error): error.code
    case .otherSchema, .foreignOwner, .sharedFolder, .wrongFileType: 0
    }
  }
}

extension TagURLError {
  var code: ErrorCode {
    switch self {
    case .invalidScheme: .scheme
    case .invalidHost: .host
    case .noParameters: .parameters
    case .missing, .malformed, .repeated, .repeatedUnknown: .parameter
    }
  }
}

extension ShareURLError {
  var code: ErrorCode {
    switch self {
    case .notAShareURL: .scheme
    case .missingIndex, .malformedIndex, .missingKey, .malformedKey, .repeatedParameter: .parameter
    case .malformedLabel, .label: .label
    }
  }
}

extension TimestampTokenError {
  var code: ErrorCode {
    switch self {
    case .timeOutOfRange: .time
    case .notHexadecimal: .token
    case .checksum: .checksum
    case .crypto: .memory
    case .outsideWindow: .window
    case .repeated: .repeated
    }
  }
}

extension NDEFError {
  var code: ErrorCode {
    switch self {
    case .empty, .truncated: .ndefTruncated
    case .misplacedBegin, .missingEnd, .bytesBehindEnd: .ndefStructure
    case .chunked: .ndefChunked
    case .reservedFormat, .unexpectedType, .emptyWithContent: .ndefRecord
    case .tooManyRecords: .ndefCount
    }
  }
}

/// Returns a C pointer to static text.
func staticText(_ text: StaticString) -> UnsafePointer<CChar>? {
  UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
}

/// Returns the English text for an error code.
@_cdecl("tappet_strerror") @implementation
public func tappet_strerror(_ error: Int32) -> UnsafePointer<CChar>? {
  guard error < 0 else { return staticText("success") }
  return staticText(ErrorCode(rawValue: error)?.text ?? "unknown error")
}

/// Returns the version of the library.
@_cdecl("tappet_version") @implementation
public func tappet_version() -> UnsafePointer<CChar>? { staticText(Version.staticText) }
