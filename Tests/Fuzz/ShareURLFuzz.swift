// ShareURL's promises: any text gives a shared secret or an error; a parsed secret is written as text that parses to
// the same; every secret that a kiosk can have arrives complete; and the text needs no more escaping in a QR code or
// a browser.

import TappetCore

/// One input, twice: as a share URL, and as the choices that make a secret.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
  let bytes = input(data, size)
  if let shared = try? ShareURL.parse(bytes) {
    promise(bytes.starts(with: "smpshare://secret".utf8), "accepted without the scheme and host")
    promise(containsKey(bytes, shared.key), "its key is not in the text")
    arrives(shared)
  }
  var choices = Choices(bytes)
  var key = choices.take(SecretKey.size)
  key += [UInt8](repeating: 7, count: SecretKey.size - key.count)
  guard let secret = SecretKey(key) else { return 0 }
  let index = choices.number()
  let label = choices.bit() ? choices.text() : nil
  let shared = ShareURL(index: index, key: secret, label: label)
  // No secret has a label that `parse` refuses.
  if shared.label?.nameFault() == nil { arrives(shared) }
  return 0
}

private func arrives(_ shared: ShareURL) {
  let text = shared.text()
  promise(
    text.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x23 },
    "unsafe: \(String(decoding: text, as: UTF8.self))")
  let hasGoodLabel = shared.label.map { !$0.isEmpty && $0.utf8.count <= Limits.secretLabelSizeMax } ?? true
  promise(hasGoodLabel, "a label of a wrong size")
  guard let again = try? ShareURL.parse(text) else {
    return promise(false, "its own text is refused: \(String(decoding: text, as: UTF8.self))")
  }
  promise(again.index == shared.index, "index \(shared.index) arrives as \(again.index)")
  promise(again.key == shared.key, "another key arrives")
  promise(again.label.map { Array($0.utf8) } == shared.label.map { Array($0.utf8) }, "another label arrives")
  promise(again.text() == text, "its text is not stable")
}

/// Whether the text contains the key's digits, in either case.
private func containsKey(_ bytes: [UInt8], _ key: SecretKey) -> Bool {
  let digits = key.revealedHexDigits()
  let lowered = bytes.map { (0x41...0x46).contains($0) ? $0 + 32 : $0 }
  guard lowered.count >= digits.count else { return false }
  return (0...(lowered.count - digits.count)).contains { lowered[$0...].starts(with: digits) }
}
