// libnfc, and everything that we know about it. Every call made here ends by itself: no `nfc_initiator_poll_target`, no
// infinite select, an explicit timeout for each exchange. libnfc can still abort the process: therefore it has its own.

import CNFC
import CPlatform
import TappetCore
import TappetPlatform

/// The device can no longer be used: the process ends, and a new one starts.
struct DeviceError: Error, Equatable {
  var fault: ReaderFault
  /// libnfc's code, or a negative errno.
  var code: Int32
}

/// Why an exchange with a tag brought no answer.
enum ExchangeFailure: Error {
  /// The tag refused, was disturbed, or is gone: libnfc's codes do not distinguish these. A new select does.
  case noAnswer
  case device(DeviceError)
}

/// A tag that answered to anti-collision.
struct SelectedTag: Equatable {
  var uid: TagUID
  /// SENS_RES, high byte first.
  var atqa: UInt16
  /// SEL_RES, one byte.
  var sak: UInt8
  /// Answer to select without its length byte; empty for a tag without ISO-DEP.
  var ats: [UInt8]
}

/// How an exchange is framed.
enum Framing {
  /// InCommunicateThru: bytes as they are, with CRC. For Type 2 commands: otherwise the chip would take 0x60 for a
  /// MIFARE Classic's authentication.
  case raw
  /// InDataExchange, for protocols that the chip knows: ISO-DEP, with chaining and waiting-time extension, and a Type 2
  /// tag's WRITE, whose answer of four bits it turns into a status.
  case known
}

/// The one open reader.
final class NFCDevice {
  private let context: OpaquePointer
  private let device: OpaquePointer
  private let node: DeviceNode?
  private let isPN532: Bool
  private var isOpen = true
  /// `nil` where every look is one select by libnfc.
  private var search: ChipSearch?
  /// The chip's setting of MxRtyPassiveActivation, if it is known.
  private var triesInForce: UInt8?

  /// Opens the device `connstring`, or the first that libnfc finds, and makes it a reader with its field on.
  init(connstring: String?) throws(DeviceError) {
    var context: OpaquePointer?
    nfc_init(&context)
    guard let context else { throw DeviceError(fault: .unusable, code: NFC_ESOFT) }
    do throws(DeviceError) {
      guard let connstring = connstring ?? Self.list(context, countMax: 1).first else {
        throw DeviceError(fault: .notFound, code: NFC_ENOTSUCHDEV)
      }
      let path = DeviceNode.path(in: connstring)
      if let path {
        node = try DeviceNode(path: path)
      } else {
        node = nil
      }
      node?.clearStaleClaim()
      guard let device = nfc_open(context, connstring) else {
        throw DeviceError(fault: node?.exists == true ? .silent : .notFound, code: NFC_ENOTSUCHDEV)
      }
      self.context = context
      self.device = device
      isPN532 = connstring.hasPrefix("pn532_")
      // On other buses libnfc asks the chip again and again whether it is ready.
      search = connstring.hasPrefix("pn532_uart") ? ChipSearch() : nil
    } catch {
      nfc_exit(context)
      throw error
    }
    do throws(DeviceError) {
      try becomeReader()
    } catch {
      close()
      throw error
    }
  }

  /// Switches the field off and closes the device.
  ///
  /// Without it a PN532 can be left in a state that only a wake-up ends.
  func close() {
    guard isOpen else { return }
    isOpen = false
    nfc_close(device)
    nfc_exit(context)
  }

  deinit { close() }

  /// libnfc's name for it.
  var name: String { nfc_device_get_name(device).map { String(cString: $0) } ?? "" }

  // MARK: Tags

  /// Looks for a tag on an empty reader; `nil` when none answered.
  func look() throws(DeviceError) -> SelectedTag? {
    guard let search else { return try select() }
    let started = Instant.now()
    do throws(DeviceError) {
      let found = try list(tries: search.tries, within: search.limit)
      self.search?.note(Instant.now() - started, found)
      return found.tag
    } catch {
      guard error.code == NFC_ETIMEOUT else { throw error }
      // It is dead, or its supply has dipped and it searches without end, or a byte was lost; one that lives answers.
      _ = try command([0x02], within: Limits.readerExchangeMax)
      self.search = ChipSearch()
      try refresh()
      return nil
    }
  }

  /// The time between the beginnings of two looks.
  var lookInterval: Duration { search == nil ? Limits.readerPollInterval : Limits.readerSearchInterval }

  /// Looks for a tag once.
  ///
  /// `nil` when none answered. One silence is forgiven: a byte lost on a serial line looks the same.
  func select() throws(DeviceError) -> SelectedTag? {
    do throws(DeviceError) { return try selectOnce() } catch {
      guard error.code == NFC_ETIMEOUT else { throw error }
      return try selectOnce()
    }
  }

  private func selectOnce() throws(DeviceError) -> SelectedTag? {
    if isPN532 { return try list(tries: ChipSearch.selectTries, within: Limits.readerExchangeMax).tag }
    let modulation = nfc_modulation(nmt: NMT_ISO14443A, nbr: NBR_106)
    var target = nfc_target()
    let code = nfc_initiator_select_passive_target(device, modulation, nil, 0, &target)
    guard code >= 0 else { throw Self.trouble(code) }
    return code == 0 ? nil : Self.tag(target)
  }

  /// InListPassiveTarget (UM0701-02 §7.3.5) for one tag of type A.
  ///
  /// libnfc's own select gives up after 300 ms, and dies of some answers.
  private func list(tries: UInt8, within limit: Duration) throws(DeviceError) -> TargetList {
    if tries != triesInForce {
      triesInForce = nil
      // RFConfiguration, item 5 (§7.3.1): the first two are libnfc's.
      _ = try command([0x32, 0x05, 0x00, 0x01, tries], within: Limits.readerExchangeMax)
      triesInForce = tries
    }
    return TargetList(try command([0x4A, 0x01, 0x00], within: limit))
  }

  /// Looks for a tag that was there a moment ago and may have been put to sleep by a command that it refused.
  func selectAgain(_ tag: SelectedTag) throws(DeviceError) -> SelectedTag? {
    // A tag in ISO-DEP takes a new request for noise; only a field that was off wakes it.
    if !tag.isISODEP, let found = try select() { return found }
    try cycleField()
    return try select()
  }

  /// Another tag next to the selected one, which is put to sleep for this and must be selected again.
  func otherTag(than tag: SelectedTag) throws(DeviceError) -> SelectedTag? {
    // The result does not matter: the select that follows notices a tag that has left.
    nfc_initiator_deselect_target(device)
    guard let found = try select(), !found.isSame(as: tag) else { return nil }
    return found
  }

  /// Whether a tag that sleeps is there besides another one.
  func isThere(_ tag: SelectedTag, besides other: SelectedTag) throws(DeviceError) -> Bool {
    // Wakes both.
    try cycleField()
    guard let first = try select() else { return false }
    if first.isSame(as: tag) { return true }
    return try otherTag(than: other)?.isSame(as: tag) == true
  }

  /// Whether the selected tag still answers.
  ///
  /// False may also mean that it sleeps: `selectAgain` finds out.
  func answers(_ tag: SelectedTag) throws(DeviceError) -> Bool {
    if isPN532 { return try stillAnswers(tag) }
    // libnfc can ask these two kinds; the others need a new select.
    guard tag.isISODEP || tag.isType2 else { return false }
    // NULL, not the target: libnfc would compare all of its bytes, padding included.
    let code = nfc_initiator_target_is_present(device, nil)
    if code == NFC_EIO { throw Self.trouble(code) }
    return code == NFC_SUCCESS
  }

  /// As libnfc asks, which does not know of the tags that it did not select.
  private func stillAnswers(_ tag: SelectedTag) throws(DeviceError) -> Bool {
    if tag.isType2 {
      do throws(ExchangeFailure) {
        return try exchange([0x30, 0x00], .raw, within: Limits.readerExchangeMax).count == 16
      } catch {
        if case .device(let trouble) = error { throw trouble }
        return false
      }
    }
    guard tag.isISODEP else { return false }
    // Diagnose, attention request (UM0701-02 §7.2.1); with a card that has left it takes some hundred milliseconds.
    var status: [UInt8] = [0]
    let code = pn53x_transceive(
      device, [0x00, 0x06], 2, &status, 1, Int32(clamping: Limits.readerISODEPExchangeMax.wholeMilliseconds))
    if code == NFC_EIO { throw Self.trouble(code) }
    return code == 1
  }

  /// Sends one command to the selected tag and returns its answer.
  func exchange(
    _ command: [UInt8], _ framing: Framing, within timeout: Duration
  ) throws(ExchangeFailure) -> [UInt8] {
    // Kept in libnfc, nothing is sent for it. Presence checks rely on `true`.
    nfc_device_set_property_bool(device, NP_EASY_FRAMING, framing == .known)
    defer { nfc_device_set_property_bool(device, NP_EASY_FRAMING, true) }
    var count: Int32 = 0
    let answer = [UInt8](unsafeUninitializedCapacity: Self.answerSizeMax) { buffer, filled in
      count = nfc_initiator_transceive_bytes(
        device, command, command.count, buffer.baseAddress, buffer.count, Int32(clamping: timeout.wholeMilliseconds))
      filled = min(max(0, Int(count)), buffer.count)
    }
    if count >= 0 { return answer }
    switch count {
    case NFC_EIO, NFC_ENOTSUCHDEV, NFC_ESOFT, NFC_ENOTIMPL: throw .device(Self.trouble(count))
    default: throw .noAnswer
    }
  }

  // MARK: The device

  /// Sends a command to the chip itself; returns its answer without the command code.
  private func command(_ bytes: [UInt8], within limit: Duration) throws(DeviceError) -> [UInt8] {
    var count: Int32 = 0
    let answer = [UInt8](unsafeUninitializedCapacity: Self.answerSizeMax) { buffer, filled in
      count = pn53x_transceive(
        device, bytes, bytes.count, buffer.baseAddress, buffer.count, Int32(clamping: limit.wholeMilliseconds))
      filled = min(max(0, Int(count)), buffer.count)
    }
    if count < 0 { throw Self.trouble(count) }
    return answer
  }

  /// Ends a chip's deafness to tags after a dip of its supply; cheaper than `refresh`.
  func recoverFromBrownout() throws(DeviceError) {
    guard isPN532 else { return }
    let code = pn532_SAMConfiguration(device, PSM_NORMAL, Int32(clamping: Limits.readerExchangeMax.wholeMilliseconds))
    if code < 0 { throw Self.trouble(code) }
  }

  /// Brings the chip back to the state in which `init` left it.
  ///
  /// After a dip of its supply a PN532 answers every command and finds no tag, and libnfc never configures it again by
  /// itself.
  func refresh() throws(DeviceError) {
    try recoverFromBrownout()
    try becomeReader()
  }

  private func becomeReader() throws(DeviceError) {
    // After one lost answer during `nfc_open` these are NULL, and the first select would abort the process.
    var modulations: UnsafePointer<nfc_modulation_type>?
    guard nfc_device_get_supported_modulation(device, N_INITIATOR, &modulations) == NFC_SUCCESS, modulations != nil
    else {
      throw DeviceError(fault: .unusable, code: NFC_EDEVNOTSUPP)
    }
    var code = nfc_initiator_init(device)
    // With infinite select a missing tag and a dead reader look the same.
    if code >= 0 { code = nfc_device_set_property_bool(device, NP_INFINITE_SELECT, false) }
    if code < 0 { throw Self.trouble(code) }
    triesInForce = nil
  }

  private func cycleField() throws(DeviceError) {
    var code = nfc_device_set_property_bool(device, NP_ACTIVATE_FIELD, false)
    // A tag counts as reset after 5 ms without field (NFC Forum Analog 2.0, Operating field off).
    Poll.sleep(Limits.readerFieldOff)
    if code >= 0 { code = nfc_device_set_property_bool(device, NP_ACTIVATE_FIELD, true) }
    if code < 0 { throw Self.trouble(code) }
  }

  // MARK: Values

  /// Bytes: libnfc's own buffer for one answer.
  private static let answerSizeMax = 264

  /// The connection strings of the devices that libnfc finds, at most `countMax`.
  static func list(countMax: Int) -> [String] {
    var context: OpaquePointer?
    nfc_init(&context)
    guard let context else { return [] }
    defer { nfc_exit(context) }
    return list(context, countMax: countMax)
  }

  private static func list(_ context: OpaquePointer, countMax: Int) -> [String] {
    let size = Int(NFC_BUFSIZE_CONNSTRING)
    let names = UnsafeMutablePointer<CChar>.allocate(capacity: countMax * size)
    defer { names.deallocate() }
    names.initialize(repeating: 0, count: countMax * size)
    return (0..<tp_nfc_list_devices(context, names, countMax)).map { String(cString: names + $0 * size) }
  }

  private static func tag(_ target: nfc_target) -> SelectedTag? {
    let info = target.nti.nai
    let uid = withUnsafeBytes(of: info.abtUid) { Array($0.prefix(Int(clamping: info.szUidLen))) }
    let ats = withUnsafeBytes(of: info.abtAts) { Array($0.prefix(Int(clamping: info.szAtsLen))) }
    guard let uid = TagUID(uid) else { return nil }
    let atqa = UInt16(info.abtAtqa.0) << 8 | UInt16(info.abtAtqa.1)
    return SelectedTag(uid: uid, atqa: atqa, sak: info.btSak, ats: ats)
  }

  private static func trouble(_ code: Int32) -> DeviceError {
    switch code {
    case NFC_ETIMEOUT: DeviceError(fault: .silent, code: code)
    case NFC_EIO, NFC_ENOTSUCHDEV: DeviceError(fault: .ioError, code: code)
    default: DeviceError(fault: .unusable, code: code)
    }
  }
}
