// The promise: any datagram from the reader's process gives a message or an error, and a message is written as it was read.
// Whatever the reader says decodes: a device of any name, a memory of any size.

import TappetCore

/// One input of the fuzzer.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzReaderMessage(_ start: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
  let bytes = Array(UnsafeBufferPointer(start: start, count: size))
  if let message = try? ReaderMessage(decoding: bytes) {
    precondition(message.encode() == bytes)
    if case .ready(let device) = message {
      precondition(!device.utf8.contains { $0 < 0x20 || $0 == 0x7F })
    }
  }
  let name = ReaderMessage.ready(device: String(decoding: bytes, as: UTF8.self)).encode()
  precondition((try? ReaderMessage(decoding: name)) != nil)
  if let uid = TagUID(bytes.prefix(7)) {
    let read = ReaderMessage.tagRead(TagReading(uid: uid, model: .type2, bytes: bytes)).encode()
    precondition(read.count <= Limits.readerMessageSizeMax)
    precondition((try? ReaderMessage(decoding: read)) != nil)
  }
  return 0
}
