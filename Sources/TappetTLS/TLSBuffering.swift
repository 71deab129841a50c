// libmosquitto calls OpenSSL for each packet: each would be a write of its own, and each PUBACK two reads. Once a
// connection is up, OpenSSL writes into memory instead and reads as much as there is.

import COpenSSL
import CPlatform

/// The buffers of a TLS connection that somebody else owns, and lends for the duration of each call.
///
/// Belongs to the broker's thread.
package enum TLSBuffering {
  /// From now on what is written leaves with `flush`, or when some kilobytes have come together.
  package static func begin(_ connection: OpaquePointer) {
    guard let socket = SSL_get_wbio(connection), let buffer = BIO_new(BIO_f_buffer()) else { return }
    // The connection releases its way out as a whole, and the socket a second time as its way in.
    BIO_up_ref(socket)
    SSL_set0_wbio(connection, BIO_push(buffer, socket))
    SSL_set_read_ahead(connection, 1)
  }

  /// Hands what was written to the kernel, as far as it has room.
  package static func flush(_ connection: OpaquePointer) {
    if hasUnwritten(connection) { BIO_ctrl(SSL_get_wbio(connection), BIO_CTRL_FLUSH, 0, nil) }
  }

  /// Whether something waits for `flush`.
  package static func hasUnwritten(_ connection: OpaquePointer) -> Bool {
    BIO_ctrl(SSL_get_wbio(connection), BIO_CTRL_WPENDING, 0, nil) > 0
  }

  /// Whether bytes were read ahead, be it only a part of a record; poll knows nothing of them.
  package static func hasUnread(_ connection: OpaquePointer) -> Bool { SSL_has_pending(connection) == 1 }
}
