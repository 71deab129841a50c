// Writing a Type 2 tag. Every page is read before it is written, so that pages with the right content are skipped, and
// a page that cannot be written is detected before the first write.
//
// WRITE uses InDataExchange, with which the chip waits for the tag's four-bit answer and converts it to a status.

import TappetTag

/// The lock and configuration bytes after the user memory.
private struct Type2Controls {
  /// Dynamic lock bits; empty if the model has none.
  var lock: [UInt8] = []
  /// CFG0 and CFG1; empty if the model does not support a password.
  var configuration: [UInt8] = []

  /// First page that requires the password for writing.
  var firstProtected: Int { configuration.isEmpty ? Int.max : Int(configuration[3]) }
  /// The ACCESS byte.
  var access: UInt8 { configuration.isEmpty ? 0 : configuration[4] }
}

extension WriteOperation {
  // ACCESS (NTAG213/215/216 §8.5.7).
  private static let readsProtected: UInt8 = 0x80
  private static let configurationLocked: UInt8 = 0x40
  private static let attemptsLimit: UInt8 = 0x07
  /// AUTH0 of a protected tag: everything that can be written requires the password, including the lock bits.
  private static let firstWritablePage = 2
  private static let unprotected: UInt8 = 0xFF
  private static let containerPage = 3
  private static let lockPage = 2

  func workOnType2() throws(WriteFailure) {
    try confirmModel()
    switch order.task {
    case .write(let message): try store(message)
    case .erase:
      try store([])
      try clearPassword()
    case .lock: try lock()
    case .format: try format()
    case .protect: try protect()
    }
  }

  /// Requests the version of a model that a tap identified by the size in its container, which may be another model's.
  private func confirmModel() throws(WriteFailure) {
    guard !isModelConfirmed, model == .ntag213 || model == .ntag215 else { return }
    // A copy of the chip without GET_VERSION halts, and is asked only once.
    isModelConfirmed = true
    do throws(ReadFailure) { model = try Type2Reading.version(device) ?? model } catch { throw WriteFailure(error) }
  }

  // MARK: Message

  private func store(_ message: [UInt8]) throws(WriteFailure) {
    let plan = try plan(message, in: try dataArea())
    guard !plan.isEmpty else { return }
    try perform(plan, try controls())
    guard try self.plan(message, in: try dataArea()).isEmpty else { throw .fault(.notAsWritten) }
  }

  /// Plans writes to the user memory; a container can state more, which would include the lock and password pages.
  private func plan(_ message: [UInt8], in memory: [UInt8]) throws(WriteFailure) -> [PageWrite] {
    let end = model.geometry.map { $0.userPageEnd * Type2Memory.pageSize } ?? memory.count
    do throws(TagWriteFault) {
      return try Type2Memory.plan(message, in: Array(memory.prefix(end)))
    } catch { throw .fault(error) }
  }

  /// Performs the plan; writes nothing if any of its pages is locked.
  private func perform(_ plan: [PageWrite], _ controls: Type2Controls) throws(WriteFailure) {
    try requireUnlocked(plan, controls)
    if plan.contains(where: { $0.page >= controls.firstProtected }) { try authenticate(controls) }
    for (index, write) in plan.enumerated() {
      try self.write(page: write.page, write.bytes)
      progress(index + 1, of: plan.count)
    }
  }

  private func requireUnlocked(_ plan: [PageWrite], _ controls: Type2Controls) throws(WriteFailure) {
    guard let geometry = model.geometry else { return }
    let header = try header()
    let isHeld = plan.contains {
      geometry.isLocked(page: $0.page, staticLock: (header[10], header[11]), dynamicLockBytes: controls.lock)
    }
    if isHeld { throw .fault(.locked) }
  }

  // MARK: Lock bits

  /// Locks the tag, starting with the container: a tag removed too early is marked read-only, but works and can still
  /// be locked completely (Type 2 Tag 1.2 §6.5).
  private func lock() throws(WriteFailure) {
    let before = try header()
    guard before[12] == 0xE1 else { throw .fault(.unformatted) }
    guard let geometry = model.geometry else { throw .fault(.unsupportedModel) }
    let controls = try controls()
    var plan: [PageWrite] = []
    if before[15] & 0x0F != 0x0F, before[10] & 0x08 == 0 {
      plan.append(PageWrite(page: Self.containerPage, bytes: Array(before[12..<15]) + [before[15] | 0x0F]))
    }
    if let lock = geometry.dynamicLock, !Self.holds(controls.lock, lock.allSet) {
      plan.append(PageWrite(page: lock.page, bytes: lock.allSet + [0x00]))
    }
    if before[10] != 0xFF || before[11] != 0xFF {
      plan.append(PageWrite(page: Self.lockPage, bytes: Array(before[8..<10]) + [0xFF, 0xFF]))
    }
    guard !plan.isEmpty else { return }
    if plan.contains(where: { $0.page >= controls.firstProtected }) { try authenticate(controls) }
    for write in plan { try self.write(page: write.page, write.bytes) }
    let after = try header()
    let isLocked = Self.holds(try self.controls().lock, geometry.dynamicLock?.allSet ?? [])
    guard after[10] == 0xFF, after[11] == 0xFF, isLocked else { throw .fault(.notAsWritten) }
  }

  private static func holds(_ bits: [UInt8], _ mask: [UInt8]) -> Bool {
    for index in mask.indices where !bits.indices.contains(index) || bits[index] & mask[index] != mask[index] {
      return false
    }
    return true
  }

  // MARK: Capability container

  /// Formats the tag; the container is written last, so until then the tag remains unformatted.
  private func format() throws(WriteFailure) {
    let header = try header()
    if header[12] == 0xE1 {
      if case .none = Type2Memory.locate(in: try dataArea()) { try store([]) }
      return
    }
    if model.geometry == nil { model = try modelByRollOver() }
    guard let geometry = model.geometry else { throw .fault(.unsupportedModel) }
    let container = geometry.container
    // The container's bits can be set but not cleared.
    for index in 0..<4 where header[12 + index] & ~container[index] != 0 { throw .fault(.foreignContainer) }
    let memory = try dataArea(container: container)
    var target = Array(header[..<12]) + container + geometry.emptyContent
    target += [UInt8](repeating: 0, count: max(0, memory.count - target.count))
    var plan: [PageWrite] = []
    for page in 4..<memory.count / 4 where memory[page * 4..<page * 4 + 4] != target[page * 4..<page * 4 + 4] {
      plan.append(PageWrite(page: page, bytes: Array(target[page * 4..<page * 4 + 4])))
    }
    plan.append(PageWrite(page: Self.containerPage, bytes: container))
    try perform(plan, try controls())
    guard try dataArea() == target else { throw .fault(.notAsWritten) }
  }

  /// Identifies a tag that does not support GET_VERSION by its last page: 15 on an Ultralight, 41 on an NTAG203.
  private func modelByRollOver() throws(WriteFailure) -> TagModel {
    let first = try header()
    if Type2Reading.pagesBeforeRollOver(in: try read(page: 15), of: first) == 1 { return .ultralight }
    if Type2Reading.pagesBeforeRollOver(in: try read(page: 41), of: first) == 1 { return .ntag203 }
    return model
  }

  // MARK: Password

  /// Sets the password.
  ///
  /// The password is tested before it takes effect, and AUTH0 is written last, so that a tag removed too early remains
  /// as accessible as before.
  private func protect() throws(WriteFailure) {
    guard let page = model.geometry?.configurationPage else { throw .fault(.unsupportedModel) }
    guard let password = order.password else { throw .fault(.passwordProtected) }
    let controls = try controls()
    let isProtected = isProtected(controls)
    if isProtected { try authenticate(controls) }
    let access = controls.access & ~(Self.readsProtected | Self.attemptsLimit)
    guard !isProtected || controls.firstProtected > Self.firstWritablePage || access != controls.access else { return }
    guard controls.access & Self.configurationLocked == 0 else { throw .fault(.locked) }
    try write(page: page + 2, password.password)
    try write(page: page + 3, password.answer + [0, 0])
    guard try answer(to: password) == password.answer else { throw .fault(.notAsWritten) }
    if access != controls.access {
      try write(page: page + 1, [access] + controls.configuration[5..<8])
    }
    try write(page: page, controls.configuration[0..<3] + [UInt8(Self.firstWritablePage)])
    let after = try self.controls()
    guard after.firstProtected == Self.firstWritablePage, after.access == access else { throw .fault(.notAsWritten) }
  }

  /// Removes the password, so that anyone can write an erased tag again.
  private func clearPassword() throws(WriteFailure) {
    let controls = try controls()
    guard let page = model.geometry?.configurationPage, isProtected(controls) else { return }
    try authenticate(controls)
    try write(page: page, controls.configuration[0..<3] + [Self.unprotected])
    try write(page: page + 2, [0xFF, 0xFF, 0xFF, 0xFF])
    try write(page: page + 3, [0, 0, 0, 0])
    guard !isProtected(try self.controls()) else { throw .fault(.notAsWritten) }
  }

  private func isProtected(_ controls: Type2Controls) -> Bool {
    controls.firstProtected < model.geometry?.pageCount ?? 0
  }

  /// Authenticates with the password; sends none to a tag that counts wrong passwords, because we did not protect it.
  private func authenticate(_ controls: Type2Controls) throws(WriteFailure) {
    guard let password = order.password, controls.access & Self.attemptsLimit == 0 else {
      throw .fault(.passwordProtected)
    }
    do throws(WriteFailure) {
      guard try answer(to: password) == password.answer else { throw .fault(.passwordProtected) }
    } catch {
      guard case .noAnswer = error else { throw error }
      // A refusal and a disturbance look the same; the second one counts as a refusal.
      passwordSilences += 1
      throw passwordSilences > 1 ? .fault(.passwordProtected) : .noAnswer
    }
  }

  /// Sends the password and returns the answer (PWD_AUTH, NTAG213/215/216 §10.7).
  private func answer(to password: TagPassword) throws(WriteFailure) -> [UInt8] {
    do throws(ExchangeFailure) {
      return try device.exchange([0x1B] + password.password, .raw, within: Limits.readerExchangeMax)
    } catch { throw WriteFailure(error) }
  }

  // MARK: Pages

  /// Returns the first four pages.
  private func header() throws(WriteFailure) -> [UInt8] { try read(page: 0) }

  /// Returns the memory up to the end of the data area, as defined by `container` or by the tag's capability container.
  private func dataArea(container: [UInt8]? = nil) throws(WriteFailure) -> [UInt8] {
    var reading = Type2Reading(fastRead: fastRead)
    defer { fastRead = reading.fastRead }
    do throws(ReadFailure) { try reading.readDataArea(device, container: container) } catch {
      throw WriteFailure(error)
    }
    return reading.memory
  }

  /// Returns the lock bits and password settings of a known model; empty for other models.
  private func controls() throws(WriteFailure) -> Type2Controls {
    guard let geometry = model.geometry, let page = geometry.dynamicLock?.page ?? geometry.configurationPage else {
      return Type2Controls()
    }
    let block = try read(page: page)
    var controls = Type2Controls()
    var offset = 0
    if geometry.dynamicLock != nil {
      controls.lock = Array(block[0..<3])
      offset = 4
    }
    if geometry.configurationPage != nil { controls.configuration = Array(block[offset..<offset + 8]) }
    return controls
  }

  private func read(page: Int) throws(WriteFailure) -> [UInt8] {
    do throws(ReadFailure) { return try Type2Reading.read(page: page, from: device) } catch {
      throw WriteFailure(error)
    }
  }

  /// Writes one page (WRITE, NTAG213/215/216 §10.4).
  private func write(page: Int, _ bytes: [UInt8]) throws(WriteFailure) {
    _ = try write([0xA2, UInt8(truncatingIfNeeded: page)] + bytes, .known, within: Limits.readerExchangeMax)
  }
}
