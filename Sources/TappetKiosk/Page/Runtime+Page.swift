// The page's socket in the running kiosk: who is at the other end of a connection, and what they may do.

import CPlatform
import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform
import TappetStore

extension Runtime {
  /// Opens the page's socket if the configuration has `web:`, and closes it if it no longer does.
  ///
  /// A kiosk whose socket cannot be opened works without the page.
  func openPage() {
    guard let path = configuration.web?.socket else {
      page.server?.close()
      // Presses that had an effect are forgotten, so earlier ones are late.
      page = PageHost(startedAt: now().instant)
      return inbox.append(.pageOpened(errno: nil))
    }
    guard page.path != path else { return }
    page.server?.close()
    (page.server, page.path) = (nil, nil)
    let user = ProcessUser.id(of: "tappet-web")
    do throws(SystemError) {
      // tappet-web belongs to no group of the kiosk's: its user is checked instead.
      page.server = try ControlServer(
        listener: UnixSocket.listen(at: path, mode: 0o666), reactor: reactor, clientsMax: Limits.pageClientsMax,
        isTrusted: { _ in true }, isRefused: calling(self) { $0.refusesOnPage($1, besides: user) },
        answer: calling(self) { $0.answerPage($1, from: $2) })
      page.server?.onGone = calling(self) { runtime, client in
        runtime.cancelTagJob(of: client)
        runtime.helpers.tools.stop(client.number)
      }
      page.path = path
    } catch {
      let state = PartState(pageLost: error.code, configuration)
      log(LogRecord(.error, state.code, "the kiosk works without its page: " + state.text))
      return inbox.append(.pageOpened(errno: error.code))
    }
    inbox.append(.pageOpened(errno: 0))
    askStore(isRequired: true) { secrets in
      do throws(SecretStoreError) { return .pageDevices(.success(try secrets.get().pageDevices())) } catch {
        return .pageDevices(.failure(error))
      }
    }
  }

  private func refusesOnPage(_ client: ControlServer.Client, besides user: UInt32?) -> Bool {
    guard let peer = client.peer, peer.user == geteuid() || peer.user == user else { return true }
    return refuses(client)
  }

  /// Adopts the paired devices, and ends the connections of those that were removed.
  func adopt(pageDevices devices: Result<[PageDevice], SecretStoreError>) {
    guard page.server != nil else { return }
    switch devices {
    case .failure(let error):
      log(LogRecord(.error, "page-devices-unreadable", "no device can use the page: " + error.sentence))
      page.devices = []
    case .success(let devices):
      page.devices = devices
      let ids = devices.map { $0.id }
      page.confirmed = page.confirmed.filter { ids.contains($0.key) }
      page.guesses = page.guesses.filter { ids.contains($0.key) }
      page.days = page.days.filter { ids.contains($0.key) }
      page.server?.drop { client in client.page?.device.map { !devices.contains($0) } ?? false }
    }
  }

  /// Handles one message on the page's socket.
  private func answerPage(_ message: ControlMessage, from client: ControlServer.Client) {
    // tappet-web has given up meanwhile, and has said that nothing was done.
    if client.isGone { return }
    let request: KioskRequest
    do throws(KioskRequestError) { request = try KioskRequest(message) } catch {
      return client.send(.failure(error.sentence, code: "request-malformed"))
    }
    if case .page(.enter(let entry)) = request { return enter(entry, client) }
    guard let session = client.page else {
      return client.send(.failure("the first request must be 'enter'", code: "request-malformed"))
    }
    let access = request.pageAccess
    let isConfirmed = session.device.flatMap { page.confirmed[$0.id] }.map { now().instant < $0 } ?? false
    guard access.allows(session.level, isConfirmed: isConfirmed) else {
      return client.send(
        access == .again && session.level == .manage
          ? .failure("this needs the page's password", code: "again")
          : .failure("this device is not allowed to do that", code: "not-allowed"))
    }
    if case .page(let request) = request { serve(request, for: client, session) } else { serve(request, for: client) }
  }

  private func serve(_ request: PageRequest, for client: ControlServer.Client, _ session: PageSession) {
    switch request {
    case .enter, .watchSetup, .answerSetup: break
    case .pair(let code): pair(code, for: client, session)
    case .again(let password): check(password, for: client, session)
    case .state: client.send(statePageAnswer(session))
    case .watch:
      client.isWatching = true
      page.next = (Instant(nanoseconds: 0), min(page.next.beat, now().instant + Limits.pageBeat))
      handleWaiting()
    case .press(let press): self.press(press, for: client, session)
    case .confirm(let number, let time, let isForm):
      guard page.presses.isTimely(Instant(milliseconds: time), isForm: isForm, at: now().instant) else {
        return client.send(.failure("the answer arrived too late; nothing was done", code: "command-late"))
      }
      answer(question: number, with: .confirm, for: client, session)
    case .cancel(let number): answer(question: number, with: .cancel, for: client, session)
    case .taps(let span): sendTaps(span, to: client)
    case .hours(let span): sendHours(span, to: client)
    case .log: client.send(.object(["records": page.recordsJSON]))
    case .actions: client.send(.object(["actions": .array(configuration.actions.map { $0.pageJSON })]))
    case .writeTag(let action, let label, let person):
      var job = TagJobRequest(.write)
      (job.action, job.label, job.person) = (action, label, person)
      beginTagJob(job, for: client)
    case .stock(let request): ask(request, for: client, session)
    case .tool(let request): ask(request, for: client)
    case .received: helpers.tools.continueBackup(client.number)
    }
  }

  private func statePageAnswer(_ session: PageSession) -> JSON {
    .object(["now": .number(now().instant.wholeMilliseconds), "data": pageState(for: session)])
  }

  private func enter(_ entry: PageEntry, _ client: ControlServer.Client) {
    guard let settings = configuration.web, let devices = page.devices else {
      return client.send(.failure("the kiosk is starting; try again", code: "starting"))
    }
    guard PageSettings.serves(host: entry.host, as: settings.names, hostName: NetworkIdentity.hostName()) else {
      return client.send(
        .failure(
          "the page is not served as \(entry.host.prefix(80).description.quoted); use another address of the kiosk, or "
            + "add the name to 'web: {names: …}' in kiosk.yaml", code: "host-unknown"))
    }
    page.place = entry.place
    let hash = entry.token.map { $0.withBytes { LibCrypto.digest(Array($0)) } }
    let device = hash.flatMap { hash in devices.first { LibCrypto.areEqual($0.tokenHash, hash) } }
    let level = device?.level ?? settings.open
    client.page = PageSession(device: device, level: level, address: entry.address, network: entry.network)
    if let device { recordUse(of: device) }
    client.send(
      .object([
        "name": .string(settings.name), "level": .optional(level?.name), "device": .optional(device?.name),
      ]))
  }

  /// Records the day on which a device is used: one write a day, which also survives a power cut.
  func recordUse(of device: PageDevice) {
    let (id, seconds) = (device.id, now().unixSeconds)
    let day = seconds / 86_400
    guard seconds >= Limits.webClockMin, page.days[id] != day else { return }
    let isAsked = askStore(isRequired: false) { secrets in
      try? secrets.get().recordUse(ofPageDevice: id, day: day)
      return .pageUseRecorded
    }
    if isAsked { page.days[id] = day }
  }

  // MARK: Pairing

  /// Creates a code that pairs one device, for users who may see keys.
  func offerPairing(_ name: String, _ level: PageLevel, for client: ControlServer.Client) {
    guard client.maySeeKeys else { return client.send(.failure("only root and the kiosk's own user can pair devices")) }
    guard configuration.web != nil else {
      return client.send(.failure("this kiosk has no page; add 'web:' to kiosk.yaml and reload it"))
    }
    guard page.server != nil, let devices = page.devices else {
      return client.send(.failure("the page's socket could not be opened; look for 'page-lost' in the kiosk's log"))
    }
    guard let name = name.trimmedLabel else {
      return client.send(.refusal("the device needs a name, such as 'Hall tablet'"))
    }
    if let fault = name.personNameFault { return client.send(.refusal(fault.sentence)) }
    if devices.contains(where: { $0.name == name }) {
      return client.send(
        .refusal("a device named \(name.quoted) is already paired; use 'tappet web remove' to remove it first"))
    }
    guard devices.count < Limits.pageDevicesMax else {
      return client.send(.refusal("\(devices.count) devices are already paired, which is the maximum"))
    }
    guard let digits = try? PairingCode.newDigits() else { return client.send(.failure(SharedSentence.noRandomness)) }
    let former = page.pairing.flatMap { $0.isOver(at: now().instant) ? nil : $0.name }
    page.pairing = PairingCode(digits: digits, name: name, level: level, at: now().instant)
    client.send(
      .object(
        [
          JSON.Member(name: "seconds", value: .number(Limits.pairingTime.wholeMilliseconds / 1000)),
          JSON.Member(name: "replaced", value: .optional(former)),
        ] + page.place.members),
      enclosing: digits.withUnsafeBytes { SecretBytes(copying: $0) })
  }

  private func pair(_ code: SecretBytes, for client: ControlServer.Client, _ session: PageSession) {
    switch page.pairing?.judge(code, from: session.network, at: now().instant) {
    case .wrong:
      log(LogRecord(pairingRefused: session.address))
      return client.send(.failure("the code is wrong", code: "code-wrong"))
    case .over, nil:
      return client.send(
        .failure(
          "there is no such code, or it has expired, or was typed wrong too often; create a new one with 'tappet web "
            + "pair'", code: "code-over"))
    case .accepted: break
    }
    guard let pairing = page.pairing, let peer = client.peer, let id = try? TagSecret.newID(),
      var digits = (try? LibCrypto.random(count: 32)).map({ Hex.digits(of: $0) })
    else { return client.send(.failure(SharedSentence.noRandomness, code: "failed")) }
    page.pairing = nil
    let device = PageDevice(
      id: id, name: pairing.name, level: pairing.level, tokenHash: LibCrypto.digest(digits),
      pairedUnixSeconds: now().unixSeconds)
    let token = SecretBytes(taking: &digits)
    let (service, number, address) = (SecretService(configuration, owner: geteuid()), client.number, session.address)
    let isAsked = askStore(isRequired: false) { secrets in
      .answered(service.pair(device, token, at: address, by: peer, in: secrets), for: .page(number))
    }
    if !isAsked { client.send(.failure(SharedSentence.tooManyRequests, code: "busy")) }
  }
}

extension Action {
  fileprivate var pageJSON: JSON { .object(["action": .string(name), "title": .string(title)]) }
}

extension LogRecord {
  init(pairingRefused address: String) {
    self.init(
      .warning, "page-code-refused", "a wrong code was entered on the page from \(address.escaped)",
      [("from", address.escaped)])
  }
}
