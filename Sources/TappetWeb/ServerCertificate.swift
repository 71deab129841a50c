// The server's certificate: one that it is given, or its own. Its own is self-signed, P-256, valid for 397 days, the
// maximum that browsers accept. It is renewed with the same key, so that a browser that remembers the key does not ask
// again.

import CMicroHTTPD
import CPlatform
import TappetBase
import TappetPlatform

/// A certificate and its key, in PEM.
struct ServerCertificate {
  /// The certificate, and those of its chain, if any.
  let certificate: String
  let key: String
  /// SHA-256 of the certificate.
  let fingerprint: [UInt8]
  /// Time at which it expires, in seconds since 1970.
  let end: Int64
  /// Time at which it must be renewed, in seconds since 1970; `nil` if that is not this program's task.
  private(set) var renewalUnixSeconds: Int64?

  private static let day: Int64 = 24 * 3600

  /// The fingerprint as browsers show it: `AB:CD:…`.
  var fingerprintText: String {
    fingerprint.map { String(decoding: Hex.digits(of: [$0]).map { $0.asciiUppercased }, as: UTF8.self) }
      .joined(separator: ":")
  }

  /// Loads the certificate that systemd or the user passes in a folder, with its key; returns `nil` if there is none.
  static func given(folder: String) throws(WebError) -> ServerCertificate? {
    let (path, keyPath) = (folder + "/certificate.pem", folder + "/key.pem")
    let (file, key) = (
      try read(path, sizeMax: Limits.webFileSizeMax), try read(keyPath, sizeMax: Limits.webFileSizeMax)
    )
    if file == nil, key == nil { return nil }
    guard let file, let key else { throw WebError("\(path) and its key, \(keyPath), are both required") }
    if key.isOpenCredential { throw WebError("other users can read \(keyPath); run 'chmod 600 \(keyPath)'") }
    let text = (String(decoding: file.bytes, as: UTF8.self), String(decoding: key.bytes, as: UTF8.self))
    guard var given = ServerCertificate(text.0, text.1) else {
      throw WebError("\(path) is not a certificate in PEM, or \(keyPath) is not its key")
    }
    if let weakness = given.weakness { throw WebError("\(path): " + weakness) }
    if given.end < SystemClock().now().unixSeconds {
      report("\(path) has expired; browsers warn until it is replaced")
    }
    given.renewalUnixSeconds = nil
    return given
  }

  /// Loads the certificate from the folder; creates the key and the certificate if they are missing, and the
  /// certificate if it is not usable or expires within 30 days.
  static func load(folder: String) throws(WebError) -> ServerCertificate {
    let (keyPath, path) = (folder + "/key.pem", folder + "/certificate.pem")
    if WebFile.isFolderOpen(folder) {
      throw WebError("other users can replace the key in \(folder); run 'chmod 700 \(folder)'")
    }
    let now = SystemClock().now().unixSeconds
    let key: String
    if let file = try read(keyPath) {
      if file.isOpenToOthers {
        throw WebError("other users can read \(keyPath); remove it, and the next start creates a new key")
      }
      key = String(decoding: file.bytes, as: UTF8.self)
    } else {
      key = try text(of: "a key") { tw_make_key($0, $1) }
      try write(key, to: keyPath)
    }
    if let file = try read(path) {
      let known = ServerCertificate(String(decoding: file.bytes, as: UTF8.self), key)
      if let known, known.isUsable(at: now) { return known }
      if known == nil { report("\(path) is damaged, or not of this key, and is replaced") }
    }
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

  /// Why the certificate or its chain does not protect the page, and what to do; `nil` if it does.
  private var weakness: String? {
    var bits: UInt32 = 0
    switch tw_weakness(certificate, &bits) {
    case 1:
      return "the key of \(bits) bits is too short to be secure; use an RSA key of at least 2048 bits, or a P-256 key"
    case 2:
      return "it is signed with SHA-1 or MD5, which can be forged, and browsers refuse it; have it signed with SHA-256"
    case _: return nil
    }
  }

  private init?(_ certificate: String, _ key: String) {
    var (from, until): (Int64, Int64) = (0, 0)
    var fingerprint = [UInt8](repeating: 0, count: 32)
    guard tw_inspect(certificate, key, &from, &until, &fingerprint) == 0 else { return nil }
    self.certificate = certificate
    self.key = key
    self.fingerprint = fingerprint
    end = until
    renewalUnixSeconds = until - 30 * ServerCertificate.day
    begin = from
  }

  /// Start of its validity, in seconds since 1970.
  private let begin: Int64

  /// Whether the certificate is valid, and does not have to be renewed, as far as the clock can tell.
  ///
  /// A certificate from the time before the clock was set is renewed when it is set.
  func isUsable(at unixSeconds: Int64) -> Bool {
    guard let renewalUnixSeconds, unixSeconds >= Limits.webClockMin else { return true }
    return begin <= unixSeconds && unixSeconds < renewalUnixSeconds
  }

  /// Reads a file; returns `nil` if there is none.
  private static func read(
    _ path: String, sizeMax: Int = Limits.webCertificateSizeMax
  ) throws(WebError) -> WebFile? {
    do throws(SystemError) { return try WebFile(path, sizeMax: sizeMax) } catch {
      if error.code == ENOENT { return nil }
      throw WebError("\(path) cannot be read: \(error.text)")
    }
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
      let remedy =
        switch error.error.code {
        case ENOENT: "create its folder with 'install -d -m 700'"
        case EACCES, EPERM: "give its folder to the user of tappet-web"
        case _: "free space, or choose another folder with --state"
        }
      throw WebError("\(error.path) cannot be written: \(error.error.text); \(remedy)")
    }
  }
}
