// The promise: any memory gives one answer, whether it is there at once or read only as far as asked for; every request is for
// more than there is and ends with the data area. A message lies within the area and comes back from a new tag's memory.

import TappetCore

/// One input of the fuzzer.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzType2(_ start: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
  var memory = Array(UnsafeBufferPointer(start: start, count: size))
  check(memory)
  guard memory.count > 15 else { return 0 }
  // Byte 14, the size, is the fuzzer's own; the rest would stop most inputs at the door.
  memory.replaceSubrange(12..<14, with: [0xE1, 0x10])
  memory[15] = 0
  check(memory)
  return 0
}

private func check(_ memory: [UInt8]) {
  let whole = Type2Memory.locate(in: memory)
  let areaEnd = memory.count > 14 ? 16 + Int(memory[14]) * 8 : 16
  var known = 0
  while true {
    let location = Type2Memory.locate(in: Array(memory[..<known]))
    guard case .needs(let wanted) = location else {
      precondition(location == whole)
      break
    }
    precondition(wanted > known && wanted <= max(16, areaEnd))
    if wanted > memory.count {
      precondition(whole == .needs(wanted))
      break
    }
    known = wanted
  }
  guard case .message(let message) = whole else { return }
  precondition(!message.isEmpty && message.count <= areaEnd - 16)
  guard let block = Type2Memory.encode(message: message) else { preconditionFailure("found, but not written") }
  // A block may end with the area, without the terminator.
  let header = [UInt8](repeating: 0, count: 12) + [0xE1, 0x10, 0xFF, 0]
  let fresh = (header + block).prefix(16 + 255 * 8)
  if fresh.count >= 16 + block.count - 1 { precondition(Type2Memory.locate(in: Array(fresh)) == .message(message)) }
}
