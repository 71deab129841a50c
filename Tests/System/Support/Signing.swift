// Keys, tag URLs and certificates as others make them: openssl judges what Tappet does, not Tappet itself.

import Foundation
import TappetTLS
import TestSupport

enum Signing {
  /// 64 random hex digits.
  static func key() -> String {
    (0..<32).map { _ in
      let byte = UInt8.random(in: 0...255)
      return String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }.joined()
  }

  /// HMAC-SHA256 in hex.
  static func signature(of text: String, key: String) throws -> String {
    let finished = try Programs.run(
      try Programs.installed("openssl"), ["dgst", "-sha256", "-mac", "HMAC", "-macopt", "hexkey:\(key)"], input: text)
    guard let digits = finished.output.split(separator: " ").last?.trimmingCharacters(in: .newlines), digits.count == 64
    else { throw TestFault("openssl said \(finished.output)\(finished.errors)") }
    return digits
  }

  /// A tag URL as the phone app writes it (formats.md, "Tag URL").
  static func url(index: String, key: String, timestamp: String = "1770000000", carriesKey: Bool = false) throws
    -> String
  {
    let signed = "idx=\(index)&ts=\(timestamp)"
    return "smp://action?\(signed)&sig=\(try signature(of: signed, key: key))" + (carriesKey ? "&key=\(key)" : "")
  }
}

/// The certificates that tools/demo/make-certificates makes, once for all tests.
enum Certificates {
  private static let folder: Result<String, any Error> = Result {
    let folder = try Programs.temporaryFolder().path
    let script = Repository.root + "/tools/demo/make-certificates"
    let made = try Programs.run(URL(fileURLWithPath: script), [folder, "--all"])
    guard made.status == 0 else { throw TestFault(made.errors) }
    atexit {
      if case .success(let folder) = Certificates.folder { try? FileManager.default.removeItem(atPath: folder) }
    }
    return folder
  }

  static func path(_ name: String) throws -> String { try folder.get() + "/" + name }
}
