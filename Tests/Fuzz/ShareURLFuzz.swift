// The promise: any text gives a share URL or an error; what was read is printed so that it reads the same, and its label holds
// nothing that moves a cursor. Any label of ours that is within the limits comes back.

import TappetCore

/// One input of the fuzzer.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzShareURL(_ start: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
  let bytes = Array(UnsafeBufferPointer(start: start, count: size))
  if let share = try? ShareURL.parse(bytes) {
    precondition(share.index >= 0)
    if let label = share.label {
      precondition((1...Limits.secretLabelSizeMax).contains(label.utf8.count) && label.trimmedLabel == label)
      precondition(!hasControls(label))
    }
    checkPrinted(share)
  }
  checkLabel(String(decoding: bytes, as: UTF8.self))
  return 0
}

private func checkPrinted(_ share: ShareURL) {
  guard let again = try? ShareURL.parse(share.text()) else { preconditionFailure("printed, but not read") }
  precondition(again.index == share.index && again.key == share.key && again.label == share.label)
}

private func checkLabel(_ label: String) {
  guard let key = SecretKey([UInt8](0..<32)) else { preconditionFailure("32 bytes are a key") }
  let share = ShareURL(index: 0, key: key, label: label)
  precondition(share.text().allSatisfy { (0x21...0x7E).contains($0) })
  do throws(ShareURLError) {
    let again = try ShareURL.parse(share.text())
    precondition(again.label == share.label)
  } catch {
    switch error {
    case .labelTooLong(let size, let max): precondition(size > max && size == share.label?.utf8.count)
    case .malformedLabel: precondition(share.label.map(hasControls) == true)
    default: preconditionFailure("printed, but refused for \(error)")
    }
  }
}

private func hasControls(_ text: String) -> Bool { text.utf8.contains { $0 < 0x20 || $0 == 0x7F } }
