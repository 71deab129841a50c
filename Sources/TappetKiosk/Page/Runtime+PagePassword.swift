// The page's password, which is set at the kiosk. Only a device that manages can enter it, so guesses cost little.

import CPlatform
import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform
import TappetStore

extension Runtime {
  /// Checks a password on the store thread; for some minutes, the device then needs none.
  func check(_ password: SecretBytes, for client: ControlServer.Client, _ session: PageSession) {
    guard let device = session.device else { return }
    let now = now().instant
    if let wait = page.guesses[device.id]?.wait(at: now) {
      let seconds = wait.wholeMilliseconds / 1000 + 1
      return client.send(.failure("too many wrong passwords; wait \(seconds) seconds", code: "too-many"))
    }
    page.guesses[device.id, default: GuessLimit(Limits.passwordAttemptsMax)].add(at: now)
    let number = client.number
    let isAsked = askStore(isRequired: false) { secrets in
      .pagePassword(SecretStore.check(password, in: secrets), of: device, for: number)
    }
    if !isAsked { client.send(.failure(SharedSentence.tooManyRequests, code: "busy")) }
  }

  /// Responds with the result of a check.
  func checked(_ result: Result<PagePassword.Check, SecretFailure>, of device: PageDevice, for number: UInt64) {
    let answer: JSON
    switch result {
    case .success(.right):
      page.guesses[device.id] = nil
      page.confirmed[device.id] = now().instant + Limits.pageAgainTime
      answer = .object(["seconds": .number(Limits.pageAgainTime.wholeMilliseconds / 1000)])
    case .success(.wrong):
      log(
        LogRecord(
          .warning, "page-password-refused", "a wrong password was entered on the page by \(device.name)",
          device.caller.by.fields))
      answer = .failure("the password is wrong", code: "password-wrong")
    case .success(.unset):
      page.guesses[device.id] = nil
      answer = .failure(
        "no password is set for the page; run 'sudo tappet web password' at the kiosk", code: "password-missing")
    case .failure(let failure): answer = .failure(failure.sentence, code: "failed")
    }
    page.server?.client(number)?.send(answer)
  }
}

extension SecretStore {
  fileprivate static func check(
    _ password: SecretBytes, in secrets: StoreThread.Secrets
  ) -> Result<PagePassword.Check, SecretFailure> {
    let known: PagePassword
    do throws(SecretStoreError) {
      guard let found = try secrets.get().pagePassword() else { return .success(.unset) }
      known = found
    } catch { return .failure(SecretFailure(error)) }
    do throws(CryptoError) { return .success(try known.matches(password) ? .right : .wrong) } catch {
      return .failure(SecretFailure("there is not enough memory to check the password", isRefusal: false))
    }
  }
}
