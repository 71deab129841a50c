// TLS with a pre-shared key instead of certificates, as used by brokers on small machines.

import COpenSSL
import CPlatform
import TappetCore
import TappetPlatform

extension TLSContext {
  /// Configures the context to authenticate with this pre-shared key only.
  func use(_ wanted: PreSharedKey) throws(CertificateProblem) {
    preSharedKey = (wanted.identity, try TLSContext.read(wanted.file))
    // Ciphers with forward secrecy come first; TLS 1.3 always provides it.
    guard SSL_CTX_set_cipher_list(handle, "ECDHE-PSK:DHE-PSK:PSK:!NULL") == 1 else {
      throw .library(text: OpenSSLText.lastError())
    }
    SSL_CTX_set_psk_client_callback(handle, TLSContext.onKeyWanted)
  }

  private static func read(_ path: String) throws(CertificateProblem) -> SecretBytes {
    switch TextFile.read(path, sizeMax: Limits.keyFileSizeMax) {
    case .failure(let error): throw .unreadable(path: path, SystemCode(error))
    case .success(var content):
      defer { LibCrypto.wipe(&content.bytes) }
      guard content.mode & 0o077 == 0 else { throw .keyReadable(path: path) }
      guard let line = try? content.firstLine(), var key = Hex.decode(line),
        (1...Limits.preSharedKeySizeMax).contains(key.count)
      else { throw .keyNotHex(path: path) }
      return SecretBytes(taking: &key)
    }
  }

  /// Copies the NUL-terminated identity and the key to OpenSSL's buffers; returns the key's size, or 0 to refuse.
  private static let onKeyWanted:
    @convention(c) (
      OpaquePointer?, UnsafePointer<CChar>?, UnsafeMutablePointer<CChar>?, UInt32, UnsafeMutablePointer<UInt8>?, UInt32
    ) -> UInt32 = { ssl, _, identity, identityRoom, key, keyRoom in
      guard let ssl, let identity, let key, let own = Certificates.context(of: ssl)?.preSharedKey else { return 0 }
      let name = own.identity.utf8
      guard name.count < Int(identityRoom), own.key.count <= Int(keyRoom) else { return 0 }
      for (index, byte) in name.enumerated() { identity[index] = CChar(bitPattern: byte) }
      identity[name.count] = 0
      own.key.withBytes { UnsafeMutableRawBufferPointer(start: key, count: Int(keyRoom)).copyMemory(from: $0) }
      return UInt32(own.key.count)
    }
}
