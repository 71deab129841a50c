// The server's own certificate: self-signed, P-256, valid for 397 days, the maximum that browsers accept. It is renewed
// with the same key, so that a browser that remembers the key does not ask again.

import CMicroHTTPD
import CPlatform
import TappetBase
import TappetPlatform

/// A certificate and its key, in PEM.
struct ServerCertificate {
  let certificate: String
  let key: String
  /// SHA-256 of the certificate.
  let fingerprint: [UInt8]
  /// Time at which it must be renewed, in seconds since 1970.
  let renewalUnixSeconds: Int64

  private static let day: Int64 = 24 * 3600

  /// The fingerprint as browsers show it: `AB:CD:…`.
  var fingerprintText: String {
    fingerprint.map { String(decoding: Hex.digits(of: [$0]).map { $0.asciiUppercased }, as: UTF8.self) }
      .joined(separator: ":")
  }

  /// Loads the certificate from the folder; creates the key and the certificate if they are missing or not usable, and
  /// the certificate if it expires within 30 days.
  static func load(folder: String) throws(WebError) -> ServerCertificate {
    let (keyPath, path) = (folder + "/key.pem", folder + "/certificate.pem")
    let now = SystemClock().now().unixSeconds
    var key = text(keyPath)
    if let key, let known = text(path).flatMap({ ServerCertificate($0, key) }), known.isUsable(at: now) { return known }
    if key == nil {
      let made = try text(of: "a key") { tw_make_key($0, $1) }
      try write(made, to: keyPath)
      key = made
    }
    guard let key else { throw WebError("the key in \(keyPath) cannot be read") }
    let host = NetworkIdentity.hostName() ?? "tappet"
    let hosts: [String] = [host, "\(host).local", "localhost"]
    var names: [UnsafePointer<CChar>?] = hosts.map { UnsafePointer(strdup($0)) }
    defer { for name in names { free(UnsafeMutablePointer(mutating: name)) } }
    names.append(nil)
    let made = try text(of: "a certificate; if \(keyPath) is damaged, remove it") {
      tw_make_certificate(key, names, now - day, now + 396 * day, $0, $1)
    }
    try write(made, to: path)
    guard let new = ServerCertificate(made, key) else { throw WebError("the new certificate is not usable") }
    return new
  }

  private init?(_ certificate: String, _ key: String) {
    var (from, until): (Int64, Int64) = (0, 0)
    var fingerprint = [UInt8](repeating: 0, count: 32)
    guard tw_inspect(certificate, key, &from, &until, &fingerprint) == 0 else { return nil }
    self.certificate = certificate
    self.key = key
    self.fingerprint = fingerprint
    renewalUnixSeconds = until - 30 * ServerCertificate.day
    begin = from
  }

  /// Start of its validity, in seconds since 1970.
  private let begin: Int64

  /// Whether the certificate is valid, and does not have to be renewed, as far as the clock can tell.
  ///
  /// A certificate from the time before the clock was set is renewed when it is set.
  func isUsable(at unixSeconds: Int64) -> Bool {
    unixSeconds < Limits.webClockMin || (begin <= unixSeconds && unixSeconds < renewalUnixSeconds)
  }

  private static func text(_ path: String) -> String? {
    (try? WebFile.read(path, sizeMax: Limits.webCertificateSizeMax)).map { String(decoding: $0, as: UTF8.self) }
  }

  private static func text(
    of what: String, _ make: (UnsafeMutablePointer<CChar>, Int) -> Int
  ) throws(WebError) -> String {
    var buffer = [CChar](repeating: 0, count: Limits.webCertificateSizeMax)
    let size = buffer.withUnsafeMutableBufferPointer { room in room.baseAddress.map { make($0, room.count) } ?? -1 }
    guard size > 0 else { throw WebError("cannot create \(what): \(String(cString: tw_error(size)))") }
    return String(decoding: buffer.prefix(size).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func write(_ text: String, to path: String) throws(WebError) {
    do throws(AtomicFilesError) {
      let files = AtomicFiles()
      try files.add(path, Array(text.utf8), mode: 0o600)
      try files.commit()
    } catch {
      throw WebError("\(error.path) cannot be written: \(error.error.text); give its folder to the user of tappet-web")
    }
  }
}
