// NDEFMessage's promises: any bytes give a message or an error; a decoded message encodes to bytes that decode to the
// same; the beginning of a message is not a message; and `decode` reads everything that `encode` writes.

import TappetCore

/// One input, twice: as a message's bytes, and as the choices that make a message.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
  let bytes = input(data, size)
  decodes(bytes)
  encodes(bytes)
  return 0
}

private func decodes(_ bytes: [UInt8]) {
  do throws(NDEFError) {
    let message = try NDEFMessage(decoding: bytes)
    promise((1...Limits.ndefRecordsMax).contains(message.records.count), "\(message.records.count) records")
    guard let encoded = message.encode() else { return promise(false, "decoded, but does not encode") }
    promise(encoded.count <= bytes.count, "grew from \(bytes.count) to \(encoded.count) bytes")
    reads(encoded, as: message)
    finds(message)
  } catch {
    if let offset = offset(of: error) {
      promise((0...bytes.count).contains(offset), "\(error) is outside of \(bytes.count) bytes")
    }
    promise((error == .empty) == bytes.isEmpty, "\(error) for \(bytes.count) bytes")
  }
}

private func encodes(_ bytes: [UInt8]) {
  var choices = Choices(bytes)
  var records: [NDEFRecord] = []
  while !choices.isUsedUp, records.count <= Limits.ndefRecordsMax {
    let format = choices.byte() & 7
    let type = choices.bit() ? Array("U".utf8) : choices.some()
    let id = choices.bit() ? choices.some() : nil
    let payload = choices.bit() ? choices.take(choices.below(1024)) : choices.some()
    records.append(NDEFRecord(typeNameFormat: format, type: type, id: id, payload: payload))
  }
  let message = NDEFMessage(records: records)
  guard let encoded = message.encode() else {
    let isReserved = records.contains { $0.typeNameFormat > 5 }
    let isEmptyWithContent = records.contains {
      $0.typeNameFormat == 0 && !($0.type.isEmpty && ($0.id ?? []).isEmpty && $0.payload.isEmpty)
    }
    let isUnknownWithType = records.contains { $0.typeNameFormat == 5 && !$0.type.isEmpty }
    let isCountWrong = records.isEmpty || records.count > Limits.ndefRecordsMax
    return promise(isReserved || isEmptyWithContent || isUnknownWithType || isCountWrong, "refused without a reason")
  }
  reads(encoded, as: message)
}

/// The bytes decode to the message, and neither fewer nor more bytes decode at all.
private func reads(_ encoded: [UInt8], as message: NDEFMessage) {
  promise((try? NDEFMessage(decoding: encoded)) == message, "encoded, it decodes to something else")
  promise((try? NDEFMessage(decoding: encoded + [0xD0, 0, 0])) == nil, "bytes after the end are accepted")
  for count in encoded.indices where count < 64 || count == encoded.count - 1 {
    promise(
      (try? NDEFMessage(decoding: Array(encoded[..<count]))) == nil,
      "\(count) of \(encoded.count) bytes are a message too")
  }
}

private func finds(_ message: NDEFMessage) {
  let inner = message.records.flatMap { $0.posterRecords() }
  let first = inner.first { $0.uri != nil } ?? message.records.first { $0.uri != nil }
  promise(message.firstURI == first?.uri, "not the first URI, those in Smart Posters before others")
  _ = message.firstText
  guard let first, let uri = first.uri else { return }
  if first.typeNameFormat == 3 { return promise(uri == first.type, "an absolute URI is not its type") }
  promise(first.typeNameFormat == 1 && first.type == Array("U".utf8), "a URI in a record of another type")
  promise(
    uri.suffix(first.payload.count - 1).elementsEqual(first.payload.dropFirst()),
    "the URI does not end as the payload does")
  if first.payload.first == 0 {
    promise(NDEFRecord(uri: uri).payload == first.payload, "the URI's record has another payload")
  }
}

private func offset(of error: NDEFError) -> Int? {
  switch error {
  case .truncated(let offset), .misplacedBegin(let offset), .bytesBehindEnd(let offset), .chunked(let offset),
    .reservedFormat(let offset), .unexpectedType(let offset), .emptyWithContent(let offset):
    offset
  case .empty, .missingEnd, .tooManyRecords: nil
  }
}
