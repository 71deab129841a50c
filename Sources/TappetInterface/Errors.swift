// Error codes of tappet.h and their texts.

import CTappet
import TappetCore

/// The codes of `enum tappet_error`; the values are the header's.
enum ErrorCode: Int32 {
  case argument = -1
  case buffer = -2
  case memory = -3
  case scheme = -10
  case host = -11
  case parameters = -12
  case parameter = -13
  case signature = -14
  case time = -20
  case token = -21
  case checksum = -22

  var text: StaticString {
    switch self {
    case .argument: "a NULL that must not be one, or a size out of bounds"
    case .buffer: "the buffer is too small"
    case .memory: "out of memory, or of random numbers"
    case .scheme: "the URL does not begin with smp://"
    case .host: "the URL is not smp://action"
    case .parameters: "the URL has no parameters"
    case .parameter: "one of idx, ts, sig is missing, malformed or there twice"
    case .signature: "none of the keys made the signature"
    case .time: "a token holds times from 1970 to 2106 only"
    case .token: "a token has exactly 32 hexadecimal digits"
    case .checksum: "the token was sealed with another key, or changed"
    }
  }
}

/// A pointer to static text for C.
func staticText(_ text: StaticString) -> UnsafePointer<CChar>? {
  UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
}

/// `tappet_strerror`.
@_cdecl("tappet_strerror") @implementation
public func tappet_strerror(_ error: Int32) -> UnsafePointer<CChar>? {
  guard error < 0 else { return staticText("success") }
  return staticText(ErrorCode(rawValue: error)?.text ?? "unknown error")
}

/// `tappet_version`.
@_cdecl("tappet_version") @implementation
public func tappet_version() -> UnsafePointer<CChar>? { staticText(Version.staticText) }
