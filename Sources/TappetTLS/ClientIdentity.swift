// A client's certificate with its chain and key, read from files of any supported format and returned as PEM.

import COpenSSL
import CPlatform
import TappetCore

/// A matching certificate, chain and key, in memory.
package final class ClientIdentity {
  private let leaf: Certificate
  /// The chain from the leaf's issuer upwards, without a root.
  private let intermediates: [Certificate]
  private let key: PrivateKey
  private let roots: [Certificate]
  /// Subjects of certificates in the files that are not part of the chain.
  package let strangers: [String]

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

  /// Reads PEM, DER or PKCS#12 files, in any order.
  ///
  /// `ask` is called once for each file that requires a passphrase, with the file's path; if it returns `nil`, the file
  /// is refused.
  package static func read(
    _ paths: [String], ask: (String) -> SecretBytes?
  ) throws(CertificateProblem) -> ClientIdentity {
    var files: [CertificateFile] = []
    for path in paths { files.append(try CertificateFile(path)) }
    return try make(of: files, ask: ask)
  }

  /// Reads text that does not come from files; messages show `names` instead of paths.
  package static func read(
    certificate: SecretBytes, key: SecretBytes, names: (certificate: String, key: String), ask: (String) -> SecretBytes?
  ) throws(CertificateProblem) -> ClientIdentity {
    let file = try CertificateFile(text: certificate, name: names.certificate)
    _ = try file.certificates()
    return try make(of: [file, CertificateFile(text: key, name: names.key)], ask: ask)
  }

  private static func make(
    of files: [CertificateFile], ask: (String) -> SecretBytes?
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
    throw .keyMismatch(certificate: certificate?.path ?? "the certificate next to it", key: keys[0].path)
  }

  /// Returns the file's contents, after prompting for a passphrase if one is required.
  static func opened(
    _ file: CertificateFile, _ ask: (String) -> SecretBytes?
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

  // MARK: Contents

  /// Returns the details of the certificate; `path` is for messages.
  package func details(path: String) -> CertificateDetails { leaf.details(.client, path: path) }

  /// The subject's common name; `nil` if it is absent or not valid text.
  package var commonName: String? {
    @export(interface) get {
      let subject = X509_get_subject_name(leaf.handle)
      let place = X509_NAME_get_index_by_NID(subject, NID_commonName, -1)
      guard place >= 0, let entry = X509_NAME_get_entry(subject, place) else { return nil }
      var text: UnsafeMutablePointer<UInt8>?
      let size = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(entry))
      guard size >= 0, let text else { return nil }
      defer { CRYPTO_free(text, "", 0) }
      return String(validating: UnsafeBufferPointer(start: text, count: Int(size)), as: UTF8.self)
    }
  }

  /// Returns why the identity is invalid at `time`, in seconds since 1970; `nil` if it is valid.
  ///
  /// Checks the validity periods, and the chain as far as the files contain it.
  package func refusal(atUnixSeconds time: Int64) -> String? {
    leaf.refusal(of: leaf.chain(in: [leaf] + intermediates + roots), atUnixSeconds: time)
  }

  /// Whether the files contain the issuer's certificate.
  package var hasIssuer: Bool { leaf.chain(in: intermediates + roots).count > 1 }

  /// Subjects of the roots in the files: clients need not send these to brokers, but one may be the broker's own CA.
  package var rootSubjects: [String] { roots.map { $0.subject } }

  // MARK: Files

  /// Returns the certificate, followed by its chain.
  package func certificatePEM() -> [UInt8] { Self.pem([leaf] + intermediates) }

  /// Returns the roots; `nil` if there are none.
  package func authorityPEM() -> [UInt8]? { roots.isEmpty ? nil : Self.pem(roots) }

  /// Returns the unencrypted key, for a file with mode 0600.
  package func keyPEM() throws(CertificateProblem) -> SecretBytes { try key.pem() }

  private static func pem(_ certificates: [Certificate]) -> [UInt8] {
    OpenSSLText.bytes(sizeMax: Limits.certificateFileSizeMax) { target in
      for certificate in certificates { PEM_write_bio_X509(target, certificate.handle) }
    }
  }
}

extension PrivateKey {
  /// Returns the key as unencrypted PKCS#8.
  func pem() throws(CertificateProblem) -> SecretBytes {
    ERR_clear_error()
    guard let target = BIO_new(BIO_s_mem()) else { throw .library(text: OpenSSLText.lastError()) }
    // Freeing the BIO wipes its memory.
    defer { BIO_free(target) }
    guard PEM_write_bio_PKCS8PrivateKey(target, handle, nil, nil, 0, nil, nil) == 1 else {
      throw .library(text: OpenSSLText.lastError())
    }
    var bytes = [UInt8](repeating: 0, count: 16 * 1024)
    let count = BIO_read(target, &bytes, Int32(bytes.count))
    defer { LibCrypto.wipe(&bytes) }
    guard count > 0, Int(count) < bytes.count else { throw .library(text: "the key is too large") }
    return bytes.withUnsafeBytes { SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0[..<Int(count)])) }
  }
}

/// A CA file, inspected before it is installed next to a configuration.
package enum AuthorityFile {
  /// Returns the file's certificates as PEM, and their subjects.
  package static func read(_ path: String) throws(CertificateProblem) -> (pem: [UInt8], subjects: [String]) {
    try describe(CertificateFile(path))
  }

  /// Returns the certificates in `text` as PEM, and their subjects; messages show `name` instead of a path.
  package static func read(text: SecretBytes, name: String) throws(CertificateProblem) -> (
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
