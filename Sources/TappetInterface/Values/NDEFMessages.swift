// NDEF messages for C (tappet.h, "values").

import CTappet
import TappetCore

/// Decodes the records of an NDEF message.
@_cdecl("tappet_ndef_decode") @implementation
public func tappet_ndef_decode(
  _ message: UnsafePointer<UInt8>?, _ size: Int, _ results: UnsafeMutablePointer<tappet_ndef_record>?, _ count: Int
) -> Int32 {
  guard let message, isBuffer(results, count), let stride = stride(of: results, count) else {
    return ErrorCode.argument.rawValue
  }
  return withMessage(message, size) { decoded in
    guard let results else { return Int32(decoded.records.count) }
    guard decoded.records.count <= count else { return ErrorCode.buffer.rawValue }
    var place = message
    var result = UnsafeMutableRawPointer(results)
    for record in decoded.records {
      write(record, at: &place, to: result.assumingMemoryBound(to: tappet_ndef_record.self))
      result += stride
    }
    return Int32(decoded.records.count)
  }
}

/// Encodes records as an NDEF message.
@_cdecl("tappet_ndef_encode") @implementation
public func tappet_ndef_encode(
  _ records: UnsafePointer<tappet_ndef_record>?, _ count: Int, _ result: UnsafeMutablePointer<UInt8>?, _ resultSize: Int
) -> Int32 {
  guard let records, let stride = stride(of: records, count), isBuffer(result, resultSize) else {
    return ErrorCode.argument.rawValue
  }
  guard (1...Limits.ndefRecordsMax).contains(count) else { return ErrorCode.ndefCount.rawValue }
  var message = NDEFMessage(records: [])
  for index in 0..<count {
    let place = UnsafeRawPointer(records) + index * stride
    guard let record = record(place.assumingMemoryBound(to: tappet_ndef_record.self).pointee) else {
      return ErrorCode.argument.rawValue
    }
    message.records.append(record)
  }
  guard let bytes = message.encode() else { return ErrorCode.ndefRecord.rawValue }
  guard bytes.count <= Limits.tagMemorySizeMax else { return ErrorCode.argument.rawValue }
  return output(bytes, result, resultSize, endsWithNUL: false)
}

/// Finds the first URI in an NDEF message, preferably in a Smart Poster, and expands its prefix.
@_cdecl("tappet_ndef_uri_decode") @implementation
public func tappet_ndef_uri_decode(
  _ message: UnsafePointer<UInt8>?, _ size: Int, _ result: UnsafeMutablePointer<CChar>?, _ resultSize: Int
) -> Int32 {
  guard let message, isBuffer(result, resultSize) else { return ErrorCode.argument.rawValue }
  return withMessage(message, size) { decoded in
    guard let uri = decoded.firstURI else { return ErrorCode.ndefNoURI.rawValue }
    return output(uri, result, resultSize, endsWithNUL: true)
  }
}

/// Encodes a URI as an NDEF message with one URI record, without abbreviating the prefix.
@_cdecl("tappet_ndef_uri_encode") @implementation
public func tappet_ndef_uri_encode(
  _ uri: UnsafePointer<CChar>?, _ size: Int, _ result: UnsafeMutablePointer<UInt8>?, _ resultSize: Int
) -> Int32 {
  guard let uri, size > 0, isBuffer(result, resultSize) else { return ErrorCode.argument.rawValue }
  // Header, type and identifier code of a record that is not short take up 8 bytes.
  return withInput(uri, size, sizeMax: Limits.tagMemorySizeMax - 8) { input in
    let message = NDEFMessage(records: [NDEFRecord(uri: Array(input))])
    return output(message.encode() ?? [], result, resultSize, endsWithNUL: false)
  } ?? ErrorCode.argument.rawValue
}

private func withMessage(_ message: UnsafePointer<UInt8>, _ size: Int, _ body: (NDEFMessage) -> Int32) -> Int32 {
  withInput(message, size, sizeMax: Limits.tagMemorySizeMax) { input in
    do throws(NDEFError) { return body(try NDEFMessage(decoding: Array(input))) } catch { return error.code.rawValue }
  } ?? ErrorCode.argument.rawValue
}

/// Returns the stride of the caller's array of records: the record size in the caller's version of the header.
///
/// 0 means that there is no array, or an empty one, whose pointer may be invalid; `nil` means that the size is invalid.
private func stride(of records: UnsafePointer<tappet_ndef_record>?, _ count: Int) -> Int? {
  guard count != 0, let size = records?.pointee.size else { return 0 }
  return (MemoryLayout<tappet_ndef_record>.size...4096).contains(size) && size % 8 == 0 ? size : nil
}

private func stride(of records: UnsafeMutablePointer<tappet_ndef_record>?, _ count: Int) -> Int? {
  stride(of: records.map { UnsafePointer($0) }, count)
}

/// Writes the locations of the record's fields in the message that was decoded; `place` advances to the next record.
private func write(
  _ record: NDEFRecord, at place: inout UnsafePointer<UInt8>, to result: UnsafeMutablePointer<tappet_ndef_record>
) {
  let isShort = place[0] & 0x10 != 0
  place += 2 + (isShort ? 1 : 4) + (record.id == nil ? 0 : 1)
  result.pointee.format = record.typeNameFormat
  result.pointee.reserved = (0, 0, 0, 0, 0, 0, 0)
  result.pointee.type = record.type.isEmpty ? nil : place
  result.pointee.type_size = record.type.count
  place += record.type.count
  result.pointee.id = record.id == nil ? nil : place
  result.pointee.id_size = record.id?.count ?? 0
  place += record.id?.count ?? 0
  result.pointee.payload = record.payload.isEmpty ? nil : place
  result.pointee.payload_size = record.payload.count
  place += record.payload.count
}

/// Converts a record; `nil` if a field is NULL but not empty or too large for any message, or a reserved byte is set.
private func record(_ record: tappet_ndef_record) -> NDEFRecord? {
  guard isZero(record.reserved), let type = bytes(record.type, record.type_size),
    let id = bytes(record.id, record.id_size),
    let payload = bytes(record.payload, record.payload_size)
  else { return nil }
  return NDEFRecord(typeNameFormat: record.format, type: type, id: record.id == nil ? nil : id, payload: payload)
}

private func bytes(_ pointer: UnsafePointer<UInt8>?, _ size: Int) -> [UInt8]? {
  withInput(pointer, size, sizeMax: Limits.tagMemorySizeMax) { Array($0) }
}
