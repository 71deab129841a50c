// The promise: any bytes give a message or an error. A message comes back from the bytes that it is written as, which are no
// longer than those that it was read from; without its last byte, or with one more, it is none.

import TappetCore

/// One input of the fuzzer.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzNDEF(_ start: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
  let bytes = Array(UnsafeBufferPointer(start: start, count: size))
  guard let message = try? NDEFMessage(decoding: bytes) else { return 0 }
  precondition((1...Limits.ndefRecordsMax).contains(message.records.count))
  guard let written = message.encode() else { preconditionFailure("read, but not written") }
  precondition(written.count <= bytes.count)
  precondition((try? NDEFMessage(decoding: written)) == message)
  precondition((try? NDEFMessage(decoding: Array(bytes.dropLast()))) == nil)
  precondition((try? NDEFMessage(decoding: bytes + [0])) == nil)
  if let uri = message.firstURI {
    let again = NDEFMessage(records: [NDEFRecord(uri: uri)])
    precondition(again.encode().flatMap { try? NDEFMessage(decoding: $0) }?.firstURI == uri)
  }
  return 0
}
