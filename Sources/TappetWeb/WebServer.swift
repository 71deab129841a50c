// The server: one loop over libmicrohttpd's descriptor and the connections to the kiosk. Nothing here blocks, and
// nothing is decided here except what no kiosk needs to be asked about.

import CMicroHTTPD
import CPlatform
import TappetBase
import TappetJSON
import TappetPlatform

/// Serves the page.
///
/// Confined to one thread.
final class WebServer {
  private let kiosk: String
  private let site: Site
  /// Certificate and key; `nil` behind a proxy.
  private let certificate: ServerCertificate?
  /// Facts about the server that the kiosk's terminal shows; none behind a proxy.
  private let place: [JSON.Member]
  private let reactor: Reactor
  private var daemon: OpaquePointer?
  private var watch: Watch?
  /// Requests in progress, and streams.
  private var exchanges: [Exchange] = []
  private var connections: ConnectionTable
  /// Number of questions to the kiosk in the current second, for each network.
  private var asks: (second: Int64, counts: [String: Int]) = (0, [:])

  /// Starts to listen; the first request is served in `run`.
  init(
    kiosk: String, site: Site, certificate: ServerCertificate?, listening: Int32, port: Int64, isLocal: Bool
  ) throws(WebError) {
    self.kiosk = kiosk
    self.site = site
    self.certificate = certificate
    place =
      certificate.map { certificate in
        [
          JSON.Member(name: "certificate", value: .string(certificate.fingerprintText)),
          JSON.Member(name: "until", value: .number(certificate.end)),
          JSON.Member(name: "port", value: .number(port)), JSON.Member(name: "local", value: .bool(isLocal)),
        ]
      } ?? []
    // All connections of a proxy have its address.
    connections = ConnectionTable(
      perNetworkMax: certificate == nil ? Limits.webConnectionsMax : Limits.webConnectionsPerNetwork)
    do throws(SystemError) { reactor = try Reactor() } catch {
      throw WebError("the event loop cannot be created: \(error.text)")
    }
    var callbacks = tw_callbacks(
      context: Unmanaged.passUnretained(self).toOpaque(), handle: handleRequest, completed: requestCompleted,
      admits: admitsConnection, opened: connectionOpened, closed: connectionClosed)
    let limits = tw_limits(
      connections: UInt32(Limits.webConnectionsMax),
      connections_per_address: UInt32(certificate == nil ? Limits.webConnectionsMax : Limits.webConnectionsPerAddress),
      silence_seconds: UInt32(Limits.webSilenceSeconds), memory_per_connection: Limits.webConnectionMemory)
    daemon =
      if let certificate {
        tw_start(listening, certificate.certificate, certificate.key, limits, &callbacks)
      } else {
        tw_start(listening, nil, nil, limits, &callbacks)
      }
    guard let daemon else { throw WebError("libmicrohttpd cannot serve this socket") }
    do throws(SystemError) {
      watch = try reactor.watch(tw_descriptor(daemon), for: .readable) { _ in }
    } catch { throw WebError("the server's socket cannot be watched: \(error.text)") }
  }

  /// Serves until the certificate must be renewed.
  func run() throws(WebError) {
    while certificate?.isUsable(at: SystemClock().now().unixSeconds) ?? true {
      tw_run(daemon)
      do throws(SystemError) { try reactor.turn(timeout: timeout) } catch {
        throw WebError("waiting for requests failed: \(error.text)")
      }
      let now = Instant.now()
      for exchange in exchanges { exchange.expire(at: now) }
      for descriptor in connections.overdue(at: now) { tw_hang_up(descriptor) }
    }
  }

  /// The time until something is due; at most an hour, so that the certificate's end is noticed.
  private var timeout: Duration {
    let deadlines = (exchanges.map { $0.deadline } + [connections.deadline]).compactMap { $0 }
    let due = deadlines.min().map { max($0 - Instant.now(), .milliseconds(1)) } ?? .seconds(3600)
    let library = tw_timeout(daemon)
    return library < 0 ? due : min(due, .milliseconds(library))
  }

  // MARK: Requests

  /// Returns whether a connection is accepted; an idle one may have to make room for it.
  fileprivate func admits(_ network: String) -> Bool {
    switch connections.admit(network) {
    case .accepted: return true
    case .refused: return false
    case .replacing(let descriptor):
      tw_hang_up(descriptor)
      return true
    }
  }

  fileprivate func opened(_ connection: OpaquePointer, _ descriptor: Int32) {
    connections.add(connection, descriptor, of: BrowserAddress(of: connection).network, at: Instant.now())
  }

  fileprivate func closed(_ connection: OpaquePointer) { connections.remove(connection) }

  /// Begins a request whose headers have arrived; some are refused by these alone.
  fileprivate func begin(_ connection: OpaquePointer?, method: String, path: String) -> Exchange {
    let exchange = Exchange(connection, method: method, path: path)
    exchanges.append(exchange)
    if let refusal = exchange.refusal { _ = refusal.queue(on: connection) }
    return exchange
  }

  fileprivate func completed(_ exchange: Exchange) {
    exchanges.removeAll { $0 === exchange }
    guard let connection = exchange.connection, exchange.descriptor != nil else { return }
    connections.end(connection, at: Instant.now())
  }

  /// Handles a request whose body is complete, or whose response from the kiosk has arrived; returns false if the
  /// connection must be closed.
  fileprivate func proceed(_ exchange: Exchange, _ request: UnsafeMutableRawPointer) -> Bool {
    switch exchange.stage {
    case .receiving: return start(exchange)
    case .asking, .streaming: return true
    case .answered(_, .streams) where !hasPlace(for: exchange):
      return Answer.text(503, "Too many pages are open.").queue(on: exchange.connection)
    case .answered(let inquiry, .streams): return exchange.queueStream(request, of: inquiry)
    case .answered(let inquiry, let answer):
      return site.answer(answer, to: inquiry, in: exchange).queue(on: exchange.connection)
    }
  }

  /// Whether there is a place for another stream, after ending one if necessary.
  private func hasPlace(for exchange: Exchange) -> Bool {
    let open = exchanges.filter { $0.isOpenStream }
    let decision = StreamPlaces.decide(about: exchange.visitor, open.map { $0.visitor })
    if case .replacing(let index) = decision { open[index].endStream() }
    return decision != .refused
  }

  /// Counts a question to the kiosk, which has more important things to do than to answer a flood of them.
  private func mayAsk(_ network: String) -> Bool {
    let second = Instant.now().wholeMilliseconds / 1000
    if second != asks.second { asks = (second, [:]) }
    asks.counts[network, default: 0] += 1
    return asks.counts[network, default: 0] <= Limits.webAsksPerSecond
  }

  private func start(_ exchange: Exchange) -> Bool {
    let connection = exchange.connection
    // The request is complete.
    if let connection { exchange.descriptor = connections.begin(connection) }
    guard !exchange.isTooLarge else { return Answer.tooLarge.queue(on: connection) }
    // A request that waited until its browser gave up has no effect any longer.
    if let descriptor = exchange.descriptor, tw_has_left(descriptor) != 0 { return false }
    func refuse(_ status: UInt32, _ line: String) -> Bool {
      Answer.refusal(status, line, asPage: exchange.wantsPage).queue(on: connection)
    }
    guard let values = exchange.values else { return refuse(400, "The form contains text that is not UTF-8.") }
    switch Inquiry.route(exchange.method, exchange.path, values) {
    case .file(let index): return site.files[index].queue(on: connection, cache: "max-age=60")
    case .pairing: return site.pairing(200).queue(on: connection)
    case .label(let code):
      return Answer(status: 303, headers: [("Location", "/#store?" + code.percentEncoded)]).queue(on: connection)
    case .missing: return Answer.text(404, "There is no such page.").queue(on: connection)
    case .tooLong: return refuse(400, "The request is too long.")
    case .wrongMethod: return Answer.text(405, "This page does not support this method.").queue(on: connection)
    case .ask(let inquiry):
      guard exchange.isSameOrigin else {
        return refuse(403, "The request came from another page.")
      }
      let browser = exchange.browser(isBehindProxy: certificate == nil)
      guard mayAsk(browser.network) else { return refuse(429, "Too many requests; wait a second.") }
      return exchange.ask(inquiry, from: browser, place, at: kiosk, reactor)
        || site.answer(.away, to: inquiry, in: exchange).queue(on: connection)
    }
  }
}

extension Exchange {
  private func header(_ name: String) -> String? { tw_header(connection, name).map { String(cString: $0) } }

  /// The host under which the browser reaches the page, with the port unless it is 443.
  var host: String { header("Host") ?? "" }

  /// Returns the browser's address; a proxy adds it to those that the browser may have made up.
  fileprivate func browser(isBehindProxy: Bool) -> BrowserAddress {
    let peer = BrowserAddress(of: connection)
    guard isBehindProxy, let line = tw_forwarded(connection).map({ String(cString: $0) }),
      let added = line.utf8.split(separator: UInt8(ascii: ",")).last
    else { return peer }
    return BrowserAddress(String(decoding: added.filter { $0 != UInt8(ascii: " ") }, as: UTF8.self)) ?? peer
  }

  /// The response to a request that is refused by its headers alone; `nil` for any other.
  fileprivate var refusal: Answer? {
    if tw_is_ambiguous(connection) != 0 { return .closing(400, "The request can be understood in different ways.") }
    let size = header("Content-Length").map { Int64($0) ?? .max } ?? 0
    return size > Int64(Limits.webBodySizeMax) ? .tooLarge : nil
  }

  /// The function for the fields of the request's form, or the parameters of its query; `nil` if the form is not text.
  ///
  /// It returns an empty text for a missing field.
  fileprivate var values: ((String) -> String)? {
    if method == "POST" {
      guard let form = Form(body) else { return nil }
      return { form[$0] }
    }
    return { name in tw_parameter(self.connection, name).map { String(cString: $0) } ?? "" }
  }

  /// The token in the browser's cookie; `nil` if it cannot be one.
  var token: String? {
    tw_cookie(connection, cookieName).map { String(cString: $0) }.flatMap { $0.utf8.count == 64 ? $0 : nil }
  }

  /// Name of the cookie with a device's token.
  ///
  /// Browsers accept this prefix only over HTTPS, and for no other host; but not for one port alone, at which another
  /// kiosk may be.
  private var cookieName: String {
    let end = host.split(separator: ":").last.map { String($0) } ?? ""
    return "__Host-tappet" + (host.contains(":") && UInt16(end) != nil ? "-" + end : "")
  }

  /// Returns the header that makes the browser keep the token.
  func cookie(_ token: String) -> String {
    "\(cookieName)=\(token); Secure; HttpOnly; SameSite=Strict; Path=/; Max-Age=\(Limits.webCookieSeconds)"
  }

  /// The header that makes the browser keep its token for longer; `nil` if it has none that the kiosk knows.
  var renewedCookie: String? { entered?["device"]?.text != nil ? token.map { cookie($0) } : nil }

  /// Whether the browser expects a page, and not the JSON that the page's script asks for.
  var wantsPage: Bool { header("Accept") != "application/json" }

  /// Whether the request may have an effect, or a stream: whether the kiosk's own page has made it.
  ///
  /// A page of another site can make the browser send requests here, but not these headers.
  fileprivate var isSameOrigin: Bool {
    guard method == "POST" || path == "/events" else { return true }
    if let site = header("Sec-Fetch-Site") { return site == "same-origin" }
    if method == "POST" { return header("Origin") == "https://" + host }
    return header("Origin").map { $0 == "https://" + host } ?? true
  }
}

private func handleRequest(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ request: UnsafeMutableRawPointer?,
  _ method: UnsafePointer<CChar>?, _ path: UnsafePointer<CChar>?, _ body: UnsafePointer<UInt8>?, _ size: Int
) -> UnsafeMutableRawPointer? {
  guard let context, let method, let path else { return nil }
  let server = Unmanaged<WebServer>.fromOpaque(context).takeUnretainedValue()
  guard let request else {
    let exchange = server.begin(connection, method: String(cString: method), path: String(cString: path))
    return Unmanaged.passRetained(exchange).toOpaque()
  }
  let exchange = Unmanaged<Exchange>.fromOpaque(request).takeUnretainedValue()
  if size > 0 {
    exchange.receive(UnsafeBufferPointer(start: body, count: size))
    return request
  }
  return server.proceed(exchange, request) ? request : nil
}

private func requestCompleted(_ context: UnsafeMutableRawPointer?, _ request: UnsafeMutableRawPointer?) {
  guard let context, let request else { return }
  let exchange = Unmanaged<Exchange>.fromOpaque(request).takeRetainedValue()
  Unmanaged<WebServer>.fromOpaque(context).takeUnretainedValue().completed(exchange)
}

private func admitsConnection(_ context: UnsafeMutableRawPointer?, _ network: UnsafePointer<CChar>?) -> Int32 {
  guard let context, let network else { return 0 }
  return Unmanaged<WebServer>.fromOpaque(context).takeUnretainedValue().admits(String(cString: network)) ? 1 : 0
}

private func connectionOpened(_ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ descriptor: Int32) {
  guard let context, let connection else { return }
  Unmanaged<WebServer>.fromOpaque(context).takeUnretainedValue().opened(connection, descriptor)
}

private func connectionClosed(_ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?) {
  guard let context, let connection else { return }
  Unmanaged<WebServer>.fromOpaque(context).takeUnretainedValue().closed(connection)
}
