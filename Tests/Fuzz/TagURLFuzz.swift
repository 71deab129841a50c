// TagURL's promises: any text gives a tag URL or an error; a parsed URL is written as text that parses to the same; a
// signed URL verifies in every form in which it can be written; and a URL with a changed index, time or signature never
// verifies.

import TappetCore

/// One input, twice: as a URL, and as the choices that sign one and then change it.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
  let bytes = input(data, size)
  guard let keys = Keys.shared else { return 0 }
  parses(bytes, keys)
  signs(bytes, keys)
  return 0
}

/// The action's key, and another one that is tried before it.
private struct Keys {
  let right: TagSecret
  let wrong: TagSecret
  var both: [TagSecret] { [wrong, right] }

  static let shared: Keys? = {
    guard let right = SecretKey((0..<32).map { UInt8($0) }), let wrong = SecretKey([UInt8](repeating: 0xFF, count: 32))
    else {
      return nil
    }
    return Keys(
      right: TagSecret(id: "right", action: "a", index: 1, key: right, createdUnixSeconds: 0, label: nil),
      wrong: TagSecret(id: "wrong", action: "a", index: 1, key: wrong, createdUnixSeconds: 0, label: nil))
  }()
}

private func parses(_ bytes: [UInt8], _ keys: Keys) {
  guard let url = try? TagURL.parse(bytes) else { return }
  promise(url.index >= 0 && url.timestamp >= 0, "a sign is accepted")
  promise(url.signature.map { $0.count == 32 } ?? true, "a signature of another size")
  var plain = url
  plain.carriesKey = false
  promise((try? TagURL.parse(url.text())) == plain, "its own text is another URL")
  plain.carriesKey = true
  promise((try? TagURL.parse(url.text(carrying: keys.wrong.key))) == plain, "its own text with a key is another URL")
  let signed = try? TagURL.sign(index: url.index, timestamp: url.timestamp, key: keys.right.key)
  let isSigned = url.signature != nil && url.signature == signed?.signature
  promise((url.verify(with: [keys.right]) != nil) == isSigned, "verifies without being signed, or the other way round")
}

private func signs(_ bytes: [UInt8], _ keys: Keys) {
  var choices = Choices(bytes)
  let (index, timestamp) = (choices.number(), choices.number())
  guard let url = try? TagURL.sign(index: index, timestamp: timestamp, key: keys.right.key) else {
    return promise(false, "does not sign")
  }
  for text in [url.text(), url.text(carrying: keys.wrong.key), uppercased(url.text())] {
    let parsed = try? TagURL.parse(text)
    promise(
      parsed?.verify(with: keys.both)?.id == "right", "signed, but refused: \(String(decoding: text, as: UTF8.self))")
    promise(parsed?.verify(with: [keys.wrong]) == nil && parsed?.verify(with: []) == nil, "verifies with another key")
  }
  var changed = url
  changed.index = choices.number()
  if changed.index != index { promise(changed.verify(with: keys.both) == nil, "another index verifies") }
  changed = url
  changed.timestamp = choices.number()
  if changed.timestamp != timestamp { promise(changed.verify(with: keys.both) == nil, "another time verifies") }
  changed = url
  changed.signature?[choices.below(32)] ^= 1 << (choices.byte() & 7)
  promise(changed.verify(with: keys.both) == nil, "another signature verifies")
  changed.signature = nil
  promise(changed.verify(with: keys.both) == nil, "no signature verifies")
  changesText(url, keys, &choices)
}

/// A text that was changed at random verifies only if it still says the same.
private func changesText(_ url: TagURL, _ keys: Keys, _ choices: inout Choices) {
  var text = url.text()
  for _ in 0...choices.below(4) {
    let place = choices.below(text.count)
    switch choices.byte() & 3 {
    case 0: text[place] = choices.byte()
    case 1: text.insert(choices.byte(), at: place)
    case 2: text.remove(at: place)
    default: text.insert(contentsOf: choices.take(16), at: place)
    }
  }
  guard let parsed = try? TagURL.parse(text), parsed.verify(with: keys.both) != nil else { return }
  let isSame = parsed.index == url.index && parsed.timestamp == url.timestamp && parsed.signature == url.signature
  promise(isSame, "changed, but verifies: \(String(decoding: text, as: UTF8.self))")
}

/// The signature's digits in upper case, as another program may have written them.
private func uppercased(_ text: [UInt8]) -> [UInt8] {
  text.dropLast(64) + text.suffix(64).map { (0x61...0x66).contains($0) ? $0 - 32 : $0 }
}
