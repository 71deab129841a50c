// The messages between the kiosk and tappet-webhook, and what they carry.

import Testing

@testable import TappetCore

@Suite struct WebhookWireTests {
  @Test func `every order and message round-trips`() {
    var endpoint = WebhookEndpoint(action: "", url: .file("/etc/url"))
    endpoint.method = .put
    endpoint.redirects = 3
    endpoint.allowsPlain = true
    endpoint.timeout = .milliseconds(2500)
    (endpoint.caFile, endpoint.certificateFile) = ("/ca", "/cert")
    (endpoint.privateKeyFile, endpoint.secretFile) = ("/key", "/secret")
    endpoint.headers = [.init(name: "A", value: .text("ü")), .init(name: "B", value: .file("/b"))]
    let id = EntryID(high: 1 << 63 | 5, low: 7)
    for order in [
      WebhookOrder.endpoint(300, endpoint), .begin, .post(2, id, body: [1, 0, 255]), .post(0, id, body: []),
      .call(1, id, .put, path: "/a", answerSizeMax: 1 << 22, body: [0]),
      .call(1, id, .get, path: "", answerSizeMax: 0, body: []),
    ] {
      #expect(WebhookOrder.decoded(order.encode()) == order)
    }
    for message in [
      WebhookMessage.taken, .ready, .answered(id, status: 503, retryAfter: .milliseconds(12)),
      .answered(id, status: 200, retryAfter: nil),
      .failed(id, .certificateRefused, code: -60),
    ] {
      let bytes = message.encode()
      #expect(WebhookMessage.decoded(bytes) == message)
      for size in 0..<bytes.count { #expect(WebhookMessage.decoded(Array(bytes[..<size])) == nil) }
      #expect(WebhookMessage.decoded(bytes + [0]) == nil)
    }
    for pause: Duration? in [nil, .seconds(30)] {
      let reply = WebhookMessage.replied(id, status: 202, retryAfter: pause, body: [1, 2])
      #expect(WebhookMessage.decoded(reply.encode()) == reply)
    }
    let part = WebhookMessage.part(id, body: [1, 2])
    #expect(WebhookMessage.decoded(part.encode()) == part)
    var random = Randomness(seed: (1, 2, 3, 4))
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random) & (Bool.random(using: &random) ? 3 : 255)
      }
      if let order = WebhookOrder.decoded(bytes) { #expect(WebhookOrder.decoded(order.encode()) == order) }
      if let message = WebhookMessage.decoded(bytes) { #expect(message.encode() == bytes) }
    }
  }

  @Test func `Base64 follows RFC 4648, and anything else is refused`() {
    for (text, digits) in [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
      ("foobar", "Zm9vYmFy"),
    ] {
      #expect(String(decoding: Base64.encode(Array(text.utf8)), as: UTF8.self) == digits)
      #expect(Base64.decode(Array(digits.utf8)) == Array(text.utf8))
    }
    for wrong in ["Z", "Zg=v", "Zm9v!", "Zm 9v", "Zm9v\n", " Zm9v", "Zm9v----", "====", "Zg===", "Zm9v\0"] {
      #expect(Base64.decode(Array(wrong.utf8)) == nil, "\(wrong)")
    }
    #expect(Base64.decode(Array("Zg".utf8)) == Array("f".utf8), "without padding")
  }

  @Test func `signatures follow Standard Webhooks`() throws {
    // The secret, message and signature of its own specification's libraries.
    let secret = try #require(WebhookSecret(Array("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".utf8)[...]))
    let id = EntryID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)
    let one = try secret.signature(id: id, unixSeconds: 1_614_265_330, body: Array(#"{"test": 2432232314}"#.utf8))
    let other = try secret.signature(id: id, unixSeconds: 1_614_265_331, body: Array(#"{"test": 2432232314}"#.utf8))
    #expect(one.hasPrefix("v1,") && one.utf8.count == 47 && one != other)
    #expect(WebhookSecret(Array("whsec_c2hvcnQ=".utf8)[...]) == nil && WebhookSecret([]) == nil)
  }

  @Test func `a URL is parsed without showing what may be secret`() {
    let good = WebhookURL("https://maker.example:8443/trigger/door/with/key/SECRET?x=1")
    #expect(good?.origin == "https://maker.example:8443" && good?.host == "maker.example" && good?.usesTLS == true)
    for loopback in ["http://localhost/a", "http://127.0.0.1:80", "http://[::1]:8080/x"] {
      #expect(WebhookURL(loopback)?.host.isLoopbackHost == true, "\(loopback)")
    }
    for far in ["http://127.evil.example/", "http://localhost.example/", "http://10.0.0.1/"] {
      #expect(WebhookURL(far)?.host.isLoopbackHost == false, "\(far)")
    }
    for wrong in [
      "ftp://a/", "https://", "https:///x", "https://user:pw@host/", "https://host/a b", "https://host/#x",
      "https://host:0/", "https://host:99999/", "https://ho\\st/", "https://h\u{e9}st/", "file:///etc/passwd", "",
      "https://[::1", "HTTPS://host/",
    ] {
      #expect(WebhookURL(wrong) == nil, "\(wrong)")
    }
    var endpoint = WebhookEndpoint(action: "a", url: .text("https://host/with/key/SECRET"))
    #expect(endpoint.place == "https://host")
    endpoint.url = .file("/etc/tappet/url")
    #expect(endpoint.place == "the URL in its file")
  }
}
