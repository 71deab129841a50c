// The routes of the page, its forms, and its HTML.

import Foundation
import TappetJSON
import TestSupport
import Testing

@testable import TappetWeb

@Suite struct InquiryTests {
  private func route(_ method: String, _ path: String, _ body: String = "") -> Inquiry.Route {
    Inquiry.route(method, path, Array(body.utf8))
  }

  @Test func `each path has its method`() {
    #expect(route("GET", "/") == .ask(.page) && route("HEAD", "/") == .ask(.page))
    #expect(
      route("GET", "/style.css") == .file(0) && route("GET", "/app.js") == .file(1)
        && route("GET", "/icon.svg") == .file(2))
    #expect(route("GET", "/events") == .ask(.events) && route("HEAD", "/events") == .wrongMethod)
    #expect(route("GET", "/api/state") == .ask(.state))
    for path in ["/press", "/confirm", "/cancel", "/lock", "/pair"] { #expect(route("GET", path) == .wrongMethod) }
    for path in ["/", "/style.css", "/events"] { #expect(route("POST", path) == .wrongMethod) }
    for path in ["/../etc/passwd", "//", "/style.css/..", "/index.html", "*", ""] {
      #expect(route("GET", path) == .missing)
    }
  }

  @Test func `forms are decoded, also malformed ones`() {
    #expect(
      route("POST", "/press", "action=garage%20door&id=a%2Bb&at=17&form=1")
        == .ask(.press(action: "garage door", id: "a+b", milliseconds: 17, isForm: true)))
    #expect(
      route("POST", "/press", "action=a+b&at=x&=&&%&id=%zz%4")
        == .ask(.press(action: "a b", id: "%zz%4", milliseconds: 0, isForm: false)))
    #expect(route("POST", "/confirm", "question=9") == .ask(.confirm(question: 9)))
    #expect(route("POST", "/cancel", "question=-1") == .ask(.cancel(question: -1)))
    #expect(route("POST", "/pair", "code=1234+5678") == .ask(.pair(code: "1234 5678")))
    #expect(route("POST", "/lock") == .ask(.lock))
  }

  @Test func `a code and a token follow the JSON, not in it`() {
    #expect(Inquiry.pair(code: "1234").message == Array(#"{"request":"pair"}"#.utf8) + [0] + Array("1234".utf8))
    let entry = Inquiry.enter(from: "::1", host: "x", token: "ab")
    #expect(entry == Array(#"{"request":"enter","from":"::1","host":"x"}"#.utf8) + [0] + Array("ab".utf8))
  }

  @Test func `text from the kiosk never becomes markup`() throws {
    let evil = "<img src=x onerror='alert(1)'>\"&"
    let state = JSON.object([
      "name": .string(evil), "level": .string("press"), "light": .string("ready"), "tone": .string(evil),
      "text": .string(evil), "locked": .bool(false),
      "tiles": .array([.object(["action": .string(evil), "title": .string(evil), "asks": .bool(false)])]),
      "question": .object(["number": .number(7), "title": .string(evil), "mine": .bool(true)]),
      "last": .object(["title": .string(evil), "text": .string(evil), "tone": .string(evil)]),
    ])
    let html = Panel(.object(["now": .number(5), "data": state])).content
    #expect(!html.contains("<img") && !html.contains("onerror='") && html.contains("&lt;img src=x onerror=&#39;"))
    #expect(html.components(separatedBy: "<form").count == 5, "\(html)")
  }

  @Test func `the page's script makes no markup from text, and its files are small`() throws {
    let folder = Repository.path("board/web")
    let script = try String(contentsOfFile: folder + "/app.js", encoding: .utf8)
    for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "srcdoc", "eval(", "Function("] {
      #expect(!script.contains(word), "\(word)")
    }
    let page = try String(contentsOfFile: folder + "/index.html", encoding: .utf8)
    #expect(!page.contains("style=") && !page.contains("onclick") && !page.contains("<script>"))
    let sizes = try ["index.html", "style.css", "app.js"].map {
      try Data(contentsOf: URL(fileURLWithPath: folder + "/" + $0)).count
    }
    #expect(sizes.reduce(0, +) <= 60 * 1024)
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
    let end = certificate.renewalUnixSeconds
    #expect(certificate.isUsable(at: end - 1) && !certificate.isUsable(at: end))
    #expect(certificate.isUsable(at: 60))
  }

  @Test func `a folder that cannot be written is named`() throws {
    let error = #expect(throws: WebError.self) { try ServerCertificate.load(folder: "/nowhere") }
    #expect(error?.sentence.contains("/nowhere/key.pem cannot be written") == true)
  }
}
