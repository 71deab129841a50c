// A broker of another make: Debian's nats-server, with MQTT 3.1.1 over TLS, and client certificates.

import Foundation
import TestSupport

final class NATSServer {
  let port = TestSocket.freePort()
  private let folder = TestFolder.make("nats")
  private let process: TestProcess

  /// `nil` means that it is not installed.
  static var path: String? {
    ["/usr/sbin/nats-server", "/usr/bin/nats-server"].first(where: FileManager.default.isExecutableFile)
  }

  init() throws {
    let configuration = """
      server_name: broker
      listen: "127.0.0.1:\(TestSocket.freePort())"
      jetstream { store_dir: "\(folder)/store", max_mem: 64M, max_file: 256M }
      mqtt {
        listen: "127.0.0.1:\(port)"
        ack_wait: 5s
        tls {
          cert_file: "\(TestCertificates.path("server.pem"))"
          key_file: "\(TestCertificates.path("server.key"))"
          ca_file: "\(TestCertificates.path("broker-ca.pem"))"
          verify: true
        }
      }

      """
    try configuration.write(toFile: folder + "/nats.conf", atomically: true, encoding: .utf8)
    guard let path = Self.path else { throw TestFault("there is no nats-server") }
    process = try TestProcess(
      URL(fileURLWithPath: path), ["-c", folder + "/nats.conf", "-l", folder + "/log"])
    guard eventually({ TestSocket.answers(self.port) }) else {
      throw TestFault("nats-server did not start: \(textSoFar(folder + "/log"))")
    }
  }

  deinit { process.stop(SIGTERM) }
}
