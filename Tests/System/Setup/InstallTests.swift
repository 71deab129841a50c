// `make install` into a folder of its own: what lies there is whole, and runs from there.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct InstallTests {
  @Test func `a staged install is complete, and runs in place`() throws {
    let world = try KioskWorld()
    let stage = world.folder + "/stage"
    let made = try Programs.run(
      URL(fileURLWithPath: "/usr/bin/make"),
      ["-C", Repository.root, "install", "DESTDIR=\(stage)", "PREFIX=/opt/tappet"],
      limit: 5 * patience)
    #expect(made.status == 0, "\(made.errors)")
    // sudo's PATH has no toolchain, and what is built needs none.
    let again = try Programs.run(
      URL(fileURLWithPath: "/usr/bin/make"),
      ["-C", Repository.root, "install", "DESTDIR=\(stage)", "PREFIX=/opt/tappet", "SWIFT=no-such-swift"],
      limit: 5 * patience)
    #expect(again.status == 0, "\(again.errors)")
    let root = stage + "/opt/tappet/"
    for file in [
      "bin/tappet", "bin/tappet-sim", "libexec/tappet/tappet-tool", "libexec/tappet/tappet-reader",
      "libexec/tappet/tappet-webhook", "libexec/tappet/tappet-matrix", "libexec/tappet/tappet-web",
      "lib/systemd/system/tappet-web.socket", "share/tappet/web/index.html",
      "lib/libtappet.so.0", "lib/libtappet.so",
      "lib/libtappet.a", "lib/pkgconfig/tappet.pc", "include/tappet.h", "share/man/man1/tappet.1",
      "share/man/man1/tappet-sim.1", "share/man/man1/tappet-mqtt.1", "share/man/man5/kiosk.yaml.5",
      "share/doc/tappet/kiosk.yaml", "share/doc/tappet/docs/faults/tags.md", "share/doc/tappet/docs/json.schema.json",
      "lib/systemd/system/tappet.service",
      "lib/systemd/system/tappet@.service", "lib/sysusers.d/tappet.conf", "lib/tmpfiles.d/tappet.conf",
      "share/doc/tappet/60-tappet.rules",
      "share/tappet/profiles/raspberry-pi.yaml",
    ] { #expect(FileManager.default.fileExists(atPath: root + file), "\(file)") }
    // Nothing knows the folder in which it was built.
    let package = try String(contentsOfFile: root + "lib/pkgconfig/tappet.pc", encoding: .utf8)
    #expect(package.contains("/opt/tappet") && !package.contains(stage) && !package.contains(Repository.root))

    // Only the reader that was installed beside it can have made it ready.
    try world.start(executable: URL(fileURLWithPath: root + "bin/tappet"))
    let kiosk = try #require(world.kiosk?.pid)
    let reader = try #require(Kernel.children(of: kiosk).first)
    let path = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(reader)/exe")
    #expect(path.hasSuffix("/stage/opt/tappet/libexec/tappet/tappet-reader"), "\(path)")
    try world.goodTap()
  }
}
