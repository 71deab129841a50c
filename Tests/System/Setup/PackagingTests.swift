// The udev rules, the card's first start, and the signatures: parts of a board or of a release that are not compiled.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct PackagingTests {
  private let folder: String

  init() throws { folder = try Programs.temporaryFolder().path }

  private func clean() { try? FileManager.default.removeItem(atPath: folder) }

  private func shell(_ script: String, environment: [String: String] = [:]) throws -> Finished {
    try Programs.run(URL(fileURLWithPath: "/bin/sh"), ["-c", script], environment: environment)
  }

  private func group(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.groupOwnerAccountID] as? Int
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a file to a group"))
  func `an LED's name with blanks grants the group access only to that LED`() throws {
    defer { clean() }
    let (led, victim) = (folder + "/x etc 'y' \"z\" $HOME *", folder + "/etc")
    for path in [led, victim] { #expect(mkdir(path, 0o755) == 0) }
    for name in ["brightness", "trigger", "max_brightness"] {
      #expect(FileManager.default.createFile(atPath: led + "/" + name, contents: nil))
    }
    let rules = try String(contentsOfFile: Repository.path("board/udev/60-tappet.rules"), encoding: .utf8)
    let runs = rules.split(separator: "\n").filter { !$0.hasPrefix("#") && $0.contains("RUN") }
    #expect(runs.count == 1)
    for run in runs {
      // As udev(7) has it: no substitution but of '$$', and then words in single quotes.
      let command = try #require(run.firstMatch(of: /RUN\+="(.*)"$/)).1.replacingOccurrences(of: "\\\"", with: "\"")
      #expect(!command.contains("%") && !command.replacingOccurrences(of: "$$", with: "").contains("$"))
      let words = command.replacingOccurrences(of: "$$", with: "$").replacingOccurrences(of: "gpio", with: "65534")
      let done = try shell("cd '\(folder)' && " + words, environment: ["DEVPATH": "/.." + led])
      #expect(done.status == 0 && done.errors.isEmpty, "\(done)")
    }
    #expect(try group(led + "/brightness") == 65_534 && group(led + "/trigger") == 65_534)
    #expect(try group(led + "/max_brightness") == 0 && group(led) == 0 && group(victim) == 0)
  }

  @Test func `a card's kiosk.yaml is given to root, readable by the kiosk, and other files to the kiosk`() throws {
    defer { clean() }
    for path in ["firmware/tappet", "etc", "bin"] {
      try FileManager.default.createDirectory(atPath: folder + "/" + path, withIntermediateDirectories: true)
    }
    for name in ["kiosk.yaml", "kiosk.key"] {
      try "x".write(toFile: folder + "/firmware/tappet/" + name, atomically: true, encoding: .utf8)
    }
    // Stand-ins for the board's programs.
    for (name, body) in [
      ("mount", ""), ("runuser", ""), ("sync", ""), ("shred", ""), ("install", "echo install \"$@\""),
    ] {
      try "#!/bin/sh\n\(body)\n".write(toFile: folder + "/bin/" + name, atomically: true, encoding: .utf8)
      #expect(chmod(folder + "/bin/" + name, 0o755) == 0)
    }
    let script = try String(
      contentsOfFile: Repository.path("tools/image/root/usr/lib/tappet-image/setup"), encoding: .utf8)
    let played = script.replacingOccurrences(of: "/boot/firmware", with: folder + "/firmware")
      .replacingOccurrences(of: "/state/", with: folder + "/state/")
    let done = try shell(played, environment: ["PATH": folder + "/bin:/usr/bin:/bin"])
    let from = folder + "/firmware/tappet"
    let (settings, key) = ("kiosk.yaml /etc/tappet/kiosk.yaml", "kiosk.key /etc/tappet/kiosk.key")
    #expect(done.output.contains("install -m 640 -o root -g tappet \(from)/\(settings)\n"), "\(done)")
    #expect(done.output.contains("install -m 600 -o tappet -g tappet \(from)/\(key)\n"), "\(done)")
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/gpg"), "gpg is not installed"))
  func `the signing key is kept outside the served folder, and also signs the checksums`() throws {
    defer { clean() }
    let (served, packages) = (folder + "/served", folder + "/packages")
    for path in [served, packages] { #expect(mkdir(path, 0o755) == 0) }
    let home = ["XDG_DATA_HOME": folder + "/data"]
    for _ in 0..<2 {
      let made = try Programs.run(
        URL(fileURLWithPath: Repository.path("tools/packages/repository")), [served, packages], environment: home)
      #expect(made.status == 0, "\(made)")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: served) == ["tappet.gpg"])
    #expect(Set(try FileManager.default.contentsOfDirectory(atPath: folder)) == ["data", "served", "packages"])
    let key = folder + "/data/tappet/signing"
    #expect(try FileManager.default.attributesOfItem(atPath: key)[.posixPermissions] as? Int == 0o700)

    try "package".write(toFile: packages + "/tappet.deb", atomically: true, encoding: .utf8)
    for _ in 0..<2 {
      let signed = try Programs.run(
        URL(fileURLWithPath: Repository.path("tools/packages/checksums")), [packages], environment: home)
      #expect(signed.status == 0, "\(signed)")
    }
    let verify =
      "cd '\(packages)' && gpgv --keyring '\(served)/tappet.gpg' SHA256SUMS.asc SHA256SUMS"
      + " && sha256sum -c SHA256SUMS"
    let good = try shell(verify)
    #expect(good.status == 0 && good.output == "tappet.deb: OK\n", "\(good)")
    try "0  tappet.deb\n".write(toFile: packages + "/SHA256SUMS", atomically: true, encoding: .utf8)
    #expect(try shell(verify).status != 0)
  }
}
