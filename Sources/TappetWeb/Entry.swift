// The program's entry point. The program serves the kiosk's page over HTTPS, and holds no authority: it passes the
// token of a browser's cookie on to the kiosk, which decides.

import CMicroHTTPD
import CPlatform
import TappetBase
import TappetPlatform

private let purpose = """
  tappet-web serves the page of a Tappet kiosk. It needs 'web:' in the kiosk's configuration.

  usage: tappet-web --kiosk SOCKET --state FOLDER [--listen ADDRESS:PORT] [--behind-proxy] [--pages FOLDER]
                    [--for-setup]

    --kiosk SOCKET          the kiosk's socket for the page ('web: {socket: …}')
    --state FOLDER          where its certificate and key are kept, and created at the first start
    --listen ADDRESS:PORT   where to listen, instead of on the socket that systemd passes
    --behind-proxy          serve HTTP to a reverse proxy on this machine, which adds TLS and X-Forwarded-For
    --pages FOLDER          the page's files, instead of those installed
    --for-setup             run as nobody if started as root, and end with the process that started it
    --help                  print this help

  It serves its own certificate, unless the folder $CREDENTIALS_DIRECTORY has another one, with its chain, in
  certificate.pem, and its key in key.pem.

  Exit status: 0 the certificate is to be renewed, by the next start; 1 the page cannot be served; 2 usage error.

  """

/// Runs the program; called by main.c.
@_cdecl("tappet_web_main")
package func tappet_web_main(
  _ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  tp_open_standard_descriptors()
  guard let arguments else { return 2 }
  var options = LongOptions()
  options.add("kiosk", "k", takesValue: true)
  options.add("state", "s", takesValue: true)
  options.add("listen", "l", takesValue: true)
  options.add("behind-proxy", "b")
  options.add("pages", "p", takesValue: true)
  options.add("for-setup", "f")
  options.add("help", "h")
  var values: [Unicode.Scalar: String] = [:]
  reading: while true {
    switch options.next(count, arguments) {
    case .option("h", _):
      put(purpose, to: tp_stdout())
      return 0
    case .option(let letter, let value): values[letter] = value
    case .end: break reading
    case .operand(let word), .unknown(let word): return refuse("unknown word '\(word)'")
    case .missingValue(let word): return refuse("\(word) needs a value")
    }
  }
  guard let kiosk = values["k"], let state = values["s"] else { return refuse("--kiosk and --state are required") }
  do throws(WebError) {
    return try serve(
      kiosk: kiosk, state: state, listen: values["l"],
      pages: values["p"] ?? DataFolder.path("web", variable: "TAPPET_PAGES"), isBehindProxy: values["b"] != nil,
      forSetup: values["f"] != nil)
  } catch {
    report(error.sentence)
    return 1
  }
}

private func serve(
  kiosk: String, state: String, listen: String?, pages: String, isBehindProxy: Bool, forSetup: Bool
) throws(WebError) -> Int32 {
  Sandbox.begin()
  let listening = try listen.map { (place) throws(WebError) in try listeningSocket(at: place) } ?? tw_listening_socket()
  guard listening >= 0 else { throw WebError("no socket was passed by systemd; use --listen ADDRESS:PORT") }
  var isLocal: Int32 = 0
  let port = tw_port(listening, &isLocal)
  if isBehindProxy, isLocal == 0 {
    throw WebError("--behind-proxy serves HTTP without TLS; let it listen at 127.0.0.1 or [::1]")
  }
  let site = try Site(folder: pages)
  var certificate: ServerCertificate?
  if !isBehindProxy {
    if let folder = getenv("CREDENTIALS_DIRECTORY") {
      certificate = try ServerCertificate.given(folder: String(cString: folder))
    }
    if certificate == nil { certificate = try ServerCertificate.load(folder: state) }
  }
  let server = try WebServer(
    kiosk: kiosk, site: site, certificate: certificate, listening: listening, port: Int64(port),
    isLocal: isLocal != 0)
  Sandbox.close(forSetup: forSetup)
  report(
    "serving the page" + (certificate.map { "; SHA-256 of its certificate: \($0.fingerprintText)" } ?? " to a proxy"))
  try server.run()
  report("the certificate must be renewed, which the next start does")
  return 0
}

private func listeningSocket(at place: String) throws(WebError) -> Int32 {
  guard let colon = place.utf8.lastIndex(of: UInt8(ascii: ":")),
    let port = UInt16(place[place.utf8.index(after: colon)...])
  else { throw WebError("--listen needs an address and a port, such as 0.0.0.0:8443 or [::]:8443") }
  let address = place[..<colon].utf8.filter { $0 != UInt8(ascii: "[") && $0 != UInt8(ascii: "]") }
  let socket = tw_listen(String(decoding: address, as: UTF8.self), port)
  guard socket >= 0 else {
    let error = SystemError.last("listen")
    throw WebError("cannot listen at \(place): \(error.text); use another address or port")
  }
  return socket
}

/// The reason why the page cannot be served.
struct WebError: Error {
  /// Human-readable reason, one sentence.
  var sentence: String

  init(_ sentence: String) { self.sentence = sentence }
}

/// Writes a line for the journal.
func report(_ sentence: String) { put("tappet-web: \(sentence)\n", to: tp_stderr()) }

private func refuse(_ text: String) -> Int32 {
  put("tappet-web: \(text)\n\(purpose)", to: tp_stderr())
  return 2
}

private func put(_ text: String, to stream: UnsafeMutablePointer<FILE>?) {
  var text = text
  text.withUTF8 { tp_put(stream, $0.baseAddress, $0.count) }
}
