// The address of the page, as tappet-web has reported it to the kiosk.

import TappetJSON

/// Where browsers reach the page.
struct PageAddress {
  /// Address for browsers on other machines; `nil` if it is unknown, or there is none.
  let address: String?
  /// Sentence about a code without an address, up to its time limit.
  let way: String

  /// Creates the address from the kiosk's response, for a machine with this name or address.
  init(_ place: JSON?, host: String) {
    let port = place?["port"]?.wholeNumber
    guard let port, place?["local"] == .bool(true) else {
      address = port.map { "https://" + host + ($0 == 443 ? "" : ":\($0)") }
      way = "Type this code into the kiosk's page"
      return
    }
    address = nil
    // Only root may listen at the others.
    let near = port < 1024 ? 8443 : port
    way =
      "The page is served on this machine only. On another one, run 'ssh -L \(near):localhost:\(port) USER@\(host)', "
      + "open https://localhost:\(near)/pair there, and type this code"
  }
}
