// The promise: any text gives a tag URL or an error, and so does any tag's memory. Nothing verifies but what the key signed:
// not with a bit of the signature changed, not for another index or time. What is printed is read back.

import TappetCore

private let key = SecretKey([UInt8](0..<32))
private let otherKey = SecretKey([UInt8](1...32))

private func secret(_ key: SecretKey) -> TagSecret {
  TagSecret(id: "", action: "", index: 0, key: key, createdUnixSeconds: 0, label: nil)
}

/// One input of the fuzzer.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTagURL(_ start: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
  let bytes = Array(UnsafeBufferPointer(start: start, count: size))
  guard let key, let otherKey else { preconditionFailure("32 bytes are a key") }
  if let uid = TagUID([4]) {
    for model in [TagModel.ntag213, .type4, .other] {
      _ = try? TagReading(uid: uid, model: model, bytes: bytes).tagURL()
    }
  }
  _ = TagURL.carriedKey(in: bytes)
  if let url = try? TagURL.parse(bytes) { check(url, key, otherKey) }
  checkSigned(bytes, key, otherKey)
  return 0
}

private func check(_ url: TagURL, _ key: SecretKey, _ otherKey: SecretKey) {
  precondition(url.index >= 0 && url.timestamp >= 0)
  let genuine = try? TagURL.sign(index: url.index, timestamp: url.timestamp, key: key)
  let isVerified = url.verify(with: [secret(otherKey), secret(key)]) != nil
  precondition(isVerified == (url.signature != nil && url.signature == genuine?.signature))
  guard url.signature != nil, var again = try? TagURL.parse(url.text()) else {
    precondition(url.signature == nil)
    return
  }
  again.carriesKey = url.carriesKey
  precondition(again == url)
}

/// The input's first bytes choose what is signed and which bit is changed.
private func checkSigned(_ bytes: [UInt8], _ key: SecretKey, _ otherKey: SecretKey) {
  guard bytes.count >= 17 else { return }
  let index = bytes[..<8].reduce(Int64(0)) { $0 << 8 | Int64($1) } & .max
  let timestamp = bytes[8..<16].reduce(Int64(0)) { $0 << 8 | Int64($1) } & .max
  guard let url = try? TagURL.sign(index: index, timestamp: timestamp, key: key),
    let read = try? TagURL.parse(url.text(carrying: otherKey))
  else { preconditionFailure("signed, but not read") }
  precondition(read.index == index && read.timestamp == timestamp && read.carriesKey)
  precondition(read.verify(with: [secret(key)]) != nil && read.verify(with: [secret(otherKey)]) == nil)
  var changed = read
  changed.signature?[Int(bytes[16] >> 3)] ^= 1 << (bytes[16] & 7)
  precondition(changed.verify(with: [secret(key)]) == nil)
  changed = read
  changed.index ^= 1
  precondition(changed.verify(with: [secret(key)]) == nil)
  changed = read
  changed.timestamp ^= 1
  precondition(changed.verify(with: [secret(key)]) == nil)
}
