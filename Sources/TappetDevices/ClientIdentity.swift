// A client's certificate with its chain and key, taken from whatever files a person has, and given back as PEM or PKCS#12.

import COpenSSL
import CPlatform
import TappetCore

/// Certificate, chain and key that belong together, in memory.
public final class ClientIdentity {
  private let leaf: Certificate
  /// From the leaf's issuer upwards, without a root.
  private let intermediates: [Certificate]
  private let key: PrivateKey
  private let roots: [Certificate]
  /// What was in the files and is not part of the chain: whose they are.
  public let strangers: [String]

  private init(_ leaf: Certificate, _ chain: [Certificate], _ key: PrivateKey, all: [Certificate]) {
    self.leaf = leaf
    self.key = key
    intermediates = chain.dropFirst().filter { !$0.isSelfIssued }
    roots = all.filter { $0.isSelfIssued && !$0.isEqual(to: leaf) }
    var strangers: [String] = []
    for certificate in all where !certificate.isSelfIssued && !chain.contains(where: { $0.isEqual(to: certificate) }) {
      strangers.append(certificate.subject)
    }
    self.strangers = strangers
  }

  /// Reads the files, PEM, DER or PKCS#12, in any order.
  ///
  /// `ask` is called with the path of each file that has a passphrase, once; nil: none is known, which is refused.
  public static func read(
    _ paths: [String], ask: (String) -> SecretText?
  ) throws(CertificateProblem) -> ClientIdentity {
    var files: [CertificateFile] = []
    for path in paths { files.append(try CertificateFile(path)) }
    return try make(of: files, ask: ask)
  }

  /// From text that came otherwise than in files; `names` are for the sentences.
  public static func read(
    certificate: SecretText, key: SecretText, names: (certificate: String, key: String), ask: (String) -> SecretText?
  ) throws(CertificateProblem) -> ClientIdentity {
    let file = try CertificateFile(text: certificate, name: names.certificate)
    _ = try file.certificates()
    return try make(of: [file, CertificateFile(text: key, name: names.key)], ask: ask)
  }

  private static func make(
    of files: [CertificateFile], ask: (String) -> SecretText?
  ) throws(CertificateProblem) -> ClientIdentity {
    var all: [Certificate] = []
    var keys: [(key: PrivateKey, path: String)] = []
    for file in files {
      let contents = try opened(file, ask)
      all += contents.certificates
      if let key = contents.key { keys.append((key, file.path)) }
      if let problem = contents.keyProblem { throw problem }
      if contents.certificates.isEmpty, contents.key == nil {
        throw file.isRequest
          ? .request(path: file.path)
          : files.count > 1 && !all.isEmpty
            ? .keyNotPEM(path: file.path) : .notPEM(path: file.path)
      }
    }
    let first = files.first?.path ?? ""
    guard !keys.isEmpty else { throw .bundleWithoutKey(path: first) }
    guard !all.isEmpty else { throw .bundleWithoutCertificate(path: keys[0].path) }
    for (key, _) in keys {
      guard let leaf = all.first(where: { key.fits($0) }) else { continue }
      return ClientIdentity(leaf, leaf.chain(in: all), key, all: all)
    }
    let certificate = files.first { file in file.path != keys[0].path }
    throw .keyMismatch(certificate: certificate?.path ?? "the certificate beside it", key: keys[0].path)
  }

  /// With the passphrase that a person gives, where one is needed.
  static func opened(
    _ file: CertificateFile, _ ask: (String) -> SecretText?
  ) throws(CertificateProblem) -> CertificateContents {
    let problem: CertificateProblem
    do throws(CertificateProblem) {
      let contents = try file.contents(mayUseLegacy: true)
      guard case .keyEncrypted? = contents.keyProblem else { return contents }
      problem = .keyEncrypted(path: file.path)
    } catch {
      guard case .bundleEncrypted = error else { throw error }
      problem = error
    }
    guard let passphrase = ask(file.path) else { throw problem }
    return try file.contents(passphrase, mayUseLegacy: true)
  }

  // MARK: What it says

  /// What stands in its certificate; `path` is for the sentences.
  public func details(path: String) -> CertificateDetails { leaf.details(.client, path: path) }

  /// The subject's common name; nil when it has none, or one that is no text.
  public var commonName: String? {
    let subject = X509_get_subject_name(leaf.handle)
    let place = X509_NAME_get_index_by_NID(subject, NID_commonName, -1)
    guard place >= 0, let entry = X509_NAME_get_entry(subject, place) else { return nil }
    var text: UnsafeMutablePointer<UInt8>?
    let size = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(entry))
    guard size >= 0, let text else { return nil }
    defer { CRYPTO_free(text, "", 0) }
    return String(validating: UnsafeBufferPointer(start: text, count: Int(size)), as: UTF8.self)
  }

  /// Roots that were in the files: no broker needs them from its clients, but they may be the broker's own CA.
  public var rootSubjects: [String] { roots.map { $0.subject } }

  // MARK: What it becomes

  /// The certificate with its chain behind it.
  public func certificatePEM() -> [UInt8] { Self.pem([leaf] + intermediates) }

  /// The roots; nil when there were none.
  public func authorityPEM() -> [UInt8]? { roots.isEmpty ? nil : Self.pem(roots) }

  /// The key, unencrypted: for a file of mode 0600.
  public func keyPEM() throws(CertificateProblem) -> SecretText { try key.pem() }

  /// A PKCS#12 file under this passphrase (AES-256 and PBKDF2, as OpenSSL 3 makes them).
  public func bundle(_ passphrase: SecretText, name: String) throws(CertificateProblem) -> [UInt8] {
    ERR_clear_error()
    let stack = OPENSSL_sk_new_null()
    defer { OPENSSL_sk_free(stack) }
    for certificate in intermediates + roots { OPENSSL_sk_push(stack, UnsafeRawPointer(certificate.handle)) }
    let made = passphrase.withCString { PKCS12_create($0, name, key.handle, leaf.handle, stack, 0, 0, 0, 0, 0) }
    guard let made else { throw .library(text: OpenSSLText.lastError()) }
    defer { PKCS12_free(made) }
    return OpenSSLText.bytes(sizeMax: Limits.certificateFileSizeMax) { _ = i2d_PKCS12_bio($0, made) }
  }

  private static func pem(_ certificates: [Certificate]) -> [UInt8] {
    OpenSSLText.bytes(sizeMax: Limits.certificateFileSizeMax) { target in
      for certificate in certificates { PEM_write_bio_X509(target, certificate.handle) }
    }
  }
}

extension PrivateKey {
  /// PKCS#8, unencrypted.
  func pem() throws(CertificateProblem) -> SecretText {
    ERR_clear_error()
    guard let target = BIO_new(BIO_s_mem()) else { throw .library(text: OpenSSLText.lastError()) }
    // Its memory is wiped when it is freed.
    defer { BIO_free(target) }
    guard PEM_write_bio_PKCS8PrivateKey(target, handle, nil, nil, 0, nil, nil) == 1 else {
      throw .library(text: OpenSSLText.lastError())
    }
    var bytes = [UInt8](repeating: 0, count: 16 * 1024)
    let count = BIO_read(target, &bytes, Int32(bytes.count))
    defer { LibCrypto.wipe(&bytes) }
    guard count > 0, Int(count) < bytes.count else { throw .library(text: "the key is too large") }
    return bytes.withUnsafeBytes { SecretText(copying: UnsafeRawBufferPointer(rebasing: $0[..<Int(count)])) }
  }
}

/// A CA file, looked at before it is put beside a configuration.
public enum AuthorityFile {
  /// Its certificates as PEM, and whose they are.
  public static func read(_ path: String) throws(CertificateProblem) -> (pem: [UInt8], subjects: [String]) {
    try describe(CertificateFile(path))
  }

  /// The same of text; `name` is for the sentences.
  public static func read(text: SecretText, name: String) throws(CertificateProblem) -> (
    pem: [UInt8], subjects: [String]
  ) {
    try describe(CertificateFile(text: text, name: name))
  }

  private static func describe(_ file: CertificateFile) throws(CertificateProblem) -> (pem: [UInt8], subjects: [String])
  {
    let certificates = try file.certificates()
    let pem = OpenSSLText.bytes(sizeMax: Limits.certificateFileSizeMax) { target in
      for certificate in certificates { PEM_write_bio_X509(target, certificate.handle) }
    }
    return (pem, certificates.map { $0.subject })
  }
}
