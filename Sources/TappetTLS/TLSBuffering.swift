// Buffering for libmosquitto's TLS connections. libmosquitto calls OpenSSL for each packet, so each packet would need a
// write call, and each PUBACK two reads. With buffering, OpenSSL writes to memory and reads as much as is available.

import COpenSSL
import CPlatform

/// Buffering for a TLS connection, which the caller owns and passes to each call.
///
/// Confined to the broker's thread.
package enum TLSBuffering {
  /// Starts buffering: from now on, data is sent by `flush`, or once a few kilobytes have accumulated.
  package static func begin(_ connection: OpaquePointer) {
    guard let socket = SSL_get_wbio(connection), let buffer = BIO_new(BIO_f_buffer()) else { return }
    // The connection frees its write BIO chain as a whole, and the socket's BIO a second time as its read BIO.
    BIO_up_ref(socket)
    SSL_set0_wbio(connection, BIO_push(buffer, socket))
    SSL_set_read_ahead(connection, 1)
  }

  /// Writes buffered data to the socket, as far as the kernel accepts it.
  package static func flush(_ connection: OpaquePointer) {
    if hasUnwritten(connection) { BIO_ctrl(SSL_get_wbio(connection), BIO_CTRL_FLUSH, 0, nil) }
  }

  /// Whether buffered data is waiting for `flush`.
  package static func hasUnwritten(_ connection: OpaquePointer) -> Bool {
    BIO_ctrl(SSL_get_wbio(connection), BIO_CTRL_WPENDING, 0, nil) > 0
  }

  /// Whether bytes were read ahead, possibly only part of a record; `poll` does not report such bytes.
  package static func hasUnread(_ connection: OpaquePointer) -> Bool { SSL_has_pending(connection) == 1 }
}
