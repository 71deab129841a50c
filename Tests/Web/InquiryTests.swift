// The routes of the page, its forms, and its HTML.

import Foundation
import TappetJSON
import TestSupport
import Testing

@testable import TappetWeb

@Suite struct InquiryTests {
  private func route(_ method: String, _ path: String, _ body: String = "") -> Inquiry.Route {
    let form = Form(Array(body.utf8))
    return Inquiry.route(method, path) { form?[$0] ?? "" }
  }

  /// The request to the kiosk that a form causes, as JSON with what follows it.
  private func request(_ path: String, _ body: String = "", method: String = "POST") -> String? {
    guard case .ask(let inquiry) = route(method, path, body) else { return nil }
    return String(decoding: inquiry.message, as: UTF8.self)
  }

  @Test func `each path has its method`() {
    let page = Inquiry(purpose: .page, message: Array(#"{"request":"web-state"}"#.utf8))
    #expect(route("GET", "/") == .ask(page) && route("HEAD", "/") == .ask(page))
    #expect(
      route("GET", "/style.css") == .file(0) && route("GET", "/app.js") == .file(1)
        && route("GET", "/icon.svg") == .file(9))
    #expect(request("/events", method: "GET") == #"{"request":"web-watch"}"#)
    #expect(route("HEAD", "/events") == .wrongMethod && route("GET", "/pair") == .pairing)
    for path in ["/press", "/confirm", "/cancel", "/lock", "/api/person/add"] {
      #expect(route("GET", path) == .wrongMethod)
    }
    for path in ["/", "/style.css", "/events", "/api/people"] { #expect(route("POST", path) == .wrongMethod) }
    for path in ["/../etc/passwd", "//", "/style.css/..", "/index.html", "*", ""] {
      #expect(route("GET", path) == .missing)
    }
  }

  @Test func `forms are decoded, also malformed ones`() {
    #expect(
      request("/press", "action=garage%20door&id=a%2Bb&at=17&form=1")
        == #"{"request":"press","action":"garage door","output":null,"do":null,"id":"a+b","at":17,"form":true}"#)
    #expect(
      request("/press", "action=a+b&at=x&=&&%&id=%zz%4")
        == #"{"request":"press","action":"a b","output":null,"do":null,"id":"%zz%4","at":0,"form":false}"#)
    for body in ["action=light%00x&id=1", "action=%ff", "%00=x"] { #expect(Form(Array(body.utf8)) == nil, "\(body)") }
    #expect(
      request("/confirm", "question=9&at=5") == #"{"request":"confirm","question":9,"at":5,"form":false}"#)
    #expect(request("/cancel", "question=-1") == #"{"request":"cancel","question":-1}"#)
    #expect(
      request("/api/store/adjust", "id=a1&pieces=-2&ticket=7")
        == #"{"request":"stock-adjust","id":"a1","pieces":-2,"ticket":7}"#)
    #expect(route("GET", "/s/B-17") == .label(code: "B-17") && route("GET", "/s/") == .label(code: ""))
    #expect(request("/lock") == #"{"request":"panel-lock"}"#)
    #expect(
      request("/api/taps", "from=5&until=9&before=1883242496000000000", method: "GET")
        == #"{"request":"web-taps","from":5,"until":9,"before":"1883242496000000000"}"#)
  }

  @Test func `an IPv6 address counts with its network, and an IPv4 one the same in each spelling`() {
    func address(_ text: String) -> [String] { BrowserAddress(text).map { [$0.text, $0.network] } ?? [] }
    #expect(address("192.0.2.7") == ["192.0.2.7", "192.0.2.7"])
    for text in ["::ffff:192.0.2.7", "::FFFF:c000:207", "0:0:0:0:0:ffff:192.0.2.7"] {
      #expect(address(text) == ["192.0.2.7", "192.0.2.7"], "\(text)")
    }
    #expect(address("2001:DB8:0:0:1:2:3:4") == ["2001:db8::1:2:3:4", "2001:db8::"])
    #expect(address("2001:db8::9") == ["2001:db8::9", "2001:db8::"])
    #expect(address("2001:db8:0:1::9") == ["2001:db8:0:1::9", "2001:db8:0:1::"])
    for text in ["", "192.0.2", "[::1]", "1.2.3.4\" evil"] { #expect(address(text).isEmpty, "\(text)") }
  }

  @Test func `a number that JSON does not hold exactly is replaced with the nearest that it does`() {
    for (text, number) in [
      ("9007199254740991", "9007199254740991"), ("9007199254740993", "9007199254740992"),
      ("9223372036854775807", "9007199254740992"), ("-9223372036854775808", "-9007199254740992"),
      ("9223372036854775808", "0"), ("1e3", "0"),
    ] {
      #expect(request("/cancel", "question=" + text) == #"{"request":"cancel","question":\#(number)}"#)
    }
  }

  @Test func `a form that exceeds a request to the kiosk as JSON is refused`() {
    let controls = String(repeating: "\u{1}", count: 4000)
    #expect(route("POST", "/api/person/add", "name=" + controls) == .tooLong)
    #expect(route("POST", "/api/person/add", "name=" + controls.prefix(1000)) != .tooLong)
  }

  @Test func `a code and a token follow the JSON, not in it`() throws {
    #expect(request("/pair", "code=1234+5678") == #"{"request":"pair"}"# + "\0" + "1234 5678")
    let address = try #require(BrowserAddress("2001:db8::1"))
    let entry = Inquiry.enter(from: address, host: "x", token: "ab", [.init(name: "port", value: .number(443))])
    let json = #"{"request":"enter","from":"2001:db8::1","network":"2001:db8::","host":"x","port":443}"#
    #expect(entry == Array(json.utf8) + [0] + Array("ab".utf8))
  }

  @Test func `text from the kiosk never becomes markup`() throws {
    let evil = "<img src=x onerror='alert(1)'>\"&"
    let state = JSON.object([
      "name": .string(evil), "level": .string("press"), "light": .string("ready"), "tone": .string(evil),
      "text": .string(evil), "locked": .bool(false),
      "tiles": .array([.object(["action": .string(evil), "title": .string(evil), "asks": .bool(false)])]),
      "outputs": .array([.object(["output": .string(evil), "do": .string(evil), "on": .bool(true)])]),
      "inputs": .array([.object(["input": .string(evil), "tone": .string(evil), "text": .string(evil)])]),
      "question": .object(["number": .number(7), "title": .string(evil), "mine": .bool(true)]),
      "last": .object(["title": .string(evil), "text": .string(evil), "tone": .string(evil)]),
    ])
    let html = Panel(.object(["now": .number(5), "data": state])).content
    #expect(!html.contains("<img") && !html.contains("onerror='") && html.contains("&lt;img src=x onerror=&#39;"))
    #expect(html.components(separatedBy: "<form").count == 6, "\(html)")
  }

  @Test func `the page's scripts make no markup from text, and its files are small`() throws {
    func text(_ path: String) throws -> String {
      try String(contentsOfFile: Repository.path("board/web") + path, encoding: .utf8)
    }
    let scripts = Site.paths.filter { $0.hasSuffix(".js") && $0 != "/setup.js" }
    for path in scripts + ["/setup.js"] {
      let script = try text(path)
      for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "srcdoc", "eval(", "Function("] {
        #expect(!script.contains(word), "\(path): \(word)")
      }
    }
    let page = try text("/index.html")
    #expect(!page.contains("style=") && !page.contains("onclick") && !page.contains("<script>"))
    // A panel on the wall loads four files; a manager's browser loads each other page when it has time.
    let panel = try ["/style.css", "/app.js", "/panel.js"].map { try text($0).utf8.count }.reduce(page.utf8.count, +)
    #expect(panel <= 40 * 1024, "\(panel)")
    let whole = try scripts.map { try text($0).utf8.count }.reduce(page.utf8.count, +) + text("/style.css").utf8.count
    #expect(whole <= 76 * 1024, "\(whole)")
  }
}

@Suite struct ServerCertificateTests {
  private let folder = TestFolder.make("certificate")

  @Test func `the certificate is made once, and its key outlives it`() throws {
    let first = try ServerCertificate.load(folder: folder)
    #expect(try ServerCertificate.load(folder: folder).fingerprint == first.fingerprint)
    try FileManager.default.removeItem(atPath: folder + "/certificate.pem")
    let second = try ServerCertificate.load(folder: folder)
    #expect(second.key == first.key && second.fingerprint != first.fingerprint)
    for name in ["key.pem", "certificate.pem"] {
      let mode = try FileManager.default.attributesOfItem(atPath: folder + "/" + name)[.posixPermissions] as? Int
      #expect(mode == 0o600)
    }
    let text = try Programs.run(
      try Programs.installed("openssl"), ["x509", "-in", folder + "/certificate.pem", "-noout", "-text"]
    ).output
    for words in ["prime256v1", "DNS:localhost", "TLS Web Server Authentication", "CA:FALSE"] {
      #expect(text.contains(words), "\(words)")
    }
  }

  @Test func `it is renewed 30 days before its end, unless the clock is not set`() throws {
    let certificate = try ServerCertificate.load(folder: folder)
    let end = try #require(certificate.renewalUnixSeconds)
    #expect(certificate.isUsable(at: end - 1) && !certificate.isUsable(at: end))
    #expect(certificate.isUsable(at: 60))
  }

  @Test func `a given certificate with a short key or a signature with SHA-1 is refused`() throws {
    func openssl(_ words: String) throws {
      let done = try Programs.run(try Programs.installed("openssl"), words.split(separator: " ").map { String($0) })
      #expect(done.status == 0, "\(done)")
    }
    func refusal() -> String {
      #expect(throws: WebError.self) { try ServerCertificate.given(folder: folder) }?.sentence ?? ""
    }
    let (key, path, ca) = (folder + "/key.pem", folder + "/certificate.pem", folder + "/ca")
    try openssl("req -x509 -newkey rsa:1024 -nodes -subj /CN=door -days 9 -keyout \(key) -out \(path)")
    #expect(refusal().hasPrefix("\(path): the key of 1024 bits is too short"))
    let curve = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
    try openssl("req -x509 \(curve) -subj /CN=house -days 9 -keyout \(ca).key -out \(ca).pem")
    try openssl("req \(curve) -subj /CN=door -keyout \(key) -out \(folder)/request")
    let sign = "x509 -req -in \(folder)/request -CA \(ca).pem -CAkey \(ca).key -CAcreateserial -days 9 -out \(path)"
    try openssl("\(sign) -sha1")
    #expect(refusal().contains("is signed with SHA-1"))
    try openssl("\(sign) -sha256")
    #expect(try ServerCertificate.given(folder: folder) != nil)
  }

  @Test func `a folder that cannot be written is named`() throws {
    let error = #expect(throws: WebError.self) { try ServerCertificate.load(folder: "/nowhere") }
    #expect(error?.sentence.contains("/nowhere/key.pem cannot be written") == true)
    #expect(error?.sentence.contains("install -d -m 700") == true)
  }

  @Test func `a key that others can read or replace is refused, and so is a pipe in its place`() throws {
    func fault() -> String {
      #expect(throws: WebError.self) { try ServerCertificate.load(folder: folder) }?.sentence ?? ""
    }
    _ = try ServerCertificate.load(folder: folder)
    chmod(folder + "/key.pem", 0o640)
    #expect(fault().contains("other users can read \(folder)/key.pem"))
    chmod(folder + "/key.pem", 0o600)
    chmod(folder, 0o777)
    #expect(fault().contains("other users can replace the key"))
    chmod(folder, 0o700)
    unlink(folder + "/key.pem")
    mkfifo(folder + "/key.pem", 0o600)
    #expect(fault().contains("key.pem cannot be read: it is not a regular file"))
  }
}
