// Servers that issue certificates, played by Python and openssl, and a board that has none.

import Foundation
import TestSupport

/// A board: a folder for its certificate and key, which are not there yet.
final class EnrolBoard {
  let folder: String
  var certificate: String { folder + "/kiosk.pem" }
  var key: String { folder + "/kiosk.key" }

  /// In `folder`, or in one of its own.
  init(in folder: String? = nil) throws {
    self.folder = try folder ?? Programs.temporaryFolder().path
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// Enrols it as `name`.
  func enrol(_ name: String, _ options: [String], input: String = "") throws -> Finished {
    let words = [
      "cert", "enrol", "--client-id", name, "--certificate", certificate, "--private-key", key, "--config",
      folder + "/kiosk.yaml",
    ]
    return try Programs.run(try Programs.built("tappet"), words + options, input: input)
  }

  /// Every file that it has now.
  var files: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { $0 != "lost+found" }.sorted()
  }

  func content(_ path: String) -> Data? { FileManager.default.contents(atPath: path) }

  func mode(_ path: String) -> Int? {
    (try? FileManager.default.attributesOfItem(atPath: path))?[.posixPermissions] as? Int
  }

  /// Runs openssl, and returns its output.
  func openssl(_ words: String...) throws -> String {
    let done = try Programs.run(try Programs.installed("openssl"), words)
    guard done.status == 0 else { throw TestFault("openssl \(words): \(done.errors)") }
    return done.output
  }

  /// Whether its certificate is for its key, and of the tests' root.
  func isGood() throws -> Bool {
    let root = TestCertificates.path("ca.pem")
    return try openssl("x509", "-in", certificate, "-noout", "-pubkey") == openssl("pkey", "-in", key, "-pubout")
      && openssl("verify", "-CAfile", root, certificate).contains("OK")
  }
}

/// A stand-in that prints its requests as JSON lines.
class EnrolStandIn {
  private let service: Service
  private let folder: URL

  fileprivate init(_ script: String, _ words: [String], in folder: URL) throws {
    self.folder = folder
    let words = [Repository.path("Tests/System/Faults/" + script)] + words
    service = try Service(try Programs.installed("python3"), words, log: folder.path + "/log")
    guard eventually({ self.service.text.contains("\n") }) else { throw TestFault("\(script): \(service.text)") }
  }

  deinit {
    service.end(SIGKILL)
    try? FileManager.default.removeItem(at: folder)
  }

  fileprivate var firstLine: String { String(service.text.prefix { $0 != "\n" }) }

  var requests: [[String: Any]] {
    service.text.split(separator: "\n").compactMap {
      (try? JSONSerialization.jsonObject(with: Data($0.utf8))) as? [String: Any]
    }
  }
}

/// The EST server of Tests/System/Faults/est-server.py.
final class ESTStandIn: EnrolStandIn {
  init() throws {
    let folder = try Programs.temporaryFolder()
    try super.init("est-server.py", [TestCertificates.folder, folder.path], in: folder)
    guard Int(firstLine) != nil else { throw TestFault("no EST server: \(firstLine)") }
  }

  /// The options for the server that behaves as `word` says.
  func options(_ word: String) -> [String] {
    ["--est", "https://localhost:\(firstLine)/\(word)", "--ca", TestCertificates.path("ca.pem")]
  }

  /// The requests that it got as `word`.
  func requests(_ word: String) -> [[String: Any]] {
    requests.filter { ($0["path"] as? String ?? "").hasPrefix("/\(word)/") }
  }
}

/// The service of Tests/System/Faults/fleet-provisioning.py, and the broker that it is at.
final class FleetStandIn: EnrolStandIn {
  let broker: TestBroker

  init() throws {
    let folder = try Programs.temporaryFolder()
    // The claim is the certificate of kiosk-demo; kiosk-second is the service itself, localhost may do nothing.
    let rules = folder.path + "/rules"
    try "user kiosk-demo\ntopic readwrite $aws/#\nuser kiosk-second\ntopic readwrite $aws/#\n".write(
      toFile: rules, atomically: true, encoding: .utf8)
    let broker = try TestBroker(more: "acl_file \(rules)\n")
    self.broker = broker
    try super.init("fleet-provisioning.py", ["\(broker.port)", TestCertificates.folder, folder.path], in: folder)
    guard firstLine == "ready" else { throw TestFault("no fleet provisioning: \(firstLine)") }
  }

  /// The options with the claim of this name.
  func options(_ template: String = "kiosks", claim: String = "client") -> [String] {
    [
      "--aws", template, "--url", "localhost:\(broker.port)", "--ca", TestCertificates.path("ca.pem"), "--claim",
      TestCertificates.path(claim + ".pem"), "--claim-key", TestCertificates.path(claim + ".key"),
    ]
  }
}
