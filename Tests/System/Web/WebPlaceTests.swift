// Where tappet-web serves the page: with a certificate of the house, and behind a reverse proxy.

import Foundation
import TestSupport
import Testing

@Suite struct WebPlaceTests {
  private let world: KioskWorld

  init() throws {
    world = try KioskWorld.withPage(open: "look")
    try world.start()
  }

  private func credentials(_ certificate: String, key: String) throws -> String {
    let folder = world.folder + "/credentials"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (name, path) in [("certificate.pem", certificate), ("key.pem", key)] {
      let content = try Data(contentsOf: URL(fileURLWithPath: path))
      FileManager.default.createFile(
        atPath: folder + "/" + name, contents: content, attributes: [.posixPermissions: 0o600])
    }
    return folder
  }

  @Test func `a certificate of the house is served, and a browser that trusts its CA does not warn`() throws {
    let folder = try credentials(Certificates.path("server.pem"), key: Certificates.path("server.key"))
    let web = try WebWorld(world, credentials: folder)
    let done = try Programs.run(
      try Programs.installed("curl"),
      ["--silent", "--cacert", Certificates.path("ca.pem"), "https://localhost:\(web.port)/"])
    #expect(done.status == 0 && done.output.contains("Front door"), "\(done)")
    #expect(!FileManager.default.fileExists(atPath: world.folder + "/web-state/key.pem"))
  }

  @Test func `a certificate without its key, or one that others can read, is refused by name`() throws {
    let folder = try credentials(Certificates.path("server.pem"), key: Certificates.path("client.key"))
    func refusal() throws -> String {
      let done = try Programs.run(
        try Programs.built("tappet-web"),
        [
          "--kiosk", world.folder + "/web", "--state", world.folder, "--listen", "127.0.0.1:\(TestSocket.freePort())",
          "--pages", Repository.path("board/web"),
        ], environment: ["CREDENTIALS_DIRECTORY": folder])
      #expect(done.status == 1)
      return done.errors
    }
    #expect(try refusal().contains("key.pem is not its key"))
    chmod(folder + "/key.pem", 0o644)
    #expect(try refusal().contains("other users can read"))
    unlink(folder + "/key.pem")
    #expect(try refusal().contains("are both required"))
  }

  @Test func `behind a proxy, it serves HTTP here only, and knows browsers by what the proxy adds`() throws {
    let web = try WebWorld(world, isBehindProxy: true)
    let origin = ["--header", "Origin: https://127.0.0.1:\(web.port)"]
    let page = try web.request("/", token: nil)
    #expect(page.status == 200 && page.body.contains("Front door"))
    _ = try world.tappet("web", "pair", "Phone")
    for (added, known) in [("203.0.113.9, 198.51.100.7", "198.51.100.7"), ("2001:db8::7", "2001:db8::7")] {
      let headers = origin + ["--header", "X-Forwarded-For: \(added)", "--data", "code=00000000"]
      #expect(try web.request("/pair", token: nil, headers).status == 403)
      #expect(world.log.contains("a wrong code was entered on the page from \(known)"), "\(world.log)")
    }
    // HAProxy adds a line of its own below a forged one.
    let lines = origin + ["--header", "X-Forwarded-For: 203.0.113.9", "--header", "X-Forwarded-For: 198.51.100.8"]
    #expect(try web.request("/pair", token: nil, lines + ["--data", "code=00000000"]).status == 403)
    #expect(world.log.contains("on the page from 198.51.100.8") && !world.log.contains("from 203.0.113.9"))
    let forged = origin + ["--header", "X-Forwarded-For: 1.2.3.4\" evil", "--data", "code=00000000"]
    #expect(try web.request("/pair", token: nil, forged).status == 403)
    #expect(world.log.contains("on the page from 127.0.0.1"))
    // The browser's connection to the proxy is secure, so that its cookie works as without one.
    let token = try web.pair("Tablet")
    let stream = try web.stream(token: token)
    #expect(eventually { stream.text.contains("event: state") })
    #expect(try web.press("light", token: token).text("result") == "sent")
    #expect(try !world.tappet("status").output.contains("SHA-256"))
    let open = try Programs.run(
      try Programs.built("tappet-web"),
      [
        "--behind-proxy", "--kiosk", world.folder + "/web", "--state", world.folder, "--listen",
        "0.0.0.0:\(TestSocket.freePort())", "--pages", Repository.path("board/web"),
      ])
    #expect(open.status == 1 && open.errors.contains("let it listen at 127.0.0.1 or [::1]"), "\(open)")
  }
}
