// Probes devices by using them as the kiosk would, for 'tappet check' and 'tappet init'.

import CPlatform
import TappetBroker
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetKiosk
import TappetMessages
import TappetPlatform

/// Uses a device as the kiosk would, then releases it.
///
/// The wait ends early when the descriptor `end` becomes readable.
enum DeviceProbe {
  /// The verdict, a human-readable reason, and the code of the reason if it has one.
  typealias Finding = (verdict: CheckResult, text: String, code: String?)

  static func reader(_ configuration: KioskConfiguration, endedBy end: Int32 = -1) -> Finding {
    guard let reader = configuration.reader else {
      return (.good, KioskStatus.Reader.absent.sentence(configuration), KioskStatus.Reader.absent.code)
    }
    let device = reader.device
    func lost(_ loss: ReaderLoss) -> Finding { (.bad, loss.sentence(device: device, of: .tool), loss.code) }
    do throws(SystemError) {
      let reader = try ReaderProcess(executable: ReaderProcess.locateExecutable(), device: device)
      let limit = SystemClock().now().instant + Limits.readerStartMax
      while true {
        switch reader.receive() {
        case .message(.ready(let name)): return (.good, name, nil)
        case .message(.lost(let fault, let code)): return lost(.fault(fault, code: code))
        case .message(let other): _ = other
        case .malformed(let error): return lost(.malformed(error))
        case .closed: return lost(.ended(reader.finish()))
        case .nothing:
          guard waitReadable(reader.fileDescriptor, until: limit, endedBy: end) else {
            return lost(.silent)
          }
        }
      }
    } catch { return lost(.notStarted(code: error.code)) }
  }

  /// Connects with a separate client id and publishes nothing, so that a running kiosk keeps its connection.
  ///
  /// If the broker may have rejected only that id, and no kiosk uses the real id (`isIdle`), retries with the real id:
  /// only this detects a wrong password.
  static func broker(
    _ settings: BrokerSettings, endpoint: Int, isIdle: Bool, endedBy end: Int32 = -1
  ) -> Finding {
    let probe = settings.forProbe
    let answer = broker(probe, endpoint, endedBy: end)
    guard case .refused(let failure) = answer, failure.mayConcernClientID else {
      return answer.finding(probe, endpoint)
    }
    if isIdle {
      let real = settings.forProbe(clientID: settings.clientID)
      return broker(real, endpoint, endedBy: end).finding(real, endpoint)
    }
    return (.note, "\(probe.endpoints[endpoint].text): skipped: \(idRefusal(probe.clientID, failure))", failure.code)
  }

  private static func broker(_ settings: BrokerSettings, _ endpoint: Int, endedBy end: Int32) -> BrokerAnswer {
    do throws(SystemError) {
      let mailbox = try Mailbox<LinkEvent>()
      let link = try BrokerLink(settings: settings) { mailbox.post($0) }
      defer { link.shutdown() }
      link.connect(endpoint: endpoint)
      let limit = SystemClock().now().instant + Limits.connectTimeout + .seconds(2)
      var (fallback, lacksRetained): (LinkFailure?, Bool) = (nil, false)
      while waitReadable(mailbox.fileDescriptor, until: limit, endedBy: end) {
        for event in mailbox.drain() {
          switch event {
          case .didFallBack(let failure): fallback = failure
          case .lacksRetained: lacksRetained = true
          case .connected: return .accepted(fallback, lacksRetained: lacksRetained)
          case .failed(let failure), .lost(let failure): return .refused(failure)
          case .foundMQTT5, .acknowledged, .acknowledgedUnheard, .publishRefused, .disconnected: break
          }
        }
      }
      return .silent
    } catch { return .noLink(error) }
  }

  /// Requests '/' from a web server, with the certificates of `webhook`: a request to the webhook's own URL might open
  /// the door.
  static func webServer(_ url: WebhookURL, of webhook: WebhookEndpoint? = nil, endedBy end: Int32 = -1) -> Finding {
    var endpoint = WebhookEndpoint(action: "", url: .text(url.origin))
    endpoint.allowsPlain = true
    endpoint.caFile = webhook?.caFile
    (endpoint.certificateFile, endpoint.privateKeyFile) = (webhook?.certificateFile, webhook?.privateKeyFile)
    do throws(HTTPRequests.Failure) {
      let requests: HTTPRequests
      do throws(CommandFailure) { requests = try HTTPRequests(endpoint) } catch { throw .helper(error) }
      try requests.begin(.get, "/")
      let limit = SystemClock().now().instant + Limits.webhookAnswerMax
      while waitReadable(requests.fileDescriptor, until: limit, endedBy: end) {
        if try requests.next() != nil { return (.good, "\(url.origin) responds", nil) }
      }
      throw .trouble(.timedOut, code: 0)
    } catch {
      switch error {
      case .helper(let failure): return (.bad, failure.sentence ?? "", failure.code)
      case .trouble(let trouble, let code):
        let fault = WebhookFault.trouble(trouble, code: code)
        return (.bad, fault.sentence(url.origin), fault.code)
      }
    }
  }

  private static func idRefusal(_ clientID: String, _ failure: LinkFailure) -> String {
    "the broker refused the client id '\(clientID)', which only this check uses (\(failure.sentence)); use 'tappet "
      + "check --running' to query the kiosk"
  }

  private static func waitReadable(_ fd: Int32, until limit: Instant, endedBy end: Int32) -> Bool {
    let remaining = limit - SystemClock().now().instant
    guard remaining > .zero else { return false }
    let ready = Poll.wait([(fd, .readable), (end, .readable)], for: remaining)
    return !ready[0].isEmpty && ready[1].isEmpty
  }
}

/// The result of an attempt to connect.
private enum BrokerAnswer {
  /// MQTT 3.1.1 is used if MQTT 5 failed.
  case accepted(LinkFailure?, lacksRetained: Bool)
  case refused(LinkFailure)
  case silent
  case noLink(SystemError)

  func finding(_ settings: BrokerSettings, _ index: Int) -> DeviceProbe.Finding {
    let endpoint = settings.endpoints[index]
    switch self {
    case .accepted(let fallback, let lacksRetained):
      let usesMQTT5 = fallback == nil && settings.firstVersion(for: endpoint) == .v5
      let text = "connected to \(endpoint.text) with MQTT \(usesMQTT5 ? "5" : "3.1.1")"
      if lacksRetained {
        return (.note, text + ", which does not support retained messages: the kiosk publishes no status there", nil)
      }
      guard let fallback else { return (.good, text, nil) }
      let why = fallback.refusesMQTT5 ? "the broker does not support MQTT 5" : "with MQTT 5, \(fallback.sentence)"
      return (
        .note,
        text + ", because \(why); a message that its access list denies may be counted as delivered", nil
      )
    case .refused(let failure): return (.bad, "\(endpoint.text): \(failure.sentence)", failure.code)
    case .silent:
      return (.bad, "\(endpoint.text) did not respond in \(Limits.connectTimeout.wholeMilliseconds / 1000) s", nil)
    case .noLink(let error):
      return (.bad, "the link to \(endpoint.text) cannot be set up: \(error.call): \(error.text)", nil)
    }
  }
}

extension LinkFailure {
  /// Whether the broker may have rejected only the client id.
  fileprivate var mayConcernClientID: Bool {
    switch self {
    case .connack(.identifierRejected), .connack(.notAuthorized), .refused(.clientIdentifierNotValid),
      .refused(.notAuthorized):
      true
    default: false
    }
  }
}
