// A certificate or key file in any format: PEM, DER or PKCS#12. OpenSSL parses the file, and is never allowed to prompt
// for a passphrase.

import COpenSSL
import CPlatform
import TappetCore
import TappetPlatform

/// An OpenSSL `X509`, freed with this object.
final class Certificate {
  let handle: OpaquePointer
  /// Takes ownership of `handle`.
  init(_ handle: OpaquePointer) { self.handle = handle }
  deinit { X509_free(handle) }
}

/// An OpenSSL `EVP_PKEY`, freed (and wiped by OpenSSL) with this object.
final class PrivateKey {
  let handle: OpaquePointer
  /// Takes ownership of `handle`.
  init(_ handle: OpaquePointer) { self.handle = handle }
  deinit { EVP_PKEY_free(handle) }

  /// Whether the certificate belongs to this key.
  func fits(_ certificate: Certificate) -> Bool {
    defer { ERR_clear_error() }
    return certificate.publicKey != nil && X509_check_private_key(certificate.handle, handle) == 1
  }
}

/// The contents of one file.
struct CertificateContents {
  /// Certificates in the file's order; in a PKCS#12 file, the key's certificate is first.
  var certificates: [Certificate] = []
  /// The first private key.
  var key: PrivateKey?
  /// Reason why the file's private key could not be read.
  var keyProblem: CertificateProblem?
}

/// A file's bytes, which may include a key; wiped on release.
final class CertificateFile {
  let path: String
  let mode: UInt32
  private let bytes: UnsafeMutableRawBufferPointer

  convenience init(_ path: String) throws(CertificateProblem) {
    let found: (bytes: UnsafeMutableRawBufferPointer, mode: UInt32)
    do throws(SystemError) { found = try Self.read(path) } catch { throw .unreadable(path: path, SystemCode(error)) }
    self.init(path, mode: found.mode, owning: found.bytes)
    try requireSize()
  }

  /// Reads text that does not come from a file; messages show `name` instead of a path.
  convenience init(text: SecretBytes, name: String) throws(CertificateProblem) {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: text.count, alignment: 1)
    text.withBytes { bytes.copyMemory(from: $0) }
    self.init(name, mode: 0o600, owning: bytes)
    try requireSize()
  }

  // Does not throw: Embedded Swift 6.3.1 leaks an object whose designated initializer throws, and a missing file is
  // retried indefinitely.
  private init(_ path: String, mode: UInt32, owning bytes: UnsafeMutableRawBufferPointer) {
    self.path = path
    self.mode = mode
    let count = bytes.count > Limits.certificateFileSizeMax ? bytes.count : PEMText.tidy(bytes)
    self.bytes = UnsafeMutableRawBufferPointer(rebasing: bytes[..<count])
  }

  private func requireSize() throws(CertificateProblem) {
    guard bytes.count > 0 else { throw .empty(path: path) }
    guard bytes.count <= Limits.certificateFileSizeMax else { throw .tooLarge(path: path) }
  }

  private static func read(_ path: String) throws(SystemError) -> (UnsafeMutableRawBufferPointer, UInt32) {
    // Non-blocking, because a FIFO at this path must not block the broker link.
    let file = try checked("open") { tp_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0) }
    defer { close(file) }
    var status = stat()
    try checked("fstat") { fstat(file, &status) }
    let size = min(max(Int(status.st_size), 0), Limits.certificateFileSizeMax + 1)
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 1)
    bytes.initializeMemory(as: UInt8.self, repeating: 0)
    do throws(SystemError) {
      var count = 0
      while count < size {
        let more = try checked("read") { CPlatform.read(file, bytes.baseAddress?.advanced(by: count), size - count) }
        if more == 0 { break }
        count += more
      }
    } catch {
      OPENSSL_cleanse(bytes.baseAddress, bytes.count)
      bytes.deallocate()
      throw error
    }
    return (bytes, UInt32(status.st_mode))
  }

  deinit {
    OPENSSL_cleanse(bytes.baseAddress, bytes.count)
    bytes.deallocate()
  }

  /// The contents' SHA-256 digest.
  var digest: [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    EVP_Digest(bytes.baseAddress, bytes.count, &digest, nil, EVP_sha256(), nil)
    return digest
  }

  /// Returns all certificates in the file, at least one; other blocks are skipped.
  func certificates() throws(CertificateProblem) -> [Certificate] {
    let found = try contents().certificates
    guard found.isEmpty else { return found }
    if isRequest { throw .request(path: path) }
    throw .notPEM(path: path)
  }

  /// Returns the file's private key.
  func privateKey() throws(CertificateProblem) -> PrivateKey {
    let contents = try contents()
    if let key = contents.key { return key }
    throw contents.keyProblem ?? .keyNotPEM(path: path)
  }

  /// Returns all certificates and the key in the file, if any.
  ///
  /// `mayUseLegacy` allows ciphers that OpenSSL 3 supports only in its legacy provider, which is loaded for the
  /// duration of the call. It is for command-line tools and not for the kiosk, because it affects the whole process.
  func contents(
    _ passphrase: SecretBytes? = nil, mayUseLegacy: Bool = false
  ) throws(CertificateProblem) -> CertificateContents {
    if holds("-----BEGIN ") { return try text(passphrase) }
    guard bytes[0] == 0x30 else { return CertificateContents() }  // A SEQUENCE: X.690 §8.9.
    return try binary(passphrase, mayUseLegacy: mayUseLegacy)
  }

  /// Whether the file is a certificate request.
  var isRequest: Bool {
    holds("-----BEGIN CERTIFICATE REQUEST-----") || holds("-----BEGIN NEW CERTIFICATE REQUEST-----")
  }

  private func holds(_ word: StaticString) -> Bool {
    guard let start = bytes.baseAddress else { return false }
    return memmem(start, bytes.count, word.utf8Start, word.utf8CodeUnitCount) != nil
  }

  // MARK: PEM

  private func text(_ passphrase: SecretBytes?) throws(CertificateProblem) -> CertificateContents {
    var contents = CertificateContents()
    let source = try makeSource()
    defer { BIO_free(source) }
    while contents.certificates.count < Limits.certificatesPerFileMax,
      let handle = PEM_read_bio_X509(source, nil, neverAsk, nil)
    {
      contents.certificates.append(Certificate(handle))
    }
    // The end is reported as "no start line"; any other error means a damaged certificate, which must not be skipped.
    let end = ERR_peek_last_error()
    let isEnd = end == 0 || (ERR_GET_LIB(end) == ERR_LIB_PEM && ERR_GET_REASON(end) == PEM_R_NO_START_LINE)
    guard isEnd else {
      ERR_clear_error()
      throw .notPEM(path: path)
    }
    if holds("ENCRYPTED PRIVATE KEY-----") {
      let blocks = try makeSource()
      defer { BIO_free(blocks) }
      try requireIterations(ofBlocksIn: blocks)
    }
    let keySource = try makeSource()
    defer { BIO_free(keySource) }
    let asking = Asking(passphrase)
    if let handle = PEM_read_bio_PrivateKey(keySource, nil, answer, Unmanaged.passUnretained(asking).toOpaque()) {
      contents.key = PrivateKey(handle)
    } else if asking.wasAsked {
      contents.keyProblem = passphrase == nil ? .keyEncrypted(path: path) : .passphraseWrong(path: path)
    } else if holds("PRIVATE KEY-----") {
      contents.keyProblem = .keyNotPEM(path: path)
    }
    ERR_clear_error()
    return contents
  }

  // MARK: DER

  private func binary(
    _ passphrase: SecretBytes?, mayUseLegacy: Bool
  ) throws(CertificateProblem) -> CertificateContents {
    defer { ERR_clear_error() }
    try requireIterations(UnsafeRawBufferPointer(bytes))
    if let handle = try read({ d2i_X509_bio($0, nil) }) {
      return CertificateContents(certificates: [Certificate(handle)])
    }
    if let bundle = try read({ d2i_PKCS12_bio($0, nil) }) {
      defer { PKCS12_free(bundle) }
      return try parse(bundle, passphrase, mayUseLegacy: mayUseLegacy)
    }
    if let handle = try read({ d2i_PrivateKey_bio($0, nil) }) { return CertificateContents(key: PrivateKey(handle)) }
    let asking = Asking(passphrase)
    let context = Unmanaged.passUnretained(asking).toOpaque()
    if let handle = try read({ d2i_PKCS8PrivateKey_bio($0, nil, answer, context) }) {
      return CertificateContents(key: PrivateKey(handle))
    }
    guard asking.wasAsked else { throw .bundleDamaged(path: path) }
    let problem: CertificateProblem = passphrase == nil ? .keyEncrypted(path: path) : .passphraseWrong(path: path)
    return CertificateContents(keyProblem: problem)
  }

  func read(_ decode: (OpaquePointer) -> OpaquePointer?) throws(CertificateProblem) -> OpaquePointer? {
    let source = try makeSource()
    defer { BIO_free(source) }
    return decode(source)
  }

  private func parse(
    _ bundle: OpaquePointer, _ passphrase: SecretBytes?, mayUseLegacy: Bool
  ) throws(CertificateProblem) -> CertificateContents {
    ERR_clear_error()
    var key: OpaquePointer?
    var leaf: OpaquePointer?
    var others: OpaquePointer?
    // An empty passphrase means none: OpenSSL tries both encodings of no passphrase.
    let isOpen: Int32 =
      passphrase.map { text in text.withCString { PKCS12_parse(bundle, $0, &key, &leaf, &others) } }
      ?? PKCS12_parse(bundle, "", &key, &leaf, &others)
    guard isOpen == 1 else {
      switch Self.reason() {
      case .macVerifyFailure:
        throw passphrase == nil ? .bundleEncrypted(path: path) : .passphraseWrong(path: path)
      case .unsupported:
        guard mayUseLegacy, let legacy = LegacyProvider() else { throw .bundleLegacy(path: path) }
        defer { legacy.unload() }
        return try parse(bundle, passphrase, mayUseLegacy: false)
      case .other: throw .bundleDamaged(path: path)
      }
    }
    var contents = CertificateContents(key: key.map { PrivateKey($0) })
    if let leaf { contents.certificates.append(Certificate(leaf)) }
    for index in 0..<max(0, OPENSSL_sk_num(others)) {
      if let other = OPENSSL_sk_value(others, index) { contents.certificates.append(Certificate(OpaquePointer(other))) }
    }
    OPENSSL_sk_free(others)
    if contents.certificates.isEmpty { throw .bundleWithoutCertificate(path: path) }
    return contents
  }

  private enum Reason {
    case macVerifyFailure
    case unsupported
    case other
  }

  /// Returns the most specific error since the last call.
  private static func reason() -> Reason {
    var found = Reason.other
    while case let code = ERR_get_error(), code != 0 {
      if ERR_GET_LIB(code) == ERR_LIB_PKCS12, ERR_GET_REASON(code) == PKCS12_R_MAC_VERIFY_FAILURE {
        found = .macVerifyFailure
      } else if ERR_GET_REASON(code) & 0xFFF == 268 {  // ERR_R_UNSUPPORTED, whose flags Swift does not import.
        found = .unsupported
      }
    }
    return found
  }

  func makeSource() throws(CertificateProblem) -> OpaquePointer {
    ERR_clear_error()
    guard let source = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else {
      throw .library(text: OpenSSLText.lastError())
    }
    return source
  }
}

/// A passphrase for OpenSSL, and whether OpenSSL requested it.
private final class Asking {
  let passphrase: SecretBytes?
  var wasAsked = false
  init(_ passphrase: SecretBytes?) { self.passphrase = passphrase }
}

private typealias PassphraseCallback =
  @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?) -> Int32

/// Passphrase callback that never prompts on the terminal, and records that a passphrase was required.
private let answer: PassphraseCallback = { target, size, _, context in
  guard let context else { return -1 }
  let asking = Unmanaged<Asking>.fromOpaque(context).takeUnretainedValue()
  asking.wasAsked = true
  guard let target, let passphrase = asking.passphrase, passphrase.count <= Int(size) else { return -1 }
  passphrase.withBytes { if let start = $0.baseAddress { memcpy(target, start, $0.count) } }
  return Int32(passphrase.count)
}

/// Passphrase callback that always refuses.
private let neverAsk: PassphraseCallback = { _, _, _, _ in -1 }

/// OpenSSL 3's provider for old ciphers, loaded only while needed.
private struct LegacyProvider {
  private let handle: OpaquePointer

  /// Loads the provider; `nil` if it is not installed.
  init?() {
    // Loading any provider disables the implicit default provider, so the default is loaded explicitly as well.
    guard OSSL_PROVIDER_load(nil, "default") != nil, let handle = OSSL_PROVIDER_load(nil, "legacy") else {
      ERR_clear_error()
      return nil
    }
    self.handle = handle
  }

  func unload() { OSSL_PROVIDER_unload(handle) }
}

extension Certificates {
  /// Whether a file with this name contains both certificate and key (PKCS#12).
  package static func isBundleName(_ path: String) -> Bool {
    let name = path.utf8.map { $0.asciiLowercased }
    return [".p12", ".pfx"].contains { (ending: String) in name.suffix(4).elementsEqual(ending.utf8) }
  }

  /// Returns the permission bits of a file with a private key; `nil` if it has no key or cannot be read.
  package static func keyMode(_ path: String) -> UInt32? {
    guard let file = try? CertificateFile(path), let contents = try? file.contents(),
      contents.key != nil || contents.keyProblem != nil
    else { return nil }
    return file.mode & 0o777
  }

  /// Returns the problem if the file cannot be read without a passphrase.
  ///
  /// `nil` if no passphrase is required, or the file cannot be read at all.
  @export(interface)
  package static func askingProblem(_ path: String) -> CertificateProblem? {
    do throws(CertificateProblem) {
      guard case .keyEncrypted(let path)? = try CertificateFile(path).contents().keyProblem else { return nil }
      return .keyEncrypted(path: path)
    } catch {
      if case .bundleEncrypted = error { return error }
      return nil
    }
  }
}
