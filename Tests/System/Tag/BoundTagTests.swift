// `bind_uid: true`: what the kiosk wrote to one tag does not act from another.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct BoundTagTests {
  @Test func `a tag's URL is refused on any other tag, even after a backup was restored`() throws {
    let world = try KioskWorld()
    let text = try String(contentsOfFile: world.configPath, encoding: .utf8)
    try text.replacingOccurrences(of: "name: bell,", with: "name: bell, bind_uid: true,")
      .write(toFile: world.configPath, atomically: true, encoding: .utf8)
    try world.start()
    let uid = world.freshUID()
    try world.tell("place ntag213 uid=\(uid)")
    #expect(try world.tappet("tag", "write", "bell", "--timeout", "60").status == 0)
    let memory = try world.tell("dump").replacingOccurrences(of: "ok ", with: "")
    let url = try OtherLibraries.records(in: memory, isType4: false).replacingOccurrences(of: "UriRecord ", with: "")
    try world.takeAway()
    #expect(try world.tappet("secret", "list", "--json").output.contains("\"uid\":\"\(uid)\""))

    let passphrase = world.folder + "/passphrase"
    #expect(
      FileManager.default.createFile(
        atPath: passphrase, contents: Data("correct horse\n".utf8), attributes: [.posixPermissions: 0o600]))
    let backup = world.folder + "/backup"
    #expect(try world.tappet("backup", backup, "--passphrase-file", passphrase).status == 0)
    for isRestored in [false, true] {
      if isRestored {
        #expect(world.kiosk?.end() == true)
        let restored = try world.tappet("restore", backup, "--passphrase-file", passphrase, "--yes")
        #expect(restored.status == 0, "\(restored)")
        try world.start()
      }
      let copied = try world.tap("ntag213 uid=\(world.freshUID()) url=\(url)", until: "refused")
      #expect(copied.log.contains("the URL of another tag of 'bell' was copied onto this tag"), "\(copied.log)")
      let own = try world.tap("ntag213 uid=\(uid) url=\(url)", until: "delivered-by-tag", messages: 1)
      #expect(own.received.count == 1)
    }
  }
}
